"""The table's resolution: who wins, what is refused and how, and that no secret shows."""

from __future__ import annotations

from typing import Any

import pytest

from shared.errors import UsageError
from shared.settings import MASK, Kind, Origin, Resolved, Setting, Settings, from_toml, resolve

HIDDEN = "sk-a-key-that-nobody-may-see"

ROWS = (
    Setting("voice", Kind.TEXT, "alto", "", flag="--voice", variable="VOICE", toml="sound.voice"),
    Setting(
        "mode", Kind.TEXT, "own", "", flag="--mode", variable="MODE", toml="work.mode",
        choices=("own", "other"), may_be_blank=True,
    ),
    Setting(
        "count", Kind.INTEGER, 1, "", flag="--count", variable="COUNT", toml="work.count",
        minimum=1, maximum=8,
    ),
    Setting(
        "wait", Kind.NUMBER, 30.0, "", flag="--wait", variable="WAIT", toml="work.wait",
        above=0, maximum=60,
    ),
    Setting("loud", Kind.SWITCH, default=False, help="", variable="LOUD", toml="sound.loud"),
    Setting("data", Kind.PATH, None, "", flag="--data", toml="work.data"),
    Setting("label", Kind.TEXT, "", "", flag="--label", may_be_blank=True, is_recorded=False),
    Setting("key", Kind.TEXT, None, "", variable="KEY", is_secret=True),
)  # fmt: skip


def resolved(
    *,
    flags: dict[str, Any] | None = None,
    environment: dict[str, str] | None = None,
    env_file: dict[str, str] | None = None,
    toml: dict[str, Any] | None = None,
) -> Settings:
    return resolve(
        ROWS,
        flags=flags or {},
        environment=environment or {},
        env_file=env_file or {},
        toml=from_toml(ROWS, toml or {}, file="settings.toml"),
    )


def refusal(**sources: Any) -> str:
    with pytest.raises(UsageError) as caught:
        resolved(**sources)
    return str(caught.value)


SOURCES = {
    "flags": {"voice": "from the flag"},
    "environment": {"VOICE": "from the shell"},
    "env_file": {"VOICE": "from the file"},
    "toml": {"sound": {"voice": "from TOML"}},
}


@pytest.mark.parametrize(
    ("present", "value", "origin"),
    [
        pytest.param(
            ["flags", "environment", "env_file", "toml"],
            "from the flag",
            Origin.FLAG,
            id="a-flag-wins-over-everything",
        ),
        pytest.param(
            ["environment", "env_file", "toml"],
            "from the shell",
            Origin.ENVIRONMENT,
            id="the-shell-wins-over-the-env-file",
        ),
        pytest.param(
            ["env_file", "toml"], "from the file", Origin.ENV_FILE, id="the-env-file-wins-over-toml"
        ),
        pytest.param(["toml"], "from TOML", Origin.TOML, id="toml-wins-over-the-default"),
        pytest.param([], "alto", Origin.DEFAULT, id="nothing-given-is-the-default"),
    ],
)
def test_of_several_sources(present: list[str], value: str, origin: Origin) -> None:
    settings = resolved(**{name: SOURCES[name] for name in present})

    assert (settings["voice"], settings.origin("voice")) == (value, origin)


def test_an_ignored_source_is_not_even_read() -> None:
    settings = resolved(flags={"count": 2}, environment={"COUNT": "many"})

    assert settings.integer("count") == 2


@pytest.mark.parametrize(
    ("name", "flag"),
    [
        pytest.param("loud", False, id="a-switch-turned-off"),
        pytest.param("label", "", id="a-text-that-may-be-blank"),
    ],
)
def test_a_flag_that_is_falsy_was_given_all_the_same(name: str, flag: object) -> None:
    settings = resolved(flags={name: flag}, environment={"LOUD": "true"})

    assert (settings[name], settings.origin(name)) == (flag, Origin.FLAG)


@pytest.mark.parametrize("source", ["environment", "env_file"])
@pytest.mark.parametrize(
    ("name", "variable", "text", "value"),
    [
        pytest.param("voice", "VOICE", "  bass ", "bass", id="text-without-its-surroundings"),
        pytest.param("count", "COUNT", " 8 ", 8, id="a-whole-number"),
        pytest.param("wait", "WAIT", "0.5", 0.5, id="a-number"),
        pytest.param("wait", "WAIT", "1e1", 10.0, id="a-number-with-an-exponent"),
        pytest.param("loud", "LOUD", "true", True, id="a-switch-turned-on"),
        pytest.param("loud", "LOUD", "YES", True, id="a-switch-in-any-case"),
        pytest.param("loud", "LOUD", "1", True, id="a-switch-as-one"),
        pytest.param("loud", "LOUD", "False", False, id="a-switch-turned-off"),
        pytest.param("loud", "LOUD", "no", False, id="a-switch-as-no"),
        pytest.param("loud", "LOUD", "0", False, id="a-switch-as-zero"),
        pytest.param("mode", "MODE", "", "own", id="blank-where-blank-is-the-default"),
        pytest.param("mode", "MODE", " \t", "own", id="blanks-where-blank-is-the-default"),
    ],
)
def test_a_variable_is_read_as(
    source: str, name: str, variable: str, text: str, value: object
) -> None:
    settings = resolved(**{source: {variable: text}})

    assert settings[name] == value
    assert type(settings[name]) is type(value)


@pytest.mark.parametrize("source", ["environment", "env_file"])
@pytest.mark.parametrize(
    ("variable", "text", "complaint"),
    [
        pytest.param("VOICE", "", "VOICE: set but blank", id="blank"),
        pytest.param("VOICE", " \t ", "VOICE: set but blank", id="nothing-but-blanks"),
        pytest.param("KEY", "", "KEY: set but blank", id="a-blank-secret"),
        pytest.param("COUNT", "two", "COUNT: expected a whole number", id="a-word-for-a-number"),
        pytest.param("COUNT", "2.0", "COUNT: expected a whole number", id="a-decimal-for-a-whole"),
        pytest.param("WAIT", "1,5", "WAIT: expected a number", id="a-decimal-comma"),
        pytest.param("WAIT", "nan", "WAIT: must be a finite number", id="no-number"),
        pytest.param("WAIT", "inf", "WAIT: must be a finite number", id="infinity"),
        pytest.param("LOUD", "on", "LOUD: expected true or false", id="an-unknown-switch"),
        pytest.param("VOICE", "a\udcff", "VOICE: holds bytes", id="bytes-that-are-no-text"),
        pytest.param("MODE", "Own", "MODE: 'Own' is none of own, other", id="a-choice-miswritten"),
    ],
)
def test_a_variable_is_refused_that_is(
    source: str, variable: str, text: str, complaint: str
) -> None:
    said = refusal(**{source: {variable: text}})

    assert said.startswith(complaint)
    assert len(said.splitlines()) == 1


BOUNDS = [
    pytest.param("count", 0, False, id="one-below-the-minimum"),
    pytest.param("count", 1, True, id="the-minimum"),
    pytest.param("count", 8, True, id="the-maximum"),
    pytest.param("count", 9, False, id="one-above-the-maximum"),
    pytest.param("count", 10**400, False, id="a-number-that-no-float-holds"),
    pytest.param("wait", 0, False, id="the-exclusive-bound"),
    pytest.param("wait", 5e-324, True, id="the-least-above-the-exclusive-bound"),
    pytest.param("wait", -1.0, False, id="below-the-exclusive-bound"),
    pytest.param("wait", 60, True, id="the-maximum-as-a-whole-number"),
    pytest.param("wait", 60.000_001, False, id="a-little-above-the-maximum"),
    pytest.param("wait", float("nan"), False, id="no-number"),
    pytest.param("wait", float("inf"), False, id="infinity"),
]


@pytest.mark.parametrize(("name", "number", "is_accepted"), BOUNDS)
@pytest.mark.parametrize("source", ["flag", "variable", "toml"])
def test_a_bound(source: str, name: str, number: float, is_accepted: bool) -> None:
    given: dict[str, Any] = {
        "flag": {"flags": {name: number}},
        "variable": {"environment": {name.upper(): str(number)}},
        "toml": {"toml": {"work": {name: number}}},
    }[source]

    if is_accepted:
        assert resolved(**given)[name] == number
    else:
        assert len(refusal(**given).splitlines()) == 1


def test_a_refused_number_is_shown_as_it_was_given() -> None:
    assert refusal(flags={"wait": 60.000_001}) == "--wait: must be at most 60, not 60.000001"


@pytest.mark.parametrize(
    ("section", "complaint"),
    [
        pytest.param({"count": "2"}, "work.count: expected a whole number", id="text-for-a-number"),
        pytest.param({"count": 2.0}, "work.count: expected a whole number", id="float-for-an-int"),
        pytest.param({"count": True}, "work.count: expected a whole number", id="bool-for-an-int"),
        pytest.param({"wait": True}, "work.wait: expected a number", id="bool-for-a-number"),
        pytest.param({"data": 1}, "work.data: expected a path in quotes", id="a-number-for-a-path"),
        pytest.param({"data": ["a"]}, "work.data: expected a path in quotes", id="list-for-a-path"),
        pytest.param({"data": " "}, "work.data: must not be blank", id="a-blank-path"),
        pytest.param({"mode": "mine"}, "work.mode: 'mine' is none of", id="an-unknown-choice"),
        pytest.param({"mode": False}, "work.mode: expected a text", id="a-bool-for-a-choice"),
        pytest.param({"count": {"most": 2}}, "work.count: expected", id="a-table-for-a-number"),
    ],
)
def test_toml_refuses(section: dict[str, Any], complaint: str) -> None:
    assert refusal(toml={"work": section}).startswith(f"settings.toml: {complaint}")


def test_toml_takes_a_whole_number_for_a_number() -> None:
    assert resolved(toml={"work": {"wait": 5}}).number("wait") == 5.0


def test_toml_names_all_faults_of_a_file_at_once() -> None:
    said = refusal(
        toml={"stray": 1, "work": {"cuont": 2, "count": 9, "wait": 1}, "sound": {"loud": "yes"}}
    )

    assert said.splitlines() == [
        "settings.toml: 'stray' stands outside any section; put it into one",
        "settings.toml: unknown key 'work.cuont'; did you mean 'work.count'?",
        "settings.toml: work.count: must be at most 8, not 9",
        "settings.toml: sound.loud: expected true or false, found 'yes'",
    ]


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        pytest.param({"work": {"voice": "a"}}, "'sound.voice'?", id="a-key-in-the-wrong-section"),
        pytest.param({"loudness": {"of": 1}}, "known keys: ", id="nothing-like-any-key"),
        pytest.param({"": {"voice": "a"}}, "'sound.voice'?", id="a-section-without-a-name"),
        pytest.param({"work": [{"count": 1}]}, "outside any section", id="a-list-of-tables"),
        pytest.param({"work": {"a\nb": 1}}, r"'work.a\nb'", id="a-key-of-two-lines"),
    ],
)
def test_an_unknown_key_is_refused(document: dict[str, Any], complaint: str) -> None:
    said = refusal(toml=document)

    assert complaint in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("flag", ["", "  "])
def test_a_blank_flag_is_refused(flag: str) -> None:
    assert refusal(flags={"data": flag}) == "--data: must not be blank"


def test_a_secret_is_found_but_never_shown() -> None:
    settings = resolved(environment={"KEY": HIDDEN})

    assert list(settings.secrets()) == [HIDDEN]
    assert settings["key"] == HIDDEN
    assert HIDDEN not in repr(settings)
    assert settings.recorded()["key"] == {"value": MASK, "origin": "environment"}


def test_without_a_secret_none_is_claimed() -> None:
    settings = resolved()

    assert list(settings.secrets()) == []
    assert settings.recorded()["key"] == {"value": None, "origin": "default"}


def test_what_is_recorded_keeps_its_origin_and_leaves_out_what_moves_no_number() -> None:
    recorded = resolved(
        flags={"count": 2, "label": "x"}, env_file={"WAIT": "5"}, toml={"sound": {"loud": True}}
    ).recorded()

    assert recorded["count"] == {"value": 2, "origin": "flag"}
    assert recorded["wait"] == {"value": 5.0, "origin": "env_file"}
    assert recorded["loud"] == {"value": True, "origin": "toml"}
    assert recorded["voice"] == {"value": "alto", "origin": "default"}
    assert "label" not in recorded


def test_a_path_is_recorded_as_it_was_written() -> None:
    settings = Settings(ROWS[5:6], {"data": Resolved("/far/away/d.json", Origin.TOML, "d.json")})

    assert settings.path("data") == "/far/away/d.json"
    assert settings.recorded()["data"] == {"value": "d.json", "origin": "toml"}


@pytest.mark.parametrize(
    ("ask", "name"),
    [
        pytest.param(Settings.text, "count", id="a-number-is-no-text"),
        pytest.param(Settings.text, "data", id="nothing-is-no-text"),
        pytest.param(Settings.integer, "loud", id="a-switch-is-no-integer"),
        pytest.param(Settings.integer, "wait", id="a-float-is-no-integer"),
        pytest.param(Settings.number, "loud", id="a-switch-is-no-number"),
    ],
)
def test_a_value_is_not_taken_for_another_kind(ask: Any, name: str) -> None:
    with pytest.raises(TypeError, match=name):
        ask(resolved(), name)


def test_what_is_no_path_and_no_switch_is_neither() -> None:
    assert resolved().path("data") is None
    assert resolved().switch("voice") is False


@pytest.mark.parametrize(
    ("sources", "origin"),
    [
        pytest.param(
            {"environment": {"MODE": ""}, "env_file": {"MODE": "other"}},
            Origin.ENV_FILE,
            id="the-shell-does-not-hide-the-env-file",
        ),
        pytest.param(
            {"environment": {"MODE": " "}, "toml": {"work": {"mode": "other"}}},
            Origin.TOML,
            id="nor-toml",
        ),
        pytest.param(
            {"env_file": {"MODE": ""}, "toml": {"work": {"mode": "other"}}},
            Origin.TOML,
            id="nor-does-the-env-file",
        ),
    ],
)
def test_a_blank_that_means_nothing_was_given(sources: Any, origin: Origin) -> None:
    settings = resolved(**sources)

    assert settings["mode"] == "other"
    assert settings.origin("mode") is origin

"""RUN's rows: what they take, what they refuse, and what the bundled file says."""

from __future__ import annotations

import tomllib
from math import inf, nan
from pathlib import Path

import pytest

import run_harness
from run_harness.settings import ROWS
from shared.errors import UsageError
from shared.settings import Kind, Setting, Settings, Value, from_toml, resolve

FOLDER = Path(run_harness.__file__).parent
TOML = tomllib.loads((FOLDER / "config.toml").read_text("utf-8"))
SECONDS = ("work_grace_seconds", "cleanup_timeout_seconds")


def given(**flags: Value) -> Settings:
    return resolve(ROWS, flags=flags, environment={}, env_file={}, toml={})


@pytest.mark.parametrize(
    ("name", "accepted", "refused"),
    [
        pytest.param("max_duration_seconds", [0.001, 600], [0, 600.001], id="up-to-ten-minutes"),
        pytest.param("response_deadline_ms", [1, 60_000], [0, 60_001], id="a-deadline"),
        pytest.param("tick_ms", [20, 1_000], [19, 1_001, 0], id="a-width-of-ticks"),
        pytest.param("playout_hold_ms", [0, 2_000], [-1, 2_001], id="a-hold"),
        pytest.param("drain_ms", [0, 60_000], [-1, 60_001], id="a-drain"),
        pytest.param("quiet_line_ms", [0, 600_000], [-1, 600_001], id="a-quiet-line"),
        pytest.param("completion_timeout_seconds", [0.001, 60], [0, 60.001], id="a-call's-limit"),
        pytest.param("completion_retries", [0, 10], [-1, 11], id="some-retries"),
        pytest.param("completion_model", ["any"], ["", " "], id="a-model-that-observes"),
        pytest.param("simulator_model", ["any"], [""], id="a-model-that-calls"),
        pytest.param("simulator_voice", ["", "cedar", "voice_12"], [], id="any-voice-or-none"),
        pytest.param("simulator_backend_model", ["any"], [""], id="a-model-that-reasons"),
        pytest.param(
            "simulator_backend_reasoning_effort", ["none", "xhigh"], ["max", ""], id="an-effort"
        ),
        pytest.param("condition", ["clean", "realistic"], ["loud", ""], id="a-condition-there-is"),
        pytest.param("noise_rms", [0, 32_767], [-1, 32_768], id="noise"),
        pytest.param("background_gain", [0, 1], [-0.1, 1.1], id="a-gain"),
        pytest.param("echo_delay_ms", [0, 60_000], [-1, 60_001], id="a-delay"),
        pytest.param("packet_loss_burst", [1, 1_000], [0, 1_001], id="a-burst"),
        pytest.param("cough_every_ms", [1, 3_600_000], [0, 3_600_001], id="coughs"),
        pytest.param("concurrency", [1, 8], [0, 9], id="one-to-eight-at-once"),
        *(
            pytest.param(name, [0.001, 600], [0, -1, nan, inf, 600.1], id=f"a-budget-{name}")
            for name in SECONDS
        ),
    ],
)
def test_it_takes(name: str, accepted: list[Value], refused: list[Value]) -> None:
    for value in accepted:
        assert given(**{name: value})[name] == value
    for value in refused:
        with pytest.raises(UsageError):
            given(**{name: value})


@pytest.mark.parametrize("name", SECONDS)
@pytest.mark.parametrize("value", [True, "5", 0, -0.5, nan, inf])
def test_a_file_takes_no_budget_that_is_none(name: str, value: object) -> None:
    with pytest.raises(UsageError, match=rf"a\.toml: simulation\.{name}"):
        from_toml(ROWS, {"simulation": {name: value}}, file="a.toml")


def test_a_file_is_weaker_than_a_flag() -> None:
    toml = from_toml(ROWS, {"simulation": {"cleanup_timeout_seconds": 2}}, file="a.toml")
    by_file = resolve(ROWS, flags={}, environment={}, env_file={}, toml=toml)
    by_flag = resolve(
        ROWS, flags={"cleanup_timeout_seconds": 3.0}, environment={}, env_file={}, toml=toml
    )

    assert by_file.number("cleanup_timeout_seconds") == 2
    assert by_flag.number("cleanup_timeout_seconds") == 3


def test_the_bundled_file_holds_known_keys_at_their_defaults() -> None:
    found = from_toml(ROWS, TOML, file="config.toml")
    defaults = {row.name: row.default for row in ROWS}

    assert {name: one.value for name, one in found.items() if name != "data"} == {
        name: defaults[name] for name in found if name != "data"
    }
    assert found["data"].value == "data/scenarios.json"


def test_the_caller_and_the_assistant_do_not_share_a_setting_of_their_sessions() -> None:
    variables = {row.variable for row in ROWS if row.name.startswith("simulator_")}

    assert variables == {None}


def test_a_conversation_has_no_limit_for_one_answer() -> None:
    assert "response_timeout_seconds" not in {row.name for row in ROWS}


@pytest.mark.parametrize(
    "flag", ["--user-backend", "--user-model", "--realtime-user-model", "--tts-model"]
)
def test_a_flag_of_the_past_is_unknown(flag: str) -> None:
    assert flag not in {row.flag for row in ROWS} | {row.other_flag for row in ROWS}


@pytest.mark.parametrize("of", ["name", "flag", "variable", "toml"])
def test_no_two_rows_share_a(of: str) -> None:
    names = [name for row in ROWS if (name := getattr(row, of)) is not None]

    assert len(names) == len(set(names))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_can_be_given_and_says_what_it_is(row: Setting) -> None:
    assert row.flag or row.variable or row.toml
    assert row.help.endswith(".")
    assert "\n" not in row.help
    assert not (row.kind is Kind.SWITCH and row.choices)

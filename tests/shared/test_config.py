"""Reading the places that settings come from: TOML files, and where their paths start."""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.config import load_settings
from shared.errors import UsageError
from shared.settings import Kind, Origin, Setting, Settings, Value

ROWS = (
    Setting("config", Kind.PATH, None, "", flag="--config", is_recorded=False),
    Setting("voice", Kind.TEXT, "alto", "", flag="--voice", variable="VOICE", toml="sound.voice"),
    Setting("count", Kind.INTEGER, 1, "", toml="work.count"),
    Setting("data", Kind.PATH, None, "", flag="--data", toml="work.data"),
)
BUNDLED = '[work]\ndata = "data/scenarios.json"\n'


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An empty environment file, so that no developer's own settings take part."""
    monkeypatch.delenv("VOICE", raising=False)
    empty = tmp_path / "empty.env"
    empty.touch()
    monkeypatch.setenv("GPT_LIVE_EVALS_ENV_FILE", str(empty))


def loaded(folder: Path, bundled: str | bytes = BUNDLED, **flags: Value) -> Settings:
    file = folder / "bundled" / "config.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(bundled.encode() if isinstance(bundled, str) else bundled)
    return load_settings(ROWS, flags, bundled_toml=file)


def refusal(folder: Path, bundled: str | bytes = BUNDLED, **flags: Value) -> str:
    with pytest.raises(UsageError) as caught:
        loaded(folder, bundled, **flags)
    return str(caught.value)


def test_a_path_in_toml_starts_at_its_file(tmp_path: Path) -> None:
    settings = loaded(tmp_path)

    assert settings.path("data") == str(tmp_path / "bundled" / "data" / "scenarios.json")
    assert settings.recorded()["data"] == {"value": "data/scenarios.json", "origin": "toml"}


def test_a_path_on_the_command_line_starts_at_the_working_directory(tmp_path: Path) -> None:
    assert loaded(tmp_path, data="mine.json").path("data") == "mine.json"


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("/elsewhere/d.json", id="absolute"),
        pytest.param("~/d.json", id="of-the-home-folder"),
    ],
)
def test_a_path_in_toml_may_be(written: str, tmp_path: Path) -> None:
    settings = loaded(tmp_path, f'[work]\ndata = "{written}"\n')

    assert settings.path("data") == str(Path(written).expanduser())


def test_another_toml_takes_the_bundled_ones_place_whole(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text("[work]\ncount = 3\n")
    settings = loaded(tmp_path, config=str(mine))

    assert settings.integer("count") == 3
    assert settings.path("data") is None
    assert settings.origin("data") is Origin.DEFAULT


def test_a_relative_config_starts_at_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "mine.toml").write_text('[work]\ndata = "d.json"\n')

    assert loaded(tmp_path, config="sub/mine.toml").path("data") == str(Path("sub/d.json"))


def test_the_selected_env_file_takes_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env_file = tmp_path / "chosen.env"
    env_file.write_text("VOICE=bass\n")
    monkeypatch.setenv("GPT_LIVE_EVALS_ENV_FILE", str(env_file))
    settings = loaded(tmp_path)

    assert (settings["voice"], settings.origin("voice")) == ("bass", Origin.ENV_FILE)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("", id="an-empty-file"),
        pytest.param(b"\xef\xbb\xbf[work]\ncount = 1\n", id="a-byte-order-mark"),
        pytest.param("[work]\r\ncount = 1\r\n", id="line-ends-of-windows"),
    ],
)
def test_toml_is_read_despite(content: str | bytes, tmp_path: Path) -> None:
    assert loaded(tmp_path, content).integer("count") == 1


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        pytest.param("count = ", "is not valid TOML", id="no-value"),
        pytest.param("[work]\ncount = 1\ncount = 2\n", "is not valid TOML", id="a-key-twice"),
        pytest.param("[work]\ncount = 1" + "0" * 5_000, "is not valid TOML", id="endless-digits"),
        pytest.param(
            b"[work]\ndata = '\xff'\n",
            "config.toml:2: byte 0xff is not UTF-8; save the file as UTF-8",
            id="bytes-that-are-no-utf-8",
        ),
        pytest.param("[work]\nuont = 1\n", "config.toml: unknown key 'work.uont'", id="a-typo"),
        pytest.param('[work]\ndata = "~nobody_is_called_so/d"\n', "work.data: ", id="no-such-home"),
    ],
)
def test_toml_is_refused_with(content: str | bytes, complaint: str, tmp_path: Path) -> None:
    said = refusal(tmp_path, content)

    assert complaint in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    ("named", "complaint"),
    [
        pytest.param("missing.toml", "does not exist", id="that-is-missing"),
        pytest.param(".", "cannot be read", id="that-is-a-folder"),
        pytest.param("~nobody_is_called_so/c.toml", "no such home", id="in-nobody's-home"),
    ],
)
def test_config_names_a_file(named: str, complaint: str, tmp_path: Path) -> None:
    said = refusal(tmp_path, config=named)

    assert said.startswith("--config: ")
    assert complaint in said
    assert len(said.splitlines()) == 1


def test_faults_of_a_named_file_bear_the_name_as_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text("[work]\nconut = 3\n")

    assert refusal(tmp_path, config="mine.toml").startswith("mine.toml: unknown key 'work.conut'")

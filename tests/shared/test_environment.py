"""Which environment file is read: one or none, chosen in the open, and never a parent's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import shared.environment
from shared.environment import ENV_FILE_VARIABLE, read_env_file
from shared.errors import UsageError


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout and, below another folder, a working directory; both without files."""
    checkout, working = tmp_path / "checkout", tmp_path / "parent" / "working"
    checkout.mkdir()
    working.mkdir(parents=True)
    monkeypatch.chdir(working)
    monkeypatch.setattr(shared.environment, "checkout", lambda: checkout)
    return tmp_path


def read(**environment: str) -> dict[str, str]:
    return read_env_file(environment)


def refusal(**environment: str) -> str:
    with pytest.raises(UsageError) as caught:
        read(**environment)
    said = str(caught.value)
    assert len(said.splitlines()) == 1
    return said


def test_without_any_file_nothing_is_read() -> None:
    assert read() == {}


def test_the_working_directorys_file_is_read() -> None:
    Path(".env").write_text("A=1\n")

    assert read() == {"A": "1"}


def test_the_checkouts_file_is_the_fallback(folders: Path) -> None:
    (folders / "checkout" / ".env").write_text("A=checkout\n")
    assert read() == {"A": "checkout"}

    Path(".env").write_text("B=working\n")
    assert read() == {"B": "working"}, "one file alone is read"


def test_an_installed_package_has_no_fallback(
    folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared.environment, "checkout", lambda: None)
    (folders / "checkout" / ".env").write_text("A=1\n")

    assert read() == {}


@pytest.mark.parametrize("name", ["parent/.env", "parent/working/.env.example"])
def test_never_read(name: str, folders: Path) -> None:
    (folders / name).write_text("A=1\n")

    assert read() == {}


def test_a_folder_named_env_is_no_file(folders: Path) -> None:
    Path(".env").mkdir()
    (folders / "checkout" / ".env").write_text("A=1\n")

    assert read() == {"A": "1"}


def test_the_variable_selects_exactly_one_file(folders: Path) -> None:
    Path(".env").write_text("A=working\nB=working\n")
    (folders / "chosen").write_text("A=chosen\n")

    assert read(**{ENV_FILE_VARIABLE: str(folders / "chosen")}) == {"A": "chosen"}


def test_a_selected_file_may_be_empty(folders: Path) -> None:
    Path(".env").write_text("A=working\n")
    (folders / "empty").touch()

    assert read(**{ENV_FILE_VARIABLE: str(folders / "empty")}) == {}


def test_a_selected_file_may_lie_in_the_home_folder(
    folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(folders))
    (folders / "mine").write_text("A=1\n")

    assert read(**{ENV_FILE_VARIABLE: "~/mine"}) == {"A": "1"}


@pytest.mark.parametrize(
    "named",
    [
        pytest.param("", id="blank"),
        pytest.param("  ", id="nothing-but-blanks"),
        pytest.param("missing", id="missing"),
        pytest.param(".", id="a-folder"),
        pytest.param("~nobody_is_called_so/.env", id="in-nobody's-home"),
    ],
)
def test_a_selection_is_refused_that_is(named: str) -> None:
    Path(".env").write_text("A=1\n")

    assert refusal(**{ENV_FILE_VARIABLE: named}).startswith(ENV_FILE_VARIABLE)


@pytest.mark.parametrize(
    ("content", "values"),
    [
        pytest.param("\ufeffA=1\n", {"A": "1"}, id="a-byte-order-mark"),
        pytest.param("# note\n\nA=1\n", {"A": "1"}, id="notes-and-blank-lines"),
        pytest.param("A=1 # note\n", {"A": "1"}, id="a-note-behind-a-value"),
        pytest.param("export A=1\n", {"A": "1"}, id="a-shell's-export"),
        pytest.param("A='x y'\nB=\"u\\nv\"\n", {"A": "x y", "B": "u\nv"}, id="quotes"),
        pytest.param("A=$HOME/x\nB=${A}\n", {"A": "$HOME/x", "B": "${A}"}, id="dollars-as-written"),
        pytest.param("A=1\r\nB=2\r\n", {"A": "1", "B": "2"}, id="line-ends-of-windows"),
        pytest.param("A=1\nA=2\n", {"A": "2"}, id="a-name-twice-with-the-last-one-counting"),
        pytest.param("A=\n", {"A": ""}, id="a-blank-value-which-the-table-will-judge"),
        pytest.param("A\nB=1\n", {"B": "1"}, id="a-name-that-assigns-nothing"),
        pytest.param("A=grüße\n", {"A": "grüße"}, id="any-letters"),
    ],
)
def test_a_file_may_hold(content: str, values: dict[str, str]) -> None:
    Path(".env").write_text(content, "utf-8")

    assert read() == values


def test_a_line_that_assigns_nothing_sensible_is_named() -> None:
    Path(".env").write_text("A=1\n\nOPENAI API KEY = x\n")

    assert refusal().startswith(".env:3: not an assignment")


def test_a_file_that_is_no_text_is_refused() -> None:
    Path(".env").write_bytes(b"A=\xff\xfe\n")

    assert refusal() == ".env:1: byte 0xff is not UTF-8; save the file as UTF-8"


def test_the_process_is_left_alone() -> None:
    Path(".env").write_text("A_VARIABLE_OF_THIS_TEST=1\n")
    read()

    assert "A_VARIABLE_OF_THIS_TEST" not in os.environ

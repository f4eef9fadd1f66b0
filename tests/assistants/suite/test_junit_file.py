"""Where ``--junit`` may write, found out before anything is created."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assistants.suite import junit_file as door
from assistants.suite.junit_file import junit_file
from crawl_harness.settings import ROWS
from shared import places
from shared.errors import UsageError
from shared.settings import Settings, Value, resolve


def given(junit: Value) -> Settings:
    return resolve(ROWS, flags={"junit": junit}, environment={}, env_file={}, toml={})


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "folder").mkdir()
    (tmp_path / "data.json").write_text('{"scenarios": []}')
    (tmp_path / "older.xml").write_text("<?xml version='1.0'?><testsuites/>")
    (tmp_path / "pytest.xml").write_text("<testsuites/>")
    (tmp_path / "empty").touch()
    (tmp_path / "gone").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("named", "path"),
    [
        pytest.param(None, None, id="nothing-where-none-is-wanted"),
        pytest.param("new.xml", "new.xml", id="a-new-file"),
        pytest.param("folder/new.xml", "folder/new.xml", id="one-in-a-folder"),
        pytest.param("older.xml", "older.xml", id="older-results"),
        pytest.param("pytest.xml", "pytest.xml", id="results-without-a-declaration"),
        pytest.param("empty", "empty", id="an-empty-file"),
        pytest.param("gone", "gone", id="a-link-to-nothing"),
    ],
)
def test_it_takes(named: str | None, path: str | None, here: Path) -> None:
    assert junit_file(given(named)) == (None if path is None else here / path)


@pytest.mark.parametrize(
    ("named", "complaint"),
    [
        pytest.param("no/new.xml", "there is no folder no; make it first", id="no-folder"),
        pytest.param("data.json/new.xml", "there is no folder data.json", id="a-file-as-folder"),
        pytest.param("folder", "is a folder; name a file in it", id="a-folder"),
        pytest.param("folder/", "is a folder; name a file in it", id="a-folder-with-a-slash"),
        pytest.param(".", "is a folder; name a file in it", id="this-folder"),
        pytest.param("pipe", "is no regular file", id="a-pipe"),
        pytest.param("/dev/null", "is no regular file", id="a-device"),
        pytest.param("data.json", "exists and is no XML", id="a-dataset-would-be-lost"),
        pytest.param("x" * 300, "cannot be written: File name too long", id="too-long-a-name"),
        pytest.param("a\0b", "no path holds a NUL character", id="a-nul"),
        pytest.param("~nobody-here/x.xml", "no such home folder", id="nobody-is-at-home"),
        pytest.param(" ", "must not be blank", id="blank"),
    ],
)
def test_it_refuses_in_one_line(named: str, complaint: str, here: Path) -> None:
    before = sorted(here.iterdir())
    with pytest.raises(UsageError) as caught:
        junit_file(given(named))

    assert str(caught.value).startswith("--junit: ")
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)
    assert sorted(here.iterdir()) == before


def test_a_folder_that_nothing_can_be_made_in_is_refused(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Asked of the system, which lets an administrator write anywhere.
    monkeypatch.setattr(door.os, "access", lambda *_: False)
    with pytest.raises(UsageError, match="no file can be made in that folder"):
        junit_file(given("new.xml"))


def test_installed_code_is_no_place_for_results(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "checkout", lambda: None)
    inside = Path(places.__file__).parent / "reporting" / "new.xml"
    with pytest.raises(UsageError, match="choose a folder outside installed packages"):
        junit_file(given(str(inside)))

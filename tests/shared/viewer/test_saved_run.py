"""A report may come from anywhere: nothing outside its folder is read, and faults are told."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from shared.errors import UsageError
from shared.viewer.attempts import attempts, told_apart
from shared.viewer.saved_run import NotHereError, SavedRun, open_run

REPORT = {"schema_version": "2.0", "run": {"id": "r", "module": "run"}, "results": []}


@pytest.fixture
def run(tmp_path: Path) -> SavedRun:
    folder = tmp_path / "run"
    (folder / "audio").mkdir(parents=True)
    (folder / "audio" / "a.wav").write_bytes(b"sound")
    (folder / "results.json").write_text(json.dumps(REPORT))
    (tmp_path / "outside.wav").write_bytes(b"private")
    (tmp_path / "run-2").mkdir()
    (tmp_path / "run-2" / "a.wav").write_bytes(b"private")
    return open_run(folder)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(lambda _: "audio/a.wav", id="relative to the folder"),
        pytest.param(lambda run: str(run.folder / "audio/a.wav"), id="absolute and inside"),
        pytest.param(lambda _: "./audio//a.wav", id="with empty parts"),
    ],
)
def test_a_file_inside_the_folder_is_read(run: SavedRun, name: Callable[[SavedRun], str]) -> None:
    assert run.read(name(run)) == b"sound"


OUTSIDE = "lies outside the run's folder and is not read"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        pytest.param("../outside.wav", OUTSIDE, id="above"),
        pytest.param("audio/../../outside.wav", OUTSIDE, id="above by a detour"),
        pytest.param("audio/../audio/a.wav", OUTSIDE, id="a detour that stays inside"),
        pytest.param("/etc/passwd", OUTSIDE, id="absolute and elsewhere"),
        pytest.param("{above}/run-2/a.wav", OUTSIDE, id="a folder whose name begins like it"),
        pytest.param("", "has no name", id="no name"),
        pytest.param("audio/\0a.wav", "has no name", id="a NUL"),
        pytest.param("audio/b.wav", "is not there", id="nothing there"),
        pytest.param("audio", "cannot be read: Is a directory", id="a folder"),
        pytest.param("a" * 5_000, "cannot be read: File name too long", id="a name too long"),
    ],
)
def test_what_is_no_file_inside_the_folder_is_not_read(
    run: SavedRun, tmp_path: Path, name: str, said: str
) -> None:
    with pytest.raises(NotHereError, match=said):
        run.read(name.format(above=tmp_path))


@pytest.mark.parametrize(
    "target",
    [
        pytest.param("../../outside.wav", id="out of the folder"),
        pytest.param("a.wav", id="to a file inside"),
        pytest.param("round.wav", id="to itself"),
    ],
)
def test_no_link_is_followed(run: SavedRun, target: str) -> None:
    (run.folder / "audio" / "round.wav").symlink_to(target)
    with pytest.raises(NotHereError):
        run.read("audio/round.wav")


def test_no_linked_folder_is_followed(run: SavedRun, tmp_path: Path) -> None:
    (run.folder / "more").symlink_to(run.folder / "audio")
    (run.folder / "other").symlink_to(tmp_path / "run-2")
    for name in ("more/a.wav", "other/a.wav"):
        with pytest.raises(NotHereError):
            run.read(name)


def test_a_run_may_itself_lie_behind_a_link(run: SavedRun, tmp_path: Path) -> None:
    (tmp_path / "latest").symlink_to(run.folder)
    through = open_run(tmp_path / "latest")
    assert through.read("audio/a.wav") == b"sound"
    assert through.read(str(tmp_path / "latest" / "audio/a.wav")) == b"sound"


def test_a_pipe_is_not_waited_for(run: SavedRun) -> None:
    os.mkfifo(run.folder / "audio" / "pipe.wav")
    with pytest.raises(NotHereError, match="no regular file"):
        run.read("audio/pipe.wav")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param('{"results": [', "is no whole report", id="cut short"),
        pytest.param("", "is no whole report", id="empty"),
        pytest.param("[]", "holds no JSON object", id="a list"),
        pytest.param("{}", "has no list of results", id="no results"),
        pytest.param('{"results": {}}', "has no list of results", id="results of another kind"),
        pytest.param("\xff", "is no whole report", id="no UTF-8"),
        pytest.param("[" * 100_000, "is no whole report", id="nested without end"),
        pytest.param(
            '{"run": {"module": "swim"}, "results": []}', "a module 'swim'", id="another suite"
        ),
        pytest.param(
            '{"run": {"configuration": {"user_backend": "chained"}}, "results": []}',
            "its caller was 'chained'",
            id="a caller of before GPT Live",
        ),
        pytest.param(
            '{"run": {"configuration": {"user_backend": ["x"]}}, "results": []}',
            r"its caller was \['x'\]",
            id="a caller of no kind",
        ),
    ],
)
def test_what_is_no_report_is_refused_in_one_line(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "results.json").write_bytes(content.encode("latin-1"))
    with pytest.raises(UsageError, match=said) as refusal:
        open_run(tmp_path)
    assert "\n" not in str(refusal.value)
    assert str(tmp_path / "results.json") in str(refusal.value)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param('{"results": []}', id="nothing but results"),
        pytest.param('{"run": 7, "summary": [], "results": []}', id="parts of another kind"),
        pytest.param('{"run": {"module": "RUN"}, "results": [1, null, {}]}', id="odd rows"),
        pytest.param('{"schema_version": 1.0, "results": [{"status": []}]}', id="an odd version"),
    ],
)
def test_a_report_of_any_age_is_read_for_what_it_has(tmp_path: Path, content: str) -> None:
    (tmp_path / "results.json").write_text(content)
    report = open_run(tmp_path / "results.json").report
    assert report.schema_version is None
    assert report.run.module.lower() == "run"
    assert all(isinstance(row, dict) for row in report.results)


def test_a_name_too_long_is_a_mistake_in_what_was_given() -> None:
    with pytest.raises(UsageError, match="cannot be read: File name too long"):
        open_run(Path("x" * 5_000))


def test_attempts_of_one_name_are_told_apart_without_end(tmp_path: Path) -> None:
    names = ["a", "a#2", "a", "a"]
    rows = [{"scenario_id": name} for name in names]
    (tmp_path / "results.json").write_text(json.dumps({"results": rows}))
    keys = [one.view.entry.key for one in attempts(open_run(tmp_path))]
    assert keys == ["a", "a#2", "a#3", "a#4"]
    many = list(told_apart(["b"] * 20_000))
    assert (many[0], many[-1], len(set(many))) == ("b", "b#20000", 20_000)


@pytest.mark.parametrize(
    ("status", "is_valid"),
    [("valid", True), ("invalid", False), ("not_assessed", None), (None, None), (7, None)],
)
def test_only_a_caller_called_invalid_is_unfit(
    tmp_path: Path, status: object, is_valid: bool | None
) -> None:
    rows = [{"scenario_id": "a", "validity": {"status": status}}]
    (tmp_path / "results.json").write_text(json.dumps({"results": rows}))
    (shown,) = attempts(open_run(tmp_path))
    assert shown.view.entry.is_valid is is_valid

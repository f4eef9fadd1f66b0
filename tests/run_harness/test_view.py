"""``run-view``: a saved run of any age becomes a page, or is refused in one clear line."""

from __future__ import annotations

import json
import re
import shutil
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from run_harness.view import main
from tests.support.old_runs import SAVED_RUNS
from tests.support.saved_runs import placed

Said = pytest.CaptureFixture[str]


@pytest.fixture
def view(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Said
) -> Callable[..., tuple[int, str, str]]:
    """The command in this process: its status and what it said."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("run_harness.view.leave", sys.exit)

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["run-view", *arguments])
        with pytest.raises(SystemExit) as caught:
            main()
        said = capsys.readouterr()
        assert isinstance(caught.value.code, int)
        return caught.value.code, said.out, said.err

    return run


def data_of(page: Path, name: str) -> dict[str, Any]:
    found = re.search(rf'id="{name}">(.*?)</script>', page.read_text("utf-8"))
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


REFUSED = {
    "chained_caller": "its caller was 'chained', which no page can show",
    "truncated_report": "is no whole report",
}


@pytest.mark.parametrize("name", sorted(path.name for path in SAVED_RUNS.iterdir()))
def test_a_saved_run_is_shown_or_refused_in_one_line(
    name: str, tmp_path: Path, view: Callable[..., tuple[int, str, str]]
) -> None:
    run = placed(name, tmp_path)
    status, out, err = view("--results", str(run / "results.json"))
    page = run / "viewer.html"
    if name in REFUSED:
        (line,) = err.splitlines()
        assert (status, out, page.exists()) == (2, "", False)
        assert line.startswith(f"run-view: --results: {run / 'results.json'}: ")
        assert REFUSED[name] in line
        return
    assert (status, out, err) == (0, f"Viewer: {page}\n", "")
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    attempt = data_of(page, "attempt-0")
    assert attempt["entry"]["key"] == "table_for_two"
    assert "WITHHELD" not in page.read_text("utf-8")
    has_sound = 'id="sound-0"' in page.read_text("utf-8")
    assert has_sound == (attempt["waveform"] is not None)
    told = [*attempt["missing"], *attempt["course"]["missing"]]
    assert has_sound or any("recording" in sentence for sentence in told)


@pytest.mark.parametrize(
    ("name", "version", "score"),
    [
        pytest.param("older_semantic_scores", "semantic-v1", 0.83, id="a rubric of before"),
    ],
)
def test_old_scores_stay_as_they_are_under_their_own_rubric(
    name: str,
    version: str,
    score: float,
    tmp_path: Path,
    view: Callable[..., tuple[int, str, str]],
) -> None:
    run = placed(name, tmp_path)
    assert view("--results", str(run))[0] == 0
    verdict = data_of(run / "viewer.html", "attempt-0")["verdict"]
    dimensions = {one["name"]: one for one in verdict["dimensions"]}
    assert dimensions["task_understanding"]["score"] == score
    assert dimensions["task_understanding"]["version"] == version


def test_scores_without_a_rubric_are_of_an_unknown_one(
    tmp_path: Path, view: Callable[..., tuple[int, str, str]]
) -> None:
    run = placed("older_semantic_scores", tmp_path)
    for file in run.rglob("conversation.result.json"):
        file.unlink()
    assert view("--results", str(run))[0] == 0
    verdict = data_of(run / "viewer.html", "attempt-0")["verdict"]
    assert {one["version"] for one in verdict["dimensions"]} == {None}


def test_a_version_that_nobody_told_is_unknown(
    tmp_path: Path, view: Callable[..., tuple[int, str, str]]
) -> None:
    run = placed("whole_trace", tmp_path)
    report = json.loads((run / "results.json").read_bytes())
    del report["results"][0]["metrics"]["audio"]["metrics_version"]
    (run / "results.json").write_text(json.dumps(report))
    assert view("--results", str(run))[0] == 0
    figures = data_of(run / "viewer.html", "attempt-0")["figures"]
    versions = {one["version"] for one in figures if one["title"].startswith("Interaction")}
    assert versions == {"unknown"}
    assert data_of(run / "viewer.html", "index")["run"]["metrics_version"] is None


def _a_file(folder: Path) -> str:
    (folder / "notes.txt").write_text("mine")
    return str(folder / "notes.txt")


def _a_link(folder: Path) -> str:
    (folder / "kept.html").write_text("mine")
    (folder / "link.html").symlink_to(folder / "kept.html")
    return str(folder / "link.html")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(lambda _: (), "--results: name the results.json", id="no run"),
        pytest.param(lambda _: ("--results", ""), "--results: name the", id="an empty name"),
        pytest.param(lambda at: ("--results", str(at)), "there is no such report", id="no report"),
        pytest.param(lambda _: ("--results", "a\0b"), "NUL", id="a NUL"),
        pytest.param(
            lambda at: ("--results", "whole_trace", "--output", str(at)),
            "--output",
            id="a folder as output",
        ),
        pytest.param(
            lambda _: ("--results", "whole_trace", "--output", "no/such/page.html"),
            "--output",
            id="an output in no folder",
        ),
        pytest.param(
            lambda at: ("--results", "whole_trace", "--output", _a_file(at)),
            "--output",
            id="somebody's file as output",
        ),
        pytest.param(
            lambda at: ("--results", "whole_trace", "--output", _a_link(at)),
            "--output",
            id="a link as output",
        ),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_made(
    arguments: Callable[[Path], tuple[str, ...]],
    said: str,
    tmp_path: Path,
    view: Callable[..., tuple[int, str, str]],
) -> None:
    placed("whole_trace", tmp_path)
    given = arguments(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    status, out, err = view(*given)
    assert (status, out) == (2, "")
    (line,) = err.splitlines()
    assert said in line
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_a_page_may_be_made_again_and_elsewhere(
    tmp_path: Path, view: Callable[..., tuple[int, str, str]]
) -> None:
    run = placed("whole_trace", tmp_path)
    for _ in range(2):
        assert view("--results", str(run), "--output", "page.html")[0] == 0
    assert (tmp_path / "page.html").exists()
    assert not (run / "viewer.html").exists()


@pytest.mark.parametrize("place", [".", "..", "/", "./", "audio", "\t", "a" * 300])
def test_a_recording_named_by_no_file_is_named_as_missing(
    place: str, tmp_path: Path, view: Callable[..., tuple[int, str, str]]
) -> None:
    run = placed("no_ticks", tmp_path)
    report = json.loads((run / "results.json").read_bytes())
    report["results"][0]["artifacts"]["conversation_audio"] = place
    (run / "results.json").write_text(json.dumps(report))
    assert view("--results", str(run))[0] == 0
    attempt = data_of(run / "viewer.html", "attempt-0")
    assert attempt["waveform"] is None
    assert any("recording" in sentence for sentence in attempt["missing"])


def test_a_link_out_of_the_run_is_not_followed(
    tmp_path: Path, view: Callable[..., tuple[int, str, str]]
) -> None:
    run = placed("whole_trace", tmp_path)
    (recording,) = run.rglob("conversation.wav")
    private = tmp_path / "private.wav"
    shutil.move(recording, private)
    recording.symlink_to(private)
    assert view("--results", str(run))[0] == 0
    attempt = data_of(run / "viewer.html", "attempt-0")
    assert attempt["waveform"] is None
    assert any("recording" in sentence for sentence in attempt["missing"])

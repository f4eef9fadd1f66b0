"""``--visualize``: a page beside the report, in every suite, and never at the report's cost."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from assistants.suite.suite import Suite
from crawl_harness.suite import CRAWL
from run_harness.suite import RUN
from shared.errors import UsageError
from tests.support.runs import FinishedRun, evaluate_here
from walk_harness.suite import WALK

EXAMPLES = {
    "crawl": (CRAWL, "restaurant_001"),
    "walk": (WALK, "restaurant_001"),
    "run": (RUN, "restaurant_booking_complete"),
}


def entries_of(page: Path) -> list[dict[str, Any]]:
    found = re.search(r'id="index">(.*?)</script>', page.read_text("utf-8"))
    assert found is not None
    entries: list[dict[str, Any]] = json.loads(found[1])["entries"]
    return entries


@pytest.mark.parametrize(("suite", "example"), EXAMPLES.values(), ids=EXAMPLES)
def test_every_suite_ends_with_the_path_of_a_page_that_has_its_attempts(
    suite: Suite, example: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, _ = evaluate_here(tmp_path / "results", suite, example=example, visualize=True)
    page = run.folder / "viewer.html"
    assert capsys.readouterr().out.splitlines()[-1] == f"Viewer: {page}"
    entries = entries_of(page)
    assert [one["key"] for one in entries] == list(run.rows)
    assert all(one["standing"] == "passed" and one["reason"] == "" for one in entries)
    assert 'id="sound-0"' in page.read_text("utf-8")


def test_it_brings_the_debug_artifacts_of_a_conversation_along(tmp_path: Path) -> None:
    run, _ = evaluate_here(
        tmp_path / "results", RUN, example="restaurant_booking_complete", visualize=True
    )
    assert {"ticks", "turns"} <= run.rows["restaurant_booking_complete"]["artifacts"].keys()


def test_the_report_does_not_depend_on_it(tmp_path: Path) -> None:
    def rows(**flags: Any) -> FinishedRun:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        return evaluate_here(folder, CRAWL, example="restaurant_001", **flags)[0]

    plain, shown = rows(), rows(visualize=True)
    assert shown.rows == plain.rows
    assert (
        "visualize"
        not in json.loads((shown.folder / "results.json").read_bytes())["run"]["configuration"]
    )


@pytest.mark.parametrize("fail_on", ["none", "failed"])
def test_a_page_that_cannot_be_made_is_one_line_and_changes_nothing(
    fail_on: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise UsageError("--output: there is\nno ink left")

    monkeypatch.setattr("shared.viewer.publish.publish", broken)
    flags = {"example": "restaurant_001", "offline_script": "silence", "fail_on": fail_on}
    plain, _ = evaluate_here(tmp_path / "plain", CRAWL, **flags)
    capsys.readouterr()
    run, _ = evaluate_here(tmp_path / "results", CRAWL, visualize=True, **flags)
    said = capsys.readouterr()
    (line,) = [one for one in said.err.splitlines() if "iewer" in one]
    assert line.startswith("Viewer unavailable: ")
    assert "no ink left" in line
    assert "Viewer" not in said.out
    assert (run.status, run.rows) == (plain.status, plain.rows)
    assert run.status == (1 if fail_on == "failed" else 0)
    assert not (run.folder / "viewer.html").exists()


def test_a_script_reads_where_the_page_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, _ = evaluate_here(
        tmp_path / "results", CRAWL, example="restaurant_001", visualize=True, json=True
    )
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["viewer"] == str(run.folder / "viewer.html")

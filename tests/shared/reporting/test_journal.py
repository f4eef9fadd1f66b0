"""The journal and the report: whatever has finished is in both, at every moment."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from shared.artifacts import RunDirectory
from shared.reporting.journal import JOURNAL, RESULTS, Journal
from shared.reporting.schema import PlannedReport, Report
from tests.support.judged import a_row, a_run, an_attempt

KEYS = ["one", "two", "three"]
ENDED = "2027-07-02T17:30:00.000+00:00"


@pytest.fixture
def directory(tmp_path: Path) -> RunDirectory:
    return RunDirectory.create(tmp_path, "run")


def a_journal(directory: RunDirectory) -> Journal:
    return Journal(directory, a_run(attempts_planned=len(KEYS)), planned(*KEYS))


def planned(*keys: str) -> list[PlannedReport]:
    return [PlannedReport(scenario_id="request", key=key) for key in keys]


def results(directory: RunDirectory) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((directory.path / RESULTS).read_text("utf-8"))
    return content


def lines(directory: RunDirectory) -> list[dict[str, Any]]:
    text = (directory.path / JOURNAL).read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def keys_of(rows: list[dict[str, Any]]) -> list[str]:
    return [row["attempt"]["key"] for row in rows]


def test_before_anything_finished_there_is_nothing(directory: RunDirectory) -> None:
    a_journal(directory)

    assert list(directory.path.iterdir()) == []


def test_after_every_attempt_both_hold_all_that_finished(directory: RunDirectory) -> None:
    journal = a_journal(directory)
    for count, key in enumerate(KEYS, 1):
        journal.finished(a_row(key=key))

        assert keys_of(lines(directory)) == KEYS[:count]
        assert keys_of(results(directory)["results"]) == KEYS[:count]
        assert results(directory)["summary"]["total"] == count


@pytest.mark.parametrize(
    ("finished", "missing"),
    [
        pytest.param(["one"], ["two", "three"], id="two-to-come"),
        pytest.param(["three"], ["one", "two"], id="in-the-order-of-the-plan"),
        pytest.param(["three", "one", "two"], None, id="none-where-all-finished"),
    ],
)
def test_the_report_names_what_was_not_performed(
    finished: list[str], missing: list[str] | None, directory: RunDirectory
) -> None:
    journal = a_journal(directory)
    for key in finished:
        journal.finished(a_row(key=key))
    journal.close(ENDED)

    named = results(directory).get("not_performed")
    assert named == (missing and [{"scenario_id": "request", "key": key} for key in missing])


def test_the_journal_keeps_the_order_of_finishing_and_the_report_that_of_the_plan(
    directory: RunDirectory,
) -> None:
    journal = a_journal(directory)
    for key in ("three", "one", "two"):
        journal.finished(a_row(key=key))

    assert keys_of(lines(directory)) == ["three", "one", "two"]
    assert keys_of(results(directory)["results"]) == KEYS


def test_a_line_of_the_journal_is_the_row_of_the_report(directory: RunDirectory) -> None:
    journal = a_journal(directory)
    journal.finished(a_row(key="one"))

    assert lines(directory) == results(directory)["results"]


def test_a_run_that_goes_on_has_no_end_yet(directory: RunDirectory) -> None:
    journal = a_journal(directory)
    journal.finished(a_row(key="one"))
    assert results(directory)["run"]["ended_at"] is None

    report = journal.close(ENDED)
    assert results(directory)["run"]["ended_at"] == report.run.ended_at == ENDED
    assert results(directory)["run"]["attempts_planned"] == 3


def test_a_run_without_any_result_is_closed_all_the_same(directory: RunDirectory) -> None:
    assert a_journal(directory).close(ENDED).summary.total == 0
    assert results(directory)["results"] == []


def test_what_was_written_is_the_report(directory: RunDirectory) -> None:
    journal = a_journal(directory)
    journal.finished(a_row(an_attempt(failure=None), key="one"))
    report = journal.close(ENDED)
    content = (directory.path / RESULTS).read_bytes()

    assert Report.model_validate_json(content) == report
    assert content.endswith(b"}\n")
    assert b"\n  " in content, "people read it too"


def test_letters_stay_letters(directory: RunDirectory) -> None:
    journal = Journal(directory, a_run(dataset="grüße.json"), planned("one"))
    journal.close(ENDED)

    assert "grüße.json".encode() in (directory.path / RESULTS).read_bytes()


def test_rows_that_finish_at_once_are_all_kept(directory: RunDirectory) -> None:
    keys = [f"key_{n}" for n in range(12)]
    journal = Journal(directory, a_run(), planned(*keys))
    rows = [a_row(key=key) for key in keys]
    threads = [threading.Thread(target=journal.finished, args=[row]) for row in rows]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(keys_of(lines(directory))) == sorted(keys)
    assert keys_of(results(directory)["results"]) == keys


def test_a_kill_between_the_two_writes_loses_no_row(
    directory: RunDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = a_journal(directory)
    journal.finished(a_row(key="one"))

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(RunDirectory, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        journal.finished(a_row(key="two"))
    assert keys_of(lines(directory)) == ["one", "two"]
    assert keys_of(results(directory)["results"]) == ["one"]

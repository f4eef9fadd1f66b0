"""What the README and the example report show is what a run really writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crawl_harness.tests import readme_example
from crawl_harness.tests.readme_example import (
    END,
    EXAMPLE,
    README,
    RUN_ID,
    START,
    abbreviated,
    main,
    repeatable,
    with_example,
)
from shared.places import checkout
from shared.reporting.schema import Report

ROOT = checkout()
COMMAND = "uv run python -m crawl_harness.tests.readme_example"


@pytest.fixture
def example() -> dict[str, Any]:
    assert ROOT is not None
    report: dict[str, Any] = json.loads((ROOT / EXAMPLE).read_bytes())
    return report


@pytest.fixture
def elsewhere(tmp_path: Path, example: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of one's own, in which the example has just been written."""
    (tmp_path / README).write_text(f"before\n{START}\nwhat was there\n{END}\nafter\n", "utf-8")
    monkeypatch.setattr(readme_example, "checkout", lambda: tmp_path)
    monkeypatch.setattr(readme_example, "example_report", lambda: example)
    assert main() == 0
    return tmp_path


def test_both_are_what_a_run_of_now_comes_to(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0, capsys.readouterr().err


def test_the_example_is_a_whole_report(example: dict[str, Any]) -> None:
    report = Report.model_validate(example)
    assert report.run.id == RUN_ID
    assert report.summary.passed == report.summary.total == 1


def test_what_no_second_run_would_repeat_is_not_in_it(example: dict[str, Any]) -> None:
    run = example["run"]
    versions = {"gpt-live-evals": "0.1.0", "numpy": "9"}
    other = {
        **example,
        "run": {
            **run,
            "id": "another",
            "started_at": "then",
            "ended_at": None,
            "configuration": {**run["configuration"], "package_versions": versions},
        },
    }
    assert repeatable(other) == example


@pytest.mark.parametrize("name", [README, EXAMPLE])
@pytest.mark.parametrize("change", ["7", None])
def test_a_stale_file_fails_the_check_and_is_left_alone(
    elsewhere: Path, name: str, change: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    path = elsewhere / name
    whole = path.read_text("utf-8")
    changed = whole.replace('"passed": 1', f'"passed": {change}')
    path.write_text(changed, "utf-8")

    assert main(["--check"]) == 1
    assert capsys.readouterr().err == f"{name} is stale; run: {COMMAND}\n"
    assert path.read_text("utf-8") == changed
    assert main() == 0
    assert path.read_text("utf-8") == whole
    assert main(["--check"]) == 0


def test_an_example_that_is_missing_fails_the_check(elsewhere: Path) -> None:
    (elsewhere / EXAMPLE).unlink()
    assert main(["--check"]) == 1


def test_what_stands_around_the_marks_stays(elsewhere: Path) -> None:
    text = (elsewhere / README).read_text("utf-8")
    assert text.startswith(f"before\n{START}\n```json\n")
    assert text.endswith(f"```\n{END}\nafter\n")
    assert "what was there" not in text


@pytest.mark.parametrize(
    "readme",
    [
        pytest.param("no marks at all", id="without-marks"),
        pytest.param(START, id="without-an-end"),
        pytest.param(f"{END}\n{START}", id="the-wrong-way-round"),
    ],
)
def test_a_readme_has_its_marks(readme: str, example: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="generated-run-results"):
        with_example(readme, example)


def test_a_page_shows_what_readers_of_the_format_look_for(example: dict[str, Any]) -> None:
    (row,) = abbreviated(example)["results"]
    assert list(row) == [
        "scenario_id",
        "status",
        "metrics",
        "artifacts",
        "error",
        "observability",
        "validity",
    ]
    assert list(row["metrics"]) == ["task", "audio", "consumption"]
    assert list(row["observability"]) == ["agenda", "interaction", "completion"]


def test_a_page_shows_the_same_in_fewer_lines(example: dict[str, Any]) -> None:
    shown = with_example(f"{START}\n{END}", example).partition("```json\n")[2].partition("```")[0]
    assert json.loads(shown) == abbreviated(example)
    assert max(map(len, shown.splitlines())) <= 100
    assert '  "summary": {"total": 1, "passed": 1,' in shown


def test_outside_a_checkout_there_is_nothing_to_write(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(readme_example, "checkout", lambda: None)
    assert main() == 2
    assert "source checkout" in capsys.readouterr().err

"""Runs of one comparison beside each other: what came out otherwise, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from shared.reporting.assemble import summarize
from shared.reporting.comparison import differences
from shared.reporting.schema import AttemptResult, ComparisonReport, Report
from tests.support.judged import a_row, a_run

SIDES = ["responses", "client"]


def a_side(side: str, **outcomes: str) -> Report:
    """Attempts by key: ``passed``, or the check that failed."""
    rows = [an_outcome(key, outcome) for key, outcome in outcomes.items()]
    return Report(
        run=a_run(comparison=ComparisonReport(id="c", side=side, sides=SIDES)),
        summary=summarize(rows),
        results=rows,
    )


def an_outcome(key: str, outcome: str) -> AttemptResult:
    row = a_row(key=key)
    assert row.assessment is not None
    check = row.assessment.checks[0].model_copy(update={"id": outcome, "status": "failed"})
    is_passed = outcome == "passed"
    assessment = row.assessment.model_copy(update={"checks": [] if is_passed else [check]})
    status = "passed" if is_passed else "failed"
    return row.model_copy(update={"status": status, "assessment": assessment})


@pytest.mark.parametrize(
    ("responses", "client", "told"),
    [
        pytest.param({"a": "passed"}, {"a": "passed"}, [], id="alike differ in nothing"),
        pytest.param(
            {"a": "passed", "b": "passed"},
            {"a": "passed", "b": "tool_contract"},
            ["differs: b: responses passed; client failed (tool_contract)"],
            id="another verdict is told with its check",
        ),
        pytest.param(
            {"a": "grounded_confirmation"},
            {"a": "tool_contract"},
            ["differs: a: responses failed (grounded_confirmation); client failed (tool_contract)"],
            id="so is the same verdict for another reason",
        ),
        pytest.param(
            {"a": "tool_contract", "b": "passed"},
            {"b": "passed"},
            [],
            id="what one side never made differs in nothing",
        ),
    ],
)
def test_an_attempt(
    responses: Mapping[str, str], client: Mapping[str, str], told: list[str]
) -> None:
    lines = differences([a_side("responses", **responses), a_side("client", **client)])
    assert [line for line in lines if line.startswith("differs")] == told
    assert [line.partition(":")[0] for line in lines[:2]] == SIDES


def test_one_run_alone_is_compared_with_nothing() -> None:
    assert differences([a_side("responses", a="passed")]) == []

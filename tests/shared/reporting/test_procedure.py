"""A procedure and an agenda as a report has them."""

from __future__ import annotations

from typing import Any

import pytest

from shared.grading.agenda import AgendaProgress
from shared.grading.conversation import graded_conversation
from shared.grading.procedure import ProcedureGrade, graded_procedure
from shared.grading.verdict import Status, decide
from shared.reporting.procedure import NOT_OBSERVED, agenda_block, procedure_report
from shared.reporting.schema import AssessmentReport
from tests.support.judged import BOOK, Exchange, a_call, a_case, a_conversation
from tests.support.scenario_documents import CONVERSATION

LOOK = {"id": "look", "kind": "tool", "tool": "look"}
BOOKS = {"id": "books", "kind": "tool", "tool": BOOK, "after": ["look"]}
AGREES = {"id": "agrees", "kind": "authorization", "patterns": ["yes"]}


def a_grade(*steps: dict[str, Any]) -> ProcedureGrade | None:
    scenario = a_conversation(expected__procedure={"id": "p", "steps": list(steps)})
    exchange = Exchange.of("C: please", a_call(), a_call("look"), "A: done")
    return graded_procedure(a_case(exchange.evidence, scenario))


def test_a_procedure_is_told_with_its_steps_and_moments() -> None:
    report = procedure_report(a_grade(LOOK, BOOKS | {"critical": True}))
    assert report is not None
    assert report.model_dump() == {
        "id": "p",
        "passed": False,
        "adherence": 0.5,
        "critical_passed": True,
        "critical_violations": [],
        "steps": [
            {
                "id": "look",
                "kind": "tool",
                "status": "passed",
                "required": True,
                "critical": False,
                "critical_status": None,
                "reason": "look completed",
                "at_ms": 3_000,
                "unmet_dependencies": [],
                "out_of_order_dependencies": [],
                "evidence": [{"at_ms": 3_000, "what": "look (c3)"}],
            },
            {
                "id": "books",
                "kind": "tool",
                "status": "failed",
                "required": True,
                "critical": True,
                "critical_status": "passed",
                "reason": "look was taken later",
                "at_ms": 2_000,
                "unmet_dependencies": [],
                "out_of_order_dependencies": ["look"],
                "evidence": [{"at_ms": 2_000, "what": "book (c2)"}],
            },
        ],
    }


@pytest.mark.parametrize(
    ("steps", "passed", "violations"),
    [
        pytest.param([LOOK], None, [], id="nothing-is-critical"),
        pytest.param([LOOK | {"critical": True}], True, [], id="all-of-it-holds"),
        pytest.param([AGREES | {"critical": True}], None, [], id="nobody-knows"),
        pytest.param(
            [LOOK | {"critical": True}, BOOKS | {"critical": True}],
            False,
            ["books"],
            id="one-step-too-early",
        ),
    ],
)
def test_what_is_critical(
    steps: list[dict[str, Any]], passed: bool | None, violations: list[str]
) -> None:
    report = procedure_report(a_grade(*steps))
    assert report is not None
    assert (report.critical_passed, report.critical_violations) == (passed, violations)


def test_without_a_procedure_a_report_says_nothing_of_one() -> None:
    report = AssessmentReport(passed=True, rationale="r", checks=[], procedure=None)
    assert procedure_report(None) is None
    assert "procedure" not in report.model_dump()


def test_an_agenda_is_told_by_its_ids_and_is_unknown_where_nobody_observed_it() -> None:
    scenario = a_conversation()
    total = len(CONVERSATION["simulation_parameters"]["agenda"])
    assert agenda_block(scenario, AgendaProgress(total, ("a",), ("b",), (), ("c",))) == {
        "total": total,
        "completed": ["a"],
        "skipped": ["b"],
        "bypassed": [],
        "pending_required": ["c"],
    }
    assert agenda_block(scenario, None) == {
        "total": total,
        "completed": None,
        "skipped": None,
        "bypassed": None,
        "pending_required": None,
        "unavailable": NOT_OBSERVED,
    }


def test_a_step_that_is_not_critical_fails_no_conversation() -> None:
    scenario = a_conversation(expected__procedure={"id": "p", "steps": [LOOK, BOOKS]})
    exchange = Exchange.of("C: please", a_call(), "A: done")
    grade = graded_conversation(a_case(exchange.evidence, scenario))
    assert grade.procedure is not None
    assert grade.procedure.passed is False
    assert decide(None, grade.checks).status is Status.PASSED

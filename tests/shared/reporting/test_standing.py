"""How the task stood at an instant: by what had happened until then, that instant excluded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from shared.observability.evidence import Evidence
from shared.reporting.standing import Standing, standing, task_row
from tests.support.judged import (
    a_call,
    a_conversation,
    a_delegation,
    a_return,
    a_tool_use,
    an_attempt,
)

BOOKED = {"booked": True}
WANTS: dict[str, Any] = {
    "expected__tools__required": [{"name": "book", "arguments": {"n": 1}}],
    "expected__tools__prohibited": [{"name": "cancel"}],
    "expected__delegation": "required",
    "expected__state": BOOKED,
    "expected__procedure": None,
}


def booked_at(called_ms: int, returned_ms: int) -> Evidence:
    """One delegation at 1,000 ms, and a booking that changes the state when it returns."""
    returned = replace(a_return(at_ms=returned_ms), state=BOOKED)
    seen = [a_delegation(1_000), a_call(arguments={"n": 1}, at_ms=called_ms), returned]
    return an_attempt(observations=seen, state_after=BOOKED)


def stood(evidence: Evidence, until_ms: int | None, spoken: str = "", **edits: Any) -> Standing:
    return standing(evidence, a_conversation(**{**WANTS, **edits}), spoken, until_ms)


@pytest.mark.parametrize(
    ("until_ms", "is_satisfied"),
    [
        pytest.param(0, False, id="before-anything-had-happened"),
        pytest.param(2_000, False, id="at-the-instant-of-the-return-it-has-not-returned"),
        pytest.param(2_001, True, id="one-ms-later-it-has"),
        pytest.param(None, True, id="at-the-end"),
    ],
)
def test_requirements_are_satisfied_from_the_return_on(
    until_ms: int | None, is_satisfied: bool
) -> None:
    assert stood(booked_at(1_500, 2_000), until_ms).is_satisfied is is_satisfied


@pytest.mark.parametrize(
    ("evidence", "edits"),
    [
        pytest.param(
            replace(booked_at(1_500, 2_000), state_after={}),
            {},
            id="a-state-that-differs-in-the-end",
        ),
        pytest.param(
            booked_at(1_500, 2_000),
            {"expected__tools__required": [{"name": "book"}, {"name": "check"}]},
            id="a-call-that-is-missing",
        ),
        pytest.param(
            booked_at(1_500, 2_000),
            {
                "expected__delegation": "forbidden",
                "expected__tools__required": [],
                "expected__golden_path__delegations": 0,
            },
            id="work-delegated",
        ),
        pytest.param(
            an_attempt(observations=a_tool_use(arguments={"n": 1}), state_after=BOOKED),
            {},
            id="work-not-delegated",
        ),
        pytest.param(
            replace(
                booked_at(1_500, 2_000),
                observations=(
                    *booked_at(1_500, 2_000).observations,
                    a_call("cancel", at_ms=3_000, call_id="c2"),
                ),
            ),
            {},
            id="a-prohibited-attempt-that-never-returned",
        ),
    ],
)
def test_any_one_requirement_amiss_is_all_of_them(evidence: Evidence, edits: Any) -> None:
    assert not stood(evidence, None, **edits).is_satisfied


def test_a_state_is_unknown_to_have_changed_before_the_first_return() -> None:
    """The state at the end says nothing about an instant before."""
    early = stood(booked_at(1_500, 2_000), 1_600)
    assert not early.is_state_met
    assert early.matching.matched == 0


@pytest.mark.parametrize(
    ("spoken", "said"),
    [
        pytest.param("", (False, False), id="nothing"),
        pytest.param("It is booked.", (True, False), id="the-word"),
        pytest.param("Your reservation stands at noon.", (True, True), id="any-alternative"),
        pytest.param("Overbooked this afternoon.", (False, False), id="no-part-of-a-word"),
    ],
)
def test_a_diagnostic_term_is_said_in_any_of_its_ways(spoken: str, said: tuple[bool, ...]) -> None:
    terms = ["booked|reservation", "noon"]
    now = stood(booked_at(1_500, 2_000), None, spoken, expected__diagnostic_terms=terms)
    assert now.said == said
    assert now.is_satisfied, "terms are no requirement"


def test_a_row_tells_what_is_new_and_what_is_missing() -> None:
    terms = {"expected__diagnostic_terms": ["booked", "noon"]}
    evidence = booked_at(1_500, 2_000)
    first = stood(evidence, 1_900, "noon", **terms)
    second = stood(evidence, None, "noon booked", **terms)

    assert task_row(first, None, is_completed=None) == {
        "new_evidence": ["noon"],
        "matched_evidence": ["noon"],
        "missing_evidence": ["booked"],
        "evidence_coverage": 0.5,
        "tool_calls": [
            {
                "call_id": "c1",
                "name": "book",
                "status": "called",
                "called_ms": 1_500,
                "returned_ms": None,
            }
        ],
        "new_matched_tool_calls": [],
        "matched_tool_calls": [],
        "missing_tool_calls": ["book"],
        "tool_call_coverage": 0.0,
        "delegation_required": True,
        "delegation_prohibited": False,
        "delegation_observed": True,
        "requirements_satisfied": False,
        "task_completed": None,
    }
    later = task_row(second, first, is_completed=True)
    assert (later["new_evidence"], later["missing_evidence"]) == (["booked"], [])
    assert later["new_matched_tool_calls"] == later["matched_tool_calls"] == ["book"]
    assert [one["status"] for one in later["tool_calls"]] == ["completed"]  # type: ignore[index,union-attr]
    assert later["task_completed"] is True


def test_without_terms_and_required_calls_there_is_no_coverage() -> None:
    now = stood(an_attempt(), None, expected__tools__required=[], expected__state={})
    row = task_row(now, None, is_completed=False)
    assert (row["evidence_coverage"], row["tool_call_coverage"]) == (None, None)

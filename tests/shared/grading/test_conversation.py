"""What decides a conversation, when each check of its own passes, and what is only reported."""

from __future__ import annotations

import pytest

from shared.grading.conversation import (
    CONVERSATION_CHECKS,
    assistant_responded,
    conversation_completed,
    graded_conversation,
)
from shared.grading.verdict import CheckStatus, Status, decide
from shared.intervals import IntervalSet
from shared.observability.evidence import Ending, Objective
from tests.support.builders import an_utterance, spans
from tests.support.judged import Exchange, a_call, a_case, a_conversation, an_attempt

PASSED, FAILED, NOT_APPLICABLE, UNSCORED = CheckStatus
TOOL = {"name": "other"}


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        pytest.param(Ending.CONVERSATION_COMPLETED, PASSED, id="that-came-to-its-end"),
        pytest.param(Ending.DURATION_LIMIT, FAILED, id="whose-time-was-up"),
        pytest.param(Ending.RESPONSE_TIMEOUT, FAILED, id="that-waited-in-vain"),
        pytest.param(Ending.FAILED, UNSCORED, id="that-broke"),
        pytest.param(Ending.CALLER_UNFIT, UNSCORED, id="that-was-ended-for-its-caller"),
    ],
)
def test_a_conversation_completed(ending: Ending, expected: CheckStatus) -> None:
    case = a_case(an_attempt(ending=ending), a_conversation())
    assert conversation_completed(case).status is expected


@pytest.mark.parametrize(
    ("assistant", "expected"),
    [
        pytest.param(spans((1_000, 1_200)), PASSED, id="right-after-the-first-turn"),
        pytest.param(spans((0, 999)), FAILED, id="with-a-greeting-only"),
        pytest.param(spans((0, 1_999)), FAILED, id="with-a-sound-across-the-turn-s-end"),
        pytest.param(spans((0, 2_000)), PASSED, id="across-it-and-on-for-a-second"),
        pytest.param(IntervalSet(), FAILED, id="never"),
    ],
)
def test_an_assistant_responded(assistant: IntervalSet, expected: CheckStatus) -> None:
    farewell = an_utterance(8_000, 9_000)
    evidence = an_attempt(
        caller=spans((0, 1_000), (8_000, 9_000)),
        utterances=[an_utterance(0, 1_000), farewell],
        assistant=assistant,
    )
    assert assistant_responded(a_case(evidence, a_conversation())).status is expected


def test_a_silent_caller_asked_nothing() -> None:
    evidence = an_attempt(caller=IntervalSet())
    assert assistant_responded(a_case(evidence, a_conversation())).status is NOT_APPLICABLE


def test_every_check_has_its_own_name() -> None:
    names = [check(a_case(scenario=a_conversation())).id for check in CONVERSATION_CHECKS]
    assert names == [
        "conversation_completed",
        "assistant_responded",
        "application_state",
        "delegation_policy",
        "authorized_actions",
        "critical_procedure",
        "grounded_response",
        "grounded_confirmation",
        "refusal_stated",
    ]


def test_other_calls_than_the_preferred_are_told_and_decide_nothing() -> None:
    scenario = a_conversation(expected__tools__required=[TOOL])
    exchange = Exchange.of("C: please", a_call("book"), "A: done")
    grade = graded_conversation(a_case(exchange.evidence, scenario))
    (contract,) = grade.diagnostics
    assert (contract.id, contract.status) == ("tool_contract", FAILED)
    assert "tool_contract" not in {check.id for check in grade.checks}
    assert decide(None, grade.checks).status is Status.PASSED


def test_a_time_that_was_up_fails_beside_a_right_state() -> None:
    scenario = a_conversation(expected__state={"done": True})
    exchange = Exchange.of(
        "C: please", "A: done", ending=Ending.DURATION_LIMIT, state_after={"done": True}
    )
    grade = graded_conversation(a_case(exchange.evidence, scenario))
    statuses = {check.id: check.status for check in grade.checks}
    assert statuses["application_state"] is PASSED
    assert decide(None, grade.checks).failed_checks == ("conversation_completed",)


def test_limits_are_among_what_decides() -> None:
    scenario = a_conversation(expected__interaction={"response_rate_min": 1.0})
    exchange = Exchange.of("C: please", "A: done", "C: and this?")
    grade = graded_conversation(a_case(exchange.evidence, scenario))
    assert "response_rate_min" in {c.id for c in grade.checks if c.status is FAILED}


def test_progress_comes_from_the_observer_and_decides_nothing() -> None:
    exchange = Exchange.of("C: please", "A: done")
    seen = [Objective("say_name", is_expressed=True)]
    grade = graded_conversation(a_case(exchange.evidence, a_conversation(), objectives=seen))
    assert grade.agenda is not None
    assert grade.agenda.pending_required == ("say_time",)
    assert decide(None, grade.checks).status is Status.PASSED
    assert grade.procedure is None

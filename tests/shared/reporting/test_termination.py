"""Why there was no more to hear of a conversation, in the row and in its details alike."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from shared.errors import Stage
from shared.grading.verdict import Status, Verdict
from shared.observability.evidence import Ending, Evidence, Failure, Termination
from shared.reporting.termination import completion_block, termination_reason
from tests.support.builders import spans
from tests.support.judged import Exchange, a_conversation, a_row, a_scenario, an_attempt

BROKE = Failure(Stage.RESPONSE_COLLECTION, "the line broke")
COMPLETED = Exchange.of("C: Hello.", "A: Good day.", "C: Thanks, bye.").evidence


def a_verdict(stage: Stage | None = None) -> Verdict:
    failure = None if stage is None else Failure(stage, "why")
    return Verdict(Status.PASSED if stage is None else Status.INFRASTRUCTURE_ERROR, (), failure)


@pytest.mark.parametrize(
    ("ending", "stage", "reason"),
    [
        pytest.param(Ending.CONVERSATION_COMPLETED, None, "response_completed", id="it-was-over"),
        pytest.param(Ending.DURATION_LIMIT, None, "duration_limit", id="time-was-up"),
        pytest.param(
            Ending.FAILED, Stage.RESPONSE_COLLECTION, "response_collection", id="it-broke"
        ),
        pytest.param(Ending.FAILED, Stage.CALLER_OPENING, "caller_opening", id="nobody-opened-it"),
        pytest.param(
            Ending.CONVERSATION_COMPLETED,
            Stage.CALLER_SIMULATION,
            "caller_simulation",
            id="its-caller-was-unfit",
        ),
        pytest.param(
            Ending.DURATION_LIMIT,
            Stage.SEMANTIC_JUDGE,
            "duration_limit",
            id="whatever-a-judge-does",
        ),
    ],
)
def test_a_conversation_ended_because(ending: Ending, stage: Stage | None, reason: str) -> None:
    assert termination_reason(an_attempt(ending=ending), a_verdict(stage)) == reason


def completion(evidence: Evidence) -> Any:
    observability = a_row(evidence, a_conversation()).observability
    assert observability is not None
    return observability["completion"]


def test_a_row_names_the_policy_and_what_said_so() -> None:
    told = completion(replace(COMPLETED, termination=Termination("an_observer", "it_said_so")))
    assert (told["policy"], told["signal"]) == ("an_observer", "it_said_so")
    assert told["termination_reason"] == "response_completed"


def test_of_a_conversation_stored_before_both_are_unknown() -> None:
    told = completion(COMPLETED)
    assert (told["policy"], told["signal"]) == (None, None)


def test_time_that_is_up_is_no_answer_that_came_too_late() -> None:
    told = completion(replace(COMPLETED, ending=Ending.DURATION_LIMIT))
    assert told["termination_reason"] == "duration_limit"


def test_a_conversation_that_broke_names_the_stage() -> None:
    broken = replace(COMPLETED, ending=Ending.FAILED, failure=BROKE)
    assert completion(broken)["termination_reason"] == "response_collection"


def test_what_the_caller_did_is_counted() -> None:
    observability = a_row(COMPLETED, a_conversation()).observability
    assert observability is not None
    assert observability["interaction"]["caller_actions"] == {"SPEAK": 2}  # type: ignore[index]


def test_a_single_turn_has_neither_policy_nor_signal() -> None:
    evidence = an_attempt(assistant=spans((1_400, 2_000)))
    broken = a_verdict(Stage.AUDIO_PACING)
    block = completion_block(evidence, a_scenario(), broken)
    assert block == {"termination_reason": "infrastructure_error"}

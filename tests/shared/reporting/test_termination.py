"""Why there was no more to hear of a conversation, in the row and in its details alike."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from shared.errors import Stage
from shared.grading.verdict import Status, Verdict
from shared.observability.evidence import (
    Decision,
    DecisionStatus,
    Ending,
    Evidence,
    Failure,
    Termination,
)
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


def completion(evidence: Evidence, **edits: Any) -> Any:
    observability = a_row(evidence, a_conversation(**edits)).observability
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


def test_every_question_to_the_observer_is_counted_by_what_became_of_it() -> None:
    of = DecisionStatus
    became = (*[of.ANSWERED] * 3, *[of.STALE] * 2, of.FAILED, *[of.ASKED] * 4)
    decisions = tuple(Decision(0, 1, 1, status) for status in became)
    gave_up = Termination("a_quiet_line", gave_up="it failed")
    told = completion(replace(COMPLETED, decisions=decisions, termination=gave_up))
    assert told["observer"] == {
        "assessments": 10,
        "answered": 3,
        "stale": 2,
        "failed": 1,
        "abandoned": 4,
        "gave_up": "it failed",
    }
    nobody = completion(COMPLETED)["observer"]
    assert (nobody["assessments"], nobody["gave_up"]) == (0, None)


@pytest.mark.parametrize("is_critical", [False, True])
def test_required_steps_that_failed_are_named_and_decide_where_one_is_critical(
    *, is_critical: bool
) -> None:
    steps = [
        {"id": "look", "kind": "tool", "tool": "look", "critical": is_critical},
        {"id": "maybe", "kind": "tool", "tool": "maybe", "required": False},
    ]
    told = completion(COMPLETED, expected__procedure={"id": "p", "steps": steps})
    assert told["failed_procedure_steps"] == ["look"]
    assert told["procedure_is_diagnostic"] is not is_critical


def test_without_a_procedure_no_step_fails() -> None:
    told = completion(COMPLETED)
    assert (told["failed_procedure_steps"], told["procedure_is_diagnostic"]) == ([], True)


def test_what_the_caller_did_is_counted() -> None:
    observability: Any = a_row(COMPLETED, a_conversation()).observability
    interaction = observability["interaction"]
    assert interaction["caller_actions"] == {"SPEAK": 2}
    assert interaction["attribution"] == "post_hoc_audio_and_transcript"
    assert interaction["caller_mode"] == "offline_fixture"
    assert interaction["delegations"] == 0
    assert observability["provenance"]["audio_timing"] == "local_relay_playout"


def test_a_single_turn_has_no_caller_that_acts() -> None:
    observability: Any = a_row(an_attempt()).observability
    assert "agenda" not in observability
    assert not {"caller_mode", "caller_actions", "attribution"} & set(observability["interaction"])
    assert observability["provenance"]["audio_timing"] == "local_playout_clock"


def test_a_single_turn_has_neither_policy_nor_signal() -> None:
    evidence = an_attempt(assistant=spans((1_400, 2_000)))
    broken = a_verdict(Stage.AUDIO_PACING)
    block = completion_block(evidence, a_scenario(), broken)
    assert block == {"termination_reason": "infrastructure_error"}

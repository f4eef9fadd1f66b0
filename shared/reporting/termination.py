"""Why there was no more of an attempt to hear."""

from __future__ import annotations

from shared.errors import Stage
from shared.grading.verdict import CheckStatus, Status, Verdict
from shared.observability.evidence import Evidence
from shared.scenarios import Scenario, is_single_turn
from shared.values import JsonObject

BROKEN = "infrastructure_error"


def termination_reason(evidence: Evidence, verdict: Verdict) -> str:
    """How a conversation ended; of what is no measurement, the stage at which it broke.

    A grader that was lost afterwards ended nothing.
    """
    failure = verdict.failure
    if failure is None or failure.stage is Stage.SEMANTIC_JUDGE:
        return evidence.ending.value
    return failure.stage.value


def completion_block(evidence: Evidence, scenario: Scenario, verdict: Verdict) -> JsonObject:
    """``observability.completion`` but for the verdict.

    ``policy`` says who was to decide that a conversation is over, ``signal`` what said so where it
    was completed. A single turn has neither.
    """
    if is_single_turn(scenario):
        return {"termination_reason": _of_a_single_turn(verdict)}
    ended = evidence.termination
    return {
        "termination_reason": termination_reason(evidence, verdict),
        "policy": None if ended is None else ended.policy,
        "signal": None if ended is None else ended.signal,
    }


def _of_a_single_turn(verdict: Verdict) -> str:
    if verdict.status is Status.INFRASTRUCTURE_ERROR:
        return BROKEN
    completed = next(c for c in verdict.checks if c.id == "conversation_completed")
    return "response_completed" if completed.status is CheckStatus.PASSED else "response_timeout"

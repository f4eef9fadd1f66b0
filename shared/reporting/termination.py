"""Why there was no more of an attempt to hear."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from shared.errors import Stage
from shared.grading.procedure import ProcedureGrade
from shared.grading.verdict import CheckStatus, Status, Verdict
from shared.observability.evidence import Decision, DecisionStatus, Evidence
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


def completion_block(
    evidence: Evidence,
    scenario: Scenario,
    verdict: Verdict,
    procedure: ProcedureGrade | None = None,
) -> JsonObject:
    """``observability.completion`` but for the verdict.

    ``policy`` says who was to decide that a conversation is over, ``signal`` what said so where it
    was completed, and ``observer`` how often it was asked and what became of the questions. A
    single turn has none of them.
    """
    if is_single_turn(scenario):
        return {"termination_reason": _of_a_single_turn(verdict)}
    ended = evidence.termination
    return {
        "termination_reason": termination_reason(evidence, verdict),
        "policy": None if ended is None else ended.policy,
        "signal": None if ended is None else ended.signal,
        "observer": {
            **_assessments(evidence.decisions),
            "gave_up": None if ended is None else ended.gave_up,
        },
        **_procedure(procedure),
    }


def _assessments(decisions: Sequence[Decision]) -> JsonObject:
    """Every question counts, and once by what became of it; the last were left unanswered."""
    became = Counter(decision.status for decision in decisions)
    return {
        "assessments": len(decisions),
        "answered": became[DecisionStatus.ANSWERED],
        "stale": became[DecisionStatus.STALE],
        "failed": became[DecisionStatus.FAILED],
        "abandoned": became[DecisionStatus.ASKED],
    }


def _procedure(grade: ProcedureGrade | None) -> JsonObject:
    """Required steps that failed; they decide nothing unless a step is critical."""
    steps = () if grade is None else grade.steps
    return {
        "failed_procedure_steps": [
            one.step.id for one in steps if one.step.required and one.status is CheckStatus.FAILED
        ],
        "procedure_is_diagnostic": not any(one.step.critical for one in steps),
    }


def _of_a_single_turn(verdict: Verdict) -> str:
    if verdict.status is Status.INFRASTRUCTURE_ERROR:
        return BROKEN
    completed = next(c for c in verdict.checks if c.id == "conversation_completed")
    return "response_completed" if completed.status is CheckStatus.PASSED else "response_timeout"

"""Judge one sealed attempt: measurements, checks and the verdict, purely.

The same call judges a fresh attempt and one loaded from disk, and gives the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from shared.audio.pacing import is_valid
from shared.errors import Stage
from shared.grading import checks
from shared.grading.agenda import objectives_of
from shared.grading.assessment import Assessment, Observed
from shared.grading.case import Case, matching_of, tool_uses
from shared.grading.conversation import graded_conversation
from shared.grading.interaction import limit_checks
from shared.grading.judge import Judgments
from shared.grading.policy import EvaluationPolicy
from shared.grading.semantic import task_understanding
from shared.grading.sensitivity import Reading, compared
from shared.grading.validity import caller_validity
from shared.grading.verdict import Check, decide
from shared.metrics.consumption import consumption
from shared.metrics.extended import measure_extended
from shared.metrics.interaction import measure
from shared.metrics.percentiles import Spread
from shared.metrics.transcription.reference import Reference
from shared.observability.evidence import Evidence, Failure
from shared.observability.observations import CommandRejected, ResponseEnded
from shared.observability.timeline import Timeline
from shared.scenarios import Scenario, is_single_turn

SINGLE_TURN_CHECKS: tuple[Callable[[Case], Check], ...] = (
    checks.conversation_completed,
    checks.assistant_responded,
    checks.application_state,
    checks.delegation_policy,
    checks.authorized_actions,
    checks.tool_contract,
    checks.grounded_response,
    checks.grounded_confirmation,
    checks.refusal_stated,
)

RATE_LIMITS = frozenset({"rate_limit_exceeded", "insufficient_quota"})
"""Codes of errors by which a provider says that it serves no more for now."""


def assess(
    evidence: Evidence,
    scenario: Scenario,
    policy: EvaluationPolicy,
    judgments: Judgments | None = None,
) -> Assessment:
    """Judge one attempt by a policy, and by what a judge said about it, where one was asked.

    What a second detector heard decides nothing; it shows what rests on the first.
    """
    assessment = _assessed(evidence, scenario, policy, judgments)
    again = evidence.by_second_opinion
    if again is None:
        return assessment
    first = _reading(evidence, assessment)
    second = _reading(again, _assessed(again, scenario, policy, judgments))
    if first is None or second is None:
        return assessment
    return replace(assessment, sensitivity=compared(first, second))


def _reading(evidence: Evidence, assessment: Assessment) -> Reading | None:
    observed = assessment.observed
    if observed is None:
        return None
    return Reading(evidence, observed.interaction, assessment.verdict.checks)


def _assessed(
    evidence: Evidence,
    scenario: Scenario,
    policy: EvaluationPolicy,
    judgments: Judgments | None,
) -> Assessment:
    consumed = consumption(evidence.observations)
    failure = _validity(evidence, policy)
    if evidence.extent_ms <= 0:
        return Assessment(decide(failure or _unobserved(), ()), consumed, None, judgments)
    timeline = Timeline.of(evidence, scenario.backchannels)
    measured = measure(timeline, policy.metrics)
    extended = measure_extended(evidence, timeline, measured, Reference.of(scenario))
    tools = tool_uses(evidence)
    matching = matching_of(scenario, tools)
    seen = objectives_of(evidence.decisions)
    case = Case(evidence, scenario, policy, timeline, measured, extended, tools, matching, seen)
    observed = Observed(timeline, measured, extended, tools, matching)
    if is_single_turn(scenario):
        verdict = decide(failure, _checks(case, judgments))
        return Assessment(verdict, consumed, observed, judgments)
    grade = graded_conversation(case, judgments)
    return Assessment(
        decide(failure, grade.checks),
        consumed,
        replace(observed, procedure=grade.procedure, agenda=grade.agenda),
        judgments,
        diagnostics=grade.diagnostics,
    )


def _checks(case: Case, judgments: Judgments | None) -> tuple[Check, ...]:
    """What decides a single turn."""
    return (
        *(check(case) for check in SINGLE_TURN_CHECKS),
        *limit_checks(case),
        task_understanding(judgments),
    )


def _validity(evidence: Evidence, policy: EvaluationPolicy) -> Failure | None:
    """Why the attempt is no measurement: it broke, its caller was unfit, it was not served, or our
    sender was too late."""
    if evidence.failure is not None:
        return evidence.failure
    if evidence.caller_observations and not (caller := caller_validity(evidence)).is_valid:
        return Failure(Stage.CALLER_SIMULATION, caller.message())
    limit = next(_rate_limits(evidence), None)
    if limit is not None:
        return Failure(Stage.RESPONSE_COLLECTION, f"the provider limited our rate: {limit}")
    if is_valid(evidence.pacing.lateness_us, policy.pacing):
        return None
    late = Spread.of(evidence.pacing.lateness_us)
    p99_ms, worst_ms = (late.p99 or 0) / 1000, (late.maximum or 0) / 1000
    return Failure(
        Stage.AUDIO_PACING,
        f"caller audio left late: p99 {p99_ms:g} ms (at most {policy.pacing.p99_ms}), worst"
        f" {worst_ms:g} ms (at most {policy.pacing.stall_ms}); lower --concurrency or use a quieter"
        " machine",
    )


def _rate_limits(evidence: Evidence) -> Iterator[str]:
    """What the provider said where it refused to serve; the assistant is not to blame for it."""
    for seen in evidence.observations:
        match seen:
            case ResponseEnded(code=str(code)) if code in RATE_LIMITS:
                yield seen.detail or code
            case CommandRejected(code=str(code)) if code in RATE_LIMITS:
                yield f"{code}: {seen.message}"
            case _:
                pass


def _unobserved() -> Failure:
    return Failure(Stage.ATTEMPT_EXECUTION, "nothing was observed")

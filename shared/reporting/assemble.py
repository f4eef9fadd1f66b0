"""From an assessment to a row of the report, and from rows to their summary.

A row is a function of the sealed evidence, the scenario, the policy and the judgments, so it can be
assembled again from disk. Figures are rounded by ``rounding``, on their way into it and not before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from shared.grading.assessment import Assessment, Observed
from shared.grading.case import ToolUse
from shared.grading.policy import EvaluationPolicy
from shared.grading.rubric import TASK_UNDERSTANDING
from shared.grading.semantic import scores
from shared.grading.sensitivity import Sensitivity
from shared.grading.verdict import Check, CheckStatus, Status, Verdict
from shared.matching import matches
from shared.metrics import task
from shared.metrics.consumption import Consumption
from shared.metrics.extended import ExtendedMeasurements
from shared.metrics.interaction import METRICS_VERSION, InteractionMeasurements
from shared.metrics.turn_count import substantive_turns
from shared.observability.evidence import Evidence, Track
from shared.observability.observations import TokenUsage
from shared.observability.timeline import Timeline
from shared.plain_text import shortened
from shared.reporting.carried import not_carried, transport_metrics
from shared.reporting.conditions import condition_summaries
from shared.reporting.conversation_figures import caller_actions, caller_mode
from shared.reporting.procedure import LONGEST_REASON, agenda_block, moments, procedure_report
from shared.reporting.recognized import entity_reports, unrecognized, word_error
from shared.reporting.rounding import percentiles, rounded_ms, rounded_rate
from shared.reporting.schema import (
    AssessmentReport,
    AttemptReport,
    AttemptResult,
    AudioMetrics,
    BackendConsumption,
    CheckFlip,
    CheckReport,
    ConsumptionMetrics,
    ErrorReport,
    ExtendedMetrics,
    Extremes,
    Flips,
    FrontendConsumption,
    InputTokens,
    InteractionFigures,
    Metrics,
    Opportunities,
    OutputTokens,
    Pair,
    RecordingReport,
    ResponseCounts,
    ResponseFlip,
    SensitivityMetrics,
    SettledYieldMetrics,
    SpeechSource,
    Summary,
    TaskMetrics,
    Tokens,
)
from shared.reporting.semantic import (
    semantic_dimensions,
    semantic_quality,
    statuses,
    unscored,
)
from shared.reporting.simulated import (
    NO_FINAL_USAGE,
    fidelity_report,
    usage_report,
    validity_report,
)
from shared.reporting.termination import completion_block
from shared.scenarios import Scenario, is_single_turn
from shared.values import CountPair, JsonObject

UNHEARD = "unheard"
"""The status of a request in which a detector found no voice."""
NOT_OBSERVED = "the session never began"
STATE_FROM_BEFORE = (
    "the application was in the expected state before the call began, so its state proves nothing"
)
OBSERVED_FIGURES = (
    "audio",
    "task.tool_accuracy",
    "task.tool_calls",
    "task.delegation_accuracy",
    "task.delegations",
    "task.turns",
)


def attempt_result(
    evidence: Evidence,
    scenario: Scenario,
    policy: EvaluationPolicy,
    assessment: Assessment,
    *,
    attempt: AttemptReport,
    artifacts: dict[str, str],
    audio_source: str,
    recording: RecordingReport | None = None,
) -> AttemptResult:
    """One row. ``artifacts`` maps names to paths relative to the run directory."""
    verdict = assessment.verdict
    observed = assessment.observed
    return AttemptResult(
        scenario_id=scenario.id,
        attempt=attempt,
        title=scenario.title,
        recording=recording,
        status=verdict.status.value,
        metrics=_metrics(evidence, scenario, policy, assessment),
        artifacts=artifacts,
        error=_error(verdict),
        assessment=None if observed is None else _assessment(assessment),
        observability=None
        if observed is None
        else _observability(evidence, scenario, assessment, observed, attempt, audio_source),
        validity=validity_report(evidence),
        caller_fidelity=fidelity_report(evidence, scenario, observed),
        simulation_usage=usage_report(evidence),
        warnings=[*evidence.warnings, *_doubts(evidence, scenario)],
    )


def _doubts(evidence: Evidence, scenario: Scenario) -> list[str]:
    """A state that an application elsewhere brought along proves nothing of this call."""
    wanted = scenario.expected.state
    if not wanted or scenario.expected.is_state_unchanged:
        return []
    given, begun = scenario.application.initial_state, evidence.state_before
    return [STATE_FROM_BEFORE] if matches(wanted, begun) and not matches(wanted, given) else []


def summarize(results: Sequence[AttemptResult]) -> Summary:
    """Counts of attempts; rates are left to whoever states their population."""
    statuses = [result.status for result in results]
    return Summary(
        total=len(statuses),
        passed=statuses.count("passed"),
        failed=statuses.count("failed"),
        infrastructure_errors=statuses.count("infrastructure_error"),
        conditions=condition_summaries(results),
    )


def _metrics(
    evidence: Evidence, scenario: Scenario, policy: EvaluationPolicy, assessment: Assessment
) -> Metrics:
    observed = assessment.observed
    unavailable = unscored(assessment.judgments)
    if observed is None:
        unavailable |= dict.fromkeys(OBSERVED_FIGURES, NOT_OBSERVED)
    else:
        unavailable |= _unavailable(observed.interaction)
        unavailable |= unrecognized(observed.extended.recognition)
        unavailable |= not_carried(observed.extended)
        if not scenario.expected.golden_path.turns:
            unavailable["task.turns"] = "the scenario expects no number of turns"
    if assessment.consumption.frontend_audio_ms is None:
        unavailable["consumption.frontend"] = NO_FINAL_USAGE
    return Metrics(
        task=_task(evidence, scenario, assessment),
        audio=_audio(evidence, policy, assessment),
        consumption=_consumption(assessment.consumption),
        unavailable=unavailable,
    )


def _unavailable(measured: InteractionMeasurements) -> dict[str, str]:
    reasons = {}
    if measured.response_rate.value is None:
        reasons["audio.response_rate"] = "no request was scored"
    if measured.response_latency_ms is None:
        reasons["audio.response_latency_ms"] = (
            "no caller speech was detected"
            if not measured.turns
            else "no request was answered in time"
        )
    if measured.interruption_rate is None:
        reasons["audio.interruption_rate"] = "no request was eligible"
    return reasons


def _task(evidence: Evidence, scenario: Scenario, assessment: Assessment) -> TaskMetrics:
    is_completed = assessment.verdict.status is Status.PASSED
    observed = assessment.observed
    if observed is None:
        return TaskMetrics(task_completed=is_completed)
    expected = scenario.expected
    delegated = len(task.delegations(evidence.observations))
    expected_delegations = task.expected_delegations(
        expected.delegation.value,
        None if is_single_turn(scenario) else expected.golden_path.delegations,
    )
    prohibited = sum(
        check.status is CheckStatus.FAILED
        for check in assessment.verdict.checks
        if check.id == "authorized_actions"
    )
    matching = observed.matching
    turns = substantive_turns(observed.timeline.caller_turns, observed.timeline.assistant_turns)
    return TaskMetrics(
        task_completed=is_completed,
        semantic_quality=semantic_quality(assessment.judgments),
        tool_accuracy=rounded_rate(
            task.tool_accuracy(matching.matched, matching.expected, matching.actual, prohibited)
        ),
        tool_calls=Pair(actual=matching.actual, expected=matching.expected),
        delegation_accuracy=task.delegation_accuracy(expected.delegation.value, delegated),
        delegations=Pair(actual=delegated, expected=expected_delegations),
        turns=_pair(task.count_pair(turns, expected.golden_path.turns or None)),
    )


def _audio(evidence: Evidence, policy: EvaluationPolicy, assessment: Assessment) -> AudioMetrics:
    observed = assessment.observed
    if observed is None:
        return AudioMetrics(
            metrics_version=METRICS_VERSION,
            response_deadline_ms=policy.metrics.response_deadline_ms,
        )
    figures = _figures(observed.interaction, evidence.caller, evidence.assistant)
    extended = _extended(observed.extended, assessment.sensitivity, evidence.extent_ms)
    return AudioMetrics(**dict(figures), extended=extended)


def _figures(
    measured: InteractionMeasurements, caller: Track, assistant: Track
) -> InteractionFigures:
    hold = measured.floor_hold_durations
    return InteractionFigures(
        response_rate=rounded_rate(measured.response_rate.value),
        response_latency_ms=rounded_ms(measured.response_latency_ms),
        interruption_rate=rounded_rate(measured.interruption_rate),
        speaking_duration_ms=Extremes(
            cumulative=measured.speaking.cumulative_ms, maximum=measured.speaking.maximum_ms
        ),
        floor_hold_silence_ms=Extremes(cumulative=hold.cumulative_ms, maximum=hold.maximum_ms),
        metrics_version=measured.metrics_version,
        response_deadline_ms=measured.policy.response_deadline_ms,
        response_opportunities=_opportunities(measured),
        response_exclusion_reasons={
            reason.value: count
            for reason, count in sorted(measured.response_exclusion_reasons.items())
        },
        response_latencies_ms=list(measured.response_latencies_ms),
        late_response_latencies_ms=list(measured.late_response_latencies_ms),
        interruption_count=measured.interruption_count,
        speech={"caller": _speech(caller), "assistant": _speech(assistant)},
    )


def _opportunities(measured: InteractionMeasurements) -> Opportunities:
    return Opportunities(
        caller_turn_count=measured.caller_turn_count,
        response_eligible_count=measured.response_eligible_count,
        response_censored_count=measured.response_censored_count,
        response_excluded_count=measured.response_excluded_count,
        response_late_count=measured.response_late_count,
        response_total=measured.response_total,
        response_count=measured.response_count,
        no_response_count=measured.no_response_count,
    )


def _speech(track: Track) -> SpeechSource:
    return SpeechSource(
        detector=track.detector.name,
        detector_version=track.detector.version,
        measured_on=track.measured_on.value,
    )


def _sensitivity(sensitivity: Sensitivity) -> SensitivityMetrics:
    tracks = sensitivity.tracks
    figures = _figures(sensitivity.interaction, tracks.caller, tracks.assistant)
    return SensitivityMetrics(
        **dict(figures),
        flips=Flips(
            responses=[
                ResponseFlip(
                    utterance=flip.utterance,
                    request_end_ms=flip.request_end_ms,
                    status=flip.first or UNHEARD,
                    second_status=flip.second or UNHEARD,
                )
                for flip in sensitivity.responses
            ],
            checks=[
                CheckFlip(id=flip.id, status=flip.first, second_status=flip.second)
                for flip in sensitivity.checks
            ],
        ),
    )


def _extended(
    extended: ExtendedMeasurements, sensitivity: Sensitivity | None, observed_ms: int
) -> ExtendedMetrics:
    return ExtendedMetrics(
        version=extended.version,
        observed_ms=observed_ms,
        response_latency_ms=percentiles(extended.response_latency_ms),
        playout_hold_ms=None
        if extended.playout_hold_ms is None
        else percentiles(extended.playout_hold_ms),
        playout_holds_ms=None
        if extended.playout_holds_ms is None
        else [rounded_ms(one) for one in extended.playout_holds_ms],
        transport=transport_metrics(extended.transport),
        sender_lateness_ms=percentiles(extended.sender_lateness_us, per=1000),
        receive_lateness_ms=percentiles(extended.receive_lateness_ms),
        stall_count=extended.stall_count,
        requests_spoken_through=extended.spoken_through.count,
        response_expecting_requests=extended.spoken_through.total,
        interruption_episodes=extended.interruption_episodes,
        talk_over_ms=extended.talk_over.count,
        response_expecting_speech_ms=extended.talk_over.total,
        talk_over_share=rounded_rate(extended.talk_over.value),
        yields=SettledYieldMetrics(
            yielded=extended.yields.yielded,
            not_yielded=extended.yields.not_yielded,
            censored=extended.yields.censored,
            latency_ms=percentiles(extended.yields.latency_ms),
        ),
        responses_with_closings=ResponseCounts(
            response_count=extended.responses_with_closings.count,
            response_total=extended.responses_with_closings.total,
            response_rate=rounded_rate(extended.responses_with_closings.value),
        ),
        word_error=word_error(extended.recognition),
        entities=entity_reports(extended.recognition),
        sensitivity=None if sensitivity is None else _sensitivity(sensitivity),
    )


def _consumption(consumed: Consumption) -> ConsumptionMetrics:
    tokens = _tokens(consumed.backend) if consumed.backend is not None else Tokens()
    models = {model: _tokens(usage) for model, usage in consumed.models.items()}
    return ConsumptionMetrics(
        frontend=FrontendConsumption(audio_duration_ms=consumed.frontend_audio_ms),
        backend=BackendConsumption(
            total_tokens=tokens.total_tokens,
            input=tokens.input,
            output=tokens.output,
            models=models or None,
        ),
    )


def _tokens(usage: TokenUsage) -> Tokens:
    inputs = InputTokens(
        total_tokens=usage.input_tokens,
        cached_tokens=usage.cached_input_tokens,
        cache_write_tokens=usage.cache_write_tokens,
    )
    outputs = OutputTokens(
        total_tokens=usage.output_tokens, reasoning_tokens=usage.reasoning_tokens
    )
    return Tokens(
        total_tokens=usage.total_tokens,
        input=inputs if inputs != InputTokens() else None,
        output=outputs if outputs != OutputTokens() else None,
    )


def _error(verdict: Verdict) -> ErrorReport | None:
    if verdict.failure is None:
        return None
    message = shortened(verdict.failure.message, LONGEST_REASON)
    return ErrorReport(stage=verdict.failure.stage.value, message=message)


def _assessment(assessment: Assessment) -> AssessmentReport:
    verdict = assessment.verdict
    return AssessmentReport(
        passed=verdict.status is Status.PASSED,
        source=_source(verdict),
        rationale=_rationale(verdict),
        checks=[
            *(_check(check) for check in verdict.checks),
            *(_check(check, decides=False) for check in assessment.diagnostics),
        ],
        semantic=semantic_dimensions(assessment.judgments),
        procedure=procedure_report(
            None if assessment.observed is None else assessment.observed.procedure
        ),
    )


def _source(verdict: Verdict) -> Literal["deterministic", "semantic_judge"]:
    """Whether a judge's pass or fail is among what decided."""
    has_judged = any(
        check.id == TASK_UNDERSTANDING and check.status in {CheckStatus.PASSED, CheckStatus.FAILED}
        for check in verdict.checks
    )
    return "semantic_judge" if has_judged else "deterministic"


def _rationale(verdict: Verdict) -> str:
    if verdict.failure is not None:
        return f"not a measurement: {shortened(verdict.failure.message, LONGEST_REASON)}"
    failed = [
        shortened(c.because, LONGEST_REASON)
        for c in verdict.checks
        if c.status is CheckStatus.FAILED
    ]
    return "; ".join(failed) or "every check that applies passed"


def _check(check: Check, *, decides: bool = True) -> CheckReport:
    return CheckReport(
        id=check.id,
        status=check.status.value,
        required=decides and check.status is not CheckStatus.NOT_APPLICABLE,
        reason=shortened(check.because, LONGEST_REASON),
        evidence=moments(check.refs),
    )


def _observability(
    evidence: Evidence,
    scenario: Scenario,
    assessment: Assessment,
    observed: Observed,
    attempt: AttemptReport,
    audio_source: str,
) -> dict[str, object]:
    verdict, matching, timeline = assessment.verdict, observed.matching, observed.timeline
    is_conversation = not is_single_turn(scenario)
    return {
        "provenance": {
            "api_version": "v3",
            "turn_derivation": "local_audio_and_transcript",
            "audio_timing": "local_relay_playout" if is_conversation else "local_playout_clock",
            "transcript_timing": "provider_session_clock",
        },
        **({"agenda": agenda_block(scenario, observed.agenda)} if is_conversation else {}),
        "interaction": {
            "mode": scenario.interaction.value,
            "audio_source": audio_source,
            **(_caller(timeline, attempt, audio_source) if is_conversation else {}),
            "assistant_turns": len(timeline.assistant_turns),
            "caller_turns": len(timeline.caller_turns),
            "delegations": len(task.delegations(evidence.observations)),
        },
        "tools": {
            "executed": [_executed(use) for use in observed.tools],
            "expected_count": matching.expected,
            "matched_count": matching.matched,
            "unexpected_count": len(matching.unexpected),
            "failed_count": sum(not use.is_completed for use in observed.tools),
        },
        "grading": {
            "deterministic": {
                check.id: check.status.value
                for check in verdict.checks
                if check.id != TASK_UNDERSTANDING
            },
            "semantic": statuses(assessment.judgments),
            "semantic_scores": scores(assessment.judgments),
        },
        "completion": {
            **completion_block(evidence, scenario, verdict, observed.procedure),
            "passed": verdict.status is Status.PASSED,
            "source": _source(verdict),
            "rationale": _rationale(verdict),
            "failed_checks": list(verdict.failed_checks),
        },
        "scenario": {"id": scenario.id, "type": scenario.scenario_type},
    }


def _caller(timeline: Timeline, attempt: AttemptReport, audio_source: str) -> JsonObject:
    """What kind of caller it was and what its turns were there for, as told afterwards."""
    return {
        "caller_mode": caller_mode(attempt, audio_source),
        "caller_actions": caller_actions(timeline),
        "attribution": "post_hoc_audio_and_transcript",
    }


def _executed(use: ToolUse) -> JsonObject:
    return {
        "name": use.call.name,
        "status": use.returned.status.value if use.returned else "unanswered",
        "arguments": use.call.arguments,
        "call_id": use.call.call_id,
        "at_ms": use.call.stamp.media_ms,
    }


def _pair(pair: CountPair | None) -> Pair | None:
    return None if pair is None else Pair(actual=pair.actual, expected=pair.expected)

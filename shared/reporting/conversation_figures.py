"""A conversation's figures as its details publish them, and the events they were counted from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict

from shared.grading.assessment import Observed
from shared.metrics.backchannels import BackchannelOutcome
from shared.metrics.interaction import InteractionMeasurements
from shared.metrics.interruptions import YieldOutcome
from shared.metrics.responses import Outcome
from shared.metrics.task import delegations
from shared.metrics.turn_count import substantive_turns
from shared.metrics.turn_record import TurnRecord
from shared.observability.delegation import TIMING_SOURCE
from shared.observability.evidence import CallerAction, Evidence
from shared.observability.timeline import Timeline
from shared.reporting.rounding import rounded_ms, rounded_rate
from shared.reporting.schema import AttemptReport
from shared.reporting.standing import Standing, policy_of
from shared.values import JsonObject, JsonValue

OFFLINE_CALLER, LIVE_CALLER = "offline_fixture", "gpt-live"
SCRIPTED_CALLER = "scripted_caller"
"""Of a live run: the caller alone has a script, which its audio source tells."""


def interaction_metrics(measured: InteractionMeasurements) -> JsonObject:
    """The v2 numbers with their populations, policy and events; every time in ms."""
    yields = [turn.yielding.outcome for turn in measured.turns if turn.yielding is not None]
    backchannels = [turn.backchannel for turn in measured.turns if turn.backchannel is not None]
    hold = measured.floor_hold_durations
    return {
        "metrics_version": measured.metrics_version,
        "config": asdict(measured.policy),
        "response_rate": rounded_rate(measured.response_rate.value),
        "response_latency_ms": rounded_ms(measured.response_latency_ms),
        "response_latencies_ms": list(measured.response_latencies_ms),
        "late_response_latencies_ms": list(measured.late_response_latencies_ms),
        "response_exclusion_reasons": {
            reason.value: count
            for reason, count in sorted(measured.response_exclusion_reasons.items())
        },
        "interruption_rate": rounded_rate(measured.interruption_rate),
        "yield_rate": rounded_rate(measured.yield_rate.value),
        "yield_latency_ms": rounded_ms(measured.yield_latency_ms),
        "yield_latencies_ms": list(measured.yield_latencies_ms),
        "selectivity_backchannel": rounded_rate(measured.backchannel_rate.value),
        "speaking_duration_ms": {
            "cumulative": measured.speaking.cumulative_ms,
            "maximum": measured.speaking.maximum_ms,
        },
        "floor_hold_silence_ms": {"cumulative": hold.cumulative_ms, "maximum": hold.maximum_ms},
        "floor_hold_intervals_ms": [[one.start_ms, one.end_ms] for one in measured.floor_hold],
        "delegation_timing_source": TIMING_SOURCE,
        "counts": {
            "caller_turn_count": measured.caller_turn_count,
            "response_eligible_count": measured.response_eligible_count,
            "response_censored_count": measured.response_censored_count,
            "response_excluded_count": measured.response_excluded_count,
            "response_late_count": measured.response_late_count,
            "response_total": measured.response_total,
            "response_count": measured.response_count,
            "no_response_count": measured.no_response_count,
            "yield_total": len(yields),
            "yield_count": yields.count(YieldOutcome.YIELDED),
            "no_yield_count": len(yields) - yields.count(YieldOutcome.YIELDED),
            "backchannel_total": len(backchannels),
            "backchannel_correct_count": backchannels.count(BackchannelOutcome.CONTINUED),
            "backchannel_error_count": backchannels.count(BackchannelOutcome.FALSE_YIELD),
            "agent_interrupts_count": measured.interruption_count,
        },
        "events": [event for turn in measured.turns for event in _events(turn)],
    }


def _events(turn: TurnRecord) -> Iterator[JsonValue]:
    """What was counted of one caller turn."""
    asked, opportunity, start_ms = turn.turn.span, turn.opportunity, turn.turn.span.start_ms
    answered: JsonObject = {
        "caller_end_ms": asked.end_ms,
        "assistant_start_ms": None
        if opportunity.latency_ms is None
        else asked.end_ms + opportunity.latency_ms,
        "latency_ms": opportunity.latency_ms,
    }
    if opportunity.outcome is Outcome.ANSWERED:
        yield {"type": "response", **answered}
    elif opportunity.outcome is Outcome.MISSED:
        yield {"type": "no_response", "caller_end_ms": asked.end_ms}
    if opportunity.is_late:
        yield {"type": "late_response", **answered, "deadline_at_ms": opportunity.deadline_at_ms}
    if turn.yielding is not None:
        latency_ms = turn.yielding.latency_ms
        yield {
            "type": "no_yield" if latency_ms is None else "yield",
            "caller_interruption_ms": start_ms,
            "assistant_stop_ms": None if latency_ms is None else start_ms + latency_ms,
            "latency_ms": latency_ms,
        }
    if turn.backchannel is not None:
        is_right = turn.backchannel is BackchannelOutcome.CONTINUED
        kind = "backchannel_correct" if is_right else "backchannel_error"
        yield {"type": kind, "caller_start_ms": start_ms, "caller_end_ms": asked.end_ms}
    for span in turn.interruptions:
        yield {
            "type": "agent_interruption",
            "caller_start_ms": start_ms,
            "caller_end_ms": asked.end_ms,
            "assistant_start_ms": span.start_ms,
        }


def task_metrics(final: Standing, *, is_completed: bool, has_ended: bool) -> JsonObject:
    """How the task stood at the end; ``is_completed`` is the verdict's."""
    said, calls = final.evidence_coverage, final.tool_call_coverage
    return {
        "task_completed": is_completed,
        "conversation_completed": has_ended,
        "requirements_satisfied": final.is_satisfied,
        "evidence_coverage": rounded_rate(said.value),
        "matched_evidence_count": said.count,
        "expected_evidence_count": said.total,
        "tool_call_coverage": rounded_rate(calls.value),
        "matched_tool_call_count": calls.count,
        "expected_tool_call_count": calls.total,
        **policy_of(final),
        "prohibited_tool_call_count": final.prohibited,
    }


def efficiency_metrics(
    evidence: Evidence, observed: Observed, turn_rows: list[JsonObject]
) -> JsonObject:
    """How much it took. ``turn_rows`` are the attempt's, in order."""
    timeline, tools = observed.timeline, observed.tools
    actions = caller_actions(timeline)
    failed = [use for use in tools if use.returned is not None and not use.is_completed]
    return {
        "conversation_duration_s": evidence.extent_ms / 1_000,
        "total_turns": substantive_turns(timeline.caller_turns, timeline.assistant_turns),
        "assistant_turns": len(timeline.assistant_turns),
        "user_turns": len(timeline.caller_turns),
        "substantive_caller_turns": sum(turn.expects_reply for turn in timeline.caller_turns),
        "closing_turns": actions.get(CallerAction.STOP.value, 0),
        "backchannel_count": actions.get(CallerAction.BACKCHANNEL.value, 0),
        "delegation_count": len(delegations(evidence.observations)),
        **_until_satisfied(timeline, turn_rows),
        "tool_call_count": len(tools),
        "completed_tool_call_count": sum(use.is_completed for use in tools),
        "failed_tool_call_count": len(failed),
        "expected_tool_call_count": observed.matching.expected,
        "matched_tool_call_count": observed.matching.matched,
        "unexpected_tool_call_count": len(observed.matching.unexpected),
    }


def caller_mode(attempt: AttemptReport, audio_source: str) -> str:
    """What kind of caller it was. Only a far end that is scripted has a script."""
    if attempt.script is None:
        return LIVE_CALLER
    return SCRIPTED_CALLER if audio_source == SCRIPTED_CALLER else OFFLINE_CALLER


def caller_actions(timeline: Timeline) -> dict[str, int]:
    """How many caller turns did what; actions nobody took are left out."""
    taken = Counter(turn.action for turn in timeline.caller_turns)
    return {one.value: taken[one] for one in CallerAction if taken[one]}


def _until_satisfied(timeline: Timeline, turn_rows: list[JsonObject]) -> JsonObject:
    """Caller turns up to the first in whose window all requirements came to be satisfied."""
    first = next((n for n, one in enumerate(turn_rows, 1) if _is_satisfied(one)), None)
    later = () if first is None else timeline.caller_turns[first:]
    return {
        "turns_to_requirements": first,
        "post_requirement_caller_turns": None if first is None else len(later),
        "post_requirement_substantive_caller_turns": None
        if first is None
        else sum(turn.expects_reply for turn in later),
    }


def _is_satisfied(turn_row: JsonObject) -> bool:
    task = turn_row["task"]
    return isinstance(task, dict) and task["requirements_satisfied"] is True

"""The engine put to the same question as the oracle: plain conversation in, plain numbers out."""

from __future__ import annotations

from typing import Any

from shared.errors import Stage
from shared.intervals import Interval, IntervalSet
from shared.metrics.floor import Durations
from shared.metrics.interaction import InteractionMeasurements, MetricPolicy
from shared.metrics.interaction import measure as measure_timeline
from shared.metrics.turn_record import TurnRecord
from shared.observability.evidence import (
    CallerAction,
    Ending,
    Evidence,
    Failure,
    MeasuredOn,
    Pacing,
    Track,
    Utterance,
)
from shared.observability.observations import (
    ConnectionLost,
    DelegationBegan,
    Observation,
    ResponseBegan,
    ResponseEnded,
    ResponseStatus,
    ToolCalled,
    ToolReturned,
    ToolStatus,
    UsageReported,
    WorkContinued,
)
from shared.observability.timeline import Timeline
from tests.oracle.conversations import Case, Event, Span
from tests.support.builders import DETECTOR, at


def measure(case: Case) -> dict[str, Any]:
    """What the engine says of one conversation, in the words of the oracle."""
    measured = measure_timeline(Timeline.of(evidence_of(case)), MetricPolicy(**case.policy))
    return as_told(measured)


def evidence_of(case: Case) -> Evidence:
    told = case.conversation
    extent: int = told["extent_ms"]
    is_lost = case.ending in ("lost", "lost_afterwards")
    lost = [ConnectionLost(at(extent), 1006, "")] if is_lost else []
    is_failed = case.ending in ("lost", "failed_otherwise")
    return Evidence(
        scenario_id=f"case_{case.number}",
        extent_ms=extent,
        caller=_track(told["caller"], extent),
        assistant=_track(told["assistant"], extent),
        utterances=tuple(
            Utterance(Interval(start, end), "said", CallerAction(action), "script")
            for start, end, action in told["utterances"]
        ),
        observations=(*(observation(event) for event in told["work"]), *lost),
        state_before={},
        state_after={},
        pacing=Pacing(frame_ms=20, lateness_us=()),
        ending=Ending.FAILED if is_failed else Ending.ANSWER_SETTLED,
        failure=Failure(Stage.RESPONSE_COLLECTION, "broken off") if is_failed else None,
    )


def _track(spans: list[Span], extent: int) -> Track:
    return Track(IntervalSet.of(spans), extent * 24, DETECTOR, MeasuredOn.CLEAN_SOURCE)


def observation(event: Event) -> Observation:
    stamp = at(event["at_ms"])
    match event:
        case {"kind": "delegation_began", "delegation_id": d, "target": target, "response_id": r}:
            return DelegationBegan(stamp, d, target, r)
        case {"kind": "response_began", "response_id": r, "delegation_id": d}:
            return ResponseBegan(stamp, r, d, event["previous_response_id"])
        case {"kind": "tool_called", "call_id": c, "response_id": r, "delegation_id": d}:
            return ToolCalled(stamp, c, event["name"], "{}", {}, r, d)
        case {"kind": "tool_returned", "call_id": c, "name": name}:
            return ToolReturned(stamp, c, name, ToolStatus.COMPLETED, None, {})
        case {"kind": "work_continued", "response_id": r, "delegation_id": d}:
            return WorkContinued(stamp, r, d)
        case {"kind": "response_ended", "response_id": r, "delegation_id": d, "status": status}:
            return ResponseEnded(stamp, r, d, ResponseStatus(status), None, None)
        case _:
            return UsageReported(stamp, 1.0)


def as_told(measured: InteractionMeasurements) -> dict[str, Any]:
    rate, selectivity = measured.response_rate, measured.backchannel_rate
    return {
        "turns": [_turn(record) for record in measured.turns],
        "caller_turn_count": measured.caller_turn_count,
        "response_count": measured.response_count,
        "no_response_count": measured.no_response_count,
        "response_total": measured.response_total,
        "response_censored_count": measured.response_censored_count,
        "response_eligible_count": measured.response_eligible_count,
        "response_excluded_count": measured.response_excluded_count,
        "response_late_count": measured.response_late_count,
        "response_exclusion_reasons": {
            str(reason): count for reason, count in measured.response_exclusion_reasons.items()
        },
        "response_rate": (rate.count, rate.total),
        "response_latencies_ms": list(measured.response_latencies_ms),
        "late_response_latencies_ms": list(measured.late_response_latencies_ms),
        "interruption_count": measured.interruption_count,
        "interruption_rate": (measured.interruption_count, measured.response_eligible_count),
        "yield_rate": (measured.yield_rate.count, measured.yield_rate.total),
        "yield_latencies_ms": list(measured.yield_latencies_ms),
        "backchannel_rate": (selectivity.count, selectivity.total),
        "speaking_ms": _durations(measured.speaking),
        "floor_hold_ms": _durations(measured.floor_hold_durations),
        "floor_hold_intervals_ms": [[s.start_ms, s.end_ms] for s in measured.floor_hold],
    }


def _turn(record: TurnRecord) -> dict[str, Any]:
    opportunity, yielding = record.opportunity, record.yielding
    return {
        "start_ms": record.turn.span.start_ms,
        "end_ms": record.turn.span.end_ms,
        "outcome": str(opportunity.outcome),
        "reason": str(opportunity.reason),
        "latency_ms": opportunity.latency_ms,
        "deadline_at_ms": opportunity.deadline_at_ms,
        "interruption_starts_ms": [span.start_ms for span in record.interruptions],
        "yield": None if yielding is None else (str(yielding.outcome), yielding.delay_ms),
        "backchannel": None if record.backchannel is None else str(record.backchannel),
        "user_speech_ms": record.turn.voiced.total_ms,
        "overlap_ms": record.overlap_ms,
        "window_end_ms": record.window_end_ms,
        "assistant_speech_ms": record.assistant_speech_ms,
    }


def _durations(durations: Durations) -> dict[str, int]:
    return {"cumulative": durations.cumulative_ms, "maximum": durations.maximum_ms}

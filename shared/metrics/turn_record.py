"""One caller turn as measured, and the row it becomes in the detailed artifact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shared.intervals import Interval
from shared.metrics.backchannels import BackchannelOutcome
from shared.metrics.interruptions import Yield
from shared.metrics.responses import Opportunity, Outcome
from shared.observability.turns import Turn
from shared.values import JsonObject

NOT_APPLICABLE = "not_applicable"

RESPONSE_OUTCOMES: Mapping[Outcome, str] = {
    Outcome.ANSWERED: "responded",
    Outcome.MISSED: "no_response",
    Outcome.CENSORED: "unobserved",
    Outcome.EXCLUDED: NOT_APPLICABLE,
}


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """What every metric found in one caller turn.

    ``window_end_ms`` is the next caller turn's onset, or the end of observation; the assistant's
    speech is counted from this turn's onset to there.
    """

    index: int
    turn: Turn
    window_end_ms: int
    assistant_speech_ms: int
    overlap_ms: int
    opportunity: Opportunity
    interruptions: tuple[Interval, ...]
    yielding: Yield | None
    backchannel: BackchannelOutcome | None


def row(record: TurnRecord, metrics_version: str) -> JsonObject:
    """The record under its published names."""
    turn = record.turn
    return {
        "metrics_version": metrics_version,
        "turn_index": record.index,
        "start_ms": turn.span.start_ms,
        "end_ms": turn.span.end_ms,
        "window_end_ms": record.window_end_ms,
        "action": turn.action,
        "action_source": turn.source,
        "user_transcript": turn.text,
        "audio": {
            "user_speech_ms": turn.voiced.total_ms,
            "assistant_speech_ms": record.assistant_speech_ms,
            "overlap_ms": record.overlap_ms,
            **_response(record),
            **_floor(record),
        },
    }


def _response(record: TurnRecord) -> JsonObject:
    opportunity = record.opportunity
    is_answered = opportunity.outcome is Outcome.ANSWERED
    return {
        "response_expected": record.turn.expects_reply,
        "response_outcome": RESPONSE_OUTCOMES[opportunity.outcome],
        "response_latency_ms": opportunity.latency_ms if is_answered else None,
        "response_status": opportunity.outcome,
        "response_reason": opportunity.reason,
        "response_deadline_at_ms": opportunity.deadline_at_ms,
        "response_observed_latency_ms": opportunity.latency_ms,
    }


def _floor(record: TurnRecord) -> JsonObject:
    yielding = record.yielding
    return {
        "user_interrupted_assistant": yielding is not None,
        "yield_outcome": NOT_APPLICABLE if yielding is None else yielding.outcome,
        "yield_latency_ms": None if yielding is None else yielding.latency_ms,
        "agent_interrupted_user": bool(record.interruptions),
        "agent_interruption_count": len(record.interruptions),
        "agent_interruption_starts_ms": [span.start_ms for span in record.interruptions],
        "backchannel_outcome": record.backchannel or NOT_APPLICABLE,
    }

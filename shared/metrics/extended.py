"""The extended block, version 1: what the v2 numbers do not show. Nothing here moves them.

It has its own version because it may grow. Contract: ``docs/metrics-contract.md``,
"Extended block".
"""

from __future__ import annotations

from dataclasses import dataclass

from shared.metrics.interaction import InteractionMeasurements
from shared.metrics.percentiles import Spread
from shared.metrics.responses import Reason
from shared.metrics.turn_record import TurnRecord
from shared.observability.evidence import Evidence
from shared.observability.lookup import started_before
from shared.observability.observations import AudioReceived
from shared.observability.timeline import Timeline
from shared.values import Rate

EXTENDED_VERSION = "1"


@dataclass(frozen=True, slots=True)
class ExtendedMeasurements:
    """Spreads keep the unit of their values and the number of them.

    ``spoken_through`` is a share of the requests that expect a reply: those the assistant began to
    speak into and was still speaking into when they ended.
    """

    response_latency_ms: Spread[int]
    sender_lateness_us: Spread[int]
    receive_lateness_ms: Spread[float]
    stall_count: int
    spoken_through: Rate

    @property
    def version(self) -> str:
        return EXTENDED_VERSION


def measure_extended(
    evidence: Evidence, timeline: Timeline, measured: InteractionMeasurements
) -> ExtendedMeasurements:
    """The extended block of one attempt, beside its v2 measurements."""
    received = evidence.of(AudioReceived)
    return ExtendedMeasurements(
        response_latency_ms=Spread.of(measured.response_latencies_ms),
        sender_lateness_us=Spread.of(evidence.pacing.lateness_us),
        receive_lateness_ms=Spread.of(piece.late_ms for piece in received),
        stall_count=sum(piece.is_stall for piece in received),
        spoken_through=_spoken_through(timeline, measured),
    )


def _spoken_through(timeline: Timeline, measured: InteractionMeasurements) -> Rate:
    asking = [record for record in measured.turns if record.turn.expects_reply]
    return Rate(sum(_is_spoken_through(record, timeline) for record in asking), len(asking))


def _is_spoken_through(record: TurnRecord, timeline: Timeline) -> bool:
    if record.opportunity.reason is not Reason.ASSISTANT_ACTIVE:
        return False
    span = started_before(timeline.assistant, record.turn.span.end_ms)
    return span is not None and span.start_ms > record.turn.span.start_ms

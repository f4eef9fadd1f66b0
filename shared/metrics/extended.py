"""The extended block, version 4: what the v2 numbers do not show. Nothing here moves them.

It has its own version because it may grow. Contract: ``docs/metrics-contract.md``,
"Extended block".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from shared.audio.pcm import SAMPLES_PER_MS
from shared.metrics.episodes import (
    Settled,
    interruption_episodes,
    settled_yields,
    talk_over,
)
from shared.metrics.interaction import InteractionMeasurements, MetricPolicy
from shared.metrics.percentiles import Spread
from shared.metrics.responses import Outcome, Reason, Watch, classify
from shared.metrics.transcription.recognition import Recognition, Unrecognized, recognition
from shared.metrics.transcription.reference import Reference
from shared.metrics.transport import TransportMeasurements, measure_transport
from shared.metrics.turn_record import TurnRecord
from shared.observability.evidence import CallerAction, Evidence
from shared.observability.lookup import started_before
from shared.observability.observations import AudioReceived, Caption
from shared.observability.timeline import Timeline
from shared.values import Rate

EXTENDED_VERSION = "4"


@dataclass(frozen=True, slots=True)
class SettledYields:
    """Yields that needed 300 ms of silence; the latencies are those of the yielded."""

    latency_ms: Spread[int]
    not_yielded: int
    censored: int

    @property
    def yielded(self) -> int:
        return self.latency_ms.count


@dataclass(frozen=True, slots=True)
class ExtendedMeasurements:
    """Spreads keep the unit of their values and the number of them.

    ``spoken_through`` is a share of the requests that expect a reply: those the assistant began to
    speak into and was still speaking into when they ended. ``talk_over`` is in ms of those
    requests' voice. ``responses_with_closings`` is the response rate had every closing turn been a
    request. ``playout_hold_ms`` is how long our playout held the onsets of the timely answers; it
    is absent where nothing was held, as ``transport`` is where no relay carried two voices.
    """

    response_latency_ms: Spread[int]
    playout_hold_ms: Spread[float] | None
    transport: TransportMeasurements | None
    sender_lateness_us: Spread[int]
    receive_lateness_ms: Spread[float]
    stall_count: int
    spoken_through: Rate
    interruption_episodes: int
    talk_over: Rate
    yields: SettledYields
    responses_with_closings: Rate
    recognition: Recognition | Unrecognized

    @property
    def version(self) -> str:
        return EXTENDED_VERSION


def measure_extended(
    evidence: Evidence,
    timeline: Timeline,
    measured: InteractionMeasurements,
    reference: Reference | None = None,
) -> ExtendedMeasurements:
    """The extended block of one attempt, beside its v2 measurements.

    ``reference`` is what the caller said, where that is known word for word.
    """
    received = evidence.of(AudioReceived)
    turns, assistant = timeline.caller_turns, timeline.assistant
    return ExtendedMeasurements(
        response_latency_ms=Spread.of(measured.response_latencies_ms),
        playout_hold_ms=_playout_hold(received, measured),
        transport=measure_transport(evidence),
        sender_lateness_us=Spread.of(evidence.pacing.lateness_us),
        receive_lateness_ms=Spread.of(piece.late_ms for piece in received),
        stall_count=sum(piece.is_stall for piece in received),
        spoken_through=_spoken_through(timeline, measured),
        interruption_episodes=sum(map(len, interruption_episodes(turns, assistant))),
        talk_over=talk_over(turns, assistant),
        yields=_yields(timeline, measured.policy),
        responses_with_closings=_responses_with_closings(timeline, measured.policy),
        recognition=recognition(evidence.of(Caption), reference),
    )


def _playout_hold(
    received: Sequence[AudioReceived], measured: InteractionMeasurements
) -> Spread[float] | None:
    """The hold of the piece that sounds at each onset; nothing where no playout held any."""
    held = [piece for piece in received if piece.held_ms is not None]
    return Spread.of(_holds(held, measured)) if held else None


def _holds(held: Sequence[AudioReceived], measured: InteractionMeasurements) -> Iterator[float]:
    for record in measured.turns:
        asked = record.opportunity
        if asked.outcome is Outcome.ANSWERED and asked.latency_ms is not None:
            onset = (asked.request.end_ms + asked.latency_ms) * SAMPLES_PER_MS
            yield from (
                piece.held_ms
                for piece in held
                if piece.held_ms is not None
                and piece.start_sample <= onset < piece.start_sample + piece.samples
            )


def _spoken_through(timeline: Timeline, measured: InteractionMeasurements) -> Rate:
    asking = [record for record in measured.turns if record.turn.expects_reply]
    return Rate(sum(_is_spoken_through(record, timeline) for record in asking), len(asking))


def _is_spoken_through(record: TurnRecord, timeline: Timeline) -> bool:
    if record.opportunity.reason is not Reason.ASSISTANT_ACTIVE:
        return False
    span = started_before(timeline.assistant, record.turn.span.end_ms)
    return span is not None and span.start_ms > record.turn.span.start_ms


def _yields(timeline: Timeline, policy: MetricPolicy) -> SettledYields:
    settled = settled_yields(
        timeline.caller_turns,
        timeline.assistant,
        window_ms=policy.yield_window_ms,
        observed_until_ms=timeline.extent.end_ms,
    )
    exposed = [one for one in settled if one is not None]
    outcomes = [one.outcome for one in exposed]
    return SettledYields(
        latency_ms=Spread.of(one.delay_ms for one in exposed if one.outcome is Settled.YIELDED),
        not_yielded=outcomes.count(Settled.NO_YIELD),
        censored=outcomes.count(Settled.CENSORED),
    )


def _responses_with_closings(timeline: Timeline, policy: MetricPolicy) -> Rate:
    turns = [
        replace(turn, action=CallerAction.SPEAK) if turn.action is CallerAction.STOP else turn
        for turn in timeline.caller_turns
    ]
    watch = Watch(policy.response_deadline_ms, timeline.extent.end_ms, timeline.is_cut)
    outcomes = [one.outcome for one in classify(turns, timeline.assistant, watch)]
    answered = outcomes.count(Outcome.ANSWERED)
    return Rate(answered, answered + outcomes.count(Outcome.MISSED))

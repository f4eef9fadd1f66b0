"""The extended block, version 4: what the v2 numbers do not show. Nothing here moves them.

It has its own version because it may grow. Contract: ``docs/metrics-contract.md``,
"Extended block".
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
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
from shared.metrics.responses import Opportunity, Outcome, Reason, Watch, classify
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
ONSET_MS = 10
"""A voiced span begins with the hop its first sound lies in, and a hop is so long."""


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
    request. ``playout_holds_ms`` has an entry per timely answer, in order of their requests: how
    long our playout held what the answer began with, where that is known. It is absent where
    nothing was held, as ``transport`` is where no relay carried two voices.
    """

    response_latency_ms: Spread[int]
    playout_holds_ms: tuple[float | None, ...] | None
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

    @property
    def playout_hold_ms(self) -> Spread[float] | None:
        """Over the answers of which it is known."""
        holds = self.playout_holds_ms
        return None if holds is None else Spread.of(one for one in holds if one is not None)


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
        playout_holds_ms=_playout_holds(received, measured),
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


def _playout_holds(
    received: Sequence[AudioReceived], measured: InteractionMeasurements
) -> tuple[float | None, ...] | None:
    """The hold of each timely answer's first sound; nothing where no playout held any."""
    if all(piece.held_ms is None for piece in received):
        return None
    # In order of playing, so both their starts and their ends ascend.
    played = [piece for piece in received if piece.samples]
    ends = [piece.start_sample + piece.samples for piece in played]
    return tuple(
        _held_at(onset_ms, played, ends)
        for record in measured.turns
        if (onset_ms := _onset_ms(record.opportunity)) is not None
    )


def _onset_ms(asked: Opportunity) -> int | None:
    if asked.outcome is not Outcome.ANSWERED or asked.latency_ms is None:
        return None
    return asked.request.end_ms + asked.latency_ms


def _held_at(onset_ms: int, played: Sequence[AudioReceived], ends: Sequence[int]) -> float | None:
    """The hold of the first piece that was still played at an onset, or began within its hop."""
    index = bisect_right(ends, onset_ms * SAMPLES_PER_MS)
    if index == len(played):
        return None
    piece = played[index]
    is_its_sound = piece.start_sample < (onset_ms + ONSET_MS) * SAMPLES_PER_MS
    return piece.held_ms if is_its_sound else None


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

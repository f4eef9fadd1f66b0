"""Interaction metrics, version 2.0: every v2 number of one attempt from one classification.

Aggregates are read off the per-turn records, so the two cannot disagree. Nothing is rounded here.
Contract: ``docs/metrics-contract.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from shared.intervals import Interval, IntervalSet
from shared.metrics.backchannels import BackchannelOutcome, backchannels
from shared.metrics.floor import (
    Durations,
    floor_hold_durations,
    floor_hold_silence,
    speaking_duration,
)
from shared.metrics.interruptions import YieldOutcome, interruptions, yields
from shared.metrics.responses import Outcome, Reason, Watch, classify
from shared.metrics.turn_record import TurnRecord
from shared.observability.timeline import Timeline
from shared.observability.turns import Turn
from shared.values import Rate

METRICS_VERSION = "2.0"


@dataclass(frozen=True, slots=True)
class MetricPolicy:
    """What the evaluator declares and holds constant within a comparison; whole ms above 0."""

    response_deadline_ms: int = 5_000
    yield_window_ms: int = 2_000
    backchannel_window_ms: int = 1_000

    def __post_init__(self) -> None:
        for one in fields(self):
            value: object = getattr(self, one.name)
            # A bool is an int to Python and never a duration to anybody.
            if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
                raise ValueError(f"{one.name} must be a whole number of ms above 0, got {value!r}")


@dataclass(frozen=True, slots=True)
class InteractionMeasurements:
    """The v2 numbers of one attempt, with their populations."""

    policy: MetricPolicy
    turns: tuple[TurnRecord, ...]
    speaking: Durations
    floor_hold: IntervalSet

    @property
    def metrics_version(self) -> str:
        return METRICS_VERSION

    @property
    def caller_turn_count(self) -> int:
        """Caller turns with voiced support; no transcript row and no silence is among them."""
        return len(self.turns)

    @property
    def response_count(self) -> int:
        return self._count(Outcome.ANSWERED)

    @property
    def no_response_count(self) -> int:
        return self._count(Outcome.MISSED)

    @property
    def response_total(self) -> int:
        return self.response_count + self.no_response_count

    @property
    def response_censored_count(self) -> int:
        return self._count(Outcome.CENSORED)

    @property
    def response_eligible_count(self) -> int:
        return self.response_total + self.response_censored_count

    @property
    def response_excluded_count(self) -> int:
        return self._count(Outcome.EXCLUDED)

    @property
    def response_late_count(self) -> int:
        return len(self.late_response_latencies_ms)

    @property
    def response_exclusion_reasons(self) -> Mapping[Reason, int]:
        """How many requests each reason excluded; reasons that excluded none are left out."""
        return Counter(
            turn.opportunity.reason for turn in self.turns if not turn.opportunity.is_eligible
        )

    @property
    def response_rate(self) -> Rate:
        return Rate(self.response_count, self.response_total)

    @property
    def response_latencies_ms(self) -> tuple[int, ...]:
        """Latencies of timely answers, in order of their requests."""
        return tuple(
            turn.opportunity.latency_ms
            for turn in self.turns
            if turn.opportunity.outcome is Outcome.ANSWERED
            and turn.opportunity.latency_ms is not None
        )

    @property
    def late_response_latencies_ms(self) -> tuple[int, ...]:
        """Latencies of answers after the deadline, which stays missed."""
        return tuple(
            turn.opportunity.latency_ms
            for turn in self.turns
            if turn.opportunity.is_late and turn.opportunity.latency_ms is not None
        )

    @property
    def response_latency_ms(self) -> float | None:
        """Mean latency of timely answers."""
        return _mean(self.response_latencies_ms)

    @property
    def interruption_count(self) -> int:
        return sum(len(turn.interruptions) for turn in self.turns)

    @property
    def interruption_rate(self) -> float | None:
        """Interruptions per eligible request. Not a share: one request can suffer several."""
        if not self.response_eligible_count:
            return None
        return self.interruption_count / self.response_eligible_count

    @property
    def yield_rate(self) -> Rate:
        """Exposed caller turns to which the assistant yielded within the window."""
        outcomes = [turn.yielding.outcome for turn in self.turns if turn.yielding is not None]
        return Rate(outcomes.count(YieldOutcome.YIELDED), len(outcomes))

    @property
    def yield_latencies_ms(self) -> tuple[int, ...]:
        return tuple(
            turn.yielding.latency_ms
            for turn in self.turns
            if turn.yielding is not None and turn.yielding.latency_ms is not None
        )

    @property
    def yield_latency_ms(self) -> float | None:
        """Mean latency of those that yielded."""
        return _mean(self.yield_latencies_ms)

    @property
    def backchannel_rate(self) -> Rate:
        """Exposed backchannels through which the assistant went on, published as selectivity."""
        outcomes = [turn.backchannel for turn in self.turns if turn.backchannel is not None]
        return Rate(outcomes.count(BackchannelOutcome.CONTINUED), len(outcomes))

    @property
    def floor_hold_durations(self) -> Durations:
        return floor_hold_durations(self.floor_hold)

    def _count(self, outcome: Outcome) -> int:
        return sum(turn.opportunity.outcome is outcome for turn in self.turns)


def measure(timeline: Timeline, policy: MetricPolicy) -> InteractionMeasurements:
    """Everything the v2 contract measures in one attempt."""
    return InteractionMeasurements(
        policy=policy,
        turns=_records(timeline, policy),
        speaking=speaking_duration(timeline.assistant, timeline.assistant_turns),
        floor_hold=floor_hold_silence(timeline.work, timeline.caller, timeline.assistant),
    )


def _records(timeline: Timeline, policy: MetricPolicy) -> tuple[TurnRecord, ...]:
    turns, assistant = timeline.caller_turns, timeline.assistant
    watch = Watch(policy.response_deadline_ms, timeline.extent.end_ms, timeline.is_cut)
    opportunities = classify(turns, assistant, watch)
    columns = zip(
        turns,
        _window_ends(turns, timeline.extent.end_ms),
        opportunities,
        interruptions(turns, opportunities, assistant),
        yields(turns, assistant, window_ms=policy.yield_window_ms),
        backchannels(turns, assistant, window_ms=policy.backchannel_window_ms),
        strict=True,
    )
    return tuple(
        TurnRecord(
            index=index,
            turn=turn,
            window_end_ms=window_end_ms,
            assistant_speech_ms=_speech_ms(assistant, turn.span.start_ms, window_end_ms),
            overlap_ms=(assistant.clip(turn.span) & turn.voiced).total_ms,
            opportunity=opportunity,
            interruptions=broke_in,
            yielding=yielding,
            backchannel=backchannel,
        )
        for index, (turn, window_end_ms, opportunity, broke_in, yielding, backchannel) in enumerate(
            columns
        )
    )


def _window_ends(turns: Sequence[Turn], observed_until_ms: int) -> list[int]:
    return [*(turn.span.start_ms for turn in turns[1:]), observed_until_ms][: len(turns)]


def _speech_ms(spans: IntervalSet, start_ms: int, end_ms: int) -> int:
    """Voiced time between two instants; utterances that begin together leave none between them."""
    if start_ms >= end_ms:
        return 0
    return spans.clip(Interval(start_ms, end_ms)).total_ms


def _mean(values_ms: Sequence[int]) -> float | None:
    return sum(values_ms) / len(values_ms) if values_ms else None

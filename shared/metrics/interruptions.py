"""Who breaks into whose speech: the assistant's interruptions, and its yielding to the caller.

Both are acoustic. Results line up with the caller turns they are asked about, one each. Contract:
``docs/metrics-contract.md``, "Interruptions by the assistant" and "Yielding to the caller".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from shared.intervals import Interval, IntervalSet
from shared.metrics.responses import Opportunity
from shared.observability.evidence import CallerAction
from shared.observability.lookup import started_before, starting_inside
from shared.observability.turns import Turn


def interruptions(
    turns: Sequence[Turn], opportunities: Sequence[Opportunity], assistant: IntervalSet
) -> tuple[tuple[Interval, ...], ...]:
    """For each caller turn, the assistant spans that broke into it.

    Such a span starts strictly inside an eligible request and at some instant sounds together with
    the caller. Every one counts, and where utterances overlap it counts for the earlier one.
    """
    found: list[tuple[Interval, ...]] = []
    last_claimed_ms: int | None = None
    for turn, opportunity in zip(turns, opportunities, strict=True):
        mine: tuple[Interval, ...] = ()
        if opportunity.is_eligible:
            mine = tuple(
                span
                for span in starting_inside(assistant, turn.span)
                if (last_claimed_ms is None or span.start_ms > last_claimed_ms)
                and turn.voiced.clip(span)
            )
        if mine:
            last_claimed_ms = mine[-1].start_ms
        found.append(mine)
    return tuple(found)


class YieldOutcome(StrEnum):
    YIELDED = "yielded"
    NO_YIELD = "no_yield"


@dataclass(frozen=True, slots=True)
class Yield:
    """How long the assistant span that was running went on after the caller's onset, in ms."""

    outcome: YieldOutcome
    delay_ms: int

    @property
    def latency_ms(self) -> int | None:
        """The delay, when it counts as yielding."""
        return self.delay_ms if self.outcome is YieldOutcome.YIELDED else None


def exposure(cue: Turn, assistant: IntervalSet) -> Interval | None:
    """The assistant span the caller spoke into: begun before the caller's onset and still running.

    A span that ends exactly at the onset was running only for an explicit interruption, which then
    succeeded without any overlap.
    """
    onset_ms = cue.span.start_ms
    span = started_before(assistant, onset_ms)
    if span is None or span.end_ms < onset_ms:
        return None
    if span.end_ms == onset_ms and cue.action is not CallerAction.INTERRUPT:
        return None
    return span


def yields(
    turns: Sequence[Turn], assistant: IntervalSet, *, window_ms: int
) -> tuple[Yield | None, ...]:
    """For each caller turn that asks for the floor and had exposure, whether it got it in time."""
    return tuple(_yield(turn, assistant, window_ms) for turn in turns)


def _yield(turn: Turn, assistant: IntervalSet, window_ms: int) -> Yield | None:
    if not turn.expects_reply:
        return None
    span = exposure(turn, assistant)
    if span is None:
        return None
    delay_ms = span.end_ms - turn.span.start_ms
    outcome = YieldOutcome.YIELDED if delay_ms <= window_ms else YieldOutcome.NO_YIELD
    return Yield(outcome, delay_ms)

"""Episodes: the assistant's speech as a listener takes it, for the extended block alone.

A pause between two sentences is not the end of speaking, so here silence shorter than 300 ms ends
no stretch. What is heard together is still asked of the exact spans: no sound is made up. Contract:
``docs/metrics-contract.md``, "Extended block".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from shared.intervals import Interval, IntervalSet
from shared.metrics.interruptions import exposure
from shared.observability.lookup import starting_inside
from shared.observability.turns import Turn
from shared.values import Rate

SILENCE_MS = 300


def stretches(assistant: IntervalSet) -> IntervalSet:
    """The assistant's speech with every gap shorter than 300 ms bridged."""
    return assistant.merged(gaps_below_ms=SILENCE_MS)


def interruption_episodes(
    turns: Sequence[Turn], assistant: IntervalSet
) -> tuple[tuple[Interval, ...], ...]:
    """For each caller turn, in order of onset, the stretches that broke into it.

    Such a stretch starts strictly inside a turn that asks for a reply, eligible or not, and at some
    instant sounds together with the caller. It counts once, for the first such turn.
    """
    whole = stretches(assistant)
    counted: set[int] = set()
    found: list[tuple[Interval, ...]] = []
    for turn in turns:
        mine = tuple(
            stretch
            for stretch in (starting_inside(whole, turn.span) if turn.expects_reply else ())
            if stretch.start_ms not in counted and assistant.clip(stretch) & turn.voiced
        )
        counted.update(stretch.start_ms for stretch in mine)
        found.append(mine)
    return tuple(found)


def talk_over(turns: Sequence[Turn], assistant: IntervalSet) -> Rate:
    """Voiced ms of all turns that ask for a reply, and how many of them the assistant spoke in."""
    asked = IntervalSet.of(span for turn in turns if turn.expects_reply for span in turn.voiced)
    return Rate((asked & assistant).total_ms, asked.total_ms)


class Settled(StrEnum):
    """What became of the assistant's speech once the caller had come in."""

    YIELDED = "yielded"
    NO_YIELD = "no_yield"
    CENSORED = "censored"


@dataclass(frozen=True, slots=True)
class SettledYield:
    """How long the stretch that was running went on after the caller's onset, in ms."""

    outcome: Settled
    delay_ms: int


def settled_yields(
    turns: Sequence[Turn], assistant: IntervalSet, *, window_ms: int, observed_until_ms: int
) -> tuple[SettledYield | None, ...]:
    """For each caller turn that asks for the floor over a running stretch, whether it was given.

    It was when the stretch ended within the window and 300 ms of silence followed. Where
    observation, exclusive at its end, stopped before those had passed, nothing is known.
    """
    whole = stretches(assistant)
    return tuple(
        _settled(turn, exposure(turn, whole), window_ms, observed_until_ms)
        if turn.expects_reply
        else None
        for turn in turns
    )


def _settled(
    turn: Turn, stretch: Interval | None, window_ms: int, observed_until_ms: int
) -> SettledYield | None:
    if stretch is None:
        return None
    delay_ms = stretch.end_ms - turn.span.start_ms
    if delay_ms > window_ms:
        return SettledYield(Settled.NO_YIELD, delay_ms)
    if observed_until_ms < stretch.end_ms + SILENCE_MS:
        return SettledYield(Settled.CENSORED, delay_ms)
    return SettledYield(Settled.YIELDED, delay_ms)

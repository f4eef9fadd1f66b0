"""Who holds the floor: how long the assistant speaks, and how long its work leaves silence.

Contract: ``docs/metrics-contract.md``, "Speaking duration" and "Delegated-work silence".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shared.intervals import IntervalSet
from shared.observability.turns import Turn


@dataclass(frozen=True, slots=True)
class Durations:
    """A whole and its largest part, in milliseconds; both 0 when there was none."""

    cumulative_ms: int
    maximum_ms: int


def speaking_duration(assistant: IntervalSet, turns: Sequence[Turn]) -> Durations:
    """All voiced assistant time, and the most within one assistant turn; pauses never count."""
    return Durations(
        cumulative_ms=assistant.total_ms,
        maximum_ms=max((turn.voiced.total_ms for turn in turns), default=0),
    )


def floor_hold_silence(
    work: IntervalSet, caller: IntervalSet, assistant: IntervalSet
) -> IntervalSet:
    """Delegated work during which neither party was heard."""
    return work - (caller | assistant)


def floor_hold_durations(silence: IntervalSet) -> Durations:
    return Durations(cumulative_ms=silence.total_ms, maximum_ms=silence.longest_ms)

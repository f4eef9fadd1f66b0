"""When the next frame is due, how late each one left, and whether that was a measurement.

Theory of operation: frame ``n`` is due ``n`` frame lengths after the first, for ever; the schedule
never moves. A sender that fell behind catches up, but no two frames leave less than 15 ms apart, so
a stall is followed by a quickened pace (20 ms of audio every 15 ms) and never by a burst. While
every frame is late by the same amount there is nothing to catch up: the gaps are whole frames.

Lateness is counted from that unmoving schedule, because the other side's clock runs on the audio it
has received: a sender that stalls once and catches up is late until it has caught up, and one that
is a little slow for ever grows later for ever. A schedule that forgave would show neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shared.audio.pcm import FRAME_MS

FRAME_US = FRAME_MS * 1_000
LEAST_SPACING_US = 15_000


class Pacer:
    """The schedule of one sender. Wall microseconds in, wall microseconds out; it never waits.

    For each frame in turn: sleep while :meth:`wait_until_us` names an instant, send, ``record``.
    """

    def __init__(self, first_due_us: int) -> None:
        self._first_due_us = first_due_us
        self._last_sent_us: int | None = None
        self._lateness_us: list[int] = []

    def due_us(self, index: int) -> int:
        """The deadline of a frame; it depends on nothing but the frame's number."""
        return self._first_due_us + index * FRAME_US

    def wait_until_us(self, index: int, now_us: int) -> int | None:
        """Until when to hold the frame back, or nothing when it may leave now.

        Ask again after waking: the deadline comes first, then the spacing to the frame before. A
        sleeper that always wakes late pays for the deadline only, so its lateness does not add up.
        """
        if now_us < self.due_us(index):
            return self.due_us(index)
        if self._last_sent_us is None:
            return None
        spaced_us = self._last_sent_us + LEAST_SPACING_US
        return spaced_us if now_us < spaced_us else None

    def record(self, index: int, sent_at_us: int) -> None:
        """Note when a frame left. Frames leave in order, each once."""
        if index != len(self._lateness_us):
            raise ValueError(f"frame {index} left, but frame {len(self._lateness_us)} was next")
        self._lateness_us.append(sent_at_us - self.due_us(index))
        self._last_sent_us = sent_at_us

    @property
    def lateness_us(self) -> tuple[int, ...]:
        """How long after its deadline each frame left, in order of sending."""
        return tuple(self._lateness_us)


@dataclass(frozen=True, slots=True)
class PacingBound:
    """How late a sender may be and still measure: both limits are inclusive."""

    p99_ms: int = 60
    stall_ms: int = 400


def is_valid(lateness_us: Sequence[int], bound: PacingBound | None = None) -> bool:
    """Whether the lateness stayed within the bound. A sender that sent nothing broke no bound.

    The 99th percentile is the nearest rank: the smallest lateness that 99 % of frames did not
    exceed.
    """
    if not lateness_us:
        return True
    limit = bound or PacingBound()
    ordered = sorted(lateness_us)
    p99_us = ordered[-(-len(ordered) * 99 // 100) - 1]
    return p99_us <= limit.p99_ms * 1_000 and ordered[-1] <= limit.stall_ms * 1_000

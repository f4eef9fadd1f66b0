"""Three clocks, never mixed, and the one port through which anything waits.

Media time counts samples on the caller's track; wall time is monotonic at our end and starts at 0
with the attempt; provider time is the other side's own stamp. This module owns no clock: see
``wall_time`` and ``virtual_time``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Stamp:
    """When something was observed, on every clock that knew it."""

    media_ms: int
    wall_us: int
    provider_ms: int | None = None


class Clock(Protocol):
    """Wall time of one attempt, in microseconds from its start."""

    def now_us(self) -> int: ...

    async def sleep_until(self, instant_us: int) -> None:
        """Return at or after the instant; at once when it has passed."""

    def jump(self, instant_us: int) -> bool:  # noqa: ARG002 - most time cannot be moved
        """Be at a later instant without waiting, and say so, if nothing would happen until then.

        Only for a task that is on its own: whatever started it goes on no earlier than it waits.
        """
        return False

"""Wall time: the monotonic clock under an ordinary event loop. Used by every live session."""

from __future__ import annotations

import asyncio
from typing import override

from shared.clock import Clock


class WallClock(Clock):
    """Monotonic microseconds since this object was made, on the running loop's own clock."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._origin_s = loop.time()

    @override
    def now_us(self) -> int:
        return round((self._loop.time() - self._origin_s) * 1e6)

    @override
    async def sleep_until(self, instant_us: int) -> None:
        remaining_s = self._origin_s + instant_us / 1e6 - self._loop.time()
        await asyncio.sleep(max(0.0, remaining_s))


def wall_loop() -> asyncio.AbstractEventLoop:
    """Return a fresh event loop that waits in real time."""
    return asyncio.SelectorEventLoop()

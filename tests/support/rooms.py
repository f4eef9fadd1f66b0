"""Where coroutines run in tests: in virtual time, or in wall time under a limit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from shared.virtual_time import VirtualClock, VirtualLoop
from shared.wall_time import WallClock, wall_loop

type Story[C, T] = Callable[[C], Awaitable[T]]


def in_virtual_time[T](story: Story[VirtualClock, T]) -> T:
    """Play a story on a loop that jumps, with its clock at 0."""

    async def told() -> T:
        return await story(VirtualClock(virtual_loop()))

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(told())


def in_wall_time[T](story: Story[WallClock, T], within_s: float = 10) -> T:
    """Play a story on a loop that waits, but never longer than this."""

    async def told() -> T:
        async with asyncio.timeout(within_s):
            return await story(WallClock(asyncio.get_running_loop()))

    with asyncio.Runner(loop_factory=wall_loop) as runner:
        return runner.run(told())


def virtual_loop() -> VirtualLoop:
    """The running loop, in a story of virtual time."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    return loop

"""Virtual time: an event loop that jumps to the next deadline instead of waiting for it.

Theory of operation: asyncio asks its selector to wait until the next timer. Ours advances a counter
of integer microseconds to that timer and returns at once, so a conversation takes as long as its
computing. A job for an executor runs in place: it takes no virtual time, so it can time nothing
out, and it ends at the same point of the same iteration every time. Only in-memory sessions run
here; a socket would be polled, but its delays mean nothing on this clock. Who waits while the
loop has nothing else to do until then may leave it out: time jumps under its feet.

Timers lie on whole microseconds, and those of one instant run in the order in which they were set.
"""

from __future__ import annotations

import asyncio
import selectors
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor
from contextvars import Context
from itertools import count
from typing import Self, override

from shared.clock import Clock

MICROSECOND_S = 1e-6


class _JumpingSelector(selectors.DefaultSelector):
    """Polls; when nothing is ready, moves virtual time to the timer it was asked to wait for."""

    def __init__(self) -> None:
        super().__init__()
        self.now_us = 0

    @property
    def watches_sockets(self) -> bool:
        """Whether anything is polled beside what wakes the loop from other threads."""
        return len(self.get_map()) > 1

    @override
    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            # No timer is left: only another thread (a cancellation) can wake this loop.
            return super().select(None)
        ready = super().select(0)
        if not ready and timeout > 0:
            self.now_us += max(1, round(timeout / MICROSECOND_S))
        return ready


class _Instant(float):
    """Seconds of a timer. Equal ones compare by who came first: a heap alone forgets that."""

    __slots__ = ("serial",)
    serial: int

    @classmethod
    def of(cls, us: int, serial: int) -> Self:
        instant = cls(us * MICROSECOND_S)
        instant.serial = serial
        return instant

    @override
    def __lt__(self, other: float) -> bool:
        if isinstance(other, _Instant) and self == other:
            return self.serial < other.serial
        return super().__lt__(other)


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is a counter that starts at 0."""

    # What asyncio has to do now and later; its stubs do not know them.
    _ready: deque[asyncio.Handle]
    _scheduled: list[asyncio.TimerHandle]

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        self._timer_serials = count()
        super().__init__(self._jumping)
        # Half a tick, so that a timer never runs a tick early and never waits for a second one.
        self._clock_resolution = MICROSECOND_S / 2

    @override
    def time(self) -> float:
        return self._jumping.now_us * MICROSECOND_S

    @property
    def now_us(self) -> int:
        return self._jumping.now_us

    def jump(self, instant_us: int) -> bool:
        """Move time on to an instant at once, if turning until then would do nothing but that."""
        if instant_us <= self.now_us or self._ready:
            return False
        if self._jumping.watches_sockets or _is_cancelled():
            return False
        if self._scheduled and self._scheduled[0].when() <= instant_us * MICROSECOND_S:
            return False
        self._jumping.now_us = instant_us
        return True

    @override
    def call_at[*Args](
        self,
        when: float,
        callback: Callable[[*Args], object],
        *args: *Args,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        instant = _Instant.of(round(when / MICROSECOND_S), next(self._timer_serials))
        return super().call_at(instant, callback, *args, context=context)

    @override
    def run_in_executor[*Args, Result](
        self, executor: Executor | None, func: Callable[[*Args], Result], *args: *Args
    ) -> asyncio.Future[Result]:
        job: asyncio.Future[Result] = self.create_future()
        try:
            job.set_result(func(*args))
        except Exception as error:  # noqa: BLE001 - the future carries it to whoever awaits the job
            job.set_exception(error)
        return job


class VirtualClock(Clock):
    """The loop's counter, as one attempt's clock."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop
        self._origin_us = loop.now_us

    @override
    def now_us(self) -> int:
        return self._loop.now_us - self._origin_us

    @override
    async def sleep_until(self, instant_us: int) -> None:
        delay_us = self._origin_us + instant_us - self._loop.now_us
        await asyncio.sleep(max(0, delay_us) * MICROSECOND_S)

    @override
    def jump(self, instant_us: int) -> bool:
        return self._loop.jump(self._origin_us + instant_us)


def _is_cancelled() -> bool:
    """Whether the task that runs is to end at its next pause."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0

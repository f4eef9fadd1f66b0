"""Two machines joined in memory: the offline mode, and the far end of many tests.

Messages are handed over one by one, in the order they were produced, at the same instant; nothing
is called from inside a call. Each machine is woken when it asked to be. Under a virtual clock that
makes a whole conversation exact and repeatable.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable

from shared.clock import Clock
from shared.errors import AttemptError
from shared.participant import Machine

NEVER_US = math.inf

type Tap = Callable[[str, str | bytes, int], None]


class Loopback:
    """Joins ``near`` (ours) to ``far``. The tap sees what near sends and receives."""

    def __init__(
        self,
        near: Machine,
        far: Machine,
        clock: Clock,
        *,
        on_activity: Callable[[], None],
        tap: Tap,
    ) -> None:
        self._near = near
        self._far = far
        self._clock = clock
        self._on_activity = on_activity
        self._tap = tap
        self._alarm: asyncio.TimerHandle | None = None
        self._alarm_at_us: float = NEVER_US
        self._is_open = False
        self.failure: AttemptError | None = None

    async def open(self) -> None:
        self._is_open = True

    async def flush(self) -> None:
        self._exchange()

    async def close(self) -> None:
        self._is_open = False
        if self._alarm is not None:
            self._alarm.cancel()

    def _exchange(self) -> None:
        """Pass messages until both fall silent, then set the next alarm."""
        if not self._is_open:
            return
        now_us = self._clock.now_us()
        has_received = False
        underway: deque[tuple[Machine, str | bytes]] = deque()
        while True:
            for message in self._near.messages_to_send():
                self._tap("sent", message, now_us)
                underway.append((self._far, message))
            for message in self._far.messages_to_send():
                self._tap("received", message, now_us)
                underway.append((self._near, message))
            if not underway:
                break
            receiver, message = underway.popleft()
            receiver.receive(message, now_us)
            has_received = has_received or receiver is self._near
        self._part(now_us)
        self._set_alarm(now_us)
        if has_received:
            self._on_activity()

    def _part(self, now_us: int) -> None:
        """End the connection when either side wants it ended."""
        for ends, other in ((self._far, self._near), (self._near, self._far)):
            request = ends.closing()
            if request is not None and self._is_open:
                self._is_open = False
                other.receive_eof(request.code, now_us)
                self._on_activity()

    def _set_alarm(self, now_us: int) -> None:
        """Be woken at the next deadline. One that only moved later leaves the alarm as it is."""
        due = [at for at in (self._near.wakes_at(), self._far.wakes_at()) if at is not None]
        if not due or not self._is_open or self._alarm_at_us <= min(due):
            return
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm_at_us = min(due)
        delay_s = max(0, self._alarm_at_us - now_us) / 1e6
        self._alarm = asyncio.get_running_loop().call_later(delay_s, self._wake)

    def _wake(self) -> None:
        self._alarm, self._alarm_at_us = None, NEVER_US
        now_us = self._clock.now_us()
        for machine in (self._near, self._far):
            wakes_at = machine.wakes_at()
            if wakes_at is not None and wakes_at <= now_us:
                machine.wake(now_us)
        self._exchange()
        self._on_activity()

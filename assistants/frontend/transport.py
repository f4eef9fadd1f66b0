"""A GPT Live assistant as a participant: a session machine, its connection and its worker."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, override

from assistants.frontend.protocol import LiveSession, State
from assistants.wire import Connection
from shared.clock import Clock
from shared.errors import AttemptError
from shared.observability.observations import Observation
from shared.participant import Participant


class Worker(Protocol):
    """Whoever does this end's part of the work that a session hands over."""

    @property
    def failure(self) -> AttemptError | None:
        """Why no attempt can go on without it, once none can."""

    async def prepare(self) -> None:
        """Be ready for work, or raise :class:`AttemptError`; no session is asked for before."""

    def notice(self) -> Sequence[Observation]:
        """Look at the session, of which something may have come. Drain what it observed."""

    async def work(self, flush: Callable[[], Awaitable[None]]) -> None:
        """Work until cancelled; ``flush`` sends what the session has to say."""

    async def close(self) -> None:
        """The session is over: end whatever still runs; never raises."""


class LiveParticipant(Participant):
    """One attempt's assistant. ``connect_to`` builds the way to the other side."""

    def __init__(
        self,
        session: LiveSession,
        connect_to: Callable[[LiveSession, Callable[[], None]], Connection],
        worker: Worker,
        clock: Clock,
    ) -> None:
        self._session = session
        self._connection = connect_to(session, self._on_activity)
        self._worker = worker
        self._clock = clock
        self._observed: list[Observation] = []
        self._changed = asyncio.Event()
        self._working: asyncio.Task[None] | None = None

    @property
    @override
    def failure(self) -> AttemptError | None:
        return self._connection.failure or self._session.failure or self._worker.failure

    @override
    async def connect(self) -> None:
        await self._worker.prepare()
        await self._connection.open()
        self._working = asyncio.create_task(self._worker.work(self._connection.flush))
        self._session.start(self._clock.now_us())
        await self._connection.flush()
        await self._until(lambda: self._session.state is not State.STARTING)
        if self.failure is not None:
            raise self.failure

    @override
    async def hear(self, frame: bytes) -> None:
        self._session.hear(frame)
        await self._connection.flush()

    @override
    def observed(self) -> Sequence[Observation]:
        self._observed.extend(self._worker.notice())
        observed, self._observed = self._observed, []
        return observed

    @override
    async def close(self) -> None:
        self._session.close(self._clock.now_us())
        await self._connection.flush()
        try:
            # The machine gives an unanswered close up by itself, so this wait has an end.
            await self._until(
                lambda: self._session.state is State.CLOSED or self._connection.failure is not None
            )
        finally:
            # Whoever gives up waiting for it leaves no line open either.
            await self._hang_up()

    async def _hang_up(self) -> None:
        if self._working is not None:
            self._working.cancel()
            await asyncio.gather(self._working, return_exceptions=True)
        try:
            await self._worker.close()
        finally:
            await self._connection.close()

    def _on_activity(self) -> None:
        self._observed.extend(self._worker.notice())
        self._changed.set()

    async def _until(self, is_so: Callable[[], bool]) -> None:
        while not is_so():
            self._changed.clear()
            await self._changed.wait()

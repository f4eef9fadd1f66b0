"""Our side of client delegation with a backend in this process: a workshop behind a session."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import override

from assistants.client.backend import Backend
from assistants.client.desk import Append, Desk
from assistants.client.workshop import Front, Workshop
from assistants.frontend.protocol import LiveSession, State
from assistants.frontend.transport import Worker
from assistants.runtime import ToolRuntime
from shared.clock import Clock, Stamp
from shared.errors import AttemptError
from shared.observability.observations import Observation
from shared.participant import AudioArrived


class BackendWorker(Worker):
    """Runs an application's backend for one session of ours."""

    def __init__(
        self,
        session: LiveSession,
        desk: Desk,
        backend: Backend,
        tools: ToolRuntime,
        clock: Clock,
    ) -> None:
        self._session = session
        self._desk = desk
        self._workshop = Workshop(desk, backend, tools, _OfSession(session, clock))

    @property
    @override
    def failure(self) -> AttemptError | None:
        return self._workshop.failure

    @override
    async def prepare(self) -> None:
        pass

    @override
    def notice(self) -> Sequence[Observation]:
        observed = self._session.observed()
        self._workshop.notice(observed)
        if any(not isinstance(seen, AudioArrived) for seen in observed):
            self._workshop.stir()
        return [*observed, *self._desk.observed()]

    @override
    async def work(self, flush: Callable[[], Awaitable[None]]) -> None:
        await self._workshop.work(flush)

    @override
    async def close(self) -> None:
        await self._workshop.close()


@dataclass(frozen=True, slots=True)
class _OfSession(Front):
    """A session of ours, as a workshop knows it."""

    _session: LiveSession
    _clock: Clock

    @property
    @override
    def is_over(self) -> bool:
        return self._session.state not in {State.STARTING, State.ACTIVE}

    @override
    def now(self) -> Stamp:
        return self._session.stamp(self._clock.now_us())

    @override
    def note(self, seen: Sequence[Observation]) -> None:
        self._session.note(seen)

    @override
    def append(self, append: Append) -> None:
        if self._session.state is State.ACTIVE:
            now_us = self._clock.now_us()
            self._session.append(append.intent, append.text, now_us, append.delegation_id)

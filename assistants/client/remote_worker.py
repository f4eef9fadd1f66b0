"""Our side of client delegation with an application elsewhere: its connection, beside the call's.

The application is ready before a session of the voice is asked for, and it is told of the end of
the call and waited for before its connection is closed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import override

from assistants.client.contract import MESSAGE_BYTES_MAX
from assistants.client.remote import Phase, RemoteApplication
from assistants.frontend.protocol import LiveSession, State
from assistants.frontend.transport import Worker
from assistants.wire import Connection, Peer
from shared.clock import Clock
from shared.errors import AttemptError, Stage
from shared.observability.observations import Observation
from shared.participant import AudioArrived

APPLICATION = Peer(
    name="the application",
    message_bytes_max=MESSAGE_BYTES_MAX,
    unreached=Stage.CLIENT_ASSISTANT,
    lost=Stage.CLIENT_ASSISTANT,
)

type Connect = Callable[[RemoteApplication, Callable[[], None]], Connection]


class RemoteWorker(Worker):
    """Passes a session's delegations to an application. ``connect_to`` builds the way there."""

    def __init__(
        self,
        session: LiveSession,
        application: RemoteApplication,
        connect_to: Connect,
        clock: Clock,
    ) -> None:
        self._session = session
        self._application = application
        self._connection = connect_to(application, self._on_activity)
        self._clock = clock
        self._stirred = asyncio.Event()

    @property
    @override
    def failure(self) -> AttemptError | None:
        return self._connection.failure or self._application.failure

    @override
    async def prepare(self) -> None:
        try:
            await self._connection.open()
        except AttemptError as error:
            raise AttemptError(error.stage, f"{APPLICATION.name}: {error}") from None
        self._application.configure(self._clock.now_us())
        await self._connection.flush()
        await self._until(lambda: self._application.phase is not Phase.CONFIGURING)
        if self.failure is not None:
            raise self.failure

    @override
    def notice(self) -> Sequence[Observation]:
        observed = self._session.observed()
        for seen in observed:
            self._application.notice(seen)
        if any(not isinstance(seen, AudioArrived) for seen in observed):
            self._stirred.set()
        return [*observed, *self._application.observed()]

    @override
    async def work(self, flush: Callable[[], Awaitable[None]]) -> None:
        while True:
            self._stirred.clear()
            self._session.note(self._application.observed())
            for append in self._application.appends():
                if self._session.state is State.ACTIVE:
                    now_us = self._clock.now_us()
                    self._session.append(append.intent, append.text, now_us, append.delegation_id)
            await self._connection.flush()
            await flush()
            await self._stirred.wait()

    @override
    async def close(self) -> None:
        try:
            self._application.hang_up("closed", self._clock.now_us())
            await self._connection.flush()
            # The machine gives up waiting by itself, so this has an end.
            await self._until(lambda: self._application.phase is Phase.CLOSED)
        finally:
            await self._connection.close()
            self._session.note(self._application.observed())

    def _on_activity(self) -> None:
        self._session.note(self._application.observed())
        self._stirred.set()

    async def _until(self, is_so: Callable[[], bool]) -> None:
        while not is_so() and self._connection.failure is None:
            self._stirred.clear()
            await self._stirred.wait()

"""A GPT Live assistant as a participant: the session machine, its connection and its tools."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import override

from assistants.frontend.protocol import LiveSession, State
from assistants.runtime import ToolRuntime
from assistants.wire import Connection
from shared.clock import Clock
from shared.errors import AttemptError, Stage
from shared.observability.observations import Observation, ToolCalled
from shared.participant import Participant


class LiveParticipant(Participant):
    """One attempt's assistant. ``connect_to`` builds the way to the other side."""

    def __init__(
        self,
        session: LiveSession,
        connect_to: Callable[[LiveSession, Callable[[], None]], Connection],
        tools: ToolRuntime,
        clock: Clock,
    ) -> None:
        self._session = session
        self._connection = connect_to(session, self._on_activity)
        self._tools = tools
        self._clock = clock
        self._changed = asyncio.Event()
        self._calls: asyncio.Queue[ToolCalled] = asyncio.Queue()
        self._worker: asyncio.Task[None] | None = None
        self._breakdown: AttemptError | None = None

    @property
    @override
    def failure(self) -> AttemptError | None:
        return self._connection.failure or self._session.failure or self._breakdown

    @override
    async def connect(self) -> None:
        await self._connection.open()
        self._worker = asyncio.create_task(self._run_tools())
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
        return self._session.observed()

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
        if self._worker is not None:
            self._worker.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._worker
        await self._connection.close()

    def _on_activity(self) -> None:
        for call in self._session.calls_to_run():
            self._calls.put_nowait(call)
        self._changed.set()

    async def _run_tools(self) -> None:
        while True:
            call = await self._calls.get()
            try:
                result = await self._tools.run(call)
            except AttemptError as error:
                self._breakdown = error
                return
            except Exception as error:  # noqa: BLE001 - an application's state may break anyhow
                what = f"the application's state is unusable: {type(error).__name__}"
                self._breakdown = AttemptError(Stage.ATTEMPT_EXECUTION, what)
                return
            self._session.returned(call, result, self._clock.now_us())
            await self._connection.flush()

    async def _until(self, is_so: Callable[[], bool]) -> None:
        while not is_so():
            self._changed.clear()
            await self._changed.wait()

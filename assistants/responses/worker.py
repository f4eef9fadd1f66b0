"""Runs the tools that the provider's backend calls: in call order, one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import override

from assistants.frontend.protocol import LiveSession
from assistants.frontend.transport import Worker
from assistants.runtime import ToolRuntime
from shared.clock import Clock
from shared.errors import AttemptError, Stage
from shared.observability.observations import Observation, ToolCalled


class ToolWorker(Worker):
    """Our side of managed delegation: the session machine says what to call and takes the rest."""

    def __init__(self, session: LiveSession, tools: ToolRuntime, clock: Clock) -> None:
        self._session = session
        self._tools = tools
        self._clock = clock
        self._calls: asyncio.Queue[ToolCalled] = asyncio.Queue()
        self._failure: AttemptError | None = None

    @property
    @override
    def failure(self) -> AttemptError | None:
        return self._failure

    @override
    async def prepare(self) -> None:
        pass

    @override
    def notice(self) -> Sequence[Observation]:
        for call in self._session.calls_to_run():
            self._calls.put_nowait(call)
        return self._session.observed()

    @override
    async def work(self, flush: Callable[[], Awaitable[None]]) -> None:
        while True:
            call = await self._calls.get()
            try:
                result = await self._tools.run(call)
            except AttemptError as error:
                self._failure = error
                return
            except Exception as error:  # noqa: BLE001 - an application's state may break anyhow
                what = f"the application's state is unusable: {type(error).__name__}"
                self._failure = AttemptError(Stage.ATTEMPT_EXECUTION, what)
                return
            self._session.returned(call, result, self._clock.now_us())
            await flush()

    @override
    async def close(self) -> None:
        pass

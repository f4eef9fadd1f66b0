"""Runs an application's backend for one session: the shell that waits, around the desk."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import override

from assistants.client.backend import Backend, Handoff, Progress, WorkFailedError
from assistants.client.desk import Desk, Handed
from assistants.frontend.backend_events import BackendEvent
from assistants.frontend.events import FunctionCallOutput
from assistants.frontend.protocol import LiveSession, State
from assistants.frontend.transport import Worker
from assistants.runtime import ToolRuntime
from shared.clock import Clock, Stamp
from shared.errors import AttemptError, Stage, said_of
from shared.observability.observations import Observation, ToolCalled, ToolReturned
from shared.participant import AudioArrived

CLOSE_WITHIN_S = 5.0


class BackendWorker(Worker):
    """Our side of client delegation, with a backend in this process."""

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
        self._backend = backend
        self._tools = tools
        self._clock = clock
        self._stirred = asyncio.Event()
        self._runs: dict[str, asyncio.Task[None]] = {}
        self._calls: asyncio.Queue[ToolCalled] = asyncio.Queue()
        self._returned: dict[str, asyncio.Future[str]] = {}
        self._outputs: dict[str, asyncio.Future[Sequence[FunctionCallOutput]]] = {}
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
        observed = self._session.observed()
        for seen in observed:
            self._desk.notice(seen)
        if any(not isinstance(seen, AudioArrived) for seen in observed):
            self._stirred.set()
        return [*observed, *self._desk.observed()]

    @override
    async def work(self, flush: Callable[[], Awaitable[None]]) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._run_tools())
            while True:
                self._stirred.clear()
                self._desk.wake(self._now())
                self._settle(group)
                await flush()
                await self._until_stirred()

    @override
    async def close(self) -> None:
        with contextlib.suppress(Exception):
            async with asyncio.timeout(CLOSE_WITHIN_S):
                await self._backend.close()

    # what a backend's task asks for

    def emit(self, delegation_id: str, event: BackendEvent | Progress) -> None:
        if isinstance(event, Progress):
            self._desk.progressed(delegation_id, event.text)
        else:
            self._desk.emitted(delegation_id, event, self._now())
        self._stir()

    def amendment(self, delegation_id: str) -> str:
        return self._desk.amendment(delegation_id)

    async def call(self, delegation_id: str, name: str, arguments: str, call_id: str) -> str:
        if not self._desk.called(delegation_id, name, arguments, call_id, self._now()):
            raise WorkFailedError(f"no tool can be called under the id {call_id} any more")
        self._stir()
        return await self._returned.setdefault(call_id, asyncio.Future())

    async def outputs(self, response_id: str) -> Sequence[FunctionCallOutput]:
        if not self._desk.is_asking(response_id):
            return ()
        return await self._outputs.setdefault(response_id, asyncio.Future())

    # the loop around the desk

    def _now(self) -> Stamp:
        if self._session.state not in {State.STARTING, State.ACTIVE}:
            self._desk.hang_up()
        return self._session.stamp(self._clock.now_us())

    def _stir(self) -> None:
        self._session.note(self._desk.observed())
        self._stirred.set()

    async def _until_stirred(self) -> None:
        wakes_at = self._desk.wakes_at()
        delay_s = None if wakes_at is None else max(0, wakes_at - self._clock.now_us()) / 1e6
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(delay_s):
                await self._stirred.wait()

    def _settle(self, group: asyncio.TaskGroup) -> None:
        """Do what the desk wants done."""
        self._session.note(self._desk.observed())
        for delegation_id in self._desk.cancelled():
            if (run := self._runs.get(delegation_id)) is not None:
                run.cancel()
        for handed in self._desk.handed_over():
            run = group.create_task(self._run(_Task(self, handed)))
            self._runs[handed.delegation_id] = run
        for call in self._desk.calls_to_run():
            self._calls.put_nowait(call)
        for continued in self._desk.continued():
            self._outputs.setdefault(continued.response_id, asyncio.Future()).set_result(
                continued.outputs
            )
        for append in self._desk.appends():
            if self._session.state is State.ACTIVE:
                now_us = self._clock.now_us()
                self._session.append(append.intent, append.text, now_us, append.delegation_id)

    async def _run(self, task: _Task) -> None:
        try:
            text: object = await self._backend.run(task, task.emit)
        except WorkFailedError as error:
            self._desk.failed(task.delegation_id, said_of(error), self._now())
        except (Exception, SystemExit) as error:  # noqa: BLE001 - it is the user's: anything may come
            # The class alone: an exception's text may hold what nobody meant to show.
            why = f"the backend broke: {type(error).__name__}"
            self._desk.failed(task.delegation_id, why, self._now())
        else:
            if isinstance(text, str):
                self._desk.finished(task.delegation_id, text, self._now())
            else:
                self._desk.failed(task.delegation_id, "the backend returned no text", self._now())
        self._stir()

    async def _run_tools(self) -> None:
        """One at a time, in the order of calls, whichever delegation they are for."""
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
            text = result.output_text
            self._desk.returned(
                ToolReturned(
                    self._now(), call.call_id, call.name, result.status, result.output, result.state
                ),
                text,
            )
            if call.response_id is None:
                self._returned.setdefault(call.call_id, asyncio.Future()).set_result(text)
            self._stir()


@dataclass(frozen=True, slots=True)
class _Task(Handoff):
    """A delegation as its backend sees it."""

    _worker: BackendWorker
    _handed: Handed

    @property
    @override
    def delegation_id(self) -> str:
        return self._handed.delegation_id

    @property
    @override
    def number(self) -> int:
        return self._handed.number

    @property
    @override
    def offset_ms(self) -> int | None:
        return self._handed.offset_ms

    @property
    @override
    def text(self) -> str:
        return self._handed.text

    @property
    @override
    def news(self) -> str:
        return self._handed.news

    @override
    def amendment(self) -> str:
        return self._worker.amendment(self.delegation_id)

    @override
    async def call(self, name: str, arguments: str, call_id: str) -> str:
        return await self._worker.call(self.delegation_id, name, arguments, call_id)

    @override
    async def outputs(self, response_id: str) -> Sequence[FunctionCallOutput]:
        return await self._worker.outputs(response_id)

    def emit(self, event: BackendEvent | Progress) -> None:
        self._worker.emit(self.delegation_id, event)

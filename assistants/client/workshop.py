"""Where a backend works: the shell that waits, around the desk, whoever has the voice.

In the harness the voice is a session of ours, in a service it is at the far end of a connection.
:class:`Front` is all that this room knows of it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, cast, override

from assistants.client.backend import Backend, Handoff, Progress, WorkFailedError
from assistants.client.desk import Append, Desk, Handed
from assistants.frontend.backend_events import BACKEND_EVENTS, BackendEvent
from assistants.frontend.events import FunctionCallOutput
from assistants.runtime import ToolRuntime
from shared.clock import Stamp
from shared.errors import AttemptError, Stage
from shared.observability.observations import Faulted, Observation, ToolCalled, ToolReturned
from shared.plain_text import one_line, shortened

END_WITHIN_S = 2.0
"""How long work that is cancelled may take to end."""
CLOSE_WITHIN_S = 5.0
"""How long a backend may take for that and for its own closing."""
LONGEST_SAID = 20_000
"""Characters of a result or of progress; nobody could be told more on a call."""
LONGEST_WHY = 300


class Front(Protocol):
    """Where delegations come from, and where goes what becomes of them."""

    @property
    def is_over(self) -> bool:
        """Whether nobody listens any more."""

    def now(self) -> Stamp: ...

    def note(self, seen: Sequence[Observation]) -> None:
        """Put on record what was observed, in order."""

    def append(self, append: Append) -> None:
        """Add to the voice's context, if it still listens."""


class Workshop:
    """Runs the backend of one session, and its tools one at a time in the order of calls."""

    def __init__(
        self,
        desk: Desk,
        backend: Backend,
        tools: ToolRuntime,
        front: Front,
        close_within_s: float = CLOSE_WITHIN_S,
    ) -> None:
        self._desk = desk
        self._backend = backend
        self._tools = tools
        self._front = front
        self._close_within_s = close_within_s
        self._stirred = asyncio.Event()
        self._runs: dict[str, asyncio.Task[None]] = {}
        self._calls: asyncio.Queue[ToolCalled] = asyncio.Queue()
        self._returned: dict[str, asyncio.Future[str]] = {}
        self._outputs: dict[str, asyncio.Future[Sequence[FunctionCallOutput]]] = {}
        self.failure: AttemptError | None = None

    def notice(self, seen: Sequence[Observation]) -> None:
        """Show the desk what the voice's session observed, in order of receipt."""
        for one in seen:
            self._desk.notice(one)

    def stir(self) -> None:
        """Something has come that may want to be done."""
        self._stirred.set()

    async def work(self, flush: Callable[[], Awaitable[None]]) -> None:
        """Work until cancelled; ``flush`` sends what the front has to say."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._run_tools())
            while True:
                self._stirred.clear()
                self._desk.wake(self._now())
                self._settle()
                await flush()
                await self._until_stirred()

    async def close(self) -> None:
        """End the backend; never raises."""
        closing = asyncio.create_task(self._end_backend())
        # Not a timeout: what swallows its cancellation is left behind, and holds nobody up.
        await asyncio.wait([closing], timeout=self._close_within_s)
        closing.cancel()

    async def _end_backend(self) -> None:
        for run in self._runs.values():
            run.cancel()
        if self._runs:
            await asyncio.wait(self._runs.values(), timeout=END_WITHIN_S)
        with contextlib.suppress(BaseException):  # it is the user's: anything may come
            await self._backend.close()

    # what a backend's task asks for

    def emit(self, delegation_id: str, event: object) -> None:
        match event:
            case Progress(text=str(text)) if len(text) <= LONGEST_SAID:
                if not self._desk.progressed(delegation_id, _whole(text)):
                    what = f"progress that the voice has no room for, of {delegation_id}"
                    self._front.note([Faulted(self._now(), "backend_event", what)])
            case _ if isinstance(event, BACKEND_EVENTS):
                self._desk.emitted(delegation_id, cast("BackendEvent", event), self._now())
            case _:
                what = f"a {type(event).__name__} that is none, for {delegation_id}"
                self._front.note([Faulted(self._now(), "backend_event", what)])
        self._noted()

    def amendment(self, delegation_id: str) -> str:
        return self._desk.amendment(delegation_id)

    async def call(self, delegation_id: str, name: str, arguments: str, call_id: str) -> str:
        if not all(isinstance(text, str) for text in (name, arguments, call_id)):
            raise WorkFailedError("a call's name, arguments and id are texts")
        if not self._desk.called(delegation_id, name, arguments, call_id, self._now()):
            raise WorkFailedError(f"no tool can be called under the id {call_id} any more")
        self._noted()
        # Whoever stops waiting for it does not undo it.
        return await asyncio.shield(self._returned.setdefault(call_id, asyncio.Future()))

    async def outputs(self, response_id: str) -> Sequence[FunctionCallOutput]:
        if not self._desk.is_asking(response_id):
            return ()
        return await asyncio.shield(self._outputs.setdefault(response_id, asyncio.Future()))

    # the loop around the desk

    def _now(self) -> Stamp:
        if self._front.is_over:
            self._desk.hang_up()
        return self._front.now()

    def _noted(self) -> None:
        self._front.note(self._desk.observed())
        self.stir()

    async def _until_stirred(self) -> None:
        wakes_at = self._desk.wakes_at()
        now_us = self._front.now().wall_us
        delay_s = None if wakes_at is None else max(0, wakes_at - now_us) / 1e6
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(delay_s):
                await self._stirred.wait()

    def _settle(self) -> None:
        """Do what the desk wants done."""
        self._front.note(self._desk.observed())
        for delegation_id in self._desk.cancelled():
            if (run := self._runs.get(delegation_id)) is not None:
                run.cancel()
        for handed in self._desk.handed_over():
            # In no group: one that cannot be cancelled would hold the whole group up.
            run = asyncio.create_task(self._run(_Task(self, handed)))
            self._runs[handed.delegation_id] = run
        for call in self._desk.calls_to_run():
            self._calls.put_nowait(call)
        for continued in self._desk.continued():
            self._outputs.setdefault(continued.response_id, asyncio.Future()).set_result(
                continued.outputs
            )
        for append in self._desk.appends():
            self._front.append(append)

    async def _run(self, task: _Task) -> None:
        try:
            text: object = await self._backend.run(task, task.emit)
        except WorkFailedError as error:
            why = shortened(one_line(str(error)), LONGEST_WHY)
            self._desk.failed(task.delegation_id, why, self._now())
        except GeneratorExit:
            raise  # it was left behind, and there is no loop any more
        except BaseException as error:
            if _is_cancelled():
                raise
            # The class alone: an exception's text may hold what nobody meant to show.
            why = f"the backend broke: {type(error).__name__}"
            self._desk.failed(task.delegation_id, why, self._now())
        else:
            self._take(task.delegation_id, text)
        self._noted()

    def _take(self, delegation_id: str, text: object) -> None:
        if not isinstance(text, str):
            self._desk.failed(delegation_id, "the backend returned no text", self._now())
        elif len(text) > LONGEST_SAID:
            why = f"the backend's result is longer than {LONGEST_SAID} characters"
            self._desk.failed(delegation_id, why, self._now())
        else:
            self._desk.finished(delegation_id, _whole(text), self._now())

    async def _run_tools(self) -> None:
        """One at a time, in the order of calls, whichever delegation they are for."""
        while True:
            call = await self._calls.get()
            try:
                result = await self._tools.run(call)
            except AttemptError as error:
                self._fail(error)
                return
            except Exception as error:  # noqa: BLE001 - an application's state may break anyhow
                what = f"the application's state is unusable: {type(error).__name__}"
                self._fail(AttemptError(Stage.ATTEMPT_EXECUTION, what))
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
            self._noted()

    def _fail(self, error: AttemptError) -> None:
        self.failure = error
        self.stir()


@dataclass(frozen=True, slots=True)
class _Task(Handoff):
    """A delegation as its backend sees it."""

    _workshop: Workshop
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
        return self._workshop.amendment(self.delegation_id)

    @override
    async def call(self, name: str, arguments: str, call_id: str) -> str:
        return await self._workshop.call(self.delegation_id, name, arguments, call_id)

    @override
    async def outputs(self, response_id: str) -> Sequence[FunctionCallOutput]:
        return await self._workshop.outputs(response_id)

    def emit(self, event: object) -> None:
        self._workshop.emit(self.delegation_id, event)


def _whole(text: str) -> str:
    """The text without halves of characters, which no wire takes."""
    return text.encode("utf-8", "replace").decode()


def _is_cancelled() -> bool:
    """Whether the running task was told to end."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0

"""The delegations of one session, from their notice to their end, without a clock or a socket.

Theory of operation. A delegation WAITS until the caller's captions have been quiet for a moment, at
most so long, because it has no words of its own and may come before its sentence is complete. Then
it is handed over and RUNS. It ends by a result, by a failure or by its deadline; the session is
told either way and goes on. A delegation about the same words of the caller as an unfinished
earlier one replaces it: no assistant spoke between the two. The earlier one is dropped, or, where a
tool has been called for it already and so something may have been done, runs to its end UNWANTED,
and its result is held back.

What a backend's responses show is read by the same tool loop that reads those of managed
delegation, so that both leave the same record.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from assistants.client.backlog import Backlog
from assistants.client.memory import Memory
from assistants.frontend.backend_events import BackendEvent
from assistants.frontend.events import FunctionCallOutput, ResponseItemCreate
from assistants.responses.delegation import ManagedWork, arguments_of
from shared.clock import Stamp
from shared.observability.observations import (
    AppendIntent,
    Caption,
    ConnectionLost,
    DelegationBegan,
    DelegationEnded,
    DelegationOutcome,
    Faulted,
    HandedOver,
    Observation,
    ResultHeldBack,
    SessionClosed,
    Speaker,
    ToolCalled,
    ToolReturned,
)

CLIENT = "client"
MOST_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class DeskTiming:
    """How long things may take, in microseconds of wall time."""

    quiet_us: int = 300_000
    """No caption of the caller's for so long: the sentence is complete."""
    wait_us: int = 1_500_000
    """A delegation waits for captions no longer than this."""
    deadline_us: int = 60_000_000
    """From handing over to a result."""


@dataclass(frozen=True, slots=True)
class DeskTexts:
    """What is said to models: the task's own words, and how a failure is told."""

    task: str
    failed: str


@dataclass(frozen=True, slots=True)
class Append:
    """Text for the session's context, about a delegation."""

    intent: AppendIntent
    text: str
    delegation_id: str


@dataclass(frozen=True, slots=True)
class Handed:
    """A delegation as it goes to a backend."""

    delegation_id: str
    number: int
    offset_ms: int | None
    text: str
    news: str


@dataclass(frozen=True, slots=True)
class Continued:
    """All outputs of a response are there."""

    response_id: str
    outputs: tuple[FunctionCallOutput, ...]


class _Phase(Enum):
    WAITING = auto()
    RUNNING = auto()
    UNWANTED = auto()


@dataclass(slots=True)
class _Task:
    delegation_id: str
    number: int
    offset_ms: int | None
    wait_until_us: int
    due_us: int
    """The next instant at which something happens to it by itself."""
    phase: _Phase = _Phase.WAITING
    has_acted: bool = False

    @property
    def is_at_work(self) -> bool:
        return self.phase in {_Phase.RUNNING, _Phase.UNWANTED}


class Desk:
    """Everything that is decided about delegations. Drain what it wants done after each input."""

    def __init__(
        self,
        memory: Memory,
        texts: DeskTexts,
        timing: DeskTiming | None = None,
        backlog: Backlog | None = None,
    ) -> None:
        """``backlog`` is that of the voice, if it is here to tell what it has taken."""
        self._backlog = backlog
        self._memory = memory
        self._texts = texts
        self._timing = timing or DeskTiming()
        self._work = ManagedWork()
        self._known: set[str] = set()
        self._open: dict[str, _Task] = {}
        self._call_ids: set[str] = set()
        self._is_over = False
        self._handed: list[Handed] = []
        self._cancelled: list[str] = []
        self._calls: list[ToolCalled] = []
        self._continued: list[Continued] = []
        self._appends: list[Append] = []
        self._observed: list[Observation] = []

    # what the session shows

    def notice(self, seen: Observation) -> None:
        """Take in an observation of the session's, in order of receipt."""
        if self._backlog is not None:
            self._backlog.notice(seen)
        match seen:
            case Caption(speaker=speaker):
                self._memory.hear(seen)
                if speaker is Speaker.CALLER:
                    self._wait_for_more(seen.stamp.wall_us)
            case DelegationBegan(target=target) if target == CLIENT:
                self._begin(seen)
            case SessionClosed() | ConnectionLost():
                self.hang_up()
            case _:
                pass

    def hang_up(self) -> None:
        """The session ends: nothing is handed over, run or told any more."""
        self._is_over = True

    def wake(self, at: Stamp) -> None:
        """Do what is due."""
        for task in tuple(self._open.values()):
            if at.wall_us < task.due_us or self._is_over:
                continue
            if task.phase is _Phase.WAITING:
                self._hand_over(task, at)
            else:
                self._cancelled.append(task.delegation_id)
                seconds = self._timing.deadline_us / 1e6
                self.failed(task.delegation_id, f"no result within {seconds:g} s", at)

    def wakes_at(self) -> int | None:
        """The next instant (wall microseconds) at which something is due."""
        if self._is_over:
            return None
        return min((task.due_us for task in tuple(self._open.values())), default=None)

    # what a backend does

    def emitted(self, delegation_id: str, event: BackendEvent, at: Stamp) -> None:
        """A backend's response streamed an event."""
        task = self._at_work(delegation_id)
        if task is None:
            return
        for seen in self._work.receive(event, delegation_id, at):
            if isinstance(seen, ToolCalled):
                self._will_run(task, seen)
            else:
                self._observed.append(seen)
        self._continue(at)

    def is_asking(self, response_id: str) -> bool:
        """Whether a backend's response has made calls."""
        return self._work.is_asking(response_id)

    def progressed(self, delegation_id: str, text: str) -> bool:
        """The backend tells how far it is. Says whether there is room for it."""
        task = self._at_work(delegation_id)
        if task is None or task.phase is not _Phase.RUNNING or not text.strip():
            return True
        if not self._has_room(text):
            return False
        self._appends.append(Append(AppendIntent.THINKING, text, delegation_id))
        return True

    def called(
        self, delegation_id: str, name: str, arguments: str, call_id: str, at: Stamp
    ) -> bool:
        """A backend asks for a tool without a response of its own; a call id stands for one call.

        Says whether it will be run.
        """
        task = self._at_work(delegation_id)
        if task is None or call_id in self._call_ids:
            return False
        call = ToolCalled(
            at, call_id, name, arguments, arguments_of(arguments), None, delegation_id
        )
        self._will_run(task, call)
        return not self._is_over

    def returned(self, returned: ToolReturned, output: str) -> None:
        """A tool's outcome; ``output`` is its JSON text."""
        self._observed.append(returned)
        self._work.returned(returned.call_id, output)
        self._continue(returned.stamp)

    def finished(self, delegation_id: str, text: str, at: Stamp) -> None:
        """The backend has its result."""
        task = self._at_work(delegation_id)
        if task is None:
            return
        if not text.strip():
            self.failed(delegation_id, "the backend had nothing to say", at)
        elif task.phase is _Phase.UNWANTED:
            self._observed.append(ResultHeldBack(at, delegation_id, text, "superseded"))
            self._end(task, DelegationOutcome.SUPERSEDED, at)
        elif self._is_over:
            self._observed.append(ResultHeldBack(at, delegation_id, text, "the session is over"))
            self._end(task, DelegationOutcome.COMPLETED, at)
        elif not self._has_room(text):
            self.failed(delegation_id, "the voice has no room for the result", at)
        else:
            self._appends.append(Append(AppendIntent.COMMENTARY, text, delegation_id))
            self._end(task, DelegationOutcome.COMPLETED, at)

    def failed(self, delegation_id: str, why: str, at: Stamp) -> None:
        """The work came to nothing: the caller is to be told, and the session goes on."""
        task = self._at_work(delegation_id)
        if task is None:
            return
        is_wanted = task.phase is _Phase.RUNNING and not self._is_over
        if is_wanted:
            self._appends.append(Append(AppendIntent.COMMENTARY, self._texts.failed, delegation_id))
        self._end(task, DelegationOutcome.FAILED, at, why)

    def amendment(self, delegation_id: str) -> str:
        """What was said since, which counts as told in this task.

        The assistant alone amends nothing: it fills the time until there is a result.
        """
        return self._memory.tell(delegation_id) if self._memory.caller_has_more else ""

    # what is to be done

    def handed_over(self) -> list[Handed]:
        """Drain the tasks to give to a backend now."""
        handed, self._handed = self._handed, []
        return handed

    def cancelled(self) -> list[str]:
        """Drain the delegations whose work should stop now."""
        cancelled, self._cancelled = self._cancelled, []
        return cancelled

    def calls_to_run(self) -> list[ToolCalled]:
        """Drain the calls whose tools should run now, in order."""
        calls, self._calls = self._calls, []
        return calls

    def continued(self) -> list[Continued]:
        """Drain the responses whose outputs have come to be complete."""
        continued, self._continued = self._continued, []
        return continued

    def appends(self) -> list[Append]:
        """Drain what the session is to be told, in order."""
        appends, self._appends = self._appends, []
        return appends

    def observed(self) -> list[Observation]:
        """Drain what is to be recorded, in order."""
        observed, self._observed = self._observed, []
        return observed

    # the life of a delegation

    def _begin(self, seen: DelegationBegan) -> None:
        if seen.delegation_id in self._known:
            return
        self._known.add(seen.delegation_id)
        at_us, offset_ms = seen.stamp.wall_us, seen.stamp.provider_ms
        for earlier in tuple(self._open.values()):
            if self._is_replaced(earlier, offset_ms):
                self._supersede(earlier, seen.stamp)
        self._open[seen.delegation_id] = _Task(
            delegation_id=seen.delegation_id,
            number=len(self._known),
            offset_ms=offset_ms,
            wait_until_us=at_us + self._timing.wait_us,
            due_us=at_us + self._timing.quiet_us,
        )

    def _is_replaced(self, earlier: _Task, offset_ms: int | None) -> bool:
        if earlier.offset_ms is None or offset_ms is None or earlier.phase is _Phase.UNWANTED:
            return False
        return not self._memory.has_answered_between(earlier.offset_ms, offset_ms)

    def _supersede(self, task: _Task, at: Stamp) -> None:
        if task.has_acted:
            task.phase = _Phase.UNWANTED
            return
        if task.phase is _Phase.RUNNING:
            self._cancelled.append(task.delegation_id)
            self._memory.forget(task.delegation_id)
        self._end(task, DelegationOutcome.SUPERSEDED, at)

    def _wait_for_more(self, at_us: int) -> None:
        for task in tuple(self._open.values()):
            if task.phase is _Phase.WAITING:
                task.due_us = min(at_us + self._timing.quiet_us, task.wait_until_us)

    def _hand_over(self, task: _Task, at: Stamp) -> None:
        task.phase = _Phase.RUNNING
        task.due_us = at.wall_us + self._timing.deadline_us
        if sum(other.is_at_work for other in tuple(self._open.values())) > MOST_AT_ONCE:
            self.failed(task.delegation_id, f"more than {MOST_AT_ONCE} delegations at once", at)
            return
        whole = self._memory.whole() or "(nothing has been transcribed)"
        news = self._memory.tell(task.delegation_id)
        self._observed.append(HandedOver(at, task.delegation_id, news))
        self._handed.append(
            Handed(
                task.delegation_id,
                task.number,
                task.offset_ms,
                f"{self._texts.task}\n\n{whole}{_where(task.offset_ms)}",
                news,
            )
        )

    def _will_run(self, task: _Task, call: ToolCalled) -> None:
        if self._is_over:
            # Nobody listens any more, so nobody acts: the application stays as it was left.
            self._observed.append(Faulted(call.stamp, "late_call", f"{call.name} after the close"))
            return
        self._observed.append(call)
        task.has_acted = True
        self._call_ids.add(call.call_id)
        self._calls.append(call)

    def _continue(self, at: Stamp) -> None:
        for commands, continued in self._work.continuations(at):
            self._observed.append(continued)
            outputs = tuple(
                command.item
                for command in commands
                if isinstance(command, ResponseItemCreate)
                and isinstance(command.item, FunctionCallOutput)
            )
            self._continued.append(Continued(continued.response_id, outputs))

    def _end(
        self, task: _Task, outcome: DelegationOutcome, at: Stamp, detail: str | None = None
    ) -> None:
        del self._open[task.delegation_id]
        self._observed.append(DelegationEnded(at, task.delegation_id, outcome, detail))

    def _has_room(self, text: str) -> bool:
        return self._backlog is None or self._backlog.takes(text)

    def _at_work(self, delegation_id: str) -> _Task | None:
        task = self._open.get(delegation_id)
        return task if task is not None and task.is_at_work else None


def _where(offset_ms: int | None) -> str:
    if offset_ms is None:
        return ""
    return f"\n\nThe work was handed over at {offset_ms / 1_000:.1f} s of the call."

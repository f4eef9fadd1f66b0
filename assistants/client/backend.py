"""The port of a backend: whatever does an application's work, a model, an agent, a program.

A backend has two methods. ``run`` is given a :class:`Handoff`, does the work with the application's
tools, and returns what the caller should be told. ``close`` ends it with its session. It is built
once for each session from a :class:`BackendContext`.

While it works it may emit events. :class:`Progress` becomes silent context of the voice. A backend
that is a Responses model emits the events of its responses as they stream; their calls are then run
as they complete, exactly as under managed delegation, and :meth:`Handoff.outputs` waits for them.
Any other backend asks for a tool with :meth:`Handoff.call`. Either way the calls are on record.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from assistants.frontend.backend_events import BackendEvent
from assistants.frontend.events import FunctionCallOutput
from shared.errors import HarnessError
from shared.values import JsonObject


class WorkFailedError(HarnessError):
    """A delegation that came to nothing. The text is shown in results and must hold no secret."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the work is, for the voice to know and not to say."""

    text: str


type Emit = Callable[[BackendEvent | Progress], None]


@dataclass(frozen=True, slots=True)
class BackendContext:
    """What a backend may know before the first word: the same as under managed delegation.

    ``instructions`` are the application's own, with the facts and the state it is authorized to
    use; ``tools`` are function tools with strict schemas. ``responses`` has both among the very
    fields that a session with managed delegation asks of its backend: model, effort and so on.
    """

    instructions: str
    tools: Sequence[JsonObject]
    responses: JsonObject


class Handoff(Protocol):
    """One delegation, as a task."""

    @property
    def delegation_id(self) -> str: ...

    @property
    def number(self) -> int:
        """Its place among the delegations of the session, from 1."""

    @property
    def offset_ms(self) -> int | None:
        """Where in the call the voice handed over; a service need not say."""

    @property
    def text(self) -> str:
        """The task: all of the conversation, what is new in it marked, and what to do with it."""

    @property
    def news(self) -> str:
        """The passages of the conversation that no earlier task of the session told of."""

    def amendment(self) -> str:
        """What was said since this task was handed over, once; empty until the caller has said
        something."""

    async def call(self, name: str, arguments: str, call_id: str) -> str:
        """Run a tool with arguments as JSON text, exactly as the model wrote them.

        Returns the output as JSON text; a refused or broken call has one that says so.
        """

    async def outputs(self, response_id: str) -> Sequence[FunctionCallOutput]:
        """Wait until every call of a completed response has its output; in the order of calls.

        A response that was never emitted, or that ended without calls, has none.
        """


class Backend(Protocol):
    """Does the work of one session, whose delegations may overlap."""

    async def run(self, handoff: Handoff, emit: Emit) -> str:
        """Do it, and return what the caller should be told, in words.

        Raises :class:`WorkFailedError`; any other exception is told by its class alone. Cancelled
        when the caller's request was replaced, took too long, or the session is over.
        """

    async def close(self) -> None:
        """Let go of everything."""


type OpenBackend = Callable[[BackendContext], Backend]

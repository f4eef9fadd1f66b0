"""Managed delegation: the provider runs the backend, we run the tools it calls.

Theory of operation. A backend response opens with ``response.created`` and ends with completed,
failed or incomplete. Calls count once their item is done and complete; argument streams only show
them coming. When a response has completed and every call of it has its output, all outputs go back
in the order of the calls, followed by one ``response.create``; the next response continues the
work. Events between the snapshots carry no response id, so they belong to the newest open response
of their delegation. This file runs no tool and waits for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from assistants.frontend.backend_events import (
    BackendEvent,
    BackendMessage,
    FunctionCall,
    OutputItemDone,
    OutputText,
    Refusal,
    ResponseCompleted,
    ResponseCreated,
    ResponseFailed,
    ResponseIncomplete,
    ResponseSnapshot,
)
from assistants.frontend.events import FunctionCallOutput, ResponseCreate, ResponseItemCreate
from shared.clock import Stamp
from shared.observability.observations import (
    BackendText,
    ContinuationRefused,
    Faulted,
    Observation,
    ResponseBegan,
    ResponseEnded,
    ResponseStatus,
    ToolCalled,
    WorkContinued,
)
from shared.strict_json import JsonSyntaxError, parse
from shared.values import JsonObject

type Command = ResponseItemCreate | ResponseCreate

_OUTPUT = "output_"
_CONTINUE = "continue_"


@dataclass(slots=True)
class _Response:
    """One backend response: its calls in order, and the outputs we have for them."""

    response_id: str
    delegation_id: str | None
    outputs: dict[str, str | None] = field(default_factory=dict)
    status: ResponseStatus | None = None
    is_continued: bool = False
    is_followed: bool = False
    is_refused: bool = False

    @property
    def is_answerable(self) -> bool:
        """Whether the backend waits for us and we have all it waits for."""
        return (
            self.status is ResponseStatus.COMPLETED
            and not self.is_continued
            and not self.is_refused
            and bool(self.outputs)
            and all(output is not None for output in self.outputs.values())
        )

    @property
    def is_waited_for(self) -> bool:
        """Whether it runs, or another is to follow it."""
        is_asking = self.status is ResponseStatus.COMPLETED and bool(self.outputs)
        return not self.is_refused and (self.status is None or (is_asking and not self.is_followed))


class ManagedWork:
    """The tool loop of one session."""

    def __init__(self) -> None:
        self._responses: dict[str, _Response] = {}
        self._calls: dict[str, FunctionCall] = {}
        self._outputs: dict[str, str] = {}
        self._messages: set[str] = set()

    def receive(
        self, event: BackendEvent, delegation_id: str | None, at: Stamp
    ) -> Iterator[Observation]:
        """Take one backend event; yield what it shows. Repetitions show nothing."""
        match event:
            case ResponseCreated(response=snapshot):
                yield from self._began(snapshot, delegation_id, at)
            case OutputItemDone(item=FunctionCall() as call):
                yield from self._called(call, delegation_id, at)
            case OutputItemDone(item=BackendMessage() as message):
                yield from self._said(message, delegation_id, at)
            case ResponseCompleted(response=snapshot):
                yield from self._ended(snapshot, delegation_id, ResponseStatus.COMPLETED, at)
            case ResponseFailed(response=snapshot):
                yield from self._ended(snapshot, delegation_id, ResponseStatus.FAILED, at)
            case ResponseIncomplete(response=snapshot):
                yield from self._ended(snapshot, delegation_id, ResponseStatus.INCOMPLETE, at)
            case _:
                pass

    def returned(self, call_id: str, output: str) -> None:
        """Note the output of a call. Late and repeated outputs change nothing."""
        if call_id not in self._calls or call_id in self._outputs:
            return
        self._outputs[call_id] = output
        for response in self._responses.values():
            if call_id in response.outputs:
                response.outputs[call_id] = output

    def is_asking(self, response_id: str) -> bool:
        """Whether a response has made calls, whose outputs will go back once all are there."""
        response = self._responses.get(response_id)
        return response is not None and bool(response.outputs) and not response.is_refused

    def continuations(self, at: Stamp) -> Iterator[tuple[list[Command], WorkContinued]]:
        """Yield the commands that answer each response which now can be answered."""
        for response in self._responses.values():
            if response.is_answerable:
                response.is_continued = True
                commands: list[Command] = [
                    ResponseItemCreate(
                        event_id=_OUTPUT + call_id,
                        item=FunctionCallOutput(call_id=call_id, output=output or ""),
                    )
                    for call_id, output in response.outputs.items()
                ]
                commands.append(ResponseCreate(event_id=_CONTINUE + response.response_id))
                yield commands, WorkContinued(at, response.response_id, response.delegation_id)

    def refused(
        self, client_event_id: str | None, at: Stamp, *, is_handoff: bool
    ) -> Iterator[Observation]:
        """Take a rejected command; yield what it ends.

        Where the error names none of our commands, a handoff said to be incomplete is that of the
        one response still waited for. With several it is anybody's, and nothing ends.
        """
        response = self._commanded(client_event_id)
        if response is None and is_handoff:
            waited_for = [one for one in self._responses.values() if one.is_waited_for]
            response = waited_for[0] if len(waited_for) == 1 else None
        if response is not None and not response.is_refused:
            response.is_refused = True
            yield ContinuationRefused(at, response.response_id, response.delegation_id)

    def _commanded(self, client_event_id: str | None) -> _Response | None:
        """The response a command of ours belongs to."""
        for response in self._responses.values():
            names = {_CONTINUE + response.response_id, *(_OUTPUT + one for one in response.outputs)}
            if client_event_id in names:
                return response
        return None

    def _began(
        self, snapshot: ResponseSnapshot, delegation_id: str | None, at: Stamp
    ) -> Iterator[Observation]:
        if snapshot.id in self._responses:
            return
        self._responses[snapshot.id] = _Response(snapshot.id, delegation_id)
        for earlier in self._responses.values():
            is_named = earlier.response_id == snapshot.previous_response_id
            is_theirs = delegation_id is not None and earlier.delegation_id == delegation_id
            earlier.is_followed |= is_named or (is_theirs and earlier.is_continued)
        yield ResponseBegan(at, snapshot.id, delegation_id, snapshot.previous_response_id)

    def _called(
        self, call: FunctionCall, delegation_id: str | None, at: Stamp
    ) -> Iterator[Observation]:
        if not call.is_made:
            return
        response = self._newest_open(delegation_id)
        if call.call_id in self._calls:
            yield from self._called_again(call, response, at)
            return
        if response is None:
            yield Faulted(at, "call_without_response", f"call {call.call_id} of {call.name}")
            return
        response.outputs[call.call_id] = None
        self._calls[call.call_id] = call
        yield ToolCalled(
            at,
            call_id=call.call_id,
            name=call.name,
            raw_arguments=call.arguments,
            arguments=arguments_of(call.arguments),
            response_id=response.response_id,
            delegation_id=response.delegation_id,
        )

    def _called_again(
        self, call: FunctionCall, response: _Response | None, at: Stamp
    ) -> Iterator[Observation]:
        """A call id stands for one call. A copy of its item is no news; another item is a fault.

        Its tool does not run again, but a response that waits for the id gets the one output.
        """
        known = self._calls[call.call_id]
        if call.id == known.id:
            return
        yield Faulted(at, "call_id_reused", f"call {call.call_id} of {call.name}")
        if response is not None:
            response.outputs.setdefault(call.call_id, self._outputs.get(call.call_id))

    def _said(
        self, message: BackendMessage, delegation_id: str | None, at: Stamp
    ) -> Iterator[Observation]:
        if message.id in self._messages:
            return
        self._messages.add(message.id)
        response = self._newest_open(delegation_id)
        yield BackendText(
            at,
            response_id=response.response_id if response else None,
            delegation_id=delegation_id,
            item_id=message.id,
            text="".join(_text_of(part) for part in message.content),
        )

    def _ended(
        self,
        snapshot: ResponseSnapshot,
        delegation_id: str | None,
        status: ResponseStatus,
        at: Stamp,
    ) -> Iterator[Observation]:
        response = self._responses.setdefault(snapshot.id, _Response(snapshot.id, delegation_id))
        if response.status is not None:
            return
        response.status = status
        yield ResponseEnded(
            at,
            response_id=snapshot.id,
            delegation_id=delegation_id,
            status=status,
            model=snapshot.model,
            usage=snapshot.usage.tokens() if snapshot.usage else None,
            detail=_detail(snapshot),
            code=snapshot.error.code if snapshot.error is not None else None,
        )

    def _newest_open(self, delegation_id: str | None) -> _Response | None:
        """The newest response of the delegation that has not ended; of any, when none is named."""
        for response in reversed(self._responses.values()):
            is_theirs = delegation_id is None or response.delegation_id in {None, delegation_id}
            if response.status is None and is_theirs:
                return response
        return None


def arguments_of(raw: str) -> JsonObject | None:
    """The argument object, or nothing: anything but one sound JSON object is no arguments."""
    try:
        document = parse(raw)
    except JsonSyntaxError:
        return None
    if document.flaws or not isinstance(document.value, dict):
        return None
    return document.value


def _text_of(part: object) -> str:
    match part:
        case OutputText(text=text):
            return text
        case Refusal(refusal=text):
            return text
        case _:
            return ""


def _detail(snapshot: ResponseSnapshot) -> str | None:
    if snapshot.error is not None:
        return ": ".join(t for t in (snapshot.error.code, snapshot.error.message) if t) or None
    return snapshot.incomplete_details.reason if snapshot.incomplete_details else None

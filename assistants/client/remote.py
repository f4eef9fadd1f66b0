"""Our end of the connection to a remote application, without a socket or a clock.

Theory of operation. IDLE until ``configure`` sends the first message; CONFIGURING until the
application says that it is ready, which it must within a time; READY while the call lasts. What the
call shows is forwarded, each event built here from its fields: fragments of what was said,
delegations, the end. What the application reports becomes observations, the same that a backend in
this process leaves; what it wants said becomes appends. ``hang_up`` forwards the end of the session
and is CLOSING until the application says that it is through, or a time has passed. CLOSED is the
end. No tool is run here: reports are the application's own claims.

A delegation that has no result in time fails, the voice is told so, and the session goes on; what
comes of it later is held back. A message that is not of the contract, or not allowed when it comes,
ends the session: what is measured would otherwise be a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from assistants.client.backlog import WAITING_MAX, Backlog
from assistants.client.contract import (
    ID_MAX,
    WHOLE_MAX,
    AssistantEvent,
    BrokenContractError,
    CommentaryAppend,
    Delegation,
    DelegationCompleted,
    DelegationCreated,
    DelegationFailed,
    DelegationSuperseded,
    ForwardedEvent,
    HandedOver,
    HistoryItem,
    InputTranscript,
    LiveEvent,
    LiveSend,
    OutputTranscript,
    ReportedEvent,
    ResponseCompleted,
    ResponseCreated,
    ResponseEnded,
    ResponseFailed,
    ResponseIncomplete,
    ResponseText,
    SessionClosed,
    SessionConfigure,
    SessionEnded,
    SessionError,
    SessionReady,
    TextPart,
    ThinkingAppend,
    ToolCompleted,
    ToolFailed,
    ToolWasCalled,
    Usage,
    encode,
    is_too_long,
    message_to_harness,
)
from assistants.client.desk import CLIENT, Append
from assistants.responses.delegation import arguments_of
from shared.clock import Stamp
from shared.errors import AttemptError, Stage
from shared.json_text import json_text
from shared.matching import identical
from shared.observability.observations import (
    AppendIntent,
    BackendText,
    Caption,
    ConnectionLost,
    DelegationBegan,
    DelegationEnded,
    DelegationOutcome,
    Faulted,
    Observation,
    ResponseBegan,
    ResponseStatus,
    ResultHeldBack,
    Speaker,
    TokenUsage,
    ToolCalled,
    ToolReturned,
    ToolStatus,
    WorkContinued,
)
from shared.observability.observations import HandedOver as WasHandedOver
from shared.observability.observations import ResponseEnded as ResponseWasEnded
from shared.observability.observations import SessionClosed as CallEnded
from shared.participant import CloseRequest
from shared.scenario_types import HistoryMessage
from shared.values import JsonObject, JsonValue

VIOLATION_CODE = 1008
FAULT = "client_assistant"


class Phase(Enum):
    IDLE = auto()
    CONFIGURING = auto()
    READY = auto()
    CLOSING = auto()
    CLOSED = auto()


@dataclass(frozen=True, slots=True)
class RemoteTiming:
    """How long the application may take, in microseconds of wall time."""

    ready_us: int = 15_000_000
    delegation_us: int = 60_000_000
    """From forwarding a delegation to its end."""
    close_us: int = 5_000_000


@dataclass(frozen=True, slots=True)
class RemoteIntake:
    """How much one session may be sent, inclusive.

    A state that an outcome does not tell stands in its record all the same, so it counts again.
    """

    messages: int = 20_000
    message_bytes: int = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Call:
    """What the connector knows of the call whose work it hands over.

    ``stamp`` says where on the caller's track an instant is, ``is_over`` whether nobody listens any
    more, ``failed`` what the voice is told of work that came to nothing.
    """

    stamp: Callable[[int], Stamp]
    is_over: Callable[[], bool]
    failed: str


@dataclass(slots=True)
class _Delegation:
    delegation_id: str
    due_us: int
    is_open: bool = True
    is_given_up: bool = False
    has_result: bool = False
    calls: set[str] = field(default_factory=set)
    """Those that have not returned."""


@dataclass(slots=True)
class _Response:
    delegation_id: str
    status: ResponseStatus | None = None
    has_called: bool = False
    is_continued: bool = False
    calls: set[str] = field(default_factory=set)
    """Those that have not returned."""


class RemoteApplication:
    """One session with an application elsewhere. Drain what it wants done after each input."""

    def __init__(
        self,
        call: Call,
        history: Sequence[HistoryMessage],
        initial_state: JsonObject,
        timing: RemoteTiming | None = None,
        intake: RemoteIntake | None = None,
    ) -> None:
        self._call = call
        self._history = tuple(history)
        self._needed = initial_state
        self._timing = timing or RemoteTiming()
        self._intake = intake or RemoteIntake()
        self._phase = Phase.IDLE
        self._deadline_us: int | None = None
        self._forwarded = 0
        self._messages = 0
        self._message_bytes = 0
        self._delegations: dict[str, _Delegation] = {}
        self._responses: dict[str, _Response] = {}
        self._calls: dict[str, ToolCalled] = {}
        self._returned: set[str] = set()
        self._texts = 0
        self._backlog = Backlog()
        self._state = self._state_before = initial_state
        self._state_bytes = _size_of(json_text(initial_state))
        self._outgoing: list[str] = []
        self._appends: list[Append] = []
        self._observed: list[Observation] = []
        self._close_request: CloseRequest | None = None
        self.failure: AttemptError | None = None

    @property
    def phase(self) -> Phase:
        return self._phase

    @property
    def state_before(self) -> JsonObject:
        """The application's state as it told it when it was ready; else the scenario's."""
        return self._state_before

    def snapshot(self) -> JsonObject:
        """The application's state as it last told it."""
        return self._state

    # what the harness does

    def configure(self, at_us: int) -> None:
        """Open the session; the first message of all."""
        if self._phase is not Phase.IDLE:
            raise RuntimeError(f"cannot configure a session in phase {self._phase.name}")
        self._phase = Phase.CONFIGURING
        self._deadline_us = at_us + self._timing.ready_us
        text = encode(SessionConfigure(version=1, initial_items=_items(self._history)))
        if is_too_long(text):
            self._fail("the scenario's history is too long for one message of the contract")
        else:
            self._outgoing.append(text)

    def notice(self, seen: Observation) -> None:
        """Take in an observation of the call's, in order of receipt."""
        if self._phase is not Phase.READY:
            return
        self._backlog.notice(seen)
        match seen:
            case Caption():
                self._forward(_fragment(seen, self._next_id()), seen.stamp)
            case DelegationBegan(target=target) if target == CLIENT:
                self._begin(seen)
            case CallEnded(reason=reason):
                self.hang_up(reason, seen.stamp.wall_us)
            case ConnectionLost():
                self.hang_up("connection_lost", seen.stamp.wall_us)
            case _:
                pass

    def hang_up(self, reason: str, at_us: int) -> None:
        """The call is over. Safe in every phase; only an application that is ready is told."""
        if self._phase is Phase.READY:
            ended = SessionEnded(reason=reason[:ID_MAX])
            self._outgoing.append(encode(LiveEvent(event=ended)))
            self._phase = Phase.CLOSING
            self._deadline_us = at_us + self._timing.close_us
        elif self._phase in {Phase.IDLE, Phase.CONFIGURING}:
            self._end(CloseRequest(1000))

    def appends(self) -> list[Append]:
        """Drain what the voice is to be told, in order."""
        appends, self._appends = self._appends, []
        return appends

    def observed(self) -> list[Observation]:
        """Drain what is to be recorded, in order."""
        observed, self._observed = self._observed, []
        return observed

    # the machine's shape

    def receive(self, message: str | bytes, at_us: int) -> None:
        self.wake(at_us)  # what comes when it is due comes too late
        if self._phase in {Phase.IDLE, Phase.CLOSED}:
            return
        at = self._call.stamp(at_us)
        try:
            self._count(message)
            self._handle(message_to_harness(message), at)
        except BrokenContractError as broken:
            self._break(str(broken), at)

    def receive_eof(self, code: int | None, at_us: int) -> None:
        how = "without a close" if code is None else f"with close code {code}"
        if self._phase is Phase.CONFIGURING:
            self._fail(f"the connection ended {how} before the application was ready")
        elif self._phase is Phase.READY:
            self._fail(f"the connection ended {how} in mid-session")
        elif self._phase is Phase.CLOSING:
            self._note_bad_end(f"the connection ended {how} before session.closed", at_us)
        self._end(None)

    def wakes_at(self) -> int | None:
        if self._phase is Phase.READY and not self._call.is_over():
            return min((one.due_us for one in self._open()), default=None)
        return self._deadline_us

    def wake(self, at_us: int) -> None:
        if self._phase is Phase.READY and not self._call.is_over():
            for one in [one for one in self._open() if at_us >= one.due_us]:
                self._give_up(one, self._call.stamp(at_us))
        elif self._deadline_us is not None and at_us >= self._deadline_us:
            if self._phase is Phase.CONFIGURING:
                seconds = self._timing.ready_us / 1e6
                self._fail(f"no session.ready within {seconds:g} s")
            else:
                seconds = self._timing.close_us / 1e6
                self._note_bad_end(f"no session.closed within {seconds:g} s", at_us)
                self._end(CloseRequest(1000))

    def messages_to_send(self) -> list[str]:
        outgoing, self._outgoing = self._outgoing, []
        return outgoing

    def closing(self) -> CloseRequest | None:
        return self._close_request

    # what goes out

    def _next_id(self) -> str:
        self._forwarded += 1
        return f"event_{self._forwarded}"

    def _forward(self, event: ForwardedEvent, at: Stamp) -> bool:
        text = encode(LiveEvent(event=event))
        if is_too_long(text):
            self._observed.append(Faulted(at, FAULT, f"{event.type} is too long to be forwarded"))
            return False
        self._outgoing.append(text)
        return True

    def _begin(self, seen: DelegationBegan) -> None:
        delegation_id = seen.delegation_id
        if delegation_id in self._delegations:
            return
        one = _Delegation(delegation_id, seen.stamp.wall_us + self._timing.delegation_us)
        self._delegations[delegation_id] = one
        if not 0 < len(delegation_id) <= ID_MAX:
            self._fail_delegation(one, "its id is none that can be forwarded", seen.stamp)
            return
        self._forward(
            DelegationCreated(
                event_id=self._next_id(),
                offset_ms=_whole(seen.stamp.provider_ms or 0),
                delegation=Delegation(id=delegation_id, target="client"),
            ),
            seen.stamp,
        )

    # what comes in

    def _count(self, message: str | bytes) -> None:
        self._messages += 1
        if self._messages > self._intake.messages:
            raise BrokenContractError(f"more than {self._intake.messages} messages")
        self._count_bytes(_size_of(message))

    def _count_bytes(self, size: int) -> None:
        self._message_bytes += size
        if self._message_bytes > self._intake.message_bytes:
            raise BrokenContractError(f"more than {self._intake.message_bytes} bytes in all")

    def _handle(
        self,
        message: SessionReady | AssistantEvent | LiveSend | SessionClosed | SessionError,
        at: Stamp,
    ) -> None:
        is_early = self._phase is Phase.CONFIGURING
        match message:
            case SessionError(error=error):
                self._given_up(error.code, at)
            case SessionReady(application_state=state) if is_early:
                self._ready(state)
            case SessionReady():
                raise BrokenContractError("a second session.ready")
            case _ if is_early:
                raise BrokenContractError(f"{message.type} before session.ready")
            case AssistantEvent(event=event):
                self._reported(event, at)
            case LiveSend(event=event):
                self._said(event, at)
            case SessionClosed() if self._phase is Phase.CLOSING:
                self._end(CloseRequest(1000))
            case SessionClosed():
                raise BrokenContractError("session.closed before the call was over")

    def _ready(self, state: JsonObject | None) -> None:
        lacking = None if state is None else _lacking(self._needed, state)
        if (state is None and self._needed) or lacking is not None:
            what = "tells no state" if lacking is None else "has another state"
            self._fail(
                f"not applicable: the scenario begins with a state, and the application {what};"
                " configure that state in the service"
            )
            return
        if state is not None:
            self._take_state(state)
            self._state_before = state
        self._phase = Phase.READY
        self._deadline_us = None

    def _given_up(self, code: str, at: Stamp) -> None:
        if self._phase is Phase.CLOSING:
            self._note_bad_end(f"the application reported {code}", at.wall_us)
            self._end(CloseRequest(1000))
        else:
            self._fail(f"the application reported {code}")

    def _said(self, event: CommentaryAppend | ThinkingAppend, at: Stamp) -> None:
        one = self._delegation(event.delegation_id)
        is_result = isinstance(event, CommentaryAppend)
        if not one.is_open and not one.is_given_up:
            raise BrokenContractError(f"{event.type} for a delegation that has ended")
        is_unheard = self._phase is Phase.CLOSING or self._call.is_over()
        if one.is_given_up or is_unheard:
            if is_result:
                why = "the session is over" if is_unheard else "it came after its deadline"
                self._observed.append(ResultHeldBack(at, one.delegation_id, event.content, why))
        elif not self._backlog.takes(event.content):
            raise BrokenContractError(f"more than {WAITING_MAX} texts that wait for the voice")
        else:
            intent = AppendIntent.COMMENTARY if is_result else AppendIntent.THINKING
            self._appends.append(Append(intent, event.content, one.delegation_id))
        one.has_result = one.has_result or is_result

    def _reported(self, event: ReportedEvent, at: Stamp) -> None:
        match event:
            case HandedOver(delegation_id=delegation_id, news=news):
                self._delegation(delegation_id)
                self._observed.append(WasHandedOver(at, delegation_id, news))
            case ToolWasCalled():
                self._tool_called(event, at)
            case ToolCompleted(call_id=call_id, result=result, application_state=state):
                self._tool_returned(call_id, ToolStatus.COMPLETED, result, state, at)
            case ToolFailed(call_id=call_id, error=error, application_state=state):
                told: JsonObject = {"ok": False, "error": error}
                self._tool_returned(call_id, ToolStatus.FAILED, told, state, at)
            case ResponseCreated():
                self._response_created(event, at)
            case ResponseText():
                self._response_text(event, at)
            case ResponseCompleted() | ResponseFailed() | ResponseIncomplete():
                self._response_ended(event, at)
            case DelegationCompleted(delegation_id=delegation_id):
                self._completed(self._delegation(delegation_id), at)
            case DelegationFailed(delegation_id=delegation_id):
                one = self._delegation(delegation_id)
                self._fail_delegation(one, "the application reported a failure", at)
            case DelegationSuperseded(delegation_id=delegation_id):
                self._superseded(self._delegation(delegation_id), at)

    def _tool_called(self, event: ToolWasCalled, at: Stamp) -> None:
        one = self._delegation(event.delegation_id)
        if event.call_id in self._calls:
            raise BrokenContractError("a second tool.called with one call_id")
        if event.response_id is not None:
            response = self._response(event.response_id, event.delegation_id)
            response.has_called = True
            response.calls.add(event.call_id)
        one.calls.add(event.call_id)
        call = ToolCalled(
            at,
            call_id=event.call_id,
            name=event.name,
            raw_arguments=event.arguments,
            arguments=arguments_of(event.arguments),
            response_id=event.response_id,
            delegation_id=event.delegation_id,
        )
        self._calls[event.call_id] = call
        self._observed.append(call)

    def _tool_returned(
        self,
        call_id: str,
        status: ToolStatus,
        output: JsonValue,
        state: JsonObject | None,
        at: Stamp,
    ) -> None:
        call = self._calls.get(call_id)
        if call is None:
            raise BrokenContractError("an outcome of a tool that was never called")
        if call_id in self._returned:
            raise BrokenContractError("a second outcome of one call")
        self._returned.add(call_id)
        self._delegations[call.delegation_id or ""].calls.discard(call_id)
        if state is None:
            self._count_bytes(self._state_bytes)
        else:
            self._take_state(state)
        self._observed.append(ToolReturned(at, call_id, call.name, status, output, self._state))
        if call.response_id is not None:
            self._responses[call.response_id].calls.discard(call_id)
            self._continue(call.response_id, at)

    def _take_state(self, state: JsonObject) -> None:
        self._state = state
        self._state_bytes = _size_of(json_text(state))

    def _response_created(self, event: ResponseCreated, at: Stamp) -> None:
        self._delegation(event.delegation_id)
        if event.response_id in self._responses:
            raise BrokenContractError("a second response.created with one response_id")
        self._responses[event.response_id] = _Response(event.delegation_id)
        self._observed.append(
            ResponseBegan(at, event.response_id, event.delegation_id, event.previous_response_id)
        )

    def _response_text(self, event: ResponseText, at: Stamp) -> None:
        self._response(event.response_id, event.delegation_id)
        self._texts += 1
        self._observed.append(
            BackendText(
                at,
                response_id=event.response_id,
                delegation_id=event.delegation_id,
                item_id=event.item_id or f"text_{self._texts}",
                text=event.text,
            )
        )

    def _response_ended(self, event: ResponseEnded, at: Stamp) -> None:
        response = self._response(event.response_id, event.delegation_id)
        if response.status is not None:
            raise BrokenContractError("a second end of one response")
        response.status = ResponseStatus(event.type.removeprefix("response."))
        self._observed.append(
            ResponseWasEnded(
                at,
                response_id=event.response_id,
                delegation_id=event.delegation_id,
                status=response.status,
                model=event.model,
                usage=None if event.usage is None else _tokens(event.usage),
                code=event.code,
            )
        )
        self._continue(event.response_id, at)

    def _continue(self, response_id: str, at: Stamp) -> None:
        """Note that a response has all its outputs, so that another is to follow it."""
        one = self._responses[response_id]
        is_answered = one.has_called and not one.calls and not one.is_continued
        if is_answered and one.status is ResponseStatus.COMPLETED:
            one.is_continued = True
            self._observed.append(WorkContinued(at, response_id, one.delegation_id))

    def _completed(self, one: _Delegation, at: Stamp) -> None:
        if one.is_open and not one.has_result:
            raise BrokenContractError("client_delegation.completed before any result")
        if one.is_open and one.calls:
            raise BrokenContractError("client_delegation.completed before a call has returned")
        self._end_delegation(one, DelegationOutcome.COMPLETED, at)

    def _superseded(self, one: _Delegation, at: Stamp) -> None:
        if one.is_open and one.delegation_id == next(reversed(self._delegations)):
            # Nobody would be told anything, and by its own account nothing failed.
            raise BrokenContractError("client_delegation.superseded for the latest delegation")
        self._end_delegation(one, DelegationOutcome.SUPERSEDED, at)

    # the life of a delegation

    def _open(self) -> list[_Delegation]:
        return [one for one in self._delegations.values() if one.is_open]

    def _delegation(self, delegation_id: str) -> _Delegation:
        one = self._delegations.get(delegation_id)
        if one is None:
            raise BrokenContractError("a delegation_id that was never forwarded")
        return one

    def _response(self, response_id: str, delegation_id: str) -> _Response:
        one = self._responses.get(response_id)
        if one is None or one.delegation_id != delegation_id:
            raise BrokenContractError("a response_id of no response of that delegation")
        return one

    def _give_up(self, one: _Delegation, at: Stamp) -> None:
        one.is_given_up = True
        self._fail_delegation(one, f"no result within {self._timing.delegation_us / 1e6:g} s", at)

    def _fail_delegation(self, one: _Delegation, why: str, at: Stamp) -> None:
        """The work came to nothing: the caller is to be told, unless the application has."""
        is_heard = self._phase is Phase.READY and not self._call.is_over()
        if one.is_open and not one.has_result and is_heard:
            self._appends.append(
                Append(AppendIntent.COMMENTARY, self._call.failed, one.delegation_id)
            )
        self._end_delegation(one, DelegationOutcome.FAILED, at, why)

    def _end_delegation(
        self, one: _Delegation, outcome: DelegationOutcome, at: Stamp, why: str | None = None
    ) -> None:
        """Only the first end counts."""
        if one.is_open:
            one.is_open = False
            self._observed.append(DelegationEnded(at, one.delegation_id, outcome, why))

    # the end

    def _break(self, what: str, at: Stamp) -> None:
        if self._phase is Phase.CLOSING:
            # The call is over and measured: how its application leaves is a remark.
            self._note_bad_end(f"the application sent {what}", at.wall_us)
            self._end(CloseRequest(VIOLATION_CODE))
        else:
            self._fail(f"the application sent {what}")

    def _fail(self, what: str) -> None:
        self.failure = AttemptError(Stage.CLIENT_ASSISTANT, what)
        self._end(CloseRequest(VIOLATION_CODE))

    def _note_bad_end(self, what: str, at_us: int) -> None:
        self._observed.append(Faulted(self._call.stamp(at_us), FAULT, what))

    def _end(self, request: CloseRequest | None) -> None:
        if self._phase is not Phase.CLOSED:
            self._phase = Phase.CLOSED
            self._close_request = request
        self._deadline_us = None


def _size_of(message: str | bytes) -> int:
    """Bytes, in UTF-8."""
    return len(message if isinstance(message, bytes) else message.encode("utf-8", "replace"))


def _items(history: Sequence[HistoryMessage]) -> tuple[HistoryItem, ...]:
    return tuple(
        HistoryItem(
            type="message",
            role="user" if past.role == "user" else "assistant",
            content=(
                TextPart(
                    type="input_text" if past.role == "user" else "output_text", text=past.text
                ),
            ),
        )
        for past in history
    )


def _fragment(seen: Caption, event_id: str) -> InputTranscript | OutputTranscript:
    kind = InputTranscript if seen.speaker is Speaker.CALLER else OutputTranscript
    start_ms = _whole(seen.start_ms)
    end_ms = max(start_ms, _whole(seen.end_ms))
    return kind(event_id=event_id, start_ms=start_ms, end_ms=end_ms, delta=seen.text)


def _whole(number: int) -> int:
    """An instant as the contract takes it; a service's own may be anything."""
    return min(max(number, 0), WHOLE_MAX)


def _lacking(needed: JsonObject, state: JsonObject) -> str | None:
    """The first key of which the state does not hold what is needed."""
    return next(
        (key for key in needed if key not in state or not identical(needed[key], state[key])), None
    )


def _tokens(usage: Usage) -> TokenUsage:
    inputs, outputs = usage.input_tokens_details, usage.output_tokens_details
    return TokenUsage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=usage.total_tokens,
        cached_input_tokens=None if inputs is None else inputs.cached_tokens,
        cache_write_tokens=None if inputs is None else inputs.cache_write_tokens,
        reasoning_tokens=None if outputs is None else outputs.reasoning_tokens,
    )

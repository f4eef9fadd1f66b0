"""One session of the bundled service, without a socket or a clock: the far end of the contract.

Theory of operation. OPEN waits for ``session.configure``; CONFIGURED lets the shell build what does
the work; READY tells the desk what the call shows and the harness what becomes of it. The end is
``session.closed`` of the harness, which is answered, or an error of four kinds with a fixed text:
nothing that a backend or a tool says about itself leaves this machine. Every limit is counted here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum, auto
from math import isfinite
from typing import Final, cast

from pydantic import JsonValue as WireValue
from pydantic import ValidationError

from assistants.client.contract import (
    CODE,
    MESSAGE_BYTES_MAX,
    TEXT_MAX,
    AssistantEvent,
    BrokenContractError,
    CommentaryAppend,
    DelegationCompleted,
    DelegationCreated,
    DelegationFailed,
    DelegationSuperseded,
    ErrorDetail,
    HandedOver,
    InputTokens,
    InputTranscript,
    LiveEvent,
    LiveSend,
    OutputTokens,
    OutputTranscript,
    ReportedEvent,
    ResponseCompleted,
    ResponseCreated,
    ResponseFailed,
    ResponseIncomplete,
    ResponseText,
    SessionClosed,
    SessionConfigure,
    SessionEnded,
    SessionError,
    SessionReady,
    ThinkingAppend,
    ToolCompleted,
    ToolFailed,
    ToolWasCalled,
    Usage,
    encode,
    is_too_long,
    message_to_application,
)
from assistants.client.desk import CLIENT, Append
from assistants.frontend.appends import pieces
from assistants.frontend.wire import StrictModel
from shared.clock import Stamp
from shared.json_text import portable
from shared.observability.observations import (
    AppendIntent,
    BackendText,
    Caption,
    DelegationBegan,
    DelegationEnded,
    DelegationOutcome,
    Observation,
    ResponseBegan,
    ResponseEnded,
    ResponseStatus,
    Speaker,
    TokenUsage,
    ToolCalled,
    ToolReturned,
    ToolStatus,
)
from shared.observability.observations import HandedOver as WasHandedOver
from shared.observability.observations import SessionClosed as CallEnded
from shared.participant import CloseRequest
from shared.scenario_types import HistoryMessage, Role
from shared.values import JsonObject, JsonValue

PROTOCOL_ERROR: Final = "client_protocol_error"
LIMIT_REACHED: Final = "client_limit_reached"
TIMEOUT: Final = "client_session_timeout"
ASSISTANT_ERROR: Final = "client_assistant_error"
TEXTS: Final = {
    PROTOCOL_ERROR: "A message was not of the contract, or not allowed when it came.",
    LIMIT_REACHED: "A limit of this service was reached.",
    TIMEOUT: "The session took longer than this service allows.",
    ASSISTANT_ERROR: "The application could not go on.",
}
_CLOSE_CODES: Final = {ASSISTANT_ERROR: 1011}
_POLICY = 1008
_US_PER_S = 1_000_000


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """What one service, and one session of it, take; all inclusive."""

    connections: int = 8
    pending: int = 4
    """Delegations of a session that have not ended."""
    delegations: int = 64
    message_bytes: int = MESSAGE_BYTES_MAX
    """Of one message, either way."""
    session_bytes: int = 8 * 1024 * 1024
    """Received in one session."""
    events: int = 20_000
    """Messages received in one session."""
    configure_s: float = 10
    session_s: float = 600
    delegation_s: float = 60
    cleanup_s: float = 5

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            is_sound = is_number and isfinite(value) and value > 0
            if not is_sound or (one.type == "int" and not isinstance(value, int)):
                kind = "whole number" if one.type == "int" else "finite number"
                raise ValueError(f"{one.name} must be a {kind} above 0")
        if self.message_bytes > MESSAGE_BYTES_MAX:
            raise ValueError(f"message_bytes must be at most {MESSAGE_BYTES_MAX}")


class Phase(Enum):
    OPEN = auto()
    CONFIGURED = auto()
    READY = auto()
    CLOSED = auto()


class ServiceSession:
    """Reads what the harness sends, writes what becomes of it. Begins at instant ``at_us``."""

    def __init__(self, limits: ServiceLimits | None = None, at_us: int = 0) -> None:
        self._limits = limits or ServiceLimits()
        self._phase = Phase.OPEN
        self._configure_by_us = at_us + round(self._limits.configure_s * _US_PER_S)
        self._over_at_us = at_us + round(self._limits.session_s * _US_PER_S)
        self._messages = 0
        self._bytes = 0
        self._delegations: set[str] = set()
        self._pending: set[str] = set()
        self._noticed: list[Observation] = []
        self._outgoing: list[str] = []
        self._endings: list[ReportedEvent] = []
        self._close_request: CloseRequest | None = None
        self.history: tuple[HistoryMessage, ...] = ()

    @property
    def phase(self) -> Phase:
        return self._phase

    # what the harness shows, for a desk

    def noticed(self) -> list[Observation]:
        """Drain what the call showed, in order."""
        noticed, self._noticed = self._noticed, []
        return noticed

    # what the application does

    def ready(self, state: JsonObject) -> None:
        """What does the work is there, with this state."""
        if self._phase is Phase.CONFIGURED:
            self._phase = Phase.READY
            self._send(lambda: SessionReady(version=1, application_state=_plain(state)))

    def tell(self, seen: Sequence[Observation]) -> None:
        """Report what a desk observed, in order. The end of a delegation waits for ``settle``."""
        for one in seen:
            if isinstance(one, DelegationEnded):
                self._pending.discard(one.delegation_id)
            try:
                event = _reported(one)
            except ValidationError:
                # An id or a name that the contract does not take; the application made it.
                self.fail(ASSISTANT_ERROR)
                return
            if isinstance(one, DelegationEnded) and event is not None:
                self._endings.append(event)
            elif event is not None:
                self._report(event)

    def append(self, append: Append) -> None:
        """Have the voice told something about a delegation."""
        kind = CommentaryAppend if append.intent is AppendIntent.COMMENTARY else ThinkingAppend
        text = _whole(append.text)
        for piece in [text] if len(text) <= TEXT_MAX else pieces(text):
            self._send(
                lambda piece=piece: LiveSend(  # type: ignore[misc]  # bound now
                    event=kind(delegation_id=append.delegation_id, content=piece)
                )
            )

    def settle(self) -> None:
        """Everything said so far is on its way: report which delegations have ended by it."""
        endings, self._endings = self._endings, []
        for event in endings:
            self._report(event)

    def fail(self, code: str) -> None:
        """Give the session up, with a fixed text."""
        if self._phase is not Phase.CLOSED:
            error = ErrorDetail(code=code, message=TEXTS[code])
            self._outgoing.append(encode(SessionError(error=error)))
            self._end(_CLOSE_CODES.get(code, _POLICY))

    # the machine's shape

    def receive(self, message: str | bytes, at_us: int) -> None:
        self.wake(at_us)  # what comes when it is due comes too late
        if self._phase is Phase.CLOSED or not self._is_within_limits(message):
            return
        try:
            self._handle(message_to_application(message), at_us)
        except BrokenContractError:
            self.fail(PROTOCOL_ERROR)

    def receive_eof(self, code: int | None, at_us: int) -> None:  # noqa: ARG002 - none is better
        self._phase = Phase.CLOSED

    def wakes_at(self) -> int | None:
        match self._phase:
            case Phase.CLOSED:
                return None
            case Phase.OPEN:
                return min(self._configure_by_us, self._over_at_us)
            case _:
                return self._over_at_us

    def wake(self, at_us: int) -> None:
        due_us = self.wakes_at()
        if due_us is not None and at_us >= due_us:
            self.fail(TIMEOUT)

    def messages_to_send(self) -> list[str]:
        outgoing, self._outgoing = self._outgoing, []
        return outgoing

    def closing(self) -> CloseRequest | None:
        return self._close_request

    # what comes in

    def _is_within_limits(self, message: str | bytes) -> bool:
        size = len(message if isinstance(message, bytes) else message.encode("utf-8", "replace"))
        self._messages += 1
        self._bytes += size
        limits = self._limits
        is_within = (
            size <= limits.message_bytes
            and self._bytes <= limits.session_bytes
            and self._messages <= limits.events
        )
        if not is_within:
            self.fail(LIMIT_REACHED)
        return is_within

    def _handle(self, message: SessionConfigure | LiveEvent, at_us: int) -> None:
        match message:
            case SessionConfigure() if self._phase is Phase.OPEN:
                self.history = _history(message)
                self._phase = Phase.CONFIGURED
            case SessionConfigure():
                raise BrokenContractError("a second session.configure")
            case LiveEvent() if self._phase is not Phase.READY:
                raise BrokenContractError("live.event before session.ready")
            case LiveEvent(event=SessionEnded(reason=reason)):
                self._noticed.append(CallEnded(Stamp(0, at_us), reason, None))
                self._outgoing.append(encode(SessionClosed()))
                self._end(1000)
            case LiveEvent(event=DelegationCreated() as created):
                self._delegated(created, at_us)
            case LiveEvent(event=InputTranscript() as piece):
                self._heard(Speaker.CALLER, piece, at_us)
            case LiveEvent(event=OutputTranscript() as piece):
                self._heard(Speaker.ASSISTANT, piece, at_us)

    def _heard(
        self, speaker: Speaker, piece: InputTranscript | OutputTranscript, at_us: int
    ) -> None:
        stamp = Stamp(0, at_us, piece.start_ms)
        self._noticed.append(Caption(stamp, speaker, piece.delta, piece.start_ms, piece.end_ms))

    def _delegated(self, created: DelegationCreated, at_us: int) -> None:
        delegation_id = created.delegation.id
        if delegation_id in self._delegations:
            return
        self._delegations.add(delegation_id)
        self._pending.add(delegation_id)
        limits = self._limits
        if len(self._delegations) > limits.delegations or len(self._pending) > limits.pending:
            self.fail(LIMIT_REACHED)
            return
        stamp = Stamp(0, at_us, created.offset_ms)
        self._noticed.append(DelegationBegan(stamp, delegation_id, CLIENT, None))

    # what goes out

    def _report(self, event: ReportedEvent) -> None:
        self._send(lambda: AssistantEvent(event=event))

    def _send(self, build: Callable[[], StrictModel]) -> None:
        if self._phase is not Phase.READY:
            return
        try:
            text = encode(build())
        except (ValidationError, ValueError):
            self.fail(ASSISTANT_ERROR)
            return
        if is_too_long(text) or len(text.encode()) > self._limits.message_bytes:
            self.fail(LIMIT_REACHED)
            return
        self._outgoing.append(text)

    def _end(self, code: int) -> None:
        self._phase = Phase.CLOSED
        self._close_request = CloseRequest(code)
        self._endings.clear()


def _history(message: SessionConfigure) -> tuple[HistoryMessage, ...]:
    return tuple(
        HistoryMessage(role=Role(item.role), text=item.content[0].text)
        for item in message.initial_items
    )


def _reported(seen: Observation) -> ReportedEvent | None:
    """What the harness is told of an observation; nothing of those that concern only us."""
    match seen:
        case WasHandedOver(delegation_id=delegation_id, news=news):
            return HandedOver(delegation_id=delegation_id, news=_whole(news))
        case ToolCalled(delegation_id=str(delegation_id)):
            return ToolWasCalled(
                call_id=seen.call_id,
                name=seen.name,
                arguments=_whole(seen.raw_arguments),
                delegation_id=delegation_id,
                response_id=seen.response_id,
            )
        case ToolReturned():
            return _outcome(seen)
        case ResponseBegan(delegation_id=str(delegation_id)):
            return ResponseCreated(
                response_id=seen.response_id,
                delegation_id=delegation_id,
                previous_response_id=seen.previous_response_id,
            )
        case BackendText(response_id=str(response_id), delegation_id=str(delegation_id)):
            return ResponseText(
                response_id=response_id,
                delegation_id=delegation_id,
                item_id=seen.item_id,
                text=_whole(seen.text),
            )
        case ResponseEnded(delegation_id=str(delegation_id)):
            return _RESPONSE_ENDS[seen.status](
                response_id=seen.response_id,
                delegation_id=delegation_id,
                model=seen.model,
                usage=None if seen.usage is None else _usage(seen.usage),
                code=seen.code if re.fullmatch(CODE, seen.code or "") else None,
            )
        case DelegationEnded(delegation_id=delegation_id, outcome=outcome):
            return _DELEGATION_ENDS[outcome](delegation_id=delegation_id)
        case _:
            return None


_RESPONSE_ENDS: Final[
    Mapping[ResponseStatus, type[ResponseCompleted | ResponseFailed | ResponseIncomplete]]
] = {
    ResponseStatus.COMPLETED: ResponseCompleted,
    ResponseStatus.FAILED: ResponseFailed,
    ResponseStatus.INCOMPLETE: ResponseIncomplete,
}
_DELEGATION_ENDS: Final[
    Mapping[DelegationOutcome, type[DelegationCompleted | DelegationFailed | DelegationSuperseded]]
] = {
    DelegationOutcome.COMPLETED: DelegationCompleted,
    DelegationOutcome.FAILED: DelegationFailed,
    DelegationOutcome.SUPERSEDED: DelegationSuperseded,
}


def _outcome(seen: ToolReturned) -> ToolCompleted | ToolFailed:
    state = _plain(seen.state)
    if seen.status is ToolStatus.COMPLETED:
        return ToolCompleted(
            call_id=seen.call_id, result=_portable(seen.output), application_state=state
        )
    error = seen.output.get("error") if isinstance(seen.output, Mapping) else None
    told = _whole(str(error))[:TEXT_MAX]
    return ToolFailed(call_id=seen.call_id, error=told, application_state=state)


def _usage(usage: TokenUsage) -> Usage:
    return Usage(
        input_tokens=usage.input_tokens,
        input_tokens_details=InputTokens(
            cached_tokens=usage.cached_input_tokens, cache_write_tokens=usage.cache_write_tokens
        ),
        output_tokens=usage.output_tokens,
        output_tokens_details=OutputTokens(reasoning_tokens=usage.reasoning_tokens),
        total_tokens=usage.total_tokens,
    )


def _whole(text: str) -> str:
    """The text in whole characters; half ones are text to Python and to nobody else."""
    return text.encode("utf-8", "replace").decode()


def _portable(value: JsonValue) -> WireValue:
    return cast("WireValue", portable(value))


def _plain(state: JsonObject) -> dict[str, WireValue]:
    plain = _portable(state)
    return plain if isinstance(plain, dict) else {}

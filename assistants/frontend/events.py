"""The GPT Live dialect as types: every message either end sends, parsed at the door.

This module decides what a message *is*; whether it is allowed now is the machines' business. The
session's settings live in ``session_config``, the backend's nested events in ``backend_events``.
Client events are strict, server events lenient (see ``wire``); a server event of a kind we do not
know is an :class:`UnknownEvent`, never an error.
"""

from __future__ import annotations

import base64
import binascii
import json
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails, from_json

from assistants.frontend.backend_events import BackendEvent
from assistants.frontend.session_config import SessionChange, SessionConfig, SessionResource
from assistants.frontend.wire import LenientModel, Maybe, StrictModel, kinds_of, known_kinds
from shared.errors import HarnessError


class ClientCommand(StrictModel):
    """What every client event may carry; the service answers with it as ``client_event_id``."""

    event_id: Maybe[str] = None


class SessionStart(ClientCommand):
    type: Literal["session.start"] = "session.start"
    session: SessionConfig


class SessionUpdate(ClientCommand):
    type: Literal["session.update"] = "session.update"
    session: SessionChange


class InputAudioAppend(ClientCommand):
    """A piece of the caller's track: ``audio`` is base64 of raw samples."""

    type: Literal["session.input_audio.append"] = "session.input_audio.append"
    audio: str


class InputAudioMute(ClientCommand):
    type: Literal["session.input_audio.mute"] = "session.input_audio.mute"


class InputAudioUnmute(ClientCommand):
    type: Literal["session.input_audio.unmute"] = "session.input_audio.unmute"


class InstructionsAppend(ClientCommand):
    type: Literal["session.instructions.append"] = "session.instructions.append"
    content: str
    delegation_id: str | None


class ThinkingAppend(ClientCommand):
    type: Literal["session.thinking.append"] = "session.thinking.append"
    content: str
    delegation_id: str | None


class CommentaryAppend(ClientCommand):
    type: Literal["session.commentary.append"] = "session.commentary.append"
    content: str
    delegation_id: str | None


class TextPart(StrictModel):
    type: Literal["input_text", "output_text"]
    text: str


class FunctionCallOutput(StrictModel):
    type: Literal["function_call_output"] = "function_call_output"
    call_id: str
    output: str | tuple[TextPart, ...]
    id: Maybe[str] = None
    status: Maybe[Literal["in_progress", "completed", "incomplete"]] = None


class InputMessage(StrictModel):
    """A typed message for the backend."""

    type: Literal["message"] = "message"
    role: Literal["user", "assistant", "system", "developer"]
    content: str | tuple[TextPart, ...]
    id: Maybe[str] = None
    status: Maybe[Literal["in_progress", "completed", "incomplete"]] = None


class ResponseItemCreate(ClientCommand):
    type: Literal["response.item.create"] = "response.item.create"
    item: Annotated[FunctionCallOutput | InputMessage, Field(discriminator="type")]


class ResponseCreate(ClientCommand):
    type: Literal["response.create"] = "response.create"


class SessionClose(ClientCommand):
    type: Literal["session.close"] = "session.close"


type ContextAppend = InstructionsAppend | ThinkingAppend | CommentaryAppend
type ClientEvent = (
    SessionStart
    | SessionUpdate
    | InputAudioAppend
    | InputAudioMute
    | InputAudioUnmute
    | InstructionsAppend
    | ThinkingAppend
    | CommentaryAppend
    | ResponseItemCreate
    | ResponseCreate
    | SessionClose
)


class ServerNotice(LenientModel):
    """What every server event but an audio delta carries."""

    event_id: str
    client_event_id: Maybe[str] = None


class SessionStarted(ServerNotice):
    type: Literal["session.started"] = "session.started"
    session: SessionResource


class SessionUpdated(ServerNotice):
    type: Literal["session.updated"] = "session.updated"
    session: SessionResource


class InputAudioMuted(ServerNotice):
    type: Literal["session.input_audio.muted"] = "session.input_audio.muted"


class InputAudioUnmuted(ServerNotice):
    type: Literal["session.input_audio.unmuted"] = "session.input_audio.unmuted"


class InstructionsAppended(ServerNotice):
    type: Literal["session.instructions.appended"] = "session.instructions.appended"
    start_ms: int
    end_ms: int


class ThinkingAppended(ServerNotice):
    type: Literal["session.thinking.appended"] = "session.thinking.appended"
    start_ms: int
    end_ms: int


class CommentaryAppended(ServerNotice):
    type: Literal["session.commentary.appended"] = "session.commentary.appended"
    start_ms: int
    end_ms: int


class OutputAudioDelta(LenientModel):
    """A piece of the assistant's track, base64. Its place is the count of samples before it."""

    type: Literal["session.output_audio.delta"] = "session.output_audio.delta"
    delta: str


class InputTranscriptDelta(ServerNotice):
    """What the service heard the caller say, ``[start_ms, end_ms)`` of session time."""

    type: Literal["session.input_transcript.delta"] = "session.input_transcript.delta"
    delta: str
    start_ms: int
    end_ms: int


class OutputTranscriptDelta(ServerNotice):
    """What the assistant says, ``[start_ms, end_ms)`` of session time; may run ahead of it."""

    type: Literal["session.output_transcript.delta"] = "session.output_transcript.delta"
    delta: str
    start_ms: int
    end_ms: int


class DelegationRef(LenientModel):
    id: str
    type: str = "delegation"
    target: str
    response_id: Maybe[str] = None


class DelegationCreated(ServerNotice):
    type: Literal["session.delegation.created"] = "session.delegation.created"
    offset_ms: int
    delegation: DelegationRef


class ResponseEvent(ServerNotice):
    """The envelope of one backend event."""

    type: Literal["response.event"] = "response.event"
    delegation_id: str | None = None
    event: BackendEvent


class SessionUsage(LenientModel):
    """Cumulative seconds of session; never add two of them."""

    seconds: int | float


class ContextWindow(LenientModel):
    usage_ratio: int | float


class UsageUpdated(ServerNotice):
    type: Literal["session.usage.updated"] = "session.usage.updated"
    usage: SessionUsage
    context_window: Maybe[ContextWindow] = None


class SessionClosed(ServerNotice):
    """The end. Session and usage may be missing, so that an odd ending is still an ending."""

    type: Literal["session.closed"] = "session.closed"
    reason: str
    session: Maybe[SessionResource] = None
    usage: Maybe[SessionUsage] = None


class ErrorDetail(LenientModel):
    """Why a command was refused. ``code`` and ``param`` may be null on the wire."""

    type: str
    code: str | None = None
    message: str
    param: str | None = None
    client_event_id: Maybe[str] = None


class ErrorEvent(ServerNotice):
    type: Literal["error"] = "error"
    error: ErrorDetail


class InfoEvent(ServerNotice):
    type: Literal["info"] = "info"
    code: str
    message: str


class UnknownEvent(LenientModel):
    """An event of a kind this dialect does not know yet."""

    type: str
    event_id: Maybe[str] = None


type _KnownServerEvent = (
    SessionStarted
    | SessionUpdated
    | InputAudioMuted
    | InputAudioUnmuted
    | InstructionsAppended
    | ThinkingAppended
    | CommentaryAppended
    | OutputAudioDelta
    | InputTranscriptDelta
    | OutputTranscriptDelta
    | DelegationCreated
    | ResponseEvent
    | UsageUpdated
    | SessionClosed
    | ErrorEvent
    | InfoEvent
)
type ServerEvent = _KnownServerEvent | UnknownEvent


class MalformedKind(StrEnum):
    """In which way a message means nothing."""

    NOT_TEXT = "not_text"
    NOT_JSON = "not_json"
    NOT_AN_OBJECT = "not_an_object"
    UNKNOWN_TYPE = "unknown_type"
    UNKNOWN_FIELD = "unknown_field"
    MISSING_FIELD = "missing_field"
    WRONG_VALUE = "wrong_value"
    BAD_AUDIO = "bad_audio"


class MalformedMessage(HarnessError):  # noqa: N818 - it names what was received
    """A message that is not of the dialect.

    ``param`` is the path of the field at fault (``session.audio.format.rate``); ``event_id`` is the
    sender's own id of the message where it could be read.
    """

    def __init__(
        self,
        kind: MalformedKind,
        detail: str,
        *,
        param: str | None = None,
        event_id: str | None = None,
    ) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail
        self.param = param
        self.event_id = event_id


def parse_client_event(text: str) -> ClientEvent:
    """Read one message of a client; :class:`MalformedMessage` when it is not exactly one."""
    return _parse(_CLIENT, text)


def parse_server_event(text: str) -> ServerEvent:
    """Read one message of a service; an unknown kind is an :class:`UnknownEvent`."""
    return _parse(_SERVER, text)


def encode(event: ClientEvent | ServerEvent) -> str:
    """Write one message: compact JSON, and no null that the wire would not show."""
    return event.model_dump_json()


def encoded_append(samples: bytes) -> str:
    """An :class:`InputAudioAppend` of these samples as :func:`encode` writes it.

    It is by far the most frequent message, and base64 holds nothing that JSON would escape.
    """
    return f"{_APPEND_BEGINS}{encode_audio(samples)}{_APPEND_ENDS}"


def appended_samples(text: str) -> bytes | None:
    """The samples of an append written as :func:`encoded_append` writes it, to the letter.

    Nothing where more is to be found out: whether it is another event, or in what way it is none.
    """
    is_alike = text.startswith(_APPEND_BEGINS) and text.endswith(_APPEND_ENDS)
    if not is_alike or len(text) < len(_APPEND_BEGINS) + len(_APPEND_ENDS):
        return None
    try:
        return decode_audio(text[len(_APPEND_BEGINS) : -len(_APPEND_ENDS)])
    except MalformedMessage:
        return None


def encode_audio(samples: bytes) -> str:
    return base64.b64encode(samples).decode("ascii")


def decode_audio(text: str) -> bytes:
    """Bytes of an ``audio`` or ``delta`` field. Whether they are whole samples is not checked."""
    try:
        return binascii.a2b_base64(text, strict_mode=True)
    except (binascii.Error, ValueError) as error:
        raise MalformedMessage(MalformedKind.BAD_AUDIO, str(error), param="audio") from None


CLIENT_EVENT_TYPES = kinds_of(ClientEvent)

_CLIENT: TypeAdapter[ClientEvent] = TypeAdapter(Annotated[ClientEvent, Field(discriminator="type")])
_SERVER: TypeAdapter[ServerEvent] = TypeAdapter(
    Annotated[
        Annotated[_KnownServerEvent, Field(discriminator="type"), Tag("known")]
        | Annotated[UnknownEvent, Tag("other")],
        Discriminator(known_kinds(*kinds_of(_KnownServerEvent))),
    ]
)

_APPEND_BEGINS = '{"type":"session.input_audio.append","audio":"'
_APPEND_ENDS = '"}'
_TYPE_SHOWN = 80
_KIND_OF_FAULT = {
    "json_invalid": MalformedKind.NOT_JSON,
    "string_unicode": MalformedKind.NOT_JSON,
    "union_tag_not_found": MalformedKind.MISSING_FIELD,
    "missing": MalformedKind.MISSING_FIELD,
    "extra_forbidden": MalformedKind.UNKNOWN_FIELD,
}


def _parse[E](adapter: TypeAdapter[E], text: str) -> E:
    try:
        event = adapter.validate_json(text)
    except ValidationError as error:
        raise _malformed(error, text) from None
    # The parser reads NaN and Infinity, which are no JSON, unless it is told not to.
    try:
        from_json(text, allow_inf_nan=False)
    except ValueError:
        _refuse_constants(text)
    return event


def _refuse_constants(text: str) -> None:
    def refuse(name: str) -> object:
        raise MalformedMessage(MalformedKind.NOT_JSON, f"{name} is not JSON")

    json.loads(text, parse_constant=refuse)


def _malformed(error: ValidationError, text: str) -> MalformedMessage:
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    # A field that should not be there explains more than one that is missing because of it.
    fault = next((one for one in faults if one["type"] == "extra_forbidden"), faults[0])
    content = _object_in(text)
    if content is None and fault["type"] not in {"json_invalid", "string_unicode"}:
        return MalformedMessage(MalformedKind.NOT_AN_OBJECT, "a message is one JSON object")
    content = content or {}
    kind = _KIND_OF_FAULT.get(fault["type"], MalformedKind.WRONG_VALUE)
    path = _path(fault, content)
    if fault["type"] == "union_tag_not_found":
        path = f"{path}.type" if path else "type"
    detail = fault["msg"]
    if fault["type"] == "union_tag_invalid" and not path:
        kind, path = MalformedKind.UNKNOWN_TYPE, "type"
        detail = f"no such event type: {str(content.get('type'))[:_TYPE_SHOWN]!r}"
    event_id = content.get("event_id")
    return MalformedMessage(
        kind,
        detail,
        param=path or None,
        event_id=event_id if isinstance(event_id, str) else None,
    )


def _object_in(text: str) -> dict[str, object] | None:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _path(fault: ErrorDetails, content: object) -> str:
    """Where the fault is, in the sender's own words: without the names of our union's members."""
    path = ""
    last = len(fault["loc"]) - 1
    for depth, step in enumerate(fault["loc"]):
        if isinstance(step, int) and isinstance(content, list | tuple):
            path += f"[{step}]"
            content = content[step] if step < len(content) else None
        elif isinstance(content, dict) and step in content:
            path += f".{step}"
            content = content[step]
        elif depth == last and fault["type"] == "missing":
            path += f".{step}" if isinstance(step, str) else f"[{step}]"
    return path.lstrip(".")

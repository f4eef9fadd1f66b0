"""The contract between the harness and an application that runs elsewhere: every message, as types.

Both directions are closed: a key, a type or a value that is not here is refused. What a message
may say *now* is the machines' business (``remote`` on our end, ``service_session`` on the other).
``remote-application.schema.json`` beside this module is made from it, and
``docs/remote-application.md`` says how it is used. Times are whole milliseconds of the session.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, JsonValue, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from assistants.frontend.wire import JsonDict, Maybe, StrictModel
from shared.errors import HarnessError
from shared.strict_json import JsonSyntaxError, parse

VERSION: Final = 1
MESSAGE_BYTES_MAX: Final = 256 * 1024
"""Of one message, in UTF-8, either way."""
ID_MAX: Final = 256
TEXT_MAX: Final = 16_384
"""Characters of what is to be said, and of an error."""
ITEMS_MAX: Final = 128
WHOLE_MAX: Final = 2**53 - 1
"""The largest whole number that every reader of JSON holds."""


def _worded(text: str) -> str:
    """The text, unless it is blank by any reckoning."""
    if not text.strip():
        raise ValueError("blank")
    return text


Id = Annotated[str, Field(min_length=1, max_length=ID_MAX)]
Milliseconds = Annotated[int, Field(ge=0, le=WHOLE_MAX)]
Count = Annotated[int, Field(ge=0, le=WHOLE_MAX)]
Said = Annotated[str, Field(pattern=r"\S", max_length=TEXT_MAX), AfterValidator(_worded)]
CODE = r"^[A-Za-z0-9_.-]{1,64}$"
Code = Annotated[str, Field(pattern=CODE)]


# from the harness to the application


class TextPart(StrictModel):
    type: Literal["input_text", "output_text"]
    text: str


class HistoryItem(StrictModel):
    """A message of the conversation that went before; exactly one part of text."""

    type: Literal["message"]
    role: Literal["user", "assistant"]
    content: tuple[TextPart]


class SessionConfigure(StrictModel):
    """The first message of all."""

    type: Literal["session.configure"] = "session.configure"
    version: Literal[1]
    initial_items: Annotated[tuple[HistoryItem, ...], Field(max_length=ITEMS_MAX)]


class InputTranscript(StrictModel):
    """A fragment of what the caller said, ``[start_ms, end_ms)``."""

    type: Literal["session.input_transcript.delta"] = "session.input_transcript.delta"
    event_id: Maybe[Id] = None
    start_ms: Milliseconds
    end_ms: Milliseconds
    delta: str


class OutputTranscript(StrictModel):
    """A fragment of what the voice says, ``[start_ms, end_ms)``."""

    type: Literal["session.output_transcript.delta"] = "session.output_transcript.delta"
    event_id: Maybe[Id] = None
    start_ms: Milliseconds
    end_ms: Milliseconds
    delta: str


class Delegation(StrictModel):
    id: Id
    target: Literal["client"]


class DelegationCreated(StrictModel):
    """The voice hands work over, without words: the conversation holds them."""

    type: Literal["session.delegation.created"] = "session.delegation.created"
    event_id: Maybe[Id] = None
    offset_ms: Milliseconds
    delegation: Delegation


class SessionEnded(StrictModel):
    """The call is over; the last event."""

    type: Literal["session.closed"] = "session.closed"
    reason: Annotated[str, Field(max_length=ID_MAX)]


type ForwardedEvent = InputTranscript | OutputTranscript | DelegationCreated | SessionEnded


class LiveEvent(StrictModel):
    """Something that happened in the call."""

    type: Literal["live.event"] = "live.event"
    event: Annotated[ForwardedEvent, Field(discriminator="type")]


# from the application to the harness


class SessionReady(StrictModel):
    """The answer to ``session.configure``; the state, where it is told, as it is now."""

    type: Literal["session.ready"] = "session.ready"
    version: Literal[1]
    application_state: Maybe[JsonDict] = None


class HandedOver(StrictModel):
    """The application's backend was given a delegation; ``news`` is what it had not known yet."""

    type: Literal["client_delegation.handoff"] = "client_delegation.handoff"
    delegation_id: Id
    news: str


class DelegationCompleted(StrictModel):
    type: Literal["client_delegation.completed"] = "client_delegation.completed"
    delegation_id: Id


class DelegationFailed(StrictModel):
    type: Literal["client_delegation.failed"] = "client_delegation.failed"
    delegation_id: Id


class DelegationSuperseded(StrictModel):
    """Another delegation took its place, so nothing will be said about it."""

    type: Literal["client_delegation.superseded"] = "client_delegation.superseded"
    delegation_id: Id


class ToolWasCalled(StrictModel):
    """``arguments`` is the JSON text as the model wrote it, broken or not."""

    type: Literal["tool.called"] = "tool.called"
    call_id: Id
    name: Id
    arguments: str
    delegation_id: Id
    response_id: Maybe[Id] = None


class ToolCompleted(StrictModel):
    """A call's outcome, and the application's state right after it."""

    type: Literal["tool.completed"] = "tool.completed"
    call_id: Id
    result: JsonValue
    application_state: Maybe[JsonDict] = None


class ToolFailed(StrictModel):
    """The call was refused or broke; ``error`` is what the model was told."""

    type: Literal["tool.failed"] = "tool.failed"
    call_id: Id
    error: Annotated[str, Field(max_length=TEXT_MAX)]
    application_state: Maybe[JsonDict] = None


class InputTokens(StrictModel):
    cached_tokens: Maybe[Count] = None
    cache_write_tokens: Maybe[Count] = None


class OutputTokens(StrictModel):
    reasoning_tokens: Maybe[Count] = None


class Usage(StrictModel):
    """Tokens of one response; leave out what is not known."""

    input_tokens: Maybe[Count] = None
    input_tokens_details: Maybe[InputTokens] = None
    output_tokens: Maybe[Count] = None
    output_tokens_details: Maybe[OutputTokens] = None
    total_tokens: Maybe[Count] = None


class ResponseCreated(StrictModel):
    """A model began to work on a delegation."""

    type: Literal["response.created"] = "response.created"
    response_id: Id
    delegation_id: Id
    previous_response_id: Maybe[Id] = None


class ResponseText(StrictModel):
    """The final text of a response."""

    type: Literal["response.text"] = "response.text"
    response_id: Id
    delegation_id: Id
    item_id: Maybe[Id] = None
    text: str


class _ResponseEnded(StrictModel):
    response_id: Id
    delegation_id: Id
    model: Maybe[Id] = None
    usage: Maybe[Usage] = None
    code: Maybe[Code] = None


class ResponseCompleted(_ResponseEnded):
    type: Literal["response.completed"] = "response.completed"


class ResponseFailed(_ResponseEnded):
    type: Literal["response.failed"] = "response.failed"


class ResponseIncomplete(_ResponseEnded):
    type: Literal["response.incomplete"] = "response.incomplete"


type ResponseEnded = ResponseCompleted | ResponseFailed | ResponseIncomplete
type ReportedEvent = (
    HandedOver
    | DelegationCompleted
    | DelegationFailed
    | DelegationSuperseded
    | ToolWasCalled
    | ToolCompleted
    | ToolFailed
    | ResponseCreated
    | ResponseText
    | ResponseCompleted
    | ResponseFailed
    | ResponseIncomplete
)


class AssistantEvent(StrictModel):
    """What the application did, for the record alone."""

    type: Literal["assistant.event"] = "assistant.event"
    event: Annotated[ReportedEvent, Field(discriminator="type")]


class CommentaryAppend(StrictModel):
    """What the caller is to be told about a delegation."""

    type: Literal["session.commentary.append"] = "session.commentary.append"
    delegation_id: Id
    content: Said


class ThinkingAppend(StrictModel):
    """What the voice should know about a delegation and not say."""

    type: Literal["session.thinking.append"] = "session.thinking.append"
    delegation_id: Id
    content: Said


class LiveSend(StrictModel):
    """Something for the voice."""

    type: Literal["live.send"] = "live.send"
    event: Annotated[CommentaryAppend | ThinkingAppend, Field(discriminator="type")]


class SessionClosed(StrictModel):
    """The application is through; the answer to the event ``session.closed``, and the last."""

    type: Literal["session.closed"] = "session.closed"


class ErrorDetail(StrictModel):
    code: Code
    message: Annotated[str, Field(max_length=TEXT_MAX)]


class SessionError(StrictModel):
    """The application gives the session up."""

    type: Literal["error"] = "error"
    error: ErrorDetail


type MessageToApplication = Annotated[SessionConfigure | LiveEvent, Field(discriminator="type")]
type MessageToHarness = Annotated[
    SessionReady | AssistantEvent | LiveSend | SessionClosed | SessionError,
    Field(discriminator="type"),
]

TO_APPLICATION: TypeAdapter[SessionConfigure | LiveEvent] = TypeAdapter(MessageToApplication)
TO_HARNESS: TypeAdapter[SessionReady | AssistantEvent | LiveSend | SessionClosed | SessionError] = (
    TypeAdapter(MessageToHarness)
)


class BrokenContractError(HarnessError):
    """A message that is not of the contract, or not allowed now. The text holds nothing of it."""


def message_to_application(message: str | bytes) -> SessionConfigure | LiveEvent:
    """Read one message of the harness."""
    return _read(TO_APPLICATION, message)


def message_to_harness(
    message: str | bytes,
) -> SessionReady | AssistantEvent | LiveSend | SessionClosed | SessionError:
    """Read one message of an application."""
    return _read(TO_HARNESS, message)


def encode(message: StrictModel) -> str:
    """Write one message, without the keys that have no value."""
    return message.model_dump_json()


def is_too_long(message: str | bytes) -> bool:
    """Whether a message is over the limit."""
    if isinstance(message, str) and len(message) <= MESSAGE_BYTES_MAX:
        message = message.encode("utf-8", "replace")
    return len(message) > MESSAGE_BYTES_MAX


def _read[M](adapter: TypeAdapter[M], message: str | bytes) -> M:
    if is_too_long(message):
        raise BrokenContractError(f"a message over {MESSAGE_BYTES_MAX} bytes")
    if isinstance(message, bytes):
        raise BrokenContractError("a binary message")
    try:
        document = parse(message)
    except JsonSyntaxError:
        raise BrokenContractError("a message that is not JSON") from None
    if document.flaws or not isinstance(document.value, dict):
        raise BrokenContractError("a message that is not one sound JSON object")
    try:
        return adapter.validate_json(message)
    except ValidationError as error:
        raise BrokenContractError(_told(error)) from None


_MODELS = [
    one for one in globals().values() if isinstance(one, type) and issubclass(one, StrictModel)
]
_NAMES = frozenset(name for model in _MODELS for name in model.model_fields)
_KINDS = frozenset(
    str(model.model_fields["type"].default) for model in _MODELS if "type" in model.model_fields
)
_IN_OTHER_WORDS = {
    "union_tag_invalid": "no such type",
    "union_tag_not_found": "a type is missing",
    "extra_forbidden": "a key that the contract does not have",
}


def _told(error: ValidationError) -> str:
    """Which field is wrong and how, in our own words: those of the sender may hold anything."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    # A key that should not be there explains more than one that is missing because of it.
    fault = next((one for one in faults if one["type"] == "extra_forbidden"), faults[0])
    what = _IN_OTHER_WORDS.get(fault["type"], fault["msg"])
    return f"a message in which {_where(fault)} is wrong: {what}"


def _where(fault: ErrorDetails) -> str:
    steps = fault["loc"][:-1] if fault["type"] == "extra_forbidden" else fault["loc"]
    kinds = [step for step in steps if step in _KINDS]
    names = [str(step) for step in steps if step in _NAMES and step not in _KINDS]
    path = ".".join(names) or "the whole"
    return f"{path} of {kinds[-1]}" if kinds else path

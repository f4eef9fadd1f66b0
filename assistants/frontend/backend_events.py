"""Events of a delegated backend response, which the session carries inside ``response.event``.

Only the kinds we act on are typed; any other kind is an :class:`OtherBackendEvent`. Sequence
numbers restart at 0 with every response. Snapshots of a response are trimmed by the service: no
output, no tools, no instructions; content is in the granular events only.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Discriminator, Field, JsonValue, Tag

from assistants.frontend.wire import JsonDict, LenientModel, Maybe, kinds_of, known_kinds
from shared.observability.reported_usage import ReportedUsage


class BackendError(LenientModel):
    code: str | None = None
    message: str | None = None


class IncompleteDetails(LenientModel):
    reason: str | None = None


class ResponseSnapshot(LenientModel):
    """The state of one response, trimmed as the service trims it (times in unix seconds)."""

    id: str
    object: str = "response"
    created_at: int | float | None = None
    status: str
    background: bool | None = False
    completed_at: int | float | None = None
    error: BackendError | None = None
    incomplete_details: IncompleteDetails | None = None
    instructions: JsonValue = None
    max_output_tokens: int | None = None
    model: str | None = None
    output: tuple[JsonDict, ...] = ()
    parallel_tool_calls: bool | None = True
    previous_response_id: str | None = None
    prompt_cache_key: Maybe[str] = None
    reasoning: JsonDict | None = None
    service_tier: str | None = "default"
    store: bool | None = True
    temperature: int | float | None = 1.0
    text: JsonDict | None = None
    tool_choice: JsonValue = "auto"
    tools: tuple[JsonDict, ...] = ()
    usage: ReportedUsage | None = None
    metadata: JsonDict | None = None


class OutputText(LenientModel):
    type: Literal["output_text"] = "output_text"
    text: str
    annotations: tuple[JsonDict, ...] = ()
    logprobs: tuple[JsonDict, ...] = ()


class Refusal(LenientModel):
    type: Literal["refusal"] = "refusal"
    refusal: str


class OtherPart(LenientModel):
    type: str


ContentPart = Annotated[
    Annotated[OutputText | Refusal, Field(discriminator="type"), Tag("known")]
    | Annotated[OtherPart, Tag("other")],
    Discriminator(known_kinds("output_text", "refusal")),
]


class FunctionCall(LenientModel):
    """A call as the backend model made it; ``arguments`` is its own JSON text, broken or not."""

    id: Maybe[str] = None
    type: Literal["function_call"] = "function_call"
    status: Maybe[str] = None
    arguments: str
    call_id: str
    name: str

    @property
    def is_made(self) -> bool:
        """Whether it is whole, so that its tool should run."""
        return self.status in {None, "completed"}


class BackendMessage(LenientModel):
    id: str
    type: Literal["message"] = "message"
    role: str = "assistant"
    status: Maybe[str] = None
    phase: Maybe[str] = None
    content: tuple[ContentPart, ...] = ()


class OtherItem(LenientModel):
    type: str


OutputItem = Annotated[
    Annotated[FunctionCall | BackendMessage, Field(discriminator="type"), Tag("known")]
    | Annotated[OtherItem, Tag("other")],
    Discriminator(known_kinds("function_call", "message")),
]


class ResponseCreated(LenientModel):
    type: Literal["response.created"] = "response.created"
    response: ResponseSnapshot
    sequence_number: int


class ResponseInProgress(LenientModel):
    type: Literal["response.in_progress"] = "response.in_progress"
    response: ResponseSnapshot
    sequence_number: int


class ResponseCompleted(LenientModel):
    type: Literal["response.completed"] = "response.completed"
    response: ResponseSnapshot
    sequence_number: int


class ResponseFailed(LenientModel):
    type: Literal["response.failed"] = "response.failed"
    response: ResponseSnapshot
    sequence_number: int


class ResponseIncomplete(LenientModel):
    type: Literal["response.incomplete"] = "response.incomplete"
    response: ResponseSnapshot
    sequence_number: int


class OutputItemAdded(LenientModel):
    type: Literal["response.output_item.added"] = "response.output_item.added"
    output_index: int
    item: OutputItem
    sequence_number: int


class OutputItemDone(LenientModel):
    type: Literal["response.output_item.done"] = "response.output_item.done"
    output_index: int
    item: OutputItem
    sequence_number: int


class ArgumentsDelta(LenientModel):
    type: Literal["response.function_call_arguments.delta"] = (
        "response.function_call_arguments.delta"
    )
    item_id: str
    output_index: int
    delta: str
    obfuscation: Maybe[str] = None
    sequence_number: int


class ArgumentsDone(LenientModel):
    """All arguments of a call. Carries neither call id nor name: act on the item, not on this."""

    type: Literal["response.function_call_arguments.done"] = "response.function_call_arguments.done"
    item_id: str
    output_index: int
    arguments: str
    sequence_number: int


class ContentPartAdded(LenientModel):
    type: Literal["response.content_part.added"] = "response.content_part.added"
    item_id: str
    output_index: int
    content_index: int
    part: ContentPart
    sequence_number: int


class ContentPartDone(LenientModel):
    type: Literal["response.content_part.done"] = "response.content_part.done"
    item_id: str
    output_index: int
    content_index: int
    part: ContentPart
    sequence_number: int


class OutputTextDelta(LenientModel):
    type: Literal["response.output_text.delta"] = "response.output_text.delta"
    item_id: str
    output_index: int
    content_index: int
    delta: str
    logprobs: tuple[JsonDict, ...] = ()
    obfuscation: Maybe[str] = None
    sequence_number: int


class OutputTextDone(LenientModel):
    type: Literal["response.output_text.done"] = "response.output_text.done"
    item_id: str
    output_index: int
    content_index: int
    text: str
    logprobs: tuple[JsonDict, ...] = ()
    sequence_number: int


class OtherBackendEvent(LenientModel):
    """A kind of backend event that nothing here acts on."""

    type: str
    sequence_number: int | None = None


type _KnownBackendEvent = (
    ResponseCreated
    | ResponseInProgress
    | ResponseCompleted
    | ResponseFailed
    | ResponseIncomplete
    | OutputItemAdded
    | OutputItemDone
    | ArgumentsDelta
    | ArgumentsDone
    | ContentPartAdded
    | ContentPartDone
    | OutputTextDelta
    | OutputTextDone
)
BackendEvent = Annotated[
    Annotated[_KnownBackendEvent, Field(discriminator="type"), Tag("known")]
    | Annotated[OtherBackendEvent, Tag("other")],
    Discriminator(known_kinds(*kinds_of(_KnownBackendEvent))),
]
BACKEND_EVENTS: tuple[type[LenientModel], ...] = (
    *_KnownBackendEvent.__value__.__args__,
    OtherBackendEvent,
)
"""The class of every backend event."""

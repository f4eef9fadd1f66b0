"""What a client may ask of a session at its start, and later change: our closed copy of the schema.

Read strictly, so a field the service would refuse is refused here too. Rules that need more than
one field (which tools exist, what may change) are the machines' business.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from assistants.frontend.wire import JsonDict, LenientModel, Maybe, StrictModel
from shared.values import JsonValue

HISTORY_MESSAGES_MAX = 128
OUTPUT_TOKENS_MIN = 16
CUSTOM_VOICE_PREFIX = "voice_"

type Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]


class PcmFormat(StrictModel):
    type: Literal["audio/pcm"] = "audio/pcm"
    rate: Literal[24000, 16000] = 24000


class G711Format(StrictModel):
    type: Literal["audio/pcmu", "audio/pcma"]
    rate: Literal[8000]


class CustomVoice(StrictModel):
    id: Annotated[str, Field(min_length=1)]


def voice_named(name: str) -> JsonValue:
    """A voice as a session's start asks for it: a custom one goes by its id."""
    return {"id": name} if name.startswith(CUSTOM_VOICE_PREFIX) else name


class AudioOutput(StrictModel):
    voice: Maybe[Annotated[str, Field(min_length=1)] | CustomVoice] = None


class AudioConfig(StrictModel):
    format: Maybe[Annotated[PcmFormat | G711Format, Field(discriminator="type")]] = None
    output: Maybe[AudioOutput] = None


class FunctionTool(StrictModel):
    """A tool of the client's; ``parameters`` is a JSON Schema."""

    type: Literal["function"] = "function"
    name: Annotated[str, Field(min_length=1)]
    description: Maybe[str] = None
    parameters: Maybe[JsonDict] = None
    strict: Maybe[bool] = None


class HostedTool(LenientModel):
    """A tool the service runs itself. Accepted and kept as sent; nothing here looks inside."""

    model_config = ConfigDict(extra="allow")

    type: Literal[
        "web_search",
        "file_search",
        "code_interpreter",
        "shell",
        "image_generation",
        "mcp",
        "custom",
        "namespace",
        "tool_search",
        "programmatic_tool_calling",
        "computer",
        "apply_patch",
    ]


type Tool = Annotated[FunctionTool | HostedTool, Field(discriminator="type")]


class FunctionChoice(StrictModel):
    type: Literal["function"] = "function"
    name: str


class Reasoning(StrictModel):
    effort: Maybe[Effort] = None
    summary: Maybe[Literal["concise", "detailed", "auto"]] = None


class TextConfig(StrictModel):
    verbosity: Maybe[Literal["low", "medium", "high"]] = None


class ResponsesUpdate(StrictModel):
    """Backend settings as an update carries them: what is absent stays as it is."""

    model: Maybe[Annotated[str, Field(min_length=1)]] = None
    instructions: Maybe[str] = None
    max_output_tokens: Maybe[Annotated[int, Field(ge=OUTPUT_TOKENS_MIN)]] = None
    parallel_tool_calls: Maybe[bool] = None
    reasoning: Maybe[Reasoning] = None
    service_tier: Maybe[
        Literal["auto", "default", "fast_tier_temp_pilot", "flex", "priority", "ultrafast"]
    ] = None
    text: Maybe[TextConfig] = None
    tool_choice: Maybe[Literal["auto", "none", "required"] | FunctionChoice] = None
    tools: Maybe[tuple[Tool, ...]] = None


class ResponsesConfig(ResponsesUpdate):
    """Backend settings at the start, where the model is required."""

    model: Annotated[str, Field(min_length=1)]


class ClientDelegation(StrictModel):
    """The client's own application does the delegated work."""

    type: Literal["client"] = "client"
    acknowledgement_delay_ms: Maybe[Annotated[int, Field(ge=0)]] = None


class ResponsesDelegation(StrictModel):
    """The service runs a backend model; the client runs its tools."""

    type: Literal["responses"] = "responses"
    acknowledgement_delay_ms: Maybe[Annotated[int, Field(ge=0)]] = None
    responses: ResponsesConfig


class ResponsesDelegationUpdate(StrictModel):
    type: Literal["responses"] = "responses"
    acknowledgement_delay_ms: Maybe[Annotated[int, Field(ge=0)]] = None
    responses: Maybe[ResponsesUpdate] = None


type Delegation = Annotated[ClientDelegation | ResponsesDelegation, Field(discriminator="type")]
type DelegationUpdate = Annotated[
    ClientDelegation | ResponsesDelegationUpdate, Field(discriminator="type")
]


class InputText(StrictModel):
    text: str
    type: Maybe[Literal["input_text"]] = None


class AssistantText(StrictModel):
    text: str
    type: Maybe[Literal["text", "output_text"]] = None


class _HistoryMessage(StrictModel):
    type: Maybe[Literal["message"]] = None
    id: Maybe[str] = None
    status: Maybe[Literal["incomplete", "completed"]] = None


class HeardMessage(_HistoryMessage):
    """A past message of the other party or of the developer; exactly one text part."""

    role: Literal["developer", "user"]
    content: tuple[InputText]


class SpokenMessage(_HistoryMessage):
    """A past message of the assistant; exactly one text part."""

    role: Literal["assistant"] = "assistant"
    content: tuple[AssistantText]


type HistoryMessage = Annotated[HeardMessage | SpokenMessage, Field(discriminator="role")]


class SessionConfig(StrictModel):
    """The ``session`` of ``session.start``."""

    model: Annotated[str, Field(min_length=1)]
    instructions: Maybe[str] = None
    audio: Maybe[AudioConfig] = None
    delegation: Maybe[Delegation] = None
    input: Maybe[Annotated[tuple[HistoryMessage, ...], Field(max_length=HISTORY_MESSAGES_MAX)]] = (
        None
    )
    store: Maybe[bool] = None
    safety_identifier: Maybe[str] = None


class SessionChange(StrictModel):
    """The ``session`` of ``session.update``: of all settings only the delegation may change."""

    delegation: Maybe[DelegationUpdate] = None


class SessionResource(LenientModel):
    """A session as the service describes it. ``expires_at`` is in unix seconds.

    The settings inside are kept as free JSON: they are the service's resolved copy and may hold
    more than a client may send.
    """

    id: str
    expires_at: int
    model: str
    instructions: Maybe[str] = None
    audio: Maybe[JsonDict] = None
    delegation: Maybe[JsonDict] = None
    status: str
    input: Maybe[tuple[JsonDict, ...]] = None
    store: Maybe[bool] = None
    safety_identifier: Maybe[str] = None

"""The vocabulary of things that happened in an attempt.

Each kind is a frozen record with the stamp of its receipt. Consumers ask the evidence for the kinds
they need; nobody switches over all of them, so a new kind disturbs no one. The order of a list of
observations is the order of receipt, live and in replay.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from shared.clock import Stamp
from shared.values import JsonObject, JsonValue


class Speaker(StrEnum):
    CALLER = "caller"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Observation:
    """One stamped fact."""

    stamp: Stamp


@dataclass(frozen=True, slots=True)
class SessionOpened(Observation):
    session_id: str
    model: str


@dataclass(frozen=True, slots=True)
class AudioReceived(Observation):
    """A piece of audio and where it was placed on the caller's track.

    ``late_ms`` is how much later than its place it arrived (negative: earlier). ``is_stall`` says
    that it came so late that it started a new anchor.

    Where a playout buffer feeds the other party, it is noted once it was played, so in the order of
    playing; its stamp stays that of its receipt. It was played ``held_ms`` later than if that had
    been done on arrival, less ``dropped_samples`` of silence that were left out. Audio that was
    placed by its arrival, or of which nothing was played, was not held.
    """

    start_sample: int
    samples: int
    late_ms: float
    is_stall: bool
    held_ms: float | None = None
    dropped_samples: int = 0


@dataclass(frozen=True, slots=True)
class Caption(Observation):
    """A transcript fragment, verbatim, with the provider's own span."""

    speaker: Speaker
    text: str
    start_ms: int
    end_ms: int


@dataclass(frozen=True, slots=True)
class DelegationBegan(Observation):
    """Work handed from the voice to a backend. The stamp's provider time is its offset."""

    delegation_id: str
    target: str
    response_id: str | None


@dataclass(frozen=True, slots=True)
class ResponseBegan(Observation):
    response_id: str
    delegation_id: str | None
    previous_response_id: str | None


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """What one backend response consumed; a figure the provider did not give is absent."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None


class ResponseStatus(StrEnum):
    COMPLETED = "completed"
    FAILED = "failed"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True, slots=True)
class ResponseEnded(Observation):
    response_id: str
    delegation_id: str | None
    status: ResponseStatus
    model: str | None
    usage: TokenUsage | None
    detail: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class BackendText(Observation):
    """Final text of one backend message item."""

    response_id: str | None
    delegation_id: str | None
    item_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolCalled(Observation):
    """A completed call as the model produced it; no ``arguments`` when their JSON is broken."""

    call_id: str
    name: str
    raw_arguments: str
    arguments: JsonObject | None
    response_id: str | None
    delegation_id: str | None


class ToolStatus(StrEnum):
    COMPLETED = "completed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ToolReturned(Observation):
    """The one outcome of a call, and the application's state right after it."""

    call_id: str
    name: str
    status: ToolStatus
    output: JsonValue
    state: JsonObject


@dataclass(frozen=True, slots=True)
class WorkContinued(Observation):
    """All outputs of a response were sent back and the backend was asked to go on."""

    response_id: str
    delegation_id: str | None


@dataclass(frozen=True, slots=True)
class ContinuationRefused(Observation):
    """The provider could not use a round's outputs: no response will follow this one."""

    response_id: str
    delegation_id: str | None


class DelegationOutcome(StrEnum):
    COMPLETED = "completed"
    FAILED = "failed"
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class HandedOver(Observation):
    """A delegation was put before the application's own backend. ``news`` is what the conversation
    held by then that no earlier handoff of the session had told."""

    delegation_id: str
    news: str


@dataclass(frozen=True, slots=True)
class DelegationEnded(Observation):
    """The application's own report of how its work on a delegation ended. The only end there is:
    nothing on the wire closes a delegation to the client."""

    delegation_id: str
    outcome: DelegationOutcome
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class ResultHeldBack(Observation):
    """A result that came when nobody wanted it any more; the session was not told of it."""

    delegation_id: str
    text: str
    reason: str


class AppendIntent(StrEnum):
    INSTRUCTIONS = "instructions"
    THINKING = "thinking"
    COMMENTARY = "commentary"


@dataclass(frozen=True, slots=True)
class ContextSent(Observation):
    """One piece of text for the session's context: guidance, silent context, something to say."""

    client_event_id: str
    intent: AppendIntent
    text: str
    delegation_id: str | None


@dataclass(frozen=True, slots=True)
class ContextAppended(Observation):
    """An append was accepted into the session's context; that does not mean it was spoken."""

    client_event_id: str | None


@dataclass(frozen=True, slots=True)
class CommandRejected(Observation):
    """The provider refused one command; the session goes on."""

    code: str | None
    message: str
    param: str | None
    client_event_id: str | None


@dataclass(frozen=True, slots=True)
class Faulted(Observation):
    """The other side sent something that means nothing in the dialect."""

    kind: str
    detail: str


@dataclass(frozen=True, slots=True)
class UsageReported(Observation):
    seconds: float


@dataclass(frozen=True, slots=True)
class SessionClosed(Observation):
    """The provider's own end of the session. ``seconds`` is the final, cumulative usage."""

    reason: str
    seconds: float | None


@dataclass(frozen=True, slots=True)
class ConnectionLost(Observation):
    """The connection ended without the provider having closed the session."""

    code: int | None
    detail: str


KINDS: tuple[type[Observation], ...] = (
    SessionOpened,
    AudioReceived,
    Caption,
    DelegationBegan,
    ResponseBegan,
    ResponseEnded,
    BackendText,
    ToolCalled,
    ToolReturned,
    WorkContinued,
    ContinuationRefused,
    HandedOver,
    DelegationEnded,
    ResultHeldBack,
    ContextSent,
    ContextAppended,
    CommandRejected,
    Faulted,
    UsageReported,
    SessionClosed,
    ConnectionLost,
)

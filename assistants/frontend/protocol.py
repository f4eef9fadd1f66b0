"""The client's end of one GPT Live session, as a machine without sockets or clocks.

Theory of operation. IDLE sends ``session.start`` and is STARTING; ``session.started`` makes it
ACTIVE, and any error before that refuses it. ACTIVE streams the caller's track, 20 ms at a time,
without a break, and takes in whatever comes; a rejected command or a message that means nothing is
an observation and ends nothing, but more than the intake's limits ends the session. ``close`` makes
it CLOSING until ``session.closed`` arrives or is given up. CLOSED is the end. A session that ends
without our asking has failed; what it observed stays.

Positions: an observation's media time is the caller audio handed over so far, the frame being sent
included, so that what answers a frame lies at that frame's end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol

from assistants.frontend.appends import pieces
from assistants.frontend.backend_events import BackendEvent
from assistants.frontend.events import (
    ClientEvent,
    CommentaryAppend,
    CommentaryAppended,
    DelegationCreated,
    ErrorEvent,
    InputTranscriptDelta,
    InstructionsAppend,
    InstructionsAppended,
    MalformedMessage,
    OutputAudioDelta,
    OutputTranscriptDelta,
    ResponseCreate,
    ResponseEvent,
    ResponseItemCreate,
    ServerEvent,
    SessionClose,
    SessionClosed,
    SessionStart,
    SessionStarted,
    SessionUsage,
    ThinkingAppend,
    ThinkingAppended,
    UnknownEvent,
    UsageUpdated,
    decode_audio,
    encode,
    encoded_append,
    parse_server_event,
)
from assistants.frontend.intake import Intake, IntakeLimits
from assistants.frontend.session_config import SessionConfig
from assistants.tool_result import ToolResult
from shared.clock import Stamp
from shared.errors import AttemptError, Stage
from shared.observability.observations import (
    AppendIntent,
    Caption,
    CommandRejected,
    ConnectionLost,
    ContextAppended,
    ContextSent,
    DelegationBegan,
    Faulted,
    Observation,
    SessionOpened,
    Speaker,
    ToolCalled,
    ToolReturned,
    UsageReported,
    WorkContinued,
)
from shared.observability.observations import SessionClosed as SessionEnded
from shared.participant import AudioArrived, CloseRequest

SAMPLES_PER_MS = 24
LONGEST_SESSION_S = 1_000_000
BYTES_PER_SAMPLE = 2
HANDOFF_INCOMPLETE = "Responses handoff incomplete."
"""The one error known by its message alone: it has no code (and often names no command)."""

_ANSWERS_TO_START = (SessionStarted, SessionClosed, ErrorEvent)


class State(Enum):
    IDLE = auto()
    STARTING = auto()
    ACTIVE = auto()
    CLOSING = auto()
    CLOSED = auto()


@dataclass(frozen=True, slots=True)
class Deadlines:
    """How long the provider may take to answer the two commands that need an answer."""

    start_us: int = 20_000_000
    close_us: int = 15_000_000


_APPENDS: Mapping[
    AppendIntent, type[InstructionsAppend] | type[ThinkingAppend] | type[CommentaryAppend]
] = {
    AppendIntent.INSTRUCTIONS: InstructionsAppend,
    AppendIntent.THINKING: ThinkingAppend,
    AppendIntent.COMMENTARY: CommentaryAppend,
}


class DelegatedWork(Protocol):
    """The loop of backend responses and tool outputs behind a session."""

    def receive(
        self, event: BackendEvent, delegation_id: str | None, at: Stamp
    ) -> Iterable[Observation]: ...

    def returned(self, call_id: str, output: str) -> None: ...

    def continuations(
        self, at: Stamp
    ) -> Iterable[tuple[list[ResponseItemCreate | ResponseCreate], WorkContinued]]: ...

    def refused(
        self, client_event_id: str | None, at: Stamp, *, is_handoff: bool
    ) -> Iterable[Observation]: ...


class LiveSession:
    """One session from start to close. One object is one attempt; there is no reconnecting."""

    def __init__(
        self,
        config: SessionConfig,
        work: DelegatedWork,
        deadlines: Deadlines | None = None,
        limits: IntakeLimits | None = None,
    ) -> None:
        self._config = config
        self._work = work
        self._deadlines = deadlines or Deadlines()
        self._intake = Intake(limits or IntakeLimits())
        self._state = State.IDLE
        self._samples_sent = 0
        self._appends = 0
        self._deadline_us: int | None = None
        self._outgoing: list[str] = []
        self._observed: list[Observation] = []
        self._calls: list[ToolCalled] = []
        self._seen: set[int] = set()
        self._close_request: CloseRequest | None = None
        self.failure: AttemptError | None = None

    @property
    def state(self) -> State:
        return self._state

    # what the client does

    def start(self, at_us: int) -> None:
        """Ask for the session; the first message of all."""
        self._expect(State.IDLE, "start")
        self._state = State.STARTING
        self._deadline_us = at_us + self._deadlines.start_us
        self._send(SessionStart(event_id="start", session=self._config))

    def hear(self, frame: bytes) -> None:
        """Hand over the next samples of the caller's track. After the close nobody listens."""
        if self._state is not State.ACTIVE:
            return
        if len(frame) % BYTES_PER_SAMPLE:
            raise ValueError(f"a frame of {len(frame)} bytes splits a sample")
        self._samples_sent += len(frame) // BYTES_PER_SAMPLE
        self._outgoing.append(encoded_append(frame))

    def returned(self, call: ToolCalled, result: ToolResult, at_us: int) -> None:
        """Take the outcome of a call; the backend is answered once a response has all of its."""
        at = self.stamp(at_us)
        self._observed.append(
            ToolReturned(at, call.call_id, call.name, result.status, result.output, result.state)
        )
        self._work.returned(call.call_id, result.output_text)
        self._answer_backend(at_us)

    def append(
        self, intent: AppendIntent, content: str, at_us: int, delegation_id: str | None = None
    ) -> None:
        """Add to the session's context.

        ``delegation_id`` names a client delegation; without one the session as a whole is meant.
        Long content goes in several appends, in order.
        """
        self._expect(State.ACTIVE, "append to")
        kind, at = _APPENDS[intent], self.stamp(at_us)
        for piece in pieces(content):
            self._appends += 1
            event_id = f"append_{self._appends}"
            self._send(kind(event_id=event_id, content=piece, delegation_id=delegation_id))
            self._observed.append(ContextSent(at, event_id, intent, piece, delegation_id))

    def close(self, at_us: int) -> None:
        """Ask for the end of the session. Safe in every state; only an active one is asked."""
        if self._state is State.ACTIVE:
            self._state = State.CLOSING
            self._deadline_us = at_us + self._deadlines.close_us
            self._send(SessionClose(event_id="close"))
        elif self._state in {State.IDLE, State.STARTING}:
            self._end(CloseRequest(1000))

    def note(self, seen: Iterable[Observation]) -> None:
        """Put observations of this end's own on record, after what has been observed so far."""
        self._observed.extend(seen)

    def calls_to_run(self) -> list[ToolCalled]:
        """Drain the calls whose tools should run now, in order."""
        calls, self._calls = self._calls, []
        return calls

    def observed(self) -> list[Observation]:
        """Drain what was observed, in order of receipt."""
        observed, self._observed = self._observed, []
        return observed

    # the machine's shape

    def receive(self, message: str | bytes, at_us: int) -> None:
        if self._state is State.CLOSED:
            return
        at = self.stamp(at_us)
        event = self._parsed(message, at)
        self._refuse_excess(
            self._intake.message(len(message), is_audio=isinstance(event, OutputAudioDelta))
        )
        if event is None or self.state is State.CLOSED or self._is_copy(event, message):
            return
        if self._state is State.STARTING and not isinstance(event, _ANSWERS_TO_START):
            self._observed.append(Faulted(at, "before_start", event.type))
            return
        self._handle(event, at)

    def receive_eof(self, code: int | None, at_us: int) -> None:
        if self._state is State.CLOSED:
            return
        at = self.stamp(at_us)
        self._observed.append(ConnectionLost(at, code, f"in state {self._state.name.lower()}"))
        how = "without a close" if code is None else f"(close code {code})"
        if self._state is State.STARTING:
            self._fail(Stage.SESSION_START, f"connection lost before the session started {how}")
        elif self._state is State.ACTIVE:
            self._fail(Stage.RESPONSE_COLLECTION, f"connection lost in mid-session {how}")
        self._end(None)

    def wakes_at(self) -> int | None:
        return self._deadline_us

    def wake(self, at_us: int) -> None:
        if self._deadline_us is None or at_us < self._deadline_us:
            return
        if self._state is State.STARTING:
            waited_s = self._deadlines.start_us / 1e6
            self._fail(Stage.SESSION_START, f"no session.started within {waited_s:g} s")
        # A close that is never answered loses the final usage and nothing else.
        self._end(CloseRequest(1000))

    def messages_to_send(self) -> list[str]:
        outgoing, self._outgoing = self._outgoing, []
        return outgoing

    def closing(self) -> CloseRequest | None:
        return self._close_request

    # what the provider says

    def _parsed(self, message: str | bytes, at: Stamp) -> ServerEvent | None:
        if isinstance(message, bytes):
            self._observed.append(Faulted(at, "binary_message", f"{len(message)} bytes"))
            return None
        try:
            return parse_server_event(message)
        except MalformedMessage as error:
            self._observed.append(Faulted(at, str(error.kind), error.detail))
            return None

    def _is_copy(self, event: ServerEvent, message: str | bytes) -> bool:
        """Whether the very same event, by its id and every letter, has come before."""
        if isinstance(event, OutputAudioDelta) or event.event_id is None:
            return False
        digest = hash(message)
        is_copy = digest in self._seen
        self._seen.add(digest)
        return is_copy

    def _refuse_excess(self, excess: str | None) -> None:
        if excess is not None:
            self._fail(Stage.RESPONSE_COLLECTION, f"the provider sent {excess}")
            self._end(CloseRequest(1000))

    def _handle(self, event: ServerEvent, at: Stamp) -> None:
        match event:
            case OutputAudioDelta(delta=delta):
                self._audio(delta, at)
            case InputTranscriptDelta():
                self._caption(Speaker.CALLER, event, at)
            case OutputTranscriptDelta():
                self._caption(Speaker.ASSISTANT, event, at)
            case ResponseEvent():
                self._backend(event, at)
            case DelegationCreated(delegation=ref, offset_ms=offset_ms):
                stamp = Stamp(at.media_ms, at.wall_us, offset_ms)
                self._observed.append(DelegationBegan(stamp, ref.id, ref.target, ref.response_id))
            case SessionStarted():
                self._started(event, at)
            case SessionClosed():
                self._closed(event, at)
            case ErrorEvent():
                self._error(event, at)
            case UsageUpdated(usage=usage):
                self._usage(usage, at)
            case InstructionsAppended() | ThinkingAppended() | CommentaryAppended():
                stamp = Stamp(at.media_ms, at.wall_us, event.start_ms)
                self._observed.append(ContextAppended(stamp, event.client_event_id))
            case UnknownEvent(type=kind):
                self._observed.append(Faulted(at, "unknown_event", kind))
            case _:
                pass  # notices are in the trace; nothing rests on them

    def _started(self, event: SessionStarted, at: Stamp) -> None:
        if self._state is not State.STARTING:
            self._observed.append(Faulted(at, "started_again", event.session.id))
            return
        self._state = State.ACTIVE
        self._deadline_us = None
        self._observed.append(SessionOpened(at, event.session.id, event.session.model))

    def _closed(self, event: SessionClosed, at: Stamp) -> None:
        seconds = _seconds(event.usage) if event.usage is not None else None
        self._observed.append(SessionEnded(at, event.reason, seconds))
        if self._state is State.STARTING:
            self._fail(Stage.SESSION_START, f"closed before it started ({event.reason})")
        elif self._state is State.ACTIVE:
            self._fail(Stage.RESPONSE_COLLECTION, f"closed by the provider ({event.reason})")
        self._end(CloseRequest(1000))

    def _error(self, event: ErrorEvent, at: Stamp) -> None:
        error = event.error
        client_event_id = error.client_event_id or event.client_event_id
        self._observed.append(
            CommandRejected(at, error.code, error.message, error.param, client_event_id)
        )
        if self._state is State.STARTING:
            self._fail(Stage.SESSION_START, f"{error.code or error.type}: {error.message}")
            self._end(CloseRequest(1000))
            return
        is_handoff = error.message == HANDOFF_INCOMPLETE
        if is_handoff or client_event_id is not None:
            self._observed.extend(self._work.refused(client_event_id, at, is_handoff=is_handoff))

    def _usage(self, usage: SessionUsage, at: Stamp) -> None:
        seconds = _seconds(usage)
        if seconds is None:
            self._observed.append(Faulted(at, "wrong_value", "usage beyond any number"))
        else:
            self._observed.append(UsageReported(at, seconds))

    def _audio(self, delta: str, at: Stamp) -> None:
        try:
            samples = decode_audio(delta)
        except MalformedMessage as error:
            self._observed.append(Faulted(at, str(error.kind), error.detail))
            return
        if len(samples) % BYTES_PER_SAMPLE:
            self._observed.append(Faulted(at, "odd_audio", f"{len(samples)} bytes"))
            samples = samples[:-1]
        if samples and self._state is State.ACTIVE:
            self._observed.append(AudioArrived(at, samples))
            self._refuse_excess(self._intake.audio(len(samples), at.media_ms))

    def _caption(
        self, speaker: Speaker, event: InputTranscriptDelta | OutputTranscriptDelta, at: Stamp
    ) -> None:
        stamp = Stamp(at.media_ms, at.wall_us, event.start_ms)
        self._observed.append(Caption(stamp, speaker, event.delta, event.start_ms, event.end_ms))

    def _backend(self, event: ResponseEvent, at: Stamp) -> None:
        for seen in self._work.receive(event.event, event.delegation_id, at):
            if isinstance(seen, ToolCalled) and self._state is not State.ACTIVE:
                # Nobody listens any more, so nobody acts: the application stays as it was left.
                self._observed.append(Faulted(at, "late_call", f"{seen.name} after the close"))
                continue
            self._observed.append(seen)
            if isinstance(seen, ToolCalled):
                self._calls.append(seen)
        self._answer_backend(at.wall_us)

    def _answer_backend(self, at_us: int) -> None:
        if self._state is not State.ACTIVE:
            return
        for commands, continued in self._work.continuations(self.stamp(at_us)):
            for command in commands:
                self._send(command)
            self._observed.append(continued)

    def stamp(self, at_us: int) -> Stamp:
        """Where on the caller's track an instant lies."""
        return Stamp(self._samples_sent // SAMPLES_PER_MS, at_us)

    # bookkeeping

    def _send(self, event: ClientEvent) -> None:
        self._outgoing.append(encode(event))

    def _fail(self, stage: Stage, message: str) -> None:
        self.failure = AttemptError(stage, message)

    def _end(self, request: CloseRequest | None) -> None:
        self._state = State.CLOSED
        self._deadline_us = None
        self._close_request = request

    def _expect(self, state: State, what: str) -> None:
        if self._state is not state:
            raise RuntimeError(f"cannot {what} a session in state {self._state.name}")


def _seconds(usage: SessionUsage) -> float | None:
    """The seconds, or nothing where no session can have lasted as long."""
    is_possible = 0 <= usage.seconds <= LONGEST_SESSION_S
    return float(usage.seconds) if is_possible else None

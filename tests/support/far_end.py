"""A caller in virtual time for the fixture machine: it sends, wakes it, and notes what comes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assistants.frontend.backend_events import FunctionCall, OutputItemDone, ResponseCompleted
from assistants.frontend.events import (
    ClientEvent,
    FunctionCallOutput,
    InputAudioAppend,
    OutputAudioDelta,
    ResponseCreate,
    ResponseEvent,
    ResponseItemCreate,
    ServerEvent,
    SessionClose,
    SessionStart,
    decode_audio,
    encode,
    encode_audio,
    parse_server_event,
)
from assistants.frontend.fixture.machine import FixtureMachine, State
from assistants.frontend.fixture.script import ResolvedScript, parse_resolved_script
from assistants.frontend.fixture.timing import Timing
from assistants.frontend.fixture.witness import Witness
from assistants.frontend.session_config import (
    ClientDelegation,
    FunctionTool,
    ResponsesConfig,
    ResponsesDelegation,
    SessionConfig,
)
from shared.audio.pcm import SAMPLE_BYTES, SAMPLES_PER_MS, Pcm, from_bytes, to_bytes
from shared.speech.tone import ToneSynthesizer

EPOCH_S = 1_790_000_000
VOICE = ToneSynthesizer(pitch_hz=140)


def client_work() -> SessionConfig:
    return SessionConfig(model="gpt-live-1", delegation=ClientDelegation())


def responses_work(*tools: str) -> SessionConfig:
    declared = tuple(FunctionTool(name=name) for name in tools)
    settings = ResponsesConfig(model="a-backend", tools=declared)
    return SessionConfig(model="gpt-live-1", delegation=ResponsesDelegation(responses=settings))


def a_script(
    *steps: dict[str, object], hears: Sequence[object] = (), **mishaps: object
) -> ResolvedScript:
    content = {"format": "gpt-live-script/1", "hears": hears, "steps": steps, **mishaps}
    return parse_resolved_script(json.dumps(content))


@dataclass(frozen=True, slots=True)
class Received:
    """One event: when, after how much of the caller's track, and as the text it came in."""

    at_us: int
    heard_ms: int
    event: ServerEvent
    text: str


class Caller:
    """Sends silence at exact deadlines. ``answers`` are the outputs it gives to every call."""

    def __init__(
        self,
        script: ResolvedScript | None = None,
        *,
        config: SessionConfig | None = None,
        timing: Timing | None = None,
        answers: bool = True,
        frame_ms: int = 20,
        witness: Witness | None = None,
    ) -> None:
        self.machine = FixtureMachine(
            voice=VOICE,
            session_name="a-session",
            epoch_s=EPOCH_S,
            script=script or a_script(),
            timing=timing,
            witness=witness,
        )
        self.config = config or responses_work("look_up", "write_down")
        self.now_us = 0
        self.sent_ms = 0
        self.received: list[Received] = []
        self._answers = answers
        self._frame_ms = frame_ms
        self._open_calls: list[str] = []
        self._is_completed = False

    def start(self) -> Caller:
        self.send(SessionStart(event_id="start", session=self.config))
        while self.machine.state is State.STARTING:
            self.wake()
        return self

    def speak(self, duration_ms: int) -> Caller:
        """Send so much of the caller's track, each frame when it is due."""
        for _ in range(duration_ms // self._frame_ms):
            self.append(self._frame_ms)
            self.now_us += self._frame_ms * 1_000
        return self

    def sound(self, pcm: Pcm, cuts: Sequence[int] = ()) -> Caller:
        """Send this of the caller's track, cut at these samples; each piece when it has passed."""
        from_us = self.now_us
        sent = 0
        for piece in np.split(pcm, cuts):
            sent += piece.size
            self.pass_time(from_us // 1_000 + sent // SAMPLES_PER_MS - self.now_us // 1_000)
            self.send_audio(piece)
        return self

    def send_audio(self, pcm: Pcm) -> Caller:
        """Send this in one message."""
        self.sent_ms += pcm.size // SAMPLES_PER_MS
        self.send(InputAudioAppend(audio=encode_audio(to_bytes(pcm))))
        return self

    def append(self, duration_ms: int) -> None:
        """Send a piece of silence at once."""
        self.sent_ms += duration_ms
        silence = bytes(duration_ms * SAMPLES_PER_MS * SAMPLE_BYTES)
        self.send(InputAudioAppend(audio=encode_audio(silence)))

    def send(self, event: ClientEvent) -> None:
        self.send_text(encode(event))

    def send_text(self, text: str | bytes) -> None:
        self.machine.receive(text, self.now_us)
        self.take()

    def pass_time(self, duration_ms: int) -> Caller:
        """Let wall time pass without sending anything, waking the machine when it asks."""
        until_us = self.now_us + duration_ms * 1_000
        while (due_us := self.machine.wakes_at()) is not None and due_us <= until_us:
            self.wake()
        self.now_us = until_us
        self.machine.wake(until_us)
        self.take()
        return self

    def wake(self) -> None:
        due_us = self.machine.wakes_at()
        assert due_us is not None, "the machine waits for nothing"
        self.now_us = max(self.now_us, due_us)
        self.machine.wake(self.now_us)
        self.take()

    def close(self) -> Caller:
        self.send(SessionClose(event_id="close"))
        while self.machine.closing() is None:
            self.wake()
        return self

    def take(self) -> None:
        for text in self.machine.messages_to_send():
            event = parse_server_event(text)
            self.received.append(Received(self.now_us, self.sent_ms, event, text))
            if isinstance(event, ResponseEvent):
                self._follow(event)
        if self._answers and self._is_completed:
            self.answer()

    def answer(self) -> None:
        """Send an output for every open call, then ask for the next response."""
        self._is_completed = False
        calls, self._open_calls = self._open_calls, []
        for call_id in calls:
            self.send(ResponseItemCreate(item=FunctionCallOutput(call_id=call_id, output="1")))
        if calls:
            self.send(ResponseCreate())

    def of[E: ServerEvent](self, kind: type[E]) -> list[E]:
        return [one.event for one in self.received if isinstance(one.event, kind)]

    def when[E: ServerEvent](self, kind: type[E]) -> list[int]:
        """After how much of the caller's track each event of a kind came."""
        return [one.heard_ms for one in self.received if isinstance(one.event, kind)]

    def backend(self) -> list[tuple[int, str]]:
        """The backend's events: after how much of the track, and of which kind."""
        return [
            (one.heard_ms, one.event.event.type)
            for one in self.received
            if isinstance(one.event, ResponseEvent)
        ]

    def track(self) -> Pcm:
        """The assistant's track on the caller's timeline, its unheard beginning as silence."""
        pieces = [from_bytes(decode_audio(one.delta)) for one in self.of(OutputAudioDelta)]
        lead = np.zeros(Timing().output_from_ms * SAMPLES_PER_MS, np.int16)
        return np.concatenate([lead, *pieces])

    def begins_ms(self) -> int:
        """The millisecond of the caller's track in which the assistant is first heard."""
        return int(np.flatnonzero(self.track())[0]) // SAMPLES_PER_MS

    def _follow(self, envelope: ResponseEvent) -> None:
        event = envelope.event
        if isinstance(event, OutputItemDone) and isinstance(event.item, FunctionCall):
            self._open_calls.append(event.item.call_id)
        elif isinstance(event, ResponseCompleted):
            self._is_completed = True

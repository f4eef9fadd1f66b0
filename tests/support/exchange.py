"""Two scripted ends that hear each other: frames of 20 ms go both ways, and nothing else does."""

from __future__ import annotations

from assistants.frontend.events import OutputAudioDelta, decode_audio
from assistants.frontend.fixture.conversation import Spoken
from assistants.frontend.fixture.conversation_script import ConversationScript
from assistants.frontend.fixture.machine import State
from assistants.frontend.fixture.timing import Timing
from shared.audio.pcm import FRAME_BYTES, FRAME_MS, SAMPLE_BYTES, SAMPLES_PER_MS, from_bytes
from shared.observability.observations import Speaker
from tests.support.far_end import Caller


class Leg:
    """One end and the client that stands before it. A frame that has not come is silence."""

    def __init__(self, script: ConversationScript, party: Speaker) -> None:
        self.client = Caller(script.side(party)).start()
        self._track = bytearray(Timing().output_from_ms * SAMPLES_PER_MS * SAMPLE_BYTES)
        self._taken = 0

    def frame(self, number: int) -> bytes:
        """What it says in a frame, counted from 0."""
        for one in self.client.of(OutputAudioDelta)[self._taken :]:
            self._track += decode_audio(one.delta)
            self._taken += 1
        frame = bytes(self._track[number * FRAME_BYTES : (number + 1) * FRAME_BYTES])
        return frame.ljust(FRAME_BYTES, b"\0")

    def hear(self, frame: bytes) -> None:
        """Take in a frame of the other end, once it has passed."""
        self.client.now_us += FRAME_MS * 1_000
        self.client.send_audio(from_bytes(frame))

    @property
    def is_open(self) -> bool:
        return self.client.machine.state is State.ACTIVE

    @property
    def spoken(self) -> tuple[Spoken, ...]:
        return self.client.machine.spoken()


class Exchange:
    """Both legs of a conversation, on one timeline."""

    def __init__(self, script: ConversationScript) -> None:
        self.caller = Leg(script, Speaker.CALLER)
        self.assistant = Leg(script, Speaker.ASSISTANT)
        self.frames = 0

    def run(self, duration_ms: int) -> Exchange:
        """Pass frames until so much has been said, or one end is over."""
        while self.frames < duration_ms // FRAME_MS and self.caller.is_open:
            said, answered = (leg.frame(self.frames) for leg in (self.caller, self.assistant))
            self.assistant.hear(said)
            self.caller.hear(answered)
            self.frames += 1
        return self

"""A session's end as a party: what it says comes in chunks, and is heard 20 ms at a time.

Its media time is the relay's: frames it said, and as many that it heard. What arrives is stamped
with it, and so is what is played.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import override

from shared.audio.pcm import FRAME_MS, from_bytes, to_bytes
from shared.audio.playout import PlayedChunk, Playout, PlayoutOverflowError
from shared.clock import Stamp
from shared.errors import AttemptError, Stage
from shared.observability.observations import AudioReceived, Observation
from shared.participant import AudioArrived, Participant, Party


class LiveParty(Party):
    """A participant and the playout of what it says. Used for one conversation."""

    def __init__(self, participant: Participant, playout: Playout | None = None) -> None:
        self.playout = playout or Playout()
        self._participant = participant
        self._spoken_ms = 0
        self._seen: list[Observation] = []
        self._stamps: deque[Stamp] = deque()
        self._placed = 0
        self._is_silent = False
        self._overflow: AttemptError | None = None

    @property
    @override
    def failure(self) -> AttemptError | None:
        return self._participant.failure or self._overflow

    async def connect(self) -> None:
        """Be ready to hear, or raise :class:`AttemptError`."""
        await self._participant.connect()

    @override
    def speak(self) -> bytes:
        """The next 20 ms, with all that has arrived until now."""
        self._take_in()
        frame = self.playout.take(self._spoken_ms)
        self._spoken_ms += FRAME_MS
        self._note_placed()
        return to_bytes(frame)

    @override
    async def hear(self, frame: bytes) -> None:
        await self._participant.hear(frame)

    @override
    def observed(self) -> Sequence[Observation]:
        """Drain what was observed, in order of receipt; audio comes once it was played."""
        self._take_in()
        seen, self._seen = self._seen, []
        return seen

    async def close(self) -> None:
        """End the session. What was not played by now is heard by nobody. Never raises."""
        self.fall_silent()
        await self._participant.close()

    def fall_silent(self) -> None:
        """Play no more: what has not been played, or is still to come, is heard by nobody."""
        self._take_in()
        self._is_silent = True
        self.playout.stop()
        self._note_placed()

    def _take_in(self) -> None:
        for seen in self._participant.observed():
            if isinstance(seen, AudioArrived):
                self._keep(seen)
            else:
                self._seen.append(seen)

    def _keep(self, audio: AudioArrived) -> None:
        if self._is_silent or self._overflow is not None or not audio.samples:
            return
        try:
            self.playout.put(from_bytes(audio.samples), audio.stamp.media_ms)
        except PlayoutOverflowError as error:
            self._overflow = AttemptError(Stage.RESPONSE_COLLECTION, str(error))
        else:
            self._stamps.append(audio.stamp)

    def _note_placed(self) -> None:
        for chunk in self.playout.chunks[self._placed :]:
            self._seen.append(_received(self._stamps.popleft(), chunk))
            self._placed += 1


def _received(stamp: Stamp, chunk: PlayedChunk) -> AudioReceived:
    return AudioReceived(
        stamp,
        start_sample=chunk.start_sample,
        samples=chunk.samples,
        late_ms=chunk.late_ms,
        is_stall=chunk.is_stall,
        held_ms=chunk.held_ms,
        dropped_samples=chunk.dropped_samples,
    )

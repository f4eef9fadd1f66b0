"""What one party says, kept until the other hears it, 20 ms at a time.

Theory of operation. A service sends its audio as one stream of chunks without times, and jitter
shakes them. They are played in order, and every sample of sound once. Only a *pause* is elastic:
exact zeros after 100 ms of exact zeros of the stream, and all zeros before its first sound.

- A chunk that finds nothing waiting, in a pause, is held: its first sample is played ``hold_ms``
  after it arrived. That is the room in which later chunks may be late without a gap in a word.
- Anything else is played as soon as its turn comes, and a chunk that finds a word broken off is
  played in the very next frame.
- What waits deeper than ``hold_ms`` loses zeros in its next pause, as many as bring it back to
  that. Depth is counted from the earliest *origin* of all chunks that wait, a chunk's arrival minus
  the samples sent before it, so that neither the size of chunks nor jitter looks like depth. A
  pause gets shorter; its first 100 ms and whatever sounds never do.

So a steady stream is heard exactly ``hold_ms`` late, a stall makes it later, and the next pause
makes up for it. When a stream that fell dry inside a word goes on, it is not held again: what a
stall kept back comes all at once, and that is room enough.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shared.audio.pcm import FRAME_MS, FRAME_SAMPLES, SAMPLES_PER_MS, Pcm
from shared.audio.placement import STALL_SAMPLES
from shared.errors import HarnessError

PAUSE_MS = 100
PAUSE_SAMPLES = PAUSE_MS * SAMPLES_PER_MS


class PlayoutOverflowError(HarnessError):
    """More audio waits than may."""


@dataclass(frozen=True, slots=True)
class PlayedChunk:
    """One chunk on the media track, ``[start_sample, start_sample + samples)``.

    ``samples`` are those played; ``dropped_samples`` of silence were left out. ``held_ms`` is how
    much later its first sample was played than if the chunk had been played on arrival; a chunk of
    which nothing was played has none, and lies where it was left out. ``late_ms`` is its arrival
    minus the place at which the stream would have gone on; negative is early.
    """

    arrived_ms: int
    start_sample: int
    samples: int
    held_ms: float | None
    dropped_samples: int
    late_ms: float
    is_stall: bool


@dataclass(frozen=True, slots=True)
class PlayoutReport:
    """What a playout did so far.

    ``chunks`` were placed. Silence was played for ``held_samples`` while a chunk was held, and for
    ``underflow_samples`` because nothing was there, counted from the first chunk on; after
    ``underflow_in_speech_samples`` of these a word went on. ``dropped_samples`` of silence were
    left out. ``high_water_samples`` is the most that ever waited, and ``unplayed_sound_samples`` of
    what still waits are no silence.
    """

    hold_ms: int
    chunks: int
    held_samples: int
    underflow_samples: int
    underflow_in_speech_samples: int
    dropped_samples: int
    high_water_samples: int
    unplayed_sound_samples: int

    @property
    def high_water_ms(self) -> int:
        """A millisecond that has begun counts."""
        return -(-self.high_water_samples // SAMPLES_PER_MS)


@dataclass(slots=True)
class _Chunk:
    arrived: int
    origin: int
    late: int
    waiting: int
    start: int = 0
    played: int = 0
    dropped: int = 0
    held: int | None = None

    def finished(self) -> PlayedChunk:
        return PlayedChunk(
            arrived_ms=self.arrived // SAMPLES_PER_MS,
            start_sample=self.start,
            samples=self.played,
            held_ms=None if self.held is None else self.held / SAMPLES_PER_MS,
            dropped_samples=self.dropped,
            late_ms=self.late / SAMPLES_PER_MS,
            is_stall=self.late > STALL_SAMPLES,
        )


@dataclass(slots=True)
class _Piece:
    """A part of a chunk that is all silence or is played as it is, less what is gone already."""

    chunk: _Chunk
    pcm: Pcm
    is_silent: bool
    turn: int
    """Where its first sample would lie if its chunk had been played on arrival."""

    def pass_by(self, samples: int) -> None:
        self.pcm = self.pcm[samples:]
        self.turn += samples
        self.chunk.waiting -= samples


class Playout:
    """One direction. Media milliseconds in, 20 ms of audio out, always; it never waits.

    ``put`` and ``take`` go forward in time together, and frames follow one another without a hole:
    the first one taken may lie anywhere. Other instants are a ``ValueError``.
    """

    def __init__(self, hold_ms: int = 200, limit_ms: int = 60_000) -> None:
        """``limit_ms`` is how much may wait, inclusive: 48 bytes each."""
        if hold_ms < 0:
            raise ValueError(f"audio cannot be held for {hold_ms} ms")
        self._hold = hold_ms * SAMPLES_PER_MS
        self._limit = limit_ms * SAMPLES_PER_MS
        self._queue: deque[_Piece] = deque()
        # Chunks that wait and came, for their place in the stream, before all that follow them.
        self._earliest: deque[_Chunk] = deque()
        self._sent = 0
        self._chunks: list[PlayedChunk] = []
        self._now_ms = 0
        self._next_frame_ms: int | None = None
        self._held_until = 0
        self._end: int | None = None
        # Before the first sound there is silence without end.
        self._zeros = PAUSE_SAMPLES
        self._dry = 0
        self._waiting = self._sounding = 0
        self._held = self._underflow = self._underflow_in_speech = self._dropped = 0
        self._high_water = 0

    def put(self, pcm: Pcm, arrived_ms: int) -> None:
        """Take the next audio of the stream, all of it or none.

        More than may wait is a :class:`PlayoutOverflowError`, and nothing was taken.
        """
        if self._waiting + pcm.size > self._limit:
            raise PlayoutOverflowError(
                f"{pcm.size // SAMPLES_PER_MS} ms of audio came while"
                f" {self._waiting // SAMPLES_PER_MS} ms waited to be heard;"
                f" at most {self._limit // SAMPLES_PER_MS} ms may wait"
            )
        self._pass_to(arrived_ms)
        if not pcm.size:
            return
        arrived = arrived_ms * SAMPLES_PER_MS
        if not self._queue:
            self._go_on(arrived)
        chunk = _Chunk(
            arrived,
            origin=arrived - self._sent,
            late=arrived - self._place(arrived),
            waiting=pcm.size,
        )
        while self._earliest and self._earliest[-1].origin >= chunk.origin:
            self._earliest.pop()
        self._earliest.append(chunk)
        self._sent += pcm.size
        for piece in _pieces(chunk, pcm):
            self._queue.append(piece)
            self._sounding += 0 if piece.is_silent else piece.pcm.size
        self._waiting += pcm.size
        self._high_water = max(self._high_water, self._waiting)

    def take(self, now_ms: int) -> Pcm:
        """What is heard in ``[now_ms, now_ms + 20)``: 480 samples, zeros where nothing is due."""
        if self._next_frame_ms not in {None, now_ms}:
            raise ValueError(f"the frame at {now_ms} ms, but {self._next_frame_ms} ms was next")
        self._pass_to(now_ms)
        self._next_frame_ms = now_ms + FRAME_MS
        start = now_ms * SAMPLES_PER_MS
        frame = np.zeros(FRAME_SAMPLES, np.int16)
        filled = 0
        if self._queue:
            filled = min(max(0, self._held_until - start), FRAME_SAMPLES)
            self._held += filled
        while self._queue and filled < FRAME_SAMPLES:
            filled += self._play(self._queue[0], frame[filled:], start + filled)
        if self._end is not None and filled < FRAME_SAMPLES:
            self._dry += FRAME_SAMPLES - filled
            self._underflow += FRAME_SAMPLES - filled
        return frame

    def stop(self) -> None:
        """Nothing more is heard: a chunk half played is placed as far as it was."""
        if self._queue and self._queue[0].chunk.played:
            self._chunks.append(self._queue[0].chunk.finished())
        self._queue.clear()

    @property
    def chunks(self) -> Sequence[PlayedChunk]:
        """All chunks whose last sample was played or left out, in order; the list only grows."""
        return self._chunks

    @property
    def holds_speech(self) -> bool:
        """Whether any sound waits to be heard."""
        return self._sounding > 0

    @property
    def waiting_samples(self) -> int:
        """How much waits, silence included."""
        return self._waiting

    def report(self) -> PlayoutReport:
        """The counts up to here."""
        return PlayoutReport(
            hold_ms=self._hold // SAMPLES_PER_MS,
            chunks=len(self._chunks),
            held_samples=self._held,
            underflow_samples=self._underflow,
            underflow_in_speech_samples=self._underflow_in_speech,
            dropped_samples=self._dropped,
            high_water_samples=self._high_water,
            unplayed_sound_samples=self._sounding,
        )

    @property
    def _is_pause(self) -> bool:
        return self._zeros >= PAUSE_SAMPLES

    def _pass_to(self, instant_ms: int) -> None:
        if instant_ms < self._now_ms:
            raise ValueError(f"{instant_ms} ms lies before {self._now_ms} ms")
        self._now_ms = instant_ms

    def _go_on(self, arrived: int) -> None:
        """The next audio after there was none."""
        if self._is_pause:
            self._held_until = arrived + self._hold
        else:
            self._underflow_in_speech += self._dry
        self._dry = 0

    def _place(self, arrived: int) -> int:
        """Where the stream would go on with the audio that comes now."""
        if self._queue:
            reached = (self._next_frame_ms or 0) * SAMPLES_PER_MS
            return max(reached, self._held_until) + self._waiting
        return arrived if self._end is None else self._end

    def _play(self, piece: _Piece, room: Pcm, position: int) -> int:
        """Play from the head of the queue what fits; return how much of the room it filled."""
        if piece.is_silent and self._is_pause:
            too_deep = self._too_deep(piece, position)
            if too_deep > 0:
                self._leave_out(piece, min(too_deep, piece.pcm.size), position)
        samples = min(room.size, piece.pcm.size)
        if piece.is_silent:
            if not self._is_pause:
                # A pause begins within the piece, and the rest of it is elastic.
                samples = min(samples, PAUSE_SAMPLES - self._zeros)
            self._zeros += samples
        elif samples:
            self._zeros = 0
            self._sounding -= samples
        room[:samples] = piece.pcm[:samples]
        self._note_played(piece, samples, position)
        self._pass_by(piece, samples, position + samples)
        return samples

    def _too_deep(self, piece: _Piece, position: int) -> int:
        punctual = piece.turn - piece.chunk.origin + self._earliest[0].origin
        return position - punctual - self._hold

    def _leave_out(self, piece: _Piece, samples: int, position: int) -> None:
        self._dropped += samples
        piece.chunk.dropped += samples
        if not piece.chunk.played:
            piece.chunk.start = position
        piece.pass_by(samples)
        self._waiting -= samples

    def _note_played(self, piece: _Piece, samples: int, position: int) -> None:
        chunk = piece.chunk
        if samples and not chunk.played:
            chunk.start = position
            chunk.held = position - piece.turn
        chunk.played += samples

    def _pass_by(self, piece: _Piece, samples: int, end: int) -> None:
        piece.pass_by(samples)
        self._waiting -= samples
        self._end = end
        if not piece.pcm.size:
            self._queue.popleft()
        if not piece.chunk.waiting:
            self._chunks.append(piece.chunk.finished())
            if self._earliest[0] is piece.chunk:
                self._earliest.popleft()


def _pieces(chunk: _Chunk, pcm: Pcm) -> Iterator[_Piece]:
    """Cut a chunk where digital silence begins and ends.

    Zeros inside it that are too short to become a pause stay with what sounds around them.
    """
    sounding = np.flatnonzero(pcm)
    starts, ends = [], []
    if sounding.size:
        starts, ends = [int(sounding[0])], [int(sounding[-1]) + 1]
    # Most chunks are too short to hold a pause between sounds.
    if sounding.size and pcm.size - sounding.size >= PAUSE_SAMPLES:
        gaps = np.flatnonzero(np.diff(sounding) > PAUSE_SAMPLES)
        starts += sounding[gaps + 1].tolist()
        ends[:0] = (sounding[gaps] + 1).tolist()
    # What sounds lies in [start, end); around each of these is silence, or nothing.
    at = 0
    for start, end in zip([*starts, pcm.size], [*ends, pcm.size], strict=True):
        if start > at:
            yield _Piece(chunk, pcm[at:start], is_silent=True, turn=chunk.arrived + at)
        if end > start:
            yield _Piece(chunk, pcm[start:end], is_silent=False, turn=chunk.arrived + start)
        at = end

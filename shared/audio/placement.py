"""Where untimed service audio belongs on the caller's track.

The service sends its output as one continuous stream of chunks without times, and the network adds
jitter. Theory of operation: the stream's own sample count is the truth about distances inside it,
so one number, the *anchor*, says where the stream's sample 0 lies on the caller's track, and a
chunk's place is the anchor plus the samples sent before it. The first arrival sets the anchor.
An arrival minus the samples sent before it is that chunk's *origin*: jitter makes origins too late,
never too early, so the anchor follows the earliest of them.

- A chunk before its place proves the anchor too late: it moves earlier at once.
- When every chunk of a second or longer was late, the anchor moves later by the least of it.
- Both happen only in digital silence, where a pause gets longer or shorter; a word never does.
- A chunk more than 600 ms after its place is a stall: its arrival is the new anchor, even inside a
  word, and what it left empty is silence.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from shared.audio.pcm import SAMPLE_RATE_HZ, SAMPLES_PER_MS, Pcm

STALL_MS = 600
STALL_SAMPLES = STALL_MS * SAMPLES_PER_MS
EVIDENCE_SAMPLES = SAMPLE_RATE_HZ
# Exact zeros shorter than this may be a zero crossing or a closed mouth, so they are no silence to
# move in. As much of a pause also survives every move: two words never become one.
PAUSE_SAMPLES = 20 * SAMPLES_PER_MS


@dataclass(frozen=True, slots=True)
class Placed:
    """One chunk on the caller's track, ``[start_sample, start_sample + samples)``.

    ``late_ms`` is its arrival minus its place before any anchor moved; negative is early.
    """

    start_sample: int
    samples: int
    late_ms: float
    is_stall: bool


class Placement:
    """Places the chunks of one stream in order of arrival. Positions are caller-track samples."""

    def __init__(self) -> None:
        self._anchor: int | None = None
        self._sent = 0
        # Before the first sound there is silence without end.
        self._sound_end = -PAUSE_SAMPLES
        self._arrived = 0
        self._origins: deque[tuple[int, int]] = deque()
        self._pieces: list[tuple[int, Pcm]] = []

    def place(self, chunk: Pcm, arrival_sample: int) -> Placed:
        """Place the next chunk. Arrivals never go back; several chunks may share one."""
        if arrival_sample < self._arrived:
            raise ValueError(f"arrival {arrival_sample} lies before {self._arrived}")
        self._arrived = arrival_sample
        origin = arrival_sample - self._sent
        if self._anchor is None:
            self._anchor = origin
        late = origin - self._anchor
        is_stall = late > STALL_SAMPLES
        self._remember(arrival_sample, origin)
        self._anchor = origin if is_stall else self._moved(self._anchor, chunk, origin)
        return self._put(self._anchor, chunk, late_ms=late / SAMPLES_PER_MS, is_stall=is_stall)

    def track(self) -> Pcm:
        """All chunks on the caller's track, from its sample 0. Where none lies there are zeros."""
        length = max((start + piece.size for start, piece in self._pieces), default=0)
        whole = np.zeros(length, np.int16)
        for start, piece in self._pieces:
            # An anchor that moved earlier lays a piece over the zeros that end the one before.
            whole[start : start + piece.size] = piece
        return whole

    def _remember(self, arrival: int, origin: int) -> None:
        """Keep the origins of the last second, and one older, so that they span a whole one."""
        self._origins.append((arrival, origin))
        while len(self._origins) > 1 and self._origins[1][0] <= arrival - EVIDENCE_SAMPLES:
            self._origins.popleft()

    def _moved(self, anchor: int, chunk: Pcm, origin: int) -> int:
        """The anchor after this chunk's evidence, or the same one where a word is in the way."""
        if origin < anchor:
            earliest = self._sound_end + PAUSE_SAMPLES - self._sent
            return max(origin, min(anchor, earliest))
        latest = min(seen for _, seen in self._origins)
        pause = anchor + self._sent - self._sound_end + _leading_zeros(chunk)
        return latest if latest > anchor and pause >= PAUSE_SAMPLES else anchor

    def _put(self, anchor: int, chunk: Pcm, *, late_ms: float, is_stall: bool) -> Placed:
        start = anchor + self._sent
        sounding = np.flatnonzero(chunk)
        if sounding.size:
            self._sound_end = start + int(sounding[-1]) + 1
        self._sent += chunk.size
        self._pieces.append((start, chunk))
        return Placed(start, chunk.size, late_ms, is_stall)


def _leading_zeros(chunk: Pcm) -> int:
    sounding = np.flatnonzero(chunk)
    return int(sounding[0]) if sounding.size else chunk.size

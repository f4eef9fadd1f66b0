"""What somebody listening in hears: two tracks on their way to two ears, in step with each other.

Theory of operation: pieces come with their place on the media axis, and sound leaves whenever a
device asks for some. The first piece of a conversation settles where media time 0 lies in what is
played: a short hold behind the present, which takes up the jitter of what follows. From there on a
gap stays a gap, and both ears keep the places the tracks have.

A piece that comes when its place has been played is played as soon as it can be: late, whole, and
for its own ear alone. An ear that is late makes up for it in digital silence, where nobody misses
anything. When more is waiting than the bound, the oldest is let go, of both ears alike.

Nothing here is measured; it is for people. It must not cost the conversation anything.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from shared.audio.mixdown import Stereo
from shared.audio.pcm import SAMPLES_PER_MS, Pcm

CALLER, ASSISTANT = 0, 1
"""Left and right."""

HOLD_MS = 200
MOST_WAITING_MS = 3_000


@dataclass(slots=True)
class _Ear:
    """Pieces that wait for one ear, each with its first played sample, and where they end."""

    pieces: deque[tuple[int, Pcm]] = field(default_factory=deque)
    end: int = 0


class Listening:
    """One listener's two ears. Pieces come at samples of media time and leave at samples played."""

    def __init__(self, *, hold_ms: int = HOLD_MS, most_waiting_ms: int = MOST_WAITING_MS) -> None:
        self._hold = hold_ms * SAMPLES_PER_MS
        self._most_waiting = most_waiting_ms * SAMPLES_PER_MS
        self._played = 0
        self._media_zero: int | None = None
        self._ears = (_Ear(), _Ear())

    @property
    def waiting(self) -> int:
        """How many samples are yet to be played until the last one that came."""
        return max(0, *(ear.end - self._played for ear in self._ears))

    def begin(self) -> None:
        """Another conversation: media time starts over. What waits is played before it."""
        self._media_zero = None

    def add(self, ear: int, start_sample: int, pcm: Pcm) -> int:
        """Take the next piece of a track; return how many samples were let go for want of room.

        Pieces of a track come in order. One that begins before the end of the one before is late by
        the difference.
        """
        if self._media_zero is None:
            earliest = self._played + max(self._hold, self.waiting)
            self._media_zero = earliest - start_sample
        side = self._ears[ear]
        place = self._media_zero + start_sample
        start = max(place, self._played, side.end)
        if not pcm.any():
            pcm = pcm[start - place :]
        if pcm.size:
            side.pieces.append((start, pcm))
            side.end = start + pcm.size
        surplus = max(0, self.waiting - self._most_waiting)
        self.take(surplus)
        return surplus

    def take(self, samples: int) -> Stereo:
        """The next so many samples for both ears; where nothing waits there is silence."""
        both = np.zeros((samples, 2), np.int16)
        until = self._played + samples
        for channel, ear in enumerate(self._ears):
            while ear.pieces and ear.pieces[0][0] < until:
                start, pcm = ear.pieces.popleft()
                heard = pcm[: until - start]
                at = start - self._played
                both[at : at + heard.size, channel] = heard
                if heard.size < pcm.size:
                    ear.pieces.appendleft((until, pcm[heard.size :]))
        self._played = until
        return both

"""The same signal, some samples later: the memory of an echo and of a leak."""

from __future__ import annotations

import numpy as np

from shared.audio.effects.levels import Floats


class DelayLine:
    """What was put in ``samples`` ago; zeros before that. A ring, so its length costs nothing."""

    def __init__(self, samples: int) -> None:
        self._ring = np.zeros(samples)
        self._at = 0

    def delayed(self, block: Floats) -> Floats:
        """Put a block in, take as much out."""
        length = self._ring.size
        if block.size >= length:
            stream = np.concatenate([np.roll(self._ring, -self._at), block])
            self._ring, self._at = stream[block.size :].copy(), 0
            return stream[: block.size]
        # Up to the ring's end, and on from its beginning.
        whole = min(block.size, length - self._at)
        earlier = np.concatenate(
            [self._ring[self._at : self._at + whole], self._ring[: block.size - whole]]
        )
        self._ring[self._at : self._at + whole] = block[:whole]
        self._ring[: block.size - whole] = block[whole:]
        self._at = (self._at + block.size) % length
        return earlier

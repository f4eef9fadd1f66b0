"""White noise, everywhere at the same level.

Each sample is the sum of the four 16 bit numbers in one 64 bit word: bell-shaped within 3.5
standard deviations, and exact until the one multiplication that gives it its level.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from shared.audio.effects.draws import Draws
from shared.audio.effects.levels import Floats
from shared.audio.pcm import SAMPLE_RATE_HZ

PARTS = 4
# Parts lie in [-2^15, 2^15), half a step below zero on average.
CENTRED = PARTS // 2
FROM_THE_LOWEST = np.uint64(0x8000_8000_8000_8000)
EVEN_PARTS = np.uint64(0x0000_FFFF_0000_FFFF)
LOWER_HALF = np.uint64(0xFFFF_FFFF)
UNIT_RMS = math.sqrt(PARTS * (2**32 - 1) / 12)

DRAWN_AT_ONCE = SAMPLE_RATE_HZ
"""Least so many samples: in a frame of 20 ms the calls cost more than what they do."""

type Integers = npt.NDArray[np.int32]


def unscaled(draws: Draws, start: int, count: int) -> Integers:
    """Noise of RMS ``UNIT_RMS`` and mean zero at these positions."""
    # Counted from the lowest, so that no part is below zero and two can be added in one word.
    parts = draws.words(start, count) ^ FROM_THE_LOWEST
    pairs = (parts & EVEN_PARTS) + ((parts >> np.uint64(16)) & EVEN_PARTS)
    total = ((pairs & LOWER_HALF) + (pairs >> np.uint64(32))).astype(np.int32)
    return total - np.int32(PARTS * 2**15 - CENTRED)


class WhiteNoise:
    """A source that runs on from block to block and knows how loud it has been."""

    def __init__(self, rms: float, draws: Draws) -> None:
        self._gain = np.float64(rms / UNIT_RMS)
        self._draws = draws
        self._position = 0
        self._energy = 0
        # Drawn already and not heard yet.
        self._ahead = np.zeros(0, np.int64)

    def following(self, count: int) -> Floats:
        """The next so many samples."""
        lacking = count - self._ahead.size
        if lacking > 0:
            end = self._position + self._ahead.size
            more = unscaled(self._draws, end, max(lacking, DRAWN_AT_ONCE))
            self._ahead = np.concatenate([self._ahead, more])
        noise, self._ahead = self._ahead[:count], self._ahead[count:]
        self._position += count
        self._energy += int(noise @ noise)
        return noise * self._gain

    @property
    def rms(self) -> float | None:
        """The level of what has been made so far; nothing when nothing has."""
        if not self._position:
            return None
        return math.sqrt(self._energy / self._position) * float(self._gain)

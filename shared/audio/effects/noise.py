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

PARTS = 4
# Parts lie in [-2^15, 2^15), half a step below zero on average.
CENTRED = PARTS // 2
UNIT_RMS = math.sqrt(PARTS * (2**32 - 1) / 12)

type Integers = npt.NDArray[np.int32]


def unscaled(draws: Draws, start: int, count: int) -> Integers:
    """Noise of RMS ``UNIT_RMS`` and mean zero at these positions."""
    parts = draws.words(start, count).view(np.int16).astype(np.int32)
    # A word's parts lie in another order on other machines; their sum does not.
    return parts[0::4] + parts[1::4] + parts[2::4] + parts[3::4] + np.int32(CENTRED)


class WhiteNoise:
    """A source that runs on from block to block and knows how loud it has been."""

    def __init__(self, rms: float, draws: Draws) -> None:
        self._gain = np.float64(rms / UNIT_RMS)
        self._draws = draws
        self._position = 0
        self._energy = 0

    def following(self, count: int) -> Floats:
        """The next so many samples."""
        noise = unscaled(self._draws, self._position, count)
        self._position += count
        wide = noise.astype(np.int64)
        self._energy += int(wide @ wide)
        return noise * self._gain

    @property
    def rms(self) -> float | None:
        """The level of what has been made so far; nothing when nothing has."""
        if not self._position:
            return None
        return math.sqrt(self._energy / self._position) * float(self._gain)

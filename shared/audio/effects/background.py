"""Background speech: others talking nearby; chance picks where in their talk we come in."""

from __future__ import annotations

import math

import numpy as np

from shared.audio.effects.draws import Draws
from shared.audio.effects.levels import Floats
from shared.audio.pcm import SAMPLES_PER_MS, Pcm


class BackgroundVoices:
    """A conversation that begins again where it ends, and knows how loud it has been."""

    def __init__(self, gain: float, conversation: Pcm, draws: Draws) -> None:
        self._gain = np.float64(gain)
        self._conversation = conversation.astype(np.int64)
        self._start = draws.below(0, conversation.size)
        self._position = 0
        self._energy = 0

    def following(self, count: int) -> Floats:
        """The next so many samples."""
        first = (self._start + self._position) % self._conversation.size
        heard = self._conversation[first : first + count]
        if heard.size < count:
            heard = np.take(self._conversation, np.arange(first, first + count), mode="wrap")
        self._position += count
        self._energy += int(heard @ heard)
        return heard * self._gain

    @property
    def starts_at_ms(self) -> int:
        """Where in the conversation the first sample lies."""
        return self._start // SAMPLES_PER_MS

    @property
    def rms(self) -> float | None:
        """The level of what has been heard so far; nothing when nothing has."""
        if not self._position:
            return None
        return math.sqrt(self._energy / self._position) * float(self._gain)

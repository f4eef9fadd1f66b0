"""Leak: the assistant, out of the caller's loudspeaker, back into the caller's microphone."""

from __future__ import annotations

import numpy as np

from shared.audio.effects.delay import DelayLine
from shared.audio.effects.levels import Floats
from shared.audio.effects.recipe import Leak
from shared.audio.pcm import SAMPLES_PER_MS, Pcm


class LeakingLoudspeaker:
    """The way from loudspeaker to microphone: a delay and a gain."""

    def __init__(self, leak: Leak) -> None:
        self._gain = leak.gain
        self._line = DelayLine(leak.delay_ms * SAMPLES_PER_MS)

    def leaked(self, far_end: Pcm) -> Floats:
        """What the microphone hears of it."""
        return self._gain * self._line.delayed(far_end.astype(np.float64))

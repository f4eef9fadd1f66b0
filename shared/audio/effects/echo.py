"""Echo: the caller and all that surrounds them once more, later and weaker."""

from __future__ import annotations

from shared.audio.effects.delay import DelayLine
from shared.audio.effects.levels import Floats
from shared.audio.effects.recipe import Echo
from shared.audio.pcm import SAMPLES_PER_MS


class EchoingRoom:
    """One reflection, without reflections of its own."""

    def __init__(self, echo: Echo) -> None:
        self._decay = echo.decay
        self._line = DelayLine(echo.delay_ms * SAMPLES_PER_MS)

    def heard(self, air: Floats) -> Floats:
        """The block with its echo in it."""
        return air + self._decay * self._line.delayed(air)

"""``hibari``: natural English speech made on this machine, without a key or a network.

The package comes with the extra ``local-speech`` and is loaded by the first text.
"""

from __future__ import annotations

import functools
import importlib.metadata
import threading
from collections.abc import Mapping
from typing import Protocol

import numpy as np
import numpy.typing as npt

from shared.audio.pcm import saturated
from shared.errors import AttemptError, Stage, UsageError
from shared.speech.port import Speech
from shared.values import JsonScalar

PACKAGE = "hibari-tts"
VOICE = "heart"
SEED = 0
FULL_SCALE = 32_767

# The engine builds parts of itself while it first speaks, and attempts run on several threads.
_ONE_AT_A_TIME = threading.Lock()


class Engine(Protocol):
    """What we use of the package: 24 kHz floats within -1 and 1, the same for the same seed."""

    def __call__(self, text: str, *, seed: int) -> npt.NDArray[np.float32]: ...


class HibariSynthesizer:
    """The package's one built-in voice, with its noise seeded: same text, same samples."""

    def __init__(self) -> None:
        try:
            self._version = importlib.metadata.version(PACKAGE)
        except importlib.metadata.PackageNotFoundError as error:
            raise UsageError(
                f"--synthesizer: hibari needs {PACKAGE}: uv sync --extra local-speech, or with pip"
                " install 'gpt-live-evals[local-speech]'"
            ) from error

    @property
    def name(self) -> str:
        return "hibari"

    @property
    def version(self) -> str:
        return self._version

    @property
    def parameters(self) -> Mapping[str, JsonScalar]:
        return {"voice": VOICE, "seed": SEED}

    def speak(self, text: str) -> Speech:
        """Say the text. Its voiced spans are for a detector to find."""
        with _ONE_AT_A_TIME:
            pcm = saturated(_engine()(text, seed=SEED) * FULL_SCALE)
        if not pcm.any():
            raise AttemptError(Stage.AUDIO_SYNTHESIS, f"hibari made no sound of {text!r}")
        return Speech(pcm, None, self.name, self.version)


@functools.cache
def _engine() -> Engine:
    from hibari import Hibari

    engine: Engine = Hibari(voice=VOICE)
    return engine

"""The sounds that come with the package, made by ``shared.speech.ambience_files``."""

from __future__ import annotations

import functools
from pathlib import Path

from shared.audio.effects.ambience import Ambience
from shared.audio.pcm import SAMPLE_RATE_HZ, Pcm

FOLDER = Path(__file__).parent / "sounds"
CONVERSATION = "conversation.flac"
ASIDE = "aside.flac"


@functools.cache
def ambience() -> Ambience:
    """The bundled conversation and aside."""
    return Ambience(_sound(CONVERSATION), _sound(ASIDE))


def _sound(name: str) -> Pcm:
    import soundfile

    samples: Pcm
    samples, rate_hz = soundfile.read(FOLDER / name, dtype="int16")
    if rate_hz != SAMPLE_RATE_HZ or samples.ndim != 1:
        raise ValueError(f"{name}: not mono at {SAMPLE_RATE_HZ} Hz")
    return samples

"""A voice that has already said all it will be asked for, so that no conversation waits for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import override

from shared.audio.detection.port import Detector
from shared.audio.pcm import SAMPLES_PER_MS
from shared.intervals import Interval
from shared.speech.port import Speech, Synthesizer
from shared.values import JsonScalar


class PreparedSynthesizer(Synthesizer):
    """Speaks each text at once when made, and gives it out later; other texts are a ``KeyError``.

    What it gives out begins and ends with sound, and where it sounds is known: by the voice, or
    else by a detector. So a sentence that is placed at an instant is heard from that instant on.
    Making it raises whatever the voice raises, and a ``ValueError`` for a text without a sound.
    """

    def __init__(self, voice: Synthesizer, texts: Iterable[str], detector: Detector) -> None:
        self._voice = voice
        self._spoken = {
            text: _measured(voice.speak(text), text, detector) for text in dict.fromkeys(texts)
        }

    @property
    @override
    def name(self) -> str:
        return self._voice.name

    @property
    @override
    def version(self) -> str:
        return self._voice.version

    @property
    @override
    def parameters(self) -> Mapping[str, JsonScalar]:
        return self._voice.parameters

    @override
    def speak(self, text: str) -> Speech:
        return self._spoken[text]


def _measured(speech: Speech, text: str, detector: Detector) -> Speech:
    voiced = detector.voiced(speech.pcm) if speech.voiced is None else speech.voiced
    sounds = voiced.extent
    if sounds is None:
        raise ValueError(f"{speech.synthesizer} made no sound of {text!r}")
    # The last hop may be less than whole.
    ends = min(speech.pcm.size, sounds.end_ms * SAMPLES_PER_MS)
    heard = voiced.clip(Interval(0, -(-ends // SAMPLES_PER_MS))).shifted(-sounds.start_ms)
    pcm = speech.pcm[sounds.start_ms * SAMPLES_PER_MS : ends]
    return Speech(pcm, heard, speech.synthesizer, speech.version)

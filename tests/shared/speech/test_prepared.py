"""A prepared voice begins with sound, ends with sound, and knows where between it sounds."""

from __future__ import annotations

from typing import override

import numpy as np
import pytest

from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.pcm import SAMPLES_PER_MS, silence
from shared.speech.port import Speech
from shared.speech.prepared import PreparedSynthesizer
from shared.speech.tone import ToneSynthesizer

TEXT = "Hello there, and goodbye."


class Slow(ToneSynthesizer):
    """A voice that takes a breath before and after, and knows nothing of where it sounds."""

    @override
    def speak(self, text: str) -> Speech:
        said = super().speak(text)
        pcm = np.concatenate([silence(237), said.pcm, silence(400)])
        return Speech(pcm, None, said.synthesizer, said.version)


class Silent(ToneSynthesizer):
    @override
    def speak(self, text: str) -> Speech:
        return Speech(silence(500), None, self.name, self.version)


def test_what_a_voice_knows_of_itself_stays_as_it_is() -> None:
    said = ToneSynthesizer().speak(TEXT)
    ready = PreparedSynthesizer(ToneSynthesizer(), [TEXT], EnergyV1()).speak(TEXT)

    assert np.array_equal(ready.pcm, said.pcm)
    assert ready.voiced == said.voiced


def test_what_it_does_not_know_is_measured_and_begins_where_it_sounds() -> None:
    said = ToneSynthesizer().speak(TEXT)
    ready = PreparedSynthesizer(Slow(), [TEXT], EnergyV1()).speak(TEXT)

    assert ready.voiced is not None
    assert said.voiced is not None
    extent = ready.voiced.extent
    assert extent is not None
    assert extent.start_ms == 0
    # To one hop of the detector at either end.
    assert abs(extent.end_ms - said.pcm.size // SAMPLES_PER_MS) <= 20
    assert extent.end_ms == -(-ready.pcm.size // SAMPLES_PER_MS)
    assert ready.pcm[: 20 * SAMPLES_PER_MS].any()


def test_silence_is_no_speech() -> None:
    with pytest.raises(ValueError, match="tone made no sound of 'Hello there"):
        PreparedSynthesizer(Silent(), [TEXT], EnergyV1())

from __future__ import annotations

import io

import numpy as np
import soundfile

from shared.audio.effects.mulaw import through_mulaw

EVERY_SAMPLE = np.arange(-32_768, 32_768).astype(np.int16)


def test_every_sample_is_what_another_codec_makes_of_it() -> None:
    file = io.BytesIO()
    soundfile.write(file, EVERY_SAMPLE, 8_000, format="WAV", subtype="ULAW")
    file.seek(0)
    decoded, _ = soundfile.read(file, dtype="int16")
    assert through_mulaw(EVERY_SAMPLE).tolist() == decoded.tolist()


def test_silence_stays_silent() -> None:
    assert not through_mulaw(np.zeros(10, np.int16)).any()


def test_what_went_through_once_goes_through_unchanged() -> None:
    once = through_mulaw(EVERY_SAMPLE)
    assert through_mulaw(once).tolist() == once.tolist()
    assert np.unique(once).size == 255

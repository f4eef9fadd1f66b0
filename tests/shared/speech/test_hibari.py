from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import numpy as np
import pytest

from shared.audio.detection.energy_v1 import EnergyV1
from shared.errors import AttemptError, Stage, UsageError
from shared.speech.hibari import PACKAGE, HibariSynthesizer
from tests.support.programs import needs_package


def absent(package: str) -> str:
    raise importlib.metadata.PackageNotFoundError(package)


def test_without_the_package_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", absent)
    with pytest.raises(UsageError, match="uv sync --extra local-speech") as refusal:
        HibariSynthesizer()
    assert "\n" not in str(refusal.value)


def test_importing_and_naming_the_voice_loads_no_engine() -> None:
    needs_package("hibari")
    code = (
        "import sys; from shared.speech.hibari import HibariSynthesizer;"
        "HibariSynthesizer().version; sys.exit(bool({'hibari', 'onnxruntime'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_same_text_is_the_same_speech_at_a_speaking_level() -> None:
    needs_package("hibari")
    voice = HibariSynthesizer()
    speech, again = (voice.speak("Good evening, a table for four, please.") for _ in range(2))
    assert np.array_equal(speech.pcm, again.pcm)
    assert speech.voiced is None
    assert (speech.synthesizer, speech.version) == ("hibari", importlib.metadata.version(PACKAGE))
    assert voice.parameters == {"voice": "heart", "seed": 0}
    heard = EnergyV1().voiced(speech.pcm)
    assert 1_000 < heard.total_ms < speech.pcm.size / 24
    assert 3_000 < np.abs(speech.pcm.astype(int)).max() < 32_767


def test_a_text_without_a_sound_is_no_speech() -> None:
    needs_package("hibari")
    with pytest.raises(AttemptError, match="no sound") as failure:
        HibariSynthesizer().speak("")
    assert failure.value.stage is Stage.AUDIO_SYNTHESIS

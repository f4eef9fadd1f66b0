"""CRAWL's caller: every request synthesized from its text, and measured before anything is done
to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, override

from assistants.suite.detectors import hybrid_for_sensitivity, measured
from assistants.suite.suite import Rendition, RequestCaller
from assistants.suite.voices import synthesizer
from shared.attempts.attempt import Attempt
from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.detection.port import Detector
from shared.dataset import Dataset
from shared.observability.evidence import MeasuredOn
from shared.scenarios import Scenario
from shared.settings import Settings
from shared.single_turn.session import SpokenRequest
from shared.speech.port import Synthesizer
from shared.speech.tone import ToneSynthesizer
from shared.values import JsonObject

SOURCE = "crawl.synthetic"
TONES_ONCE = (
    "--sensitivity: a caller that speaks in tones is measured once; hybrid-v1 hears no speech there"
)


class SynthesizedCaller(RequestCaller):
    """One voice says every request, whatever recordings a scenario may have."""

    def __init__(
        self,
        voice: Synthesizer,
        second_detector: Detector | None = None,
        warnings: Sequence[str] = (),
    ) -> None:
        self._voice = voice
        self._detector = EnergyV1()
        self._second_detector = second_detector
        self._warnings = warnings

    @property
    @override
    def source(self) -> str:
        return SOURCE

    @property
    @override
    def warnings(self) -> Sequence[str]:
        return self._warnings

    @override
    def renditions(self, scenarios: Sequence[Scenario]) -> Sequence[Rendition]:
        return [Rendition(scenario) for scenario in scenarios]

    @override
    def request_for(self, attempt: Attempt) -> SpokenRequest:
        text = attempt.scenario.input.text
        return spoken_request(self._voice, self._detector, text, self._second_detector)

    @override
    def identity(self, rendition: Rendition, script: Any | None) -> JsonObject:
        said = rendition.scenario.input.text
        return {"kind": "synthesized", "text": said, **self.recorded()}

    @override
    def recorded(self) -> JsonObject:
        return {
            "synthesizer": self._voice.name,
            "version": self._voice.version,
            "parameters": dict(self._voice.parameters),
        }


def caller_of(settings: Settings, _dataset: Dataset) -> RequestCaller:
    """The caller by the settings; of the dataset it needs no file."""
    voice = synthesizer(settings)
    second = hybrid_for_sensitivity(settings)
    if second is not None and voice.name == ToneSynthesizer().name:
        return SynthesizedCaller(voice, warnings=[TONES_ONCE])
    return SynthesizedCaller(voice, second)


def spoken_request(
    voice: Synthesizer, detector: Detector, text: str, second_detector: Detector | None = None
) -> SpokenRequest:
    """Speak a request and measure its clean source, whatever the voice says of itself."""
    speech = voice.speak(text)
    found = measured(speech.pcm, MeasuredOn.CLEAN_SOURCE, detector, second_detector)
    return SpokenRequest(
        speech.pcm,
        found.track,
        text,
        SOURCE,
        second_track=found.second,
        speech_file=found.speech_file,
    )

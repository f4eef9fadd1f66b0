"""CRAWL's caller: one request, synthesized, with where it is voiced."""

from __future__ import annotations

from pathlib import Path

from shared.audio.detection.port import Detector
from shared.observability.evidence import MeasuredOn, Track
from shared.single_turn.session import SpokenRequest
from shared.speech.cache import CachedSynthesizer
from shared.speech.hibari import HibariSynthesizer
from shared.speech.port import Synthesizer
from shared.speech.tone import ToneSynthesizer

SOURCE = "crawl.synthetic"


def synthesizer(name: str, cache: Path, *, refresh: bool) -> Synthesizer:
    """The caller's voice by its name; what costs time to make is kept on disk."""
    if name == "tone":
        return ToneSynthesizer()
    return CachedSynthesizer(HibariSynthesizer(), cache, refresh=refresh)


def spoken_request(voice: Synthesizer, detector: Detector, text: str) -> SpokenRequest:
    """Speak a request and measure its clean source, whatever the voice says of itself."""
    speech = voice.speak(text)
    track = Track(
        detector.voiced(speech.pcm), int(speech.pcm.size), detector.id, MeasuredOn.CLEAN_SOURCE
    )
    return SpokenRequest(speech.pcm, track, text, SOURCE)

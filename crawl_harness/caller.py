"""CRAWL's caller: one request, synthesized, with where it is voiced."""

from __future__ import annotations

from pathlib import Path

from assistants.config import api_key
from assistants.endpoints import http_endpoint
from shared.audio.detection.port import Detector
from shared.errors import UsageError
from shared.observability.evidence import MeasuredOn, Track
from shared.settings import Origin, Settings
from shared.single_turn.session import SpokenRequest
from shared.speech.cache import CachedSynthesizer
from shared.speech.hibari import HibariSynthesizer
from shared.speech.openai import OpenAISpeech, SpeechService
from shared.speech.port import Synthesizer
from shared.speech.tone import ToneSynthesizer

SOURCE = "crawl.synthetic"


def synthesizer(settings: Settings, cache: Path) -> Synthesizer:
    """The caller's voice as it was chosen; what costs time or money to make is kept on disk.

    Without a choice a live run has a natural voice, and an offline run one that needs nothing.
    """
    chosen = settings["synthesizer"] or ("tone" if settings.switch("offline") else "openai")
    for name in ("caller_voice", "tts_model"):
        if chosen != "openai" and settings.origin(name) is Origin.FLAG:
            flag = f"--{name.replace('_', '-')}"
            raise UsageError(f"{flag}: belongs to --synthesizer openai; remove it")
    if chosen == "tone":
        return ToneSynthesizer()
    voice = HibariSynthesizer() if chosen == "hibari" else _openai(settings)
    return CachedSynthesizer(voice, cache, refresh=settings.switch("refresh_audio"))


def _openai(settings: Settings) -> OpenAISpeech:
    address = http_endpoint(
        settings.text("base_url"),
        allow_plaintext_loopback=settings.switch("allow_insecure_loopback"),
        setting="OPENAI_BASE_URL",
    )
    key = api_key(
        settings, needed_for="--synthesizer openai", otherwise="tone, which needs nothing"
    )
    return OpenAISpeech(
        SpeechService(address.url, key, is_loopback=address.is_loopback),
        model=settings.text("tts_model"),
        voice=settings.text("caller_voice"),
    )


def spoken_request(voice: Synthesizer, detector: Detector, text: str) -> SpokenRequest:
    """Speak a request and measure its clean source, whatever the voice says of itself."""
    speech = voice.speak(text)
    track = Track(
        detector.voiced(speech.pcm), int(speech.pcm.size), detector.id, MeasuredOn.CLEAN_SOURCE
    )
    return SpokenRequest(speech.pcm, track, text, SOURCE)

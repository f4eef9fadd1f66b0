"""The caller's voice by the settings: which synthesizer, kept on disk where it costs something."""

from __future__ import annotations

import os

from assistants.config import api_key
from assistants.endpoints import http_endpoint
from shared.errors import UsageError
from shared.places import audio_cache, expanded, refuse_inside_package
from shared.settings import Origin, Settings
from shared.speech.cache import CachedSynthesizer
from shared.speech.espeak import EspeakSynthesizer
from shared.speech.hibari import HibariSynthesizer
from shared.speech.openai import OpenAISpeech, SpeechService
from shared.speech.port import Synthesizer
from shared.speech.tone import ToneSynthesizer

OTHERWISE = (
    "hibari, natural and on this machine (extra local-speech), or tone, a test signal that needs"
    " nothing"
)


def synthesizer(settings: Settings) -> Synthesizer:
    """The caller's voice as it was chosen; what costs time or money to make is kept on disk.

    Without a choice a live run has a natural voice, and an offline run one that needs nothing.
    """
    chosen = settings["synthesizer"] or ("tone" if settings.switch("offline") else "openai")
    for name in ("caller_voice", "tts_model"):
        if chosen != "openai" and settings.origin(name) is Origin.FLAG:
            flag = next(row.flag for row in settings.rows if row.name == name)
            raise UsageError(f"{flag}: belongs to --synthesizer openai; remove it")
    cache = expanded(
        settings.path("audio_cache_dir") or audio_cache(os.environ), "--audio-cache-dir"
    )
    refuse_inside_package(cache, "--audio-cache-dir")
    voice: Synthesizer
    match chosen:
        case "tone":
            return ToneSynthesizer()
        case "hibari":
            voice = HibariSynthesizer()
        case "espeak-ng":
            voice = EspeakSynthesizer()
        case _:
            voice = _openai(settings)
    return CachedSynthesizer(voice, cache, refresh=settings.switch("refresh_audio"))


def _openai(settings: Settings) -> OpenAISpeech:
    address = http_endpoint(
        settings.text("base_url"),
        allow_plaintext_loopback=settings.switch("allow_insecure_loopback"),
        setting="OPENAI_BASE_URL",
    )
    key = api_key(settings, needed_for="--synthesizer openai", otherwise=OTHERWISE)
    return OpenAISpeech(
        SpeechService(address.url, key, is_loopback=address.is_loopback),
        model=settings.text("tts_model"),
        voice=settings.text("caller_voice"),
    )

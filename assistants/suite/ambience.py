"""The sounds around a caller, as the settings have them."""

from __future__ import annotations

from dataclasses import replace

from shared.audio.conversion import converted
from shared.audio.effects import bundled
from shared.audio.effects.ambience import Ambience
from shared.audio.sidecar import sha256_of
from shared.errors import UsageError
from shared.places import expanded
from shared.settings import Settings


def ambience_of(settings: Settings) -> tuple[Ambience, str | None]:
    """The sounds, and the digest of voices other than the bundled ones.

    Raises :class:`UsageError` for a recording that cannot be used.
    """
    file = settings.path("background_speech")
    if file is None:
        return bundled.ambience(), None
    voices = converted(expanded(file, "--background-speech")).pcm
    if not voices.any():
        raise UsageError(f"--background-speech: {file}: is silent; choose another")
    return replace(bundled.ambience(), conversation=voices), sha256_of(voices)

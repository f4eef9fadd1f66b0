"""A voice that has already said all it will be asked for, so that no conversation waits for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import override

from shared.speech.port import Speech, Synthesizer
from shared.values import JsonScalar


class PreparedSynthesizer(Synthesizer):
    """Speaks each text at once when made, and gives it out later; other texts are a ``KeyError``.

    Making it raises whatever the voice raises.
    """

    def __init__(self, voice: Synthesizer, texts: Iterable[str]) -> None:
        self._voice = voice
        self._spoken = {text: voice.speak(text) for text in dict.fromkeys(texts)}

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

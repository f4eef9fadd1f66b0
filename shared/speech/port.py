"""What a voice is: text in, 24 kHz speech out, with its truth where the voice knows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from shared.audio.pcm import Pcm
from shared.intervals import IntervalSet
from shared.values import JsonScalar

# Slow speech takes about 100 ms a character; a number spelled out takes the most.
LONGEST_MS = 5_000
LONGEST_MS_PER_CHARACTER = 500


@dataclass(frozen=True, slots=True)
class Speech:
    """One spoken text. Never empty.

    ``voiced`` is where it truly sounds, in milliseconds from its first sample, when that is known
    by construction; otherwise a detector has to measure it.
    """

    pcm: Pcm
    voiced: IntervalSet | None
    synthesizer: str
    version: str


class Synthesizer(Protocol):
    """A voice. Its name, version and parameters, with the text, settle what it says."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def parameters(self) -> Mapping[str, JsonScalar]:
        """Everything beside the text that can change a sample: the voice, its pitch, a seed."""

    def speak(self, text: str) -> Speech:
        """Say a text; one that holds nothing to say is a ``ValueError``."""


def longest_ms(text: str) -> int:
    """More than any voice takes for a text: what is longer is something else than its speech."""
    return LONGEST_MS + LONGEST_MS_PER_CHARACTER * len(text)

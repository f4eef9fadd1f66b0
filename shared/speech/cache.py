"""Speech kept on disk, so that the same text is paid for once.

An entry is one WAV file named by what its voice was asked: the SHA-256 of synthesizer, version,
parameters and text. Speech whose truth is known by construction passes through: a voice that can
compute its truth can compute its sound, and a WAV file has no place for the truth.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from shared.audio import wav
from shared.audio.pcm import Pcm
from shared.errors import UsageError
from shared.places import make_private, write_whole
from shared.speech.port import Speech, Synthesizer
from shared.values import JsonScalar


class CachedSynthesizer:
    """A voice in front of another. ``refresh`` asks for every text once more, then reuses it.

    Whoever wants a text while it is being made waits for it: repeats of a scenario hear one caller,
    however many of them run at once.
    """

    def __init__(self, voice: Synthesizer, directory: Path, *, refresh: bool = False) -> None:
        self._voice = voice
        self._directory = directory
        self._refresh = refresh
        self._renewed: set[Path] = set()
        self._making: defaultdict[Path, threading.Lock] = defaultdict(threading.Lock)
        self._one_at_a_time = threading.Lock()

    @property
    def name(self) -> str:
        return self._voice.name

    @property
    def version(self) -> str:
        return self._voice.version

    @property
    def parameters(self) -> Mapping[str, JsonScalar]:
        return self._voice.parameters

    def speak(self, text: str) -> Speech:
        """Say the text from disk, or else by the voice, and keep it."""
        entry = self.entry(text)
        with self._one_at_a_time:
            making = self._making[entry]
        with making:
            return self._spoken(entry, text)

    def entry(self, text: str) -> Path:
        """The file that holds a text, whether or not it exists."""
        asked = {
            "synthesizer": self.name,
            "version": self.version,
            "parameters": dict(self.parameters),
            "text": text,
        }
        canonical = json.dumps(asked, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return self._directory / f"{hashlib.sha256(canonical.encode()).hexdigest()}.wav"

    def _spoken(self, entry: Path, text: str) -> Speech:
        if not self._refresh or entry in self._renewed:
            kept = _kept(entry)
            if kept is not None:
                return Speech(kept, None, self.name, self.version)
        _have(self._directory)
        speech = self._voice.speak(text)
        if speech.voiced is None:
            _keep(entry, speech.pcm)
            self._renewed.add(entry)
        return speech


def _kept(entry: Path) -> Pcm | None:
    """What the entry holds; a missing or damaged one holds nothing."""
    try:
        return wav.read_mono(entry)
    except UsageError:
        return None


def _have(directory: Path) -> None:
    """Have the directory before anything is spent. One that exists keeps its permissions."""
    try:
        make_private(directory)
    except OSError as error:
        raise UsageError(f"{directory}: no speech can be kept: {error.strerror}") from error


def _keep(entry: Path, pcm: Pcm) -> None:
    """Write a whole entry or none: a private file beside it takes its place in one step."""
    try:
        write_whole(entry, wav.encode(pcm))
    except OSError as error:
        raise UsageError(f"{entry}: cannot be kept: {error.strerror}") from error

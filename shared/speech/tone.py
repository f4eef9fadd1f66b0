"""``tone``: a voice of humming syllables that knows to the millisecond where it sounds.

Theory of operation: each word is one to four syllables of a gliding pitch with its harmonics, which
swell and ebb but stay loud from the word's first hop to its last; between words are exact zeros.
Word edges lie on the detector's 10 ms grid. The truth is sample support: every sample that is not
zero lies inside a voiced span, and each span's first and last millisecond hold some.

The same text gives the same bytes on any machine: choices come from SHA-256, everything per sample
is integer arithmetic, and the two tables that need a cosine are rounded far from any tie.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
import numpy.typing as npt

from shared.audio.pcm import SAMPLE_RATE_HZ, SAMPLES_PER_MS, Pcm, saturated, silence
from shared.intervals import Interval, IntervalSet
from shared.readings import has_words
from shared.speech.port import Speech
from shared.values import JsonScalar

GRID_MS = 10
SYLLABLES_MS = (150, 160, 170, 180, 190, 200)
MOST_SYLLABLES = 4
GAPS_MS = (40, 50, 60, 70, 80, 90)
GAPS_AFTER_PUNCTUATION_MS = (110, 120, 130, 140, 150)
EDGE_SAMPLES = 6 * SAMPLES_PER_MS
EBB_SAMPLES = 40 * SAMPLES_PER_MS
GLIDE_PERMILLE = 60

# Fixed point: a pitch period is 2^24 phase steps and a table of 2^12, a gain of one is 2^15.
PHASE_BITS = 24
PERIOD_BITS = 12
GAIN_BITS = 15
UNITY = 1 << GAIN_BITS
# Weights of the harmonics, falling as a voice's do; the level puts words at about -20 dBFS RMS.
HARMONICS = (10, 9, 7, 5, 4, 3, 3, 2, 2, 1)
LOUDNESS = 284

type Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Chance:
    """Choices that look free and are settled by the word and its place in the text."""

    digest: bytes

    @classmethod
    def of(cls, index: int, word: str) -> Self:
        return cls(hashlib.sha256(f"tone\n{index}\n{word}".encode()).digest())

    def pick(self, draw: int, choices: tuple[int, ...]) -> int:
        return choices[self.digest[draw] % len(choices)]


@dataclass(frozen=True, slots=True)
class Syllable:
    """A stretch of one word: how long it is, and from where to where its pitch glides."""

    samples: int
    from_permille: int
    to_permille: int


class ToneSynthesizer:
    """The offline voice. A lower pitch makes another speaker of the same words."""

    def __init__(self, pitch_hz: int = 210) -> None:
        self._pitch_hz = pitch_hz

    @property
    def name(self) -> str:
        return "tone"

    @property
    def version(self) -> str:
        return "1"

    @property
    def parameters(self) -> Mapping[str, JsonScalar]:
        return {"pitch_hz": self._pitch_hz}

    def speak(self, text: str) -> Speech:
        """Hum every word of the text; it starts with the first and ends with the last."""
        words = [word for word in text.split() if has_words(word)]
        if not words:
            raise ValueError("nothing to say")
        pieces: list[Pcm] = []
        spans: list[Interval] = []
        now_ms = 0
        for index, word in enumerate(words):
            sound = _hummed(_syllables(index, word), self._pitch_hz)
            end_ms = now_ms + sound.size // SAMPLES_PER_MS
            gap_ms = _gap_ms(index, word) if index + 1 < len(words) else 0
            pieces += [sound, silence(gap_ms)]
            spans.append(Interval(now_ms, end_ms))
            now_ms = end_ms + gap_ms
        return Speech(np.concatenate(pieces), IntervalSet(tuple(spans)), self.name, self.version)


def syllable_count(word: str) -> int:
    """One to four: the groups of vowels, or for digits and the like a third of the length."""
    vowels = len(re.findall(r"[aeiouy]+", word.lower()))
    return min(vowels or -(-len(word) // 3), MOST_SYLLABLES)


@functools.cache
def period() -> Integers:
    """One pitch period of the voice: its harmonics, 2^12 steps, in sample units."""
    steps = np.arange(1 << PERIOD_BITS) / (1 << PERIOD_BITS)
    waves = [
        weight * np.sin(2 * np.pi * (number * steps - _lag(number)))
        for number, weight in enumerate(HARMONICS, start=1)
    ]
    return np.rint(LOUDNESS * np.sum(waves, axis=0)).astype(np.int64)


@functools.cache
def rise(samples: int) -> Integers:
    """A raised-cosine edge from next to nothing to next to all, as gains."""
    steps = (np.arange(samples) + 0.5) / samples
    return np.rint(UNITY / 2 * (1 - np.cos(np.pi * steps))).astype(np.int64)


def _lag(harmonic: int) -> float:
    """By how many cycles a harmonic starts late. It spreads the sound over the whole period.

    In step, all harmonics would sound at once and leave the rest of a low pitch's period, and so
    of a word's first hop, nearly silent.
    """
    return harmonic * (harmonic - 1) / (2 * len(HARMONICS))


def _syllables(index: int, word: str) -> tuple[Syllable, ...]:
    chance = Chance.of(index, word)
    count = syllable_count(word)
    glide = tuple(range(1_000 - GLIDE_PERMILLE, 1_000 + GLIDE_PERMILLE + 1))
    turns = pairwise(chance.pick(8 + knot, glide) for knot in range(count + 1))
    return tuple(
        Syllable(chance.pick(number, SYLLABLES_MS) * SAMPLES_PER_MS, start, end)
        for number, (start, end) in enumerate(turns)
    )


def _gap_ms(index: int, word: str) -> int:
    gaps = GAPS_MS if word[-1].isalnum() else GAPS_AFTER_PUNCTUATION_MS
    return Chance.of(index, word).pick(16, gaps)


def _hummed(syllables: tuple[Syllable, ...], pitch_hz: int) -> Pcm:
    """One word: the period read at the gliding pitch, under the swell of its syllables."""
    phase = np.cumsum(np.concatenate([_pitch(each, pitch_hz) for each in syllables]))
    wave = period()[(phase >> (PHASE_BITS - PERIOD_BITS)) % (1 << PERIOD_BITS)]
    loud = _scaled(wave, _swell(syllables))
    loud[:EDGE_SAMPLES] = _scaled(loud[:EDGE_SAMPLES], rise(EDGE_SAMPLES))
    loud[-EDGE_SAMPLES:] = _scaled(loud[-EDGE_SAMPLES:], rise(EDGE_SAMPLES)[::-1])
    return saturated(loud)


def _pitch(syllable: Syllable, pitch_hz: int) -> Integers:
    """Phase steps per sample, gliding evenly through the syllable."""
    steps = (pitch_hz << PHASE_BITS) // SAMPLE_RATE_HZ
    turn = syllable.to_permille - syllable.from_permille
    permille = syllable.from_permille * syllable.samples + turn * np.arange(syllable.samples)
    return steps * permille // (1_000 * syllable.samples)


def _swell(syllables: tuple[Syllable, ...]) -> Integers:
    """Gains of a word: all the way up, and half-way down (6 dB) where two syllables meet."""
    gains = np.full(sum(each.samples for each in syllables), UNITY, np.int64)
    ebb = UNITY - rise(EBB_SAMPLES)[::-1] // 2
    for join in _joins(syllables):
        gains[join - EBB_SAMPLES : join] = ebb[::-1]
        gains[join : join + EBB_SAMPLES] = ebb
    return gains


def _joins(syllables: tuple[Syllable, ...]) -> Iterator[int]:
    join = 0
    for syllable in syllables[:-1]:
        join += syllable.samples
        yield join


def _scaled(wave: Integers, gains: Integers) -> Integers:
    """The product, rounded to the nearest sample value; ties go up."""
    return (wave * gains + UNITY // 2) >> GAIN_BITS

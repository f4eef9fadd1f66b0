"""Coughs and asides: sounds of the caller's that are no request, in the caller's own pauses.

Theory of operation: each kind is due at every multiple of its interval. One that falls into speech
waits for the next silence, and what would have been due in the meantime is let go. Only what has
been heard can decide, never what comes, so that a live line and a file are treated alike: once
``QUIET_MS`` of the caller's own signal were quiet, hop by hop, the longest due one starts. It stops
at the first loud hop, because nobody coughs and speaks at once: it reaches at most one hop into
speech.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from shared.audio.effects.draws import Draws
from shared.audio.effects.levels import Floats, rms_at
from shared.audio.effects.noise import UNIT_RMS, unscaled
from shared.audio.effects.recipe import Distractors
from shared.audio.pcm import SAMPLES_PER_MS, Pcm

HOP_MS = 10
HOP_SAMPLES = HOP_MS * SAMPLES_PER_MS
QUIET_MS = 200
QUIET_HOPS = QUIET_MS // HOP_MS
# The level at which energy-v1 lets speech end, so that a quiet hop is no part of a word.
LOUD_DBFS = -50.0

COUGH_SAMPLES = 160 * SAMPLES_PER_MS
COUGH_ONSET_SAMPLES = 8 * SAMPLES_PER_MS
COUGH_RMS = 1_400
ASIDE_GAIN = 0.4


class DistractorKind(StrEnum):
    COUGH = "cough"
    NON_DIRECTED = "non_directed"


@dataclass(frozen=True, slots=True)
class DistractorEvent:
    """One that was heard, ``[start_ms, end_ms)``: begun milliseconds count, so it lies inside."""

    kind: DistractorKind
    due_ms: int
    start_ms: int
    end_ms: int


@dataclass(slots=True)
class _Due:
    """When a kind is due next, in samples; ``count`` are those that came."""

    kind: DistractorKind
    every: int
    next: int
    count: int = 0


@dataclass(frozen=True, slots=True)
class _Playing:
    kind: DistractorKind
    due: int
    start: int
    sound: Floats


class DistractingCaller:
    """Adds what the caller utters beside the request, and remembers it."""

    def __init__(self, distractors: Distractors, aside: Pcm, draws: Draws) -> None:
        intervals = {
            DistractorKind.COUGH: distractors.cough_every_ms,
            DistractorKind.NON_DIRECTED: distractors.non_directed_every_ms,
        }
        self._due = [
            _Due(kind, every_ms * SAMPLES_PER_MS, every_ms * SAMPLES_PER_MS)
            for kind, every_ms in intervals.items()
            if every_ms is not None
        ]
        self._aside: Floats = aside * np.float64(ASIDE_GAIN)
        self._draws = draws
        self._loud = rms_at(LOUD_DBFS) ** 2 * HOP_SAMPLES
        self._position = 0
        self._hop_energy = 0
        self._quiet_hops = 0
        self._playing: _Playing | None = None
        self._events: list[DistractorEvent] = []

    def following(self, caller: Pcm) -> Floats:
        """What sounds beside the next block of the caller's own signal."""
        beside = np.zeros(caller.size)
        ends = range(HOP_SAMPLES - self._position % HOP_SAMPLES, caller.size + 1, HOP_SAMPLES)
        at = 0
        for end, energy in zip(ends, self._energies(caller, ends), strict=True):
            self._sound(beside[at:end])
            self._decide(is_loud=energy >= self._loud)
            at = end
        self._sound(beside[at:])
        return beside

    @property
    def events(self) -> tuple[DistractorEvent, ...]:
        """All so far, the one that still sounds with what of it was heard."""
        heard = self._heard(self._playing) if self._playing else ()
        return (*self._events, *heard)

    def _energies(self, caller: Pcm, ends: range) -> list[int]:
        """The energy of each hop that ends in the block; an unfinished one is carried on."""
        # One zero more, because the block may end where a hop does.
        squares = np.zeros(caller.size + 1, np.int64)
        np.square(caller, out=squares[:-1], dtype=np.int64)
        energies: list[int] = np.add.reduceat(squares, [0, *ends]).tolist()
        energies[0] += self._hop_energy
        self._hop_energy = energies.pop()
        return energies

    def _decide(self, *, is_loud: bool) -> None:
        """A hop has ended: whether a distractor stops, and whether one starts."""
        self._quiet_hops = 0 if is_loud else self._quiet_hops + 1
        if is_loud and self._playing:
            self._stop(self._playing)
        if self._playing is None and self._quiet_hops >= QUIET_HOPS:
            self._start()

    def _start(self) -> None:
        due = min(self._due, key=lambda each: each.next)
        if due.next > self._position:
            return
        sound = self._cough(due.count) if due.kind is DistractorKind.COUGH else self._aside
        self._playing = _Playing(due.kind, due.next, self._position, sound)
        due.count += 1
        due.next = (self._position // due.every + 1) * due.every

    def _sound(self, beside: Floats) -> None:
        """Fill the place with what is playing, and move on."""
        playing = self._playing
        if playing:
            heard = self._position - playing.start
            piece = playing.sound[heard : heard + beside.size]
            beside[: piece.size] = piece
        self._position += beside.size
        if playing and self._position - playing.start >= playing.sound.size:
            self._stop(playing)

    def _stop(self, playing: _Playing) -> None:
        self._events += self._heard(playing)
        self._playing = None

    def _heard(self, playing: _Playing) -> tuple[DistractorEvent, ...]:
        end = min(self._position, playing.start + playing.sound.size)
        if end == playing.start:
            return ()
        in_ms = (playing.due // SAMPLES_PER_MS, playing.start // SAMPLES_PER_MS)
        return (DistractorEvent(playing.kind, *in_ms, -(-end // SAMPLES_PER_MS)),)

    def _cough(self, count: int) -> Floats:
        """A burst of noise that comes fast and goes slowly; no two are the same."""
        noise = unscaled(self._draws, count * COUGH_SAMPLES, COUGH_SAMPLES)
        return noise * _cough_shape()


def _cough_shape() -> Floats:
    """From nothing to the cough's loudest RMS, and to nothing."""
    shape: Floats = np.square(np.linspace(1, 0, COUGH_SAMPLES))
    shape[:COUGH_ONSET_SAMPLES] *= np.linspace(0, 1, COUGH_ONSET_SAMPLES)
    return shape * np.float64(COUGH_RMS / UNIT_RMS)

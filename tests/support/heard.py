"""A network that hears speech where a test says so, and tracks made of words in noise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shared.audio.detection.neural import WINDOW_MS, Windows
from shared.audio.pcm import SAMPLE_RATE_HZ, SAMPLES_PER_MS, Pcm, saturated

FULL_SCALE = 32_768


class ScriptedNetwork:
    """Says ``sure`` in windows ``[first, stop)``, counted from each stretch's start, else 0."""

    package = "scripted"
    version = "0"

    def __init__(self, *windows: tuple[int, int], sure: float = 1.0) -> None:
        self._windows = windows
        self._sure = sure
        self.heard: list[Windows] = []

    def probabilities(self, windows: Windows) -> Sequence[float]:
        self.heard.append(windows)
        said = np.zeros(len(windows))
        for first, stop in self._windows:
            said[first:stop] = self._sure
        return said.tolist()


def sure_between(start_ms: int, end_ms: int) -> tuple[int, int]:
    """The windows of 32 ms that make up a span."""
    assert start_ms % WINDOW_MS == end_ms % WINDOW_MS == 0
    return start_ms // WINDOW_MS, end_ms // WINDOW_MS


def buzz(duration_ms: int, dbfs: float = -20.0) -> Pcm:
    """1 kHz at a level: every hop of it is as loud as the whole."""
    steps = np.arange(duration_ms * SAMPLES_PER_MS) / SAMPLE_RATE_HZ
    return saturated(FULL_SCALE * 10 ** (dbfs / 20) * np.sqrt(2) * np.sin(2_000 * np.pi * steps))


def hiss(duration_ms: int, dbfs: float, seed: int = 1) -> Pcm:
    """White noise at a level."""
    samples = duration_ms * SAMPLES_PER_MS
    drawn = np.random.default_rng(seed).normal(0, FULL_SCALE * 10 ** (dbfs / 20), samples)
    return saturated(drawn)


def over(under: Pcm, sound: Pcm, at_ms: int) -> Pcm:
    """A sound mixed into a track."""
    both = under.astype(np.int32)
    start = at_ms * SAMPLES_PER_MS
    both[start : start + sound.size] += sound
    return saturated(both)

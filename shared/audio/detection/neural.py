"""What a neural network says of a stretch: how likely each window of 32 ms is to hold speech.

The network listens at 16 kHz, from rest, to a stretch that is resampled and cut into windows from
its start. No silence is put before it: noise that sets in at once would be heard as a start.
Probabilities are kept as bytes, because networks differ in the last digits from machine to machine;
everything after them is computed from the bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from shared.audio.detection.hops import FULL_SCALE
from shared.audio.pcm import SAMPLE_RATE_HZ, SAMPLES_PER_MS, Pcm
from shared.intervals import Interval, IntervalSet

RATE_HZ = 16_000
WINDOW_MS: Final = 32
WINDOW_SAMPLES = WINDOW_MS * RATE_HZ // 1_000
QUALITY = "HQ"
"""Of soxr's band-limited resampling."""
CERTAIN = 255
SPEECH_FROM = 0.5
SPEECH_WHILE = 0.35
LEAST_SPEECH_MS = 60
LEAST_GAP_MS = 120

type Windows = npt.NDArray[np.float32]


class Network(Protocol):
    """A network with its weights. The same windows give the same answers, from rest each time."""

    @property
    def package(self) -> str: ...

    @property
    def version(self) -> str: ...

    def probabilities(self, windows: Windows) -> Sequence[float]:
        """One number from 0 to 1 for each row of ``WINDOW_SAMPLES`` samples from -1 to 1."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What was heard in one stretch: a byte a window, 0 to 255 for 0 to 1."""

    start_ms: int
    probabilities: bytes


def window_count(samples: int) -> int:
    """How many windows a stretch of so many samples has; the last is filled up with silence."""
    return -(-samples // (WINDOW_MS * SAMPLES_PER_MS))


def heard(stretch: Pcm, start_ms: int, network: Network) -> Heard:
    """Have the network listen to a stretch."""
    answers = np.asarray(network.probabilities(_windows(stretch)), np.float64)
    return Heard(start_ms, np.rint(answers * CERTAIN).astype(np.uint8).tobytes())


def speech(said: Heard) -> IntervalSet:
    """Where the network is sure of speech, in milliseconds of the track.

    Speech starts at one probability and lasts until it falls below a lower one. Gaps shorter than
    ``LEAST_GAP_MS`` are bridged, and what is shorter than ``LEAST_SPEECH_MS`` after that is none.
    This says which sound is speech; where exactly it is voiced is not told from windows.
    """
    sure, on = [], None
    for index, byte in enumerate((*said.probabilities, 0)):
        at_ms = said.start_ms + index * WINDOW_MS
        if on is None and byte >= SPEECH_FROM * CERTAIN:
            on = at_ms
        elif on is not None and byte < SPEECH_WHILE * CERTAIN:
            sure.append(Interval(on, at_ms))
            on = None
    bridged = IntervalSet(tuple(sure)).merged(gaps_below_ms=LEAST_GAP_MS)
    return IntervalSet(tuple(one for one in bridged if one.duration_ms >= LEAST_SPEECH_MS))


def _windows(stretch: Pcm) -> Windows:
    import soxr

    sound = stretch.astype(np.float32) / np.float32(FULL_SCALE)
    resampled = soxr.resample(sound, SAMPLE_RATE_HZ, RATE_HZ, QUALITY)
    windows = np.zeros((window_count(stretch.size), WINDOW_SAMPLES), np.float32)
    windows.ravel()[: resampled.size] = resampled
    return windows

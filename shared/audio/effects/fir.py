"""Filters of whole-number taps, which every machine computes to the last bit.

Samples and taps are integers and every sum of their products stays below 2^53, so each product and
each sum is exact in 64 bit floating point, in whatever order a library adds them up.
"""

from __future__ import annotations

import numpy as np

from shared.audio.effects.levels import Floats

UNITY = 1 << 14
"""The tap that stands for a gain of one: divide by it afterwards, which is exact too."""


def lowpass(taps: int, cutoff_hz: float, rate_hz: int, *, beta: float) -> Floats:
    """A Kaiser-windowed sinc; its delay is half of ``taps - 1`` samples, at every frequency."""
    shape = _sinc(taps, cutoff_hz, rate_hz, beta)
    return np.rint(shape * UNITY)


def highpass(taps: int, cutoff_hz: float, rate_hz: int, *, beta: float) -> Floats:
    """A unit impulse minus the low-pass."""
    shape = -_sinc(taps, cutoff_hz, rate_hz, beta)
    shape[taps // 2] += 1.0
    return np.rint(shape * UNITY)


def _sinc(taps: int, cutoff_hz: float, rate_hz: int, beta: float) -> Floats:
    if not taps % 2:
        raise ValueError(f"an odd number of taps delays by whole samples, {taps} does not")
    places = np.arange(taps) - taps // 2
    shape: Floats = np.sinc(2 * cutoff_hz / rate_hz * places) * np.kaiser(taps, beta)
    return shape / shape.sum()


class Filter:
    """One filter running over a stream in blocks; before the stream there were zeros.

    Its taps are the same from either end.
    """

    def __init__(self, taps: Floats) -> None:
        self._taps = taps
        self._tail = np.zeros(taps.size - 1)

    def filtered(self, block: Floats) -> Floats:
        """As many samples as went in, ``UNITY`` times as large."""
        if not block.size:
            return block
        stream = np.concatenate([self._tail, block])
        self._tail = stream[block.size :]
        return np.correlate(stream, self._taps, "valid")

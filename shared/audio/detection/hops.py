"""A track by hops of 10 ms: how loud each is without offset and hum, and runs of them as spans.

Hops lie on one grid from the first sample. A zero-delay high-pass takes away constant offset and
mains hum; levels are in dB below a full scale of 1.0 RMS.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shared.audio.pcm import SAMPLE_RATE_HZ, SAMPLES_PER_MS, Pcm
from shared.intervals import Interval, IntervalSet

HOP_MS = 10
HOP_SAMPLES = HOP_MS * SAMPLES_PER_MS
LEAST_VOICED_MS = 30
"""A shorter sound is a click."""
HIGHPASS_HZ = 150
# One hop to either side: a sample never rings further than into the neighbouring hop.
HIGHPASS_TAPS = 2 * HOP_SAMPLES + 1

FULL_SCALE = 32_768.0
LEAST_POWER = 1e-6
# 30 hops of new samples per transform of 2^9 * 3 * 5, which suits both the cache and the FFT.
BLOCK_HOPS = 30
BLOCK_SAMPLES = BLOCK_HOPS * HOP_SAMPLES
FFT_SAMPLES = BLOCK_SAMPLES + HIGHPASS_TAPS - 1
BLOCKS_AT_ONCE = 16

type Floats = npt.NDArray[np.float32]
type Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Hops:
    """Mean squares of every hop in sample units, and which hops are nothing but exact zeros.

    ``own`` is the hop's, about its own mean; ``filtered`` that of the high-passed signal.
    """

    own: Floats
    filtered: Floats
    silent: Bools


def hops_of(stretch: Pcm) -> Hops:
    """Measure every hop of a stretch that starts on the grid; zeros surround it."""
    count = -(-stretch.size // HOP_SAMPLES)
    blocks = -(-count // BLOCK_HOPS)
    padded = np.zeros(blocks * BLOCK_SAMPLES + 2 * HOP_SAMPLES, np.int16)
    padded[HOP_SAMPLES : HOP_SAMPLES + stretch.size] = stretch
    overlapping = np.lib.stride_tricks.sliding_window_view(padded, FFT_SAMPLES)[::BLOCK_SAMPLES]
    own = np.empty((blocks, BLOCK_HOPS), np.float32)
    filtered = np.empty((blocks, BLOCK_HOPS), np.float32)
    for first in range(0, blocks, BLOCKS_AT_ONCE):
        some = slice(first, first + BLOCKS_AT_ONCE)
        samples = overlapping[some].astype(np.float32)
        own[some] = own_power(_by_hop(samples[:, HOP_SAMPLES:-HOP_SAMPLES]))
        spectrum = np.fft.rfft(samples, axis=1)
        spectrum *= _highpass()
        # Overlap-save: the first two hops of each block are wrapped around and belong to no one.
        cleared = np.fft.irfft(spectrum, FFT_SAMPLES, axis=1)[:, 2 * HOP_SAMPLES :]
        filtered[some] = _mean_square(_by_hop(cleared))
    silent = ~padded[HOP_SAMPLES : (count + 1) * HOP_SAMPLES].reshape(-1, HOP_SAMPLES).any(axis=1)
    return Hops(own.ravel()[:count], filtered.ravel()[:count], silent)


def with_hysteresis(*, on: Bools, off: Bools) -> Bools:
    """On from a hop that turns on until one that turns off; off wins; others keep the state."""
    decided = on | off
    last_decided = np.maximum.accumulate(np.where(decided, np.arange(decided.size), 0))
    return (on & ~off)[last_decided]


def without_clicks(voiced: Bools) -> Bools:
    """Only the runs of at least ``LEAST_VOICED_MS``."""
    starts, ends = _runs(voiced)
    lasting = (ends - starts) * HOP_MS >= LEAST_VOICED_MS
    steps = np.zeros(voiced.size + 1, np.int8)
    steps[starts[lasting]] = 1
    steps[ends[lasting]] = -1
    kept: Bools = np.cumsum(steps[:-1]) > 0
    return kept


def spans(voiced: Bools, *, first_hop: int) -> IntervalSet:
    """Runs of voiced hops as spans, without the clicks."""
    starts, ends = ((edges + first_hop) * HOP_MS for edges in _runs(without_clicks(voiced)))
    bounds = zip(starts.tolist(), ends.tolist(), strict=True)
    return IntervalSet(tuple(Interval(start_ms, end_ms) for start_ms, end_ms in bounds))


def _runs(voiced: Bools) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Where runs of true hops start and end, ends excluded."""
    edges = np.flatnonzero(np.diff(voiced, prepend=False, append=False))
    return edges[::2], edges[1::2]


@functools.cache
def _highpass() -> npt.NDArray[np.complex64]:
    """The transform of a unit impulse minus a windowed-sinc low-pass: exactly nothing at 0 Hz."""
    taps = np.arange(HIGHPASS_TAPS) - HOP_SAMPLES
    lowpass = np.sinc(2 * HIGHPASS_HZ / SAMPLE_RATE_HZ * taps) * np.hamming(HIGHPASS_TAPS)
    impulse = -lowpass / lowpass.sum()
    impulse[HOP_SAMPLES] += 1.0
    return np.fft.rfft(impulse, FFT_SAMPLES).astype(np.complex64)


def _by_hop(blocks: Floats) -> Floats:
    return blocks.reshape(len(blocks), BLOCK_HOPS, HOP_SAMPLES)


def _mean_square(hops: Floats) -> Floats:
    energy: Floats = np.einsum("...k,...k->...", hops, hops)
    return energy / np.float32(HOP_SAMPLES)


def own_power(hops: Floats) -> Floats:
    """Mean square about the hop's own mean, so that a constant offset is silence."""
    offset = hops.mean(axis=-1)
    return _mean_square(hops) - offset * offset


def power(level_dbfs: float) -> float:
    return float(FULL_SCALE**2 * 10 ** (level_dbfs / 10))


def dbfs(mean_square: float) -> float:
    return 10 * math.log10(max(mean_square, LEAST_POWER) / FULL_SCALE**2)

"""G.711 mu-law as one table: what of each 16 bit sample is left after coding and decoding.

Contract: ITU-T G.711, section 3.2, on the upper 14 of our 16 bits. Eight segments a side, each
twice as coarse as the one before, sixteen steps in each.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from shared.audio.pcm import Pcm, saturated

BIAS = 132
LOUDEST = 32_635
SEGMENTS = 8
STEPS = 16
# The smallest step, in our units; the steps of segment ``s`` are 2^s times as large.
FINEST = 8

type Integers = npt.NDArray[np.int64]


def through_mulaw(pcm: Pcm) -> Pcm:
    """What arrives at the other end of a mu-law line."""
    left: Pcm = _table()[pcm.astype(np.int64) & 0xFFFF]
    return left


@functools.cache
def _table() -> Pcm:
    """The decoded value of every sample, at the place of the sample's 16 bits."""
    sample = (np.arange(1 << 16, dtype=np.int64) ^ 0x8000) - 0x8000
    decoded = np.sign(sample) * _magnitude(np.minimum(np.abs(sample), LOUDEST))
    return saturated(decoded)


def _magnitude(loudness: Integers) -> Integers:
    """The middle of the step in which each magnitude lies."""
    biased = loudness + BIAS
    starts = STEPS * FINEST << np.arange(SEGMENTS)
    segment = np.searchsorted(starts, biased, side="right") - 1
    step: Integers = FINEST << segment
    return biased // step * step + step // 2 - BIAS

"""Where a track sounds at all: its stretches between long runs of exact zeros.

A service sends zeros while it is silent, and a line that sends nothing is filled up with them. Each
stretch can be measured as if it were alone, so that silence around it changes nothing.
"""

from __future__ import annotations

import numpy as np

from shared.audio.detection.hops import HOP_MS, HOP_SAMPLES
from shared.audio.pcm import Pcm

LEAST_SILENCE_MS = 480
"""Zeros for this long, in whole hops, part two stretches."""


def stretches(pcm: Pcm) -> tuple[range, ...]:
    """The hops of each stretch in order, from one that sounds to one that sounds."""
    count = -(-pcm.size // HOP_SAMPLES)
    padded = np.zeros(count * HOP_SAMPLES, np.int16)
    padded[: pcm.size] = pcm
    sounding = np.flatnonzero(padded.reshape(count, HOP_SAMPLES).any(axis=1))
    if not sounding.size:
        return ()
    # Of two neighbours that sound, the hops between them are silent.
    parted = np.flatnonzero(np.diff(sounding) > LEAST_SILENCE_MS // HOP_MS)
    firsts = sounding[[0, *(parted + 1)]].tolist()
    lasts = sounding[[*parted, -1]].tolist()
    return tuple(range(first, last + 1) for first, last in zip(firsts, lasts, strict=True))

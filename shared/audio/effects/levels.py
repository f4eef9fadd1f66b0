"""Levels: RMS in sample units and in dB below full scale.

They are rounded to a thousandth, because the last bits of a logarithm are not everywhere the same.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from shared.audio.pcm import SAMPLES_PER_MS, Pcm
from shared.intervals import IntervalSet

FULL_SCALE_RMS = 32_768.0

type Floats = npt.NDArray[np.float64]


def dbfs(rms: float | None) -> float | None:
    """The level of an RMS, to a thousandth; silence, and what is unknown, has none."""
    return round(20 * math.log10(rms / FULL_SCALE_RMS), 3) if rms else None


def rms_at(level_dbfs: float) -> float:
    """The RMS of a level, to a thousandth."""
    return round(FULL_SCALE_RMS * 10 ** (level_dbfs / 20), 3)


def speech_dbfs(pcm: Pcm, voiced: IntervalSet) -> float | None:
    """The RMS level of a track over its voiced spans; nothing where it has none."""
    spoken = [
        pcm[span.start_ms * SAMPLES_PER_MS : span.end_ms * SAMPLES_PER_MS].astype(np.int64)
        for span in voiced
    ]
    count = sum(piece.size for piece in spoken)
    energy = sum(int(piece @ piece) for piece in spoken)
    return dbfs(math.sqrt(energy / count)) if count else None

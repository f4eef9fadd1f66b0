"""How loud a track is, bin by bin: for display, and no number rests on it."""

from __future__ import annotations

import numpy as np

from shared.audio.pcm import SAMPLES_PER_MS, Pcm


def rms_per_bin(pcm: Pcm, bin_ms: int, extent_ms: int) -> tuple[float | None, ...]:
    """The RMS in sample units of each bin of ``[0, extent_ms)``; the last one may be shorter.

    A bin of which the track holds a part is that part's. What lies past the end of the track is
    unknown, hence nothing. ``ValueError`` for a bin without length.
    """
    if bin_ms <= 0:
        raise ValueError(f"a bin lasts at least 1 ms, got {bin_ms}")
    heard = pcm[: extent_ms * SAMPLES_PER_MS].astype(np.int64)
    count = -(-extent_ms // bin_ms)
    starts = np.arange(0, heard.size, bin_ms * SAMPLES_PER_MS)
    if not starts.size:
        return (None,) * count
    energies = np.add.reduceat(heard * heard, starts)
    sizes = np.diff(starts, append=heard.size)
    known = np.sqrt(energies / sizes).tolist()
    return (*known, *(None,) * (count - len(known)))

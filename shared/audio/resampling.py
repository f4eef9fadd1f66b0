"""Sound at another rate, by soxr at its very high quality: nothing is shifted, nothing added.

The library is imported by the first sound that needs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

QUALITY = "VHQ"

type Signal = npt.NDArray[np.float64]
"""One channel of sound as numbers, of any scale."""


def resampled(blocks: Iterable[Signal], from_hz: int, to_hz: int) -> Iterator[Signal]:
    """The same sound at another rate; where it was cut into blocks changes nothing.

    All of it together is as long as before, to the nearest sample. At one rate nothing is done.
    """
    if from_hz == to_hz:
        yield from blocks
        return
    import soxr

    stream = soxr.ResampleStream(from_hz, to_hz, 1, dtype="float64", quality=QUALITY)
    for block in blocks:
        yield stream.resample_chunk(block)
    yield stream.resample_chunk(np.empty(0), last=True)


def resampler() -> str:
    """What resamples here, with its version and quality."""
    import soxr

    return f"soxr {soxr.__version__} {QUALITY}"

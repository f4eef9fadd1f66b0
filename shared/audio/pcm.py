"""The one audio format: 24 kHz mono, 16 bit signed, cut into 20 ms frames.

In memory audio is a 1-D array of native ``int16``; on a wire it is little-endian bytes.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

SAMPLE_RATE_HZ = 24_000
SAMPLES_PER_MS = 24
SAMPLE_BYTES = 2
FRAME_MS = 20
FRAME_SAMPLES = FRAME_MS * SAMPLES_PER_MS
FRAME_BYTES = FRAME_SAMPLES * SAMPLE_BYTES

type Pcm = npt.NDArray[np.int16]

_WIRE = np.dtype("<i2")


def from_bytes(data: bytes) -> Pcm:
    """Read wire bytes into an array of its own; half a sample is a ``ValueError``."""
    if len(data) % SAMPLE_BYTES:
        raise ValueError(f"odd number of bytes in 16 bit audio: {len(data)}")
    return np.frombuffer(data, _WIRE).astype(np.int16)


def to_bytes(pcm: Pcm) -> bytes:
    """The wire form: little-endian, whatever the machine."""
    return pcm.astype(_WIRE).tobytes()


def silence(duration_ms: int) -> Pcm:
    """Exact zeros."""
    return np.zeros(duration_ms * SAMPLES_PER_MS, np.int16)


def frames(pcm: Pcm) -> list[bytes]:
    """Cut into wire frames of 20 ms. The last one is filled up with zeros; no audio, no frame."""
    count = -(-pcm.size // FRAME_SAMPLES)
    padded = np.zeros(count * FRAME_SAMPLES, np.int16)
    padded[: pcm.size] = pcm
    data = to_bytes(padded)
    return [data[start : start + FRAME_BYTES] for start in range(0, len(data), FRAME_BYTES)]


def duration_ms(pcm: Pcm) -> int:
    """How long the audio is. A millisecond that has begun counts, so no sample lies outside."""
    return -(-pcm.size // SAMPLES_PER_MS)

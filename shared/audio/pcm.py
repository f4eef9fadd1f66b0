"""The one audio format: 24 kHz mono, 16 bit signed, cut into 20 ms frames.

In memory audio is a 1-D array of native ``int16``; on a wire it is little-endian bytes.
"""

from __future__ import annotations

import math

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
_LOWEST, _HIGHEST = np.iinfo(np.int16).min, np.iinfo(np.int16).max


def from_bytes(data: bytes | memoryview) -> Pcm:
    """Read wire bytes into an array of its own; half a sample is a ``ValueError``."""
    if len(data) % SAMPLE_BYTES:
        raise ValueError(f"odd number of bytes in 16 bit audio: {len(data)}")
    return np.frombuffer(data, _WIRE).astype(np.int16)


def to_bytes(pcm: Pcm) -> bytes:
    """The wire form: little-endian, whatever the machine. Other than samples is a ``TypeError``."""
    return pcm.astype(_WIRE, casting="equiv", copy=False).tobytes()


def saturated(samples: npt.NDArray[np.floating] | npt.NDArray[np.integer]) -> Pcm:
    """Round what was computed to the nearest sample value; what lies beyond full scale stays there.

    The only way from any other kind of numbers to samples: a plain cast would wrap, and turn the
    loudest instant into the opposite one. What is no number is a ``ValueError``.
    """
    rounded = np.rint(samples)
    # In a frame of 20 ms, np.clip costs as much as all the rest of this.
    np.maximum(rounded, _LOWEST, out=rounded)
    np.minimum(rounded, _HIGHEST, out=rounded)
    # What is no number stays none up to here, and in a sum with all the others.
    if math.isnan(rounded.sum()):
        raise ValueError("computed audio holds what is no number")
    return rounded.astype(np.int16)


def silence(duration_ms: int) -> Pcm:
    """Exact zeros."""
    return np.zeros(duration_ms * SAMPLES_PER_MS, np.int16)


def frames(pcm: Pcm, frame_samples: int = FRAME_SAMPLES) -> list[bytes]:
    """Cut into wire frames of so many samples. The last one is filled up with zeros; no audio, no
    frame."""
    count = -(-pcm.size // frame_samples)
    padded = np.zeros(count * frame_samples, np.int16)
    padded[: pcm.size] = pcm
    data, frame_bytes = to_bytes(padded), frame_samples * SAMPLE_BYTES
    return [data[start : start + frame_bytes] for start in range(0, len(data), frame_bytes)]


def duration_ms(pcm: Pcm) -> int:
    """How long the audio is. A millisecond that has begun counts, so no sample lies outside."""
    return -(-pcm.size // SAMPLES_PER_MS)

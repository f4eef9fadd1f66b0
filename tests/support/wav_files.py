"""WAV files put together by hand, section by section, as other programs and accidents make them."""

from __future__ import annotations

import struct

import numpy as np
import numpy.typing as npt

PCM, FLOAT, A_LAW, MU_LAW, EXTENSIBLE = 1, 3, 6, 7, 0xFFFE
REGISTERED = bytes.fromhex("0000 0000 1000 8000 00aa 0038 9b71")
STREAMED = 0xFFFFFFFF
STREAMED_BY_SPEECH_PROGRAMS = 0x7FFFF000

RAMP: npt.NDArray[np.int16] = np.array(
    [-32_768, -32_767, -257, -256, -2, -1, 0, 1, 2, 255, 256, 32_766, 32_767, 0], np.int16
)
"""Every order of bytes, sign and end of the scale shows in it."""
SAMPLES = RAMP.astype("<i2").tobytes()


def section(name: bytes, content: bytes, *, size: int | None = None, pad: bytes = b"\0") -> bytes:
    """A section with the padding of an odd one; ``size`` is what its header says instead."""
    header = name + struct.pack("<I", len(content) if size is None else size)
    return header + content + (pad if len(content) % 2 else b"")


def form(
    code: int = PCM,
    *,
    channels: int = 1,
    rate_hz: int = 24_000,
    bits: int = 16,
    block: int | None = None,
    more: bytes = b"",
) -> bytes:
    """A format section. ``more`` follows its 16 plain bytes."""
    block = channels * bits // 8 if block is None else block
    plain = struct.pack("<HHIIHH", code, channels, rate_hz, rate_hz * block, block, bits)
    return section(b"fmt ", plain + more)


def extension(code: int = PCM, *, bits: int = 16, identity: bytes = REGISTERED) -> bytes:
    """What follows the plain bytes of an extensible format."""
    return struct.pack("<HHIH", 22, bits, 4, code) + identity


def riff(*sections: bytes, magic: bytes = b"RIFF", size: int | None = None) -> bytes:
    body = b"WAVE" + b"".join(sections)
    return magic + struct.pack("<I", len(body) if size is None else size) + body


def data(content: bytes = SAMPLES, *, size: int | None = None) -> bytes:
    return section(b"data", content, size=size)


def tone(samples: int, *, rate_hz: int = 24_000, tone_hz: float = 440.0) -> npt.NDArray[np.float64]:
    """A sine of half the full scale, as a float signal."""
    return 0.5 * np.sin(2 * np.pi * tone_hz * np.arange(samples) / rate_hz)

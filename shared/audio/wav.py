"""Recordings as WAV files: 24 kHz, 16 bit PCM, a plain 44 byte header and nothing else."""

from __future__ import annotations

import io
import struct
import wave
from pathlib import Path

from shared.audio.mixdown import Stereo
from shared.audio.pcm import SAMPLE_BYTES, SAMPLE_RATE_HZ, Pcm, from_bytes, to_bytes
from shared.errors import UsageError

PCM_FORMAT = 1
RIFF_HEADER = struct.Struct("<4sI4s")
SECTION_HEADER = struct.Struct("<4sI")
FORMAT_SECTION = struct.Struct("<HHIIHH")


def encode(audio: Pcm | Stereo) -> bytes:
    """A whole WAV file: mono from one track, stereo from rows of (left, right)."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1 if audio.ndim == 1 else audio.shape[1])
        writer.setsampwidth(SAMPLE_BYTES)
        writer.setframerate(SAMPLE_RATE_HZ)
        writer.writeframes(to_bytes(audio))
    return file.getvalue()


def read_mono(path: Path) -> Pcm:
    """The samples of a recording in exactly our format; anything else is a ``UsageError``."""
    try:
        return _decoded(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as refusal:
        raise UsageError(f"{path}: {refusal}") from refusal


def _decoded(file: bytes) -> Pcm:
    sections = _sections(file)
    if len(sections.get(b"fmt ", b"")) < FORMAT_SECTION.size or b"data" not in sections:
        raise ValueError("a WAV file without a format or without data")
    code, channels, rate_hz, _, _, bits = FORMAT_SECTION.unpack_from(sections[b"fmt "])
    if (code, channels, rate_hz, bits) != (PCM_FORMAT, 1, SAMPLE_RATE_HZ, SAMPLE_BYTES * 8):
        raise ValueError(
            f"needs PCM (format {PCM_FORMAT}), 1 channel, {SAMPLE_RATE_HZ} Hz, 16 bit;"
            f" found format {code}, {channels} channel(s), {rate_hz} Hz, {bits} bit"
        )
    if not sections[b"data"]:
        raise ValueError("holds no audio")
    return from_bytes(sections[b"data"])


def _sections(file: bytes) -> dict[bytes, bytes]:
    """The sections (RIFF calls them chunks) up to the data, whole ones only."""
    if len(file) < RIFF_HEADER.size or RIFF_HEADER.unpack_from(file)[::2] != (b"RIFF", b"WAVE"):
        raise ValueError("not a WAV file")
    sections: dict[bytes, bytes] = {}
    at = RIFF_HEADER.size
    while b"data" not in sections and at + SECTION_HEADER.size <= len(file):
        name, size = SECTION_HEADER.unpack_from(file, at)
        at += SECTION_HEADER.size
        if at + size > len(file):
            raise ValueError(f"cut short: {len(file) - at} of {size} bytes of {name!r}")
        sections[name] = file[at : at + size]
        at += size + size % 2
    return sections

"""Recordings as WAV files: 24 kHz, mono, 16 bit PCM, as the file has them, to the sample.

A file is read whole and its header believed in nothing that its bytes can contradict: a reader that
takes what it gets plays a cut recording as a shorter one, and the numbers then speak of another
request. What this door refuses, ``walk-generate-audio --from-audio`` converts.
"""

from __future__ import annotations

import hashlib
import io
import shlex
import stat
import struct
import wave
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import override

from shared.audio.containers import HEAD_BYTES, container
from shared.audio.mixdown import Stereo
from shared.audio.pcm import SAMPLE_BYTES, SAMPLE_RATE_HZ, Pcm, from_bytes, to_bytes
from shared.audio.riff import DATA, FORMAT, Section, is_wav, sections, shown
from shared.errors import UsageError

LONGEST_S = 2 * 60 * 60
"""No session lasts longer."""
LARGEST_BYTES = LONGEST_S * SAMPLE_RATE_HZ * SAMPLE_BYTES + 1_000_000
"""That, and a megabyte of whatever else a file says."""

PLAIN_FORMAT = struct.Struct("<HHIIHH")
# After the plain format: the size of what follows, bits that count, speakers, then the real format.
EXTENSION = struct.Struct("<HHIH14s")

PCM_FORMAT = 1
EXTENSIBLE = 0xFFFE
REGISTERED = bytes.fromhex("000000001000800000aa00389b71")
"""How the identity of a real format ends that is one of the numbered ones."""
ENCODINGS: Mapping[int, str] = {
    PCM_FORMAT: "PCM",
    2: "ADPCM",
    3: "float",
    6: "A-law",
    7: "mu-law",
    17: "IMA ADPCM",
    49: "GSM 6.10",
    64: "G.721 ADPCM",
    80: "MPEG audio",
    85: "MP3",
}


@dataclass(frozen=True, slots=True)
class SampleFormat:
    """What the samples of a file are. ``used_bits`` of the ``bits`` of each count; ``block_bytes``
    is all channels' sample of one instant."""

    rate_hz: int
    channels: int
    bits: int
    used_bits: int
    encoding: str
    block_bytes: int

    @override
    def __str__(self) -> str:
        used = "" if self.used_bits == self.bits else f"{self.used_bits} of "
        plural = "" if self.channels == 1 else "s"
        return (
            f"{self.rate_hz} Hz, {self.channels} channel{plural}, {used}{self.bits} bit"
            f" {self.encoding}"
        )


WANTED_BITS = SAMPLE_BYTES * 8
OURS = SampleFormat(SAMPLE_RATE_HZ, 1, WANTED_BITS, WANTED_BITS, "PCM", SAMPLE_BYTES)
WANTED = str(OURS)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recording: its samples, never none, and in a line each what was odd about its file.

    ``sha256`` is of the bytes that were decoded, whatever the file holds by now.
    """

    pcm: Pcm
    warnings: tuple[str, ...]
    sha256: str


class _ForeignError(ValueError):
    """Not what this door takes, but a recording that can be made into it."""


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
    """The samples of a recording, as :func:`read_recording` finds them."""
    return read_recording(path).pcm


def read_recording(path: Path) -> Recorded:
    """A recording in exactly our format; anything else is a ``UsageError`` of one line.

    Data of a streamed size is read to the end of the file, with a warning. Data that is shorter
    than its size is refused: what is missing may be the end of the request.
    """
    try:
        return _decoded(contents(path, LARGEST_BYTES))
    except _ForeignError as refusal:
        raise UsageError(f"{path}: {refusal}; {conversion(path)}") from refusal
    except ValueError as refusal:
        raise UsageError(f"{path}: {refusal}") from refusal


def conversion(path: Path) -> str:
    """What to type to make a recording of this one that can be read."""
    return f"convert it: walk-generate-audio --from-audio {shlex.quote(str(path))}"


def contents(path: Path, largest_bytes: int) -> bytes:
    """All bytes of a file that is a file and no larger than that; else a ``UsageError``."""
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise UsageError(f"{path}: is a folder; name one recording in it")
        if not stat.S_ISREG(found.st_mode):
            raise UsageError(f"{path}: is no regular file, so it may have no end; make it one")
        if found.st_size > largest_bytes:
            raise UsageError(
                f"{path}: holds {found.st_size / 1e6:.1f} MB; at most {largest_bytes / 1e6:.1f} MB"
                " are read: cut it"
            )
        with path.open("rb") as file:
            return file.read(found.st_size)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error


def _decoded(file: bytes) -> Recorded:
    _refuse_other_containers(file)
    found, leftover = sections(file, {FORMAT, DATA})
    for name in (FORMAT, DATA):
        count = sum(section.name == name for section in found)
        if count == 0:
            raise ValueError(f"is a WAV file without a section {shown(name)}; record it anew")
        if count > 1:
            raise ValueError(
                f"has {count} sections {shown(name)} where one belongs; save it anew from its"
                " source"
            )
    form, data = found
    if form.name != FORMAT:
        raise ValueError("has its data before its format; record it anew")
    _refuse_other_formats(form.content)
    warnings = []
    if data.size is None:
        warnings.append("does not say where its audio ends: it was read to its last byte")
    if leftover:
        warnings.append(f"{leftover} bytes at its end belong to no section; they are left out")
    return Recorded(_samples(data), tuple(warnings), hashlib.sha256(file).hexdigest())


def _refuse_other_containers(file: bytes) -> None:
    if not file:
        raise ValueError("is empty; record it anew")
    if is_wav(file):
        return
    kind = container(file[:HEAD_BYTES])
    if kind is None:
        raise ValueError("is no WAV file, nor any other kind of recording known here")
    if kind.remedy is None:
        raise _ForeignError(f"is {kind.name}, not a plain WAV file")
    raise ValueError(f"is {kind.name}, not a WAV file; {kind.remedy}")


def sample_format(content: memoryview) -> SampleFormat:
    """What a section ``fmt`` says; ``ValueError`` where that is no sound."""
    if len(content) < PLAIN_FORMAT.size:
        raise ValueError(f"has a format of {len(content)} bytes; record it anew")
    code, channels, rate_hz, _, block, bits = PLAIN_FORMAT.unpack_from(content)
    if channels == 0 or rate_hz == 0:
        raise ValueError(
            f"has {channels} channel(s) at {rate_hz} Hz, which is no sound; record it anew"
        )
    encoding, used_bits = ENCODINGS.get(code, f"format {code}"), bits
    if code == EXTENSIBLE:
        encoding, used_bits = _extended(content)
    return SampleFormat(rate_hz, channels, bits, used_bits, encoding, block)


def _refuse_other_formats(content: memoryview) -> None:
    found = sample_format(content)
    if found != replace(OURS, block_bytes=found.block_bytes):
        raise _ForeignError(f"is {found}; needed is {WANTED}")
    if found.block_bytes != OURS.block_bytes:
        raise ValueError(
            f"has samples of {found.block_bytes} bytes and of {found.bits} bit at once;"
            " record it anew"
        )


def _extended(content: memoryview) -> tuple[str, int]:
    """The encoding, and how many bits of each sample count, of a format that says so further on."""
    if len(content) < PLAIN_FORMAT.size + EXTENSION.size:
        raise ValueError(f"has an extensible format of {len(content)} bytes; record it anew")
    _, used_bits, _, code, identity = EXTENSION.unpack_from(content, PLAIN_FORMAT.size)
    if identity != REGISTERED:
        return "samples in a format of its own", used_bits
    return ENCODINGS.get(code, f"format {code}"), used_bits


def _samples(data: Section) -> Pcm:
    size = len(data.content)
    if size == 0:
        raise ValueError("holds no audio; record it anew")
    if data.is_cut:
        raise _ForeignError(
            f"is cut short: {size} of {data.size} bytes of samples; fetch it again, or for what is"
            " there"
        )
    if size % SAMPLE_BYTES:
        raise _ForeignError(
            f"is cut inside a sample: {size} bytes of samples of {SAMPLE_BYTES} bytes; fetch it"
            " again, or for what is there"
        )
    return from_bytes(data.content)

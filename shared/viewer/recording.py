"""A saved recording as a page plays it: compressed, with its waveform, taken from one reading.

A WAV file is read block by block, so an hour needs no more memory than a minute but for its
compressed sound. Samples stay where they are: what is heard at an instant of the compressed sound
was recorded at that instant (``docs/decisions/0019-viewer-sound.md``).

A file that ends too soon is shown as far as it goes, and ``remarks`` say so. Whatever a folder may
hold in a recording's place is a ``RecordingError`` of one line.
"""

from __future__ import annotations

import base64
import io
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from shared.audio.containers import container
from shared.audio.mixdown import Stereo
from shared.audio.pcm import SAMPLE_BYTES, SAMPLE_RATE_HZ, from_bytes
from shared.audio.riff import DATA, FORMAT, Section, is_wav, sections
from shared.audio.wav import LONGEST_S, SampleFormat, sample_format
from shared.errors import HarnessError
from shared.viewer.document import Sound
from shared.viewer.view import PEAK_MS, Waveform

MIME = "audio/ogg; codecs=opus"
BITS_PER_S = 64_000
"""Of both sides together, on average; silence takes less."""
_FLAGS = ("O_NONBLOCK", "O_NOFOLLOW", "O_BINARY")
RATES_HZ = frozenset({8_000, 12_000, 16_000, SAMPLE_RATE_HZ, 48_000})
"""The rates of the codec: any other would have to be resampled."""
SIDES = 2
BLOCK_S = 1
HEAD_BYTES = 1 << 20
"""How far into a file its samples may begin."""
LARGEST_BYTES = LONGEST_S * SAMPLE_RATE_HZ * SIDES * SAMPLE_BYTES + HEAD_BYTES
"""The longest session there is."""
TEXT_PIECE_BYTES = 3 << 16
"""A multiple of three: base64 in pieces is then base64 of the whole."""

_LEAST_BITS_PER_S, _MOST_BITS_PER_S = 6_000 * SIDES, 256_000 * SIDES
_COMPRESSION = 1 - (BITS_PER_S - _LEAST_BITS_PER_S) / (_MOST_BITS_PER_S - _LEAST_BITS_PER_S)
# libsndfile takes the place between its most and its least bits as a level of compression.


class RecordingError(HarnessError):
    """Why a recording cannot be shown, in one line that begins with its file's name."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording taken from its file. ``content`` is the compressed sound.

    ``duration_ms`` counts a millisecond that has begun. ``remarks`` are sentences on what is
    missing of it.
    """

    content: bytes
    waveform: Waveform
    duration_ms: int
    remarks: tuple[str, ...]


class Spool:
    """Compressed sounds on the disk, for as long as pages are made of them; its file has no name
    in any folder where the system can do so, and is its owner's alone."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the spool

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def keep(self, content: bytes) -> Sound:
        """Put a sound away; what the system refuses is its ``OSError``."""
        start = self._file.seek(0, os.SEEK_END)
        self._file.write(content)
        self._file.flush()
        return Sound(MIME, len(content), _Base64(self._file, start, len(content)))


@dataclass(frozen=True, slots=True)
class _Base64:
    """A stretch of a file as text, as often as it is asked for."""

    file: BinaryIO
    start: int
    size: int

    def __iter__(self) -> Iterator[bytes]:
        for at in range(0, self.size, TEXT_PIECE_BYTES):
            self.file.seek(self.start + at)
            yield base64.b64encode(self.file.read(min(TEXT_PIECE_BYTES, self.size - at)))


def recording(path: Path, is_wanted: Callable[[], bool] = lambda: True) -> Recording:
    """The recording in a WAV file of 16 bits: stereo with the caller left, or mono of the caller.

    Asked between blocks and answered no, ``is_wanted`` has it given up as a ``RecordingError``.
    """
    with _readable(path) as file:
        return _taken(file, is_wanted)


@contextmanager
def recorded_frames(path: Path) -> Iterator[tuple[Iterator[Stereo], int]]:
    """The samples in a WAV file of 16 bits in blocks, as rows of its one or two channels, and how
    many rows make a second."""
    with _readable(path) as file:
        form, _, size = _begun(file)
        yield _frames(file, form, size), form.rate_hz


@contextmanager
def _readable(path: Path) -> Iterator[BinaryIO]:
    """The file, open; what keeps it from being shown is a ``RecordingError``."""
    from soundfile import SoundFileError  # not for whoever only wants to know what a page is

    try:
        with _opened(path) as file:
            yield file
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise RecordingError(f"{path.name}: cannot be read: {reason}") from error
    except SoundFileError as error:
        raise RecordingError(f"{path.name}: cannot be compressed: {error}") from error
    except ValueError as refusal:
        raise RecordingError(f"{path.name}: {refusal}") from refusal


def _opened(path: Path) -> BinaryIO:
    """The file, if it is one: a pipe would be waited for, and a link may lead anywhere by now."""
    descriptor = os.open(path, os.O_RDONLY | sum(getattr(os, name, 0) for name in _FLAGS))
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ValueError("is no file")
    return os.fdopen(descriptor, "rb")


def _begun(file: BinaryIO) -> tuple[SampleFormat, Section, int]:
    """What the samples are and where, and how many bytes of them there should be from here on."""
    size = os.fstat(file.fileno()).st_size
    if size > LARGEST_BYTES:
        raise ValueError(f"holds {size / 1e6:.1f} MB, at most {LARGEST_BYTES / 1e6:.1f} are shown")
    form, data = _layout(file.read(HEAD_BYTES))
    file.seek(data.at_byte)
    return form, data, size - data.at_byte if data.size is None else data.size


def _taken(file: BinaryIO, is_wanted: Callable[[], bool]) -> Recording:
    from soundfile import SoundFile

    form, data, size = _begun(file)
    rate_hz = form.rate_hz
    compressed, peaks, frames = io.BytesIO(), [], 0
    with SoundFile(
        compressed, "w", rate_hz, SIDES, "OPUS", format="OGG", compression_level=_COMPRESSION
    ) as sound:
        for block in map(_both, _frames(file, form, size)):
            if not is_wanted():
                raise ValueError("is not wanted any more")
            sound.write(block)
            peaks.append(_peaks(block, rate_hz * PEAK_MS // 1000))
            frames += len(block)
    if not frames:
        raise ValueError("holds no sound")
    both = np.concatenate(peaks)
    return Recording(
        content=compressed.getvalue(),
        waveform=Waveform(both[:, 0].tobytes(), both[:, 1].tobytes()),
        duration_ms=-(-frames * 1000 // rate_hz),
        remarks=tuple(_remarks(data, frames * form.block_bytes)),
    )


def _layout(head: bytes) -> tuple[SampleFormat, Section]:
    """What the samples are and where; ``ValueError`` where they are none that can be shown."""
    if not head:
        raise ValueError("is empty")
    if not is_wav(head):
        kind = container(head)
        raise ValueError(f"is {kind.name if kind else 'nothing known here'}, not a WAV file")
    found, _ = sections(head, {FORMAT, DATA})
    names = [section.name for section in found[:2]]
    if names != [FORMAT, DATA]:
        raise ValueError("is a WAV file without a format and data after it")
    form, data = found[:2]
    return _shown(sample_format(form.content)), data


def _shown(form: SampleFormat) -> SampleFormat:
    is_pcm = (form.encoding, form.bits, form.used_bits) == ("PCM", 16, 16)
    is_whole = form.block_bytes == form.channels * SAMPLE_BYTES
    if not is_pcm or not is_whole or form.channels > SIDES or form.rate_hz not in RATES_HZ:
        rates = ", ".join(map(str, sorted(RATES_HZ)))
        raise ValueError(
            f"is {form}; shown are recordings of one or two channels of 16 bit PCM at {rates} Hz"
        )
    return form


def _frames(file: BinaryIO, form: SampleFormat, left_bytes: int) -> Iterator[Stereo]:
    """The samples that are there, a block at a time; half a frame at the end is none."""
    while left_bytes > 0:
        wanted = min(left_bytes, form.rate_hz * BLOCK_S * form.block_bytes)
        raw = file.read(wanted)
        left_bytes -= len(raw)
        whole = len(raw) - len(raw) % form.block_bytes
        if whole:
            yield from_bytes(raw[:whole]).reshape(-1, form.channels)
        if len(raw) < wanted:
            return


def _both(frames: Stereo) -> Stereo:
    """Two sides: of one channel, which is the caller's, the other is silent."""
    if frames.shape[1] == SIDES:
        return frames
    both = np.zeros((len(frames), SIDES), np.int16)
    both[:, 0] = frames[:, 0]
    return both


def _peaks(block: Stereo, bin_frames: int) -> npt.NDArray[np.uint8]:
    """One byte per bin and side; the last bin may be shorter."""
    # The lowest sample has no opposite of 16 bits.
    loud = np.abs(block.astype(np.int32))
    loudest = np.maximum.reduceat(loud, np.arange(0, len(block), bin_frames), axis=0)
    return np.rint(np.sqrt(loudest / 32_768) * 255).astype(np.uint8)


def _remarks(data: Section, shown_bytes: int) -> Iterator[str]:
    if data.size is None:
        yield "The recording does not say where it ends; it is shown to the end of its file."
    elif data.size > shown_bytes:
        share = f"{shown_bytes} of {data.size} bytes"
        yield f"The recording is cut: {share} of its samples are there."

"""Recordings that people already have, made into ours: 24 kHz, mono, 16 bit PCM.

Any format that libsndfile reads. Several channels become one by their mean, each with the same
weight. Another rate is resampled by soxr at its very high quality, without a shift in time. The
result is rounded once, to the nearest sample value, and what lies beyond full scale stays there. A
recording that is ours already keeps every sample.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from shared.audio import wav
from shared.audio.containers import HEAD_BYTES, container
from shared.audio.pcm import SAMPLE_RATE_HZ, Pcm, saturated
from shared.audio.resampling import Signal, resampled, resampler
from shared.audio.riff import DATA, Section, is_wav, sections
from shared.errors import UsageError

if TYPE_CHECKING:
    from soundfile import LibsndfileError, SoundFile

LARGEST_BYTES = 1_000_000_000
RATES_HZ = range(4_000, 384_001)
FULL_SCALE = 32_768
"""What the library calls one, both ways: 16 bit samples come out of it as they went in."""
LOUDEST = 1e12
"""Whatever full scale a program had in mind; what computes with more overflows."""
BLOCK_FRAMES = 1 << 16
UNKNOWN_FRAMES = 1 << 62
"""From here on the library means that it does not know how many there are."""
MOST_DIFFERENCE = 0.5
"""Of the energy of what channels share: how much of what they do not share is still one sound."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where converted samples come from and what was done to them; nothing was where null.

    ``sha256`` is of the original file. ``clipped`` samples lay beyond full scale.
    """

    file_name: str
    sha256: str
    container: str
    encoding: str
    rate_hz: int
    channels: int
    reader: str
    mixdown: str | None
    resampler: str | None
    clipped: int


@dataclass(frozen=True, slots=True)
class Converted:
    """A recording in our format, never empty, and in a line each what to know about it."""

    pcm: Pcm
    provenance: Provenance
    warnings: tuple[str, ...]


def converted(path: Path) -> Converted:
    """Read a recording of any known format; what cannot be one of ours is a ``UsageError``."""
    from soundfile import LibsndfileError

    file = wav.contents(path, LARGEST_BYTES)
    try:
        with _without_remarks():
            return _converted(file, path.name)
    except LibsndfileError as error:
        raise UsageError(f"{path}: {_unreadable(file, error)}") from error
    except ValueError as refusal:
        raise UsageError(f"{path}: {refusal}") from refusal


class _Mix:
    """One channel out of all, and the energies of what they share and of what they do not."""

    def __init__(self, sound: SoundFile) -> None:
        self._sound = sound
        self.shared = 0.0
        self.different = 0.0

    def blocks(self) -> Iterator[Signal]:
        """The mean of the channels, a block at a time, full scale being one."""
        left = wav.LONGEST_S * self._sound.samplerate
        while True:
            block = self._sound.read(BLOCK_FRAMES, dtype="float64", always_2d=True)
            left -= len(block)
            if left < 0:
                raise ValueError(_too_long())
            if not len(block):
                return
            if not np.isfinite(block).all():
                raise ValueError("holds samples that are no finite numbers; export it anew")
            if np.abs(block).max() > LOUDEST:
                raise ValueError("holds samples beyond any scale; export it anew")
            mono = block.mean(axis=1)
            self.shared += float(mono @ mono)
            self.different += float(np.square(block - mono[:, None]).mean(axis=1).sum())
            yield mono


@contextmanager
def _without_remarks() -> Iterator[None]:
    """Keep off the terminal what decoders say of a damaged file: we say it in one line."""
    try:
        kept = os.dup(2)
    except OSError:
        yield
        return
    try:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _converted(file: bytes, name: str) -> Converted:
    from soundfile import SoundFile, __libsndfile_version__

    if not file:
        raise ValueError("is empty; record it anew")
    with SoundFile(io.BytesIO(file)) as sound:
        rate_hz, channels = sound.samplerate, sound.channels
        if rate_hz not in RATES_HZ:
            raise ValueError(
                f"is {rate_hz} Hz; what has {RATES_HZ[0]} to {RATES_HZ[-1]} Hz is converted"
            )
        if wav.LONGEST_S * rate_hz < sound.frames < UNKNOWN_FRAMES:
            raise ValueError(_too_long())
        mix = _Mix(sound)
        pieces, clipped = [np.empty(0, np.int16)], 0
        for piece in resampled(mix.blocks(), rate_hz, SAMPLE_RATE_HZ):
            exact = piece * FULL_SCALE
            pieces.append(saturated(exact))
            clipped += int(np.count_nonzero(pieces[-1] != np.rint(exact)))
        provenance = Provenance(
            file_name=name,
            sha256=hashlib.sha256(file).hexdigest(),
            container=sound.format,
            encoding=sound.subtype,
            rate_hz=rate_hz,
            channels=channels,
            reader=f"libsndfile {__libsndfile_version__}",
            mixdown=f"mean of {channels} channels" if channels > 1 else None,
            resampler=None if rate_hz == SAMPLE_RATE_HZ else resampler(),
            clipped=clipped,
        )
    pcm = np.concatenate(pieces)
    if not pcm.size:
        raise ValueError("holds no audio; record it anew")
    return Converted(pcm, provenance, tuple(_warnings(file, pcm, mix, clipped)))


def _too_long() -> str:
    return f"lasts longer than a session, {wav.LONGEST_S // 3600} hours: cut it"


def _warnings(file: bytes, pcm: Pcm, mix: _Mix, clipped: int) -> Iterator[str]:
    if not pcm.any():
        yield "is silent"
    if is_wav(file):
        for data in _data(file):
            if data.is_cut:
                yield f"is cut short: {len(data.content)} of {data.size} bytes of samples are there"
    if mix.different > MOST_DIFFERENCE * mix.shared:
        yield "its channels differ and are mixed; if each holds a party, give the caller's alone"
    if clipped:
        yield f"{clipped} samples lay beyond full scale and stay there; lower its level to avoid it"


def _data(file: bytes) -> list[Section]:
    try:
        return sections(file, {DATA})[0]
    except ValueError:
        # The library is more patient with headers, and it has found the sound.
        return []


def _unreadable(file: bytes, error: LibsndfileError) -> str:
    kind = container(file[:HEAD_BYTES])
    if kind is not None and kind.remedy is not None:
        return f"is {kind.name}, which libsndfile does not read; {kind.remedy}"
    what = f"looks like {kind.name}, but is" if kind is not None else "is"
    reason = error.error_string.rstrip(".")
    return f"{what} nothing that libsndfile reads ({reason}); export it anew"

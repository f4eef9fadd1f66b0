"""Where both parties were loud, from the recording alone: all there is when a run kept no ticks.

A frame of 20 ms is loud from an RMS of 220 sample units on. That tells no speech from noise: the
left channel holds what was sent to the assistant, so noise added on the way to it counts as the
caller.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from shared.viewer.view import Span

type Block = npt.NDArray[np.int16]
"""Samples of one channel, or rows of (left, right)."""
type _Flags = npt.NDArray[np.bool_]

LOUD_RMS: Final = 220
FRAMES_PER_S: Final = 50
DETECTOR: Final = f"rms-{LOUD_RMS}"
MEASURED_ON: Final = "recording"
_STEREO: Final = 2


@dataclass(frozen=True, slots=True)
class Reconstructed:
    """Loud spans by channel, and how long the recording is. A mono one says nothing of the
    assistant: ``assistant`` is ``None``."""

    caller: tuple[Span, ...]
    assistant: tuple[Span, ...] | None
    duration_ms: int


def reconstructed(blocks: Iterable[Block], sample_rate_hz: int) -> Reconstructed:
    """The loud spans of a recording that comes in blocks of any length, all of one shape.

    Only flags of frames are kept: an hour of stereo takes 360 kB. A rate of which no frame has a
    whole sample is a ``ValueError``.
    """
    frame = sample_rate_hz // FRAMES_PER_S
    if frame < 1:
        raise ValueError(f"a recording of {sample_rate_hz} Hz has no frames of 20 ms")
    found: list[_Flags] = []
    samples = 0
    for piece in _whole_frames(blocks, frame):
        samples += len(piece)
        found.append(_loud(piece, frame))
    duration_ms = samples * 1_000 // sample_rate_hz
    flags = np.concatenate(found) if found else np.zeros((0, 1), np.bool_)
    edges_ms = np.minimum(np.arange(len(flags) + 1) * frame, samples) * 1_000 // sample_rate_hz
    is_mono = flags.shape[1] < _STEREO
    return Reconstructed(
        caller=_spans(flags[:, 0], edges_ms),
        assistant=None if is_mono else _spans(flags[:, 1], edges_ms),
        duration_ms=duration_ms,
    )


def _whole_frames(blocks: Iterable[Block], frame: int) -> Iterator[Block]:
    """The samples as rows of channels, cut at whole frames; only the last piece may end in a
    part of one."""
    rest: Block | None = None
    for block in blocks:
        rows = block[:, None] if block.ndim == 1 else block[:, :_STEREO]
        rows = rows if rest is None else np.concatenate((rest, rows))
        whole = len(rows) - len(rows) % frame
        if whole:
            yield rows[:whole]
        rest = rows[whole:]
    if rest is not None and len(rest):
        yield rest


def _loud(rows: Block, frame: int) -> _Flags:
    """Whether each frame is loud, by channel. The last frame may be a part: it is that part's."""
    wide = rows.astype(np.int64)
    starts = np.arange(0, len(rows), frame)
    sizes = np.diff(starts, append=len(rows))
    loud: _Flags = np.add.reduceat(wide * wide, starts) >= LOUD_RMS**2 * sizes[:, None]
    return loud


def _spans(flags: _Flags, edges_ms: npt.NDArray[np.int64]) -> tuple[Span, ...]:
    """Runs of loud frames; ``edges_ms`` are the frames' bounds."""
    turns = np.flatnonzero(np.diff(np.concatenate(([False], flags, [False])).astype(np.int8)))
    bounds = edges_ms[turns].tolist()
    return tuple(
        (start, end) for start, end in zip(bounds[::2], bounds[1::2], strict=True) if start < end
    )

"""Energy places the edges of what a network called speech, hop by hop.

Theory of operation. A network hears that there is speech, but its windows are coarse and it answers
late: about ``START_LATE_MS`` after a start, ``END_LATE_MS`` after an end. So around each stretch of
speech there is a window in which sound may be part of it. What sounds above a gate there is voiced,
gaps and all, and the gate stands between the noise outside such windows and the loudest speech
inside. Where noise decides, levels are averaged over three hops, because one hop of noise may be
louder than the next.

Energy is believed as far as it confirms what was heard. Where it finds no voice by the time the
network is long sure of it, or loses the voice long before the network does, the voice is under the
noise, and the network's own edge stands, with its lateness taken off. The same goes for a whole
stretch whose speech is not well above the gate. Exact zeros are never voiced.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shared.audio.detection.hops import (
    FULL_SCALE,
    HOP_MS,
    LEAST_POWER,
    Bools,
    Floats,
    Hops,
    with_hysteresis,
    without_clicks,
)
from shared.intervals import Interval

START_LATE_MS = 20
END_LATE_MS = 100
SEARCHED_BEFORE_MS = 200
"""Before the network's start: it hears the vowel, and a word may begin with a hiss."""
SEARCHED_AFTER_MS = 40
START_DOUBTED_AFTER_MS = 60
END_DOUBTED_BEFORE_MS = 60
"""How far inside the network's edge, lateness taken off, energy may place its own."""
NOISE_BEYOND_MS = 100
"""Before the network's start; after its end, beyond what is searched."""
NOISE_WITHIN_MS = 1_000
LEAST_NOISE_MS = 100
NOISE_PERCENTILE = 90
ABOVE_NOISE_DB = 1.5
BELOW_PEAK_DB = 32.0
PEAK_PERCENTILE = 95
LOWEST_GATE_DBFS = -60.0
HYSTERESIS_DB = 2.0
LEAST_CONTRAST_DB = 8.0
AVERAGED_HOPS = 3

type Levels = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Piece:
    """Hops ``[first, stop)`` that may be one piece of speech; the network has it ``[start, end)``.

    Both are hops of the stretch, with the network's lateness taken off.
    """

    first: int
    start: int
    end: int
    stop: int


@dataclass(frozen=True, slots=True)
class Loudness:
    """A stretch's levels in dB below full scale, by hop and as averages of three hops."""

    single: Levels
    averaged: Levels

    @classmethod
    def of(cls, hops: Hops) -> Loudness:
        # What the filter rings into a hop is not the hop's own.
        power = np.minimum(hops.filtered, hops.own)
        mean = np.convolve(power, np.full(AVERAGED_HOPS, 1 / AVERAGED_HOPS), "same")
        return cls(_dbfs(power), _dbfs(mean))


def voiced_hops(hops: Hops, speech: Sequence[Interval]) -> Bools:
    """Which hops are voiced, given what is speech, in milliseconds from the first of them."""
    voiced = np.zeros(hops.silent.size, np.bool_)
    if not speech:
        return voiced
    loudness = Loudness.of(hops)
    pieces = _pieces(speech, hops.silent.size)
    is_noise = np.full(hops.silent.size, fill_value=True)
    for piece in pieces:
        is_noise[max(piece.start - NOISE_BEYOND_MS // HOP_MS, 0) : piece.stop] = False
    for piece in pieces:
        voiced[piece.first : piece.stop] = _voiced(piece, loudness, is_noise)
    return voiced & ~hops.silent


def _pieces(speech: Sequence[Interval], count: int) -> list[Piece]:
    """The pieces with the hops searched around them; no hop is searched for two."""
    starts = [max(one.start_ms - START_LATE_MS, 0) // HOP_MS for one in speech]
    ends = [-(-(one.end_ms - END_LATE_MS) // HOP_MS) for one in speech]
    between = [(end + start) // 2 for end, start in zip(ends, starts[1:], strict=False)]
    return [
        Piece(
            first=max(start - SEARCHED_BEFORE_MS // HOP_MS, after),
            start=start,
            end=max(end, start + 1),
            stop=min(end + (END_LATE_MS + SEARCHED_AFTER_MS) // HOP_MS, before),
        )
        for start, end, after, before in zip(
            starts, ends, [0, *between], [*between, count], strict=True
        )
    ]


def _voiced(piece: Piece, loudness: Loudness, is_noise: Bools) -> Bools:
    """Which of the hops searched are voiced."""
    inside = slice(piece.first, piece.stop)
    hops = np.arange(piece.first, piece.stop)
    own: Bools = (hops >= piece.start) & (hops < piece.end)
    levels, gate = _gate(piece, loudness, is_noise)
    peak = np.percentile(levels[piece.start : piece.end], PEAK_PERCENTILE)
    if peak - gate < LEAST_CONTRAST_DB:
        return own
    below = levels[inside] < gate
    loud = without_clicks(with_hysteresis(on=levels[inside] >= gate + HYSTERESIS_DB, off=below))
    if not loud.any():
        return own
    first = int(hops[loud][0])
    last = int(hops[loud][-1])
    if first - piece.start > START_DOUBTED_AFTER_MS // HOP_MS:
        loud |= own & (hops < first)
    if piece.end - (last + 1) > END_DOUBTED_BEFORE_MS // HOP_MS:
        loud |= own & (hops > last)
    return loud


def _gate(piece: Piece, loudness: Loudness, is_noise: Bools) -> tuple[Levels, float]:
    """Which levels to go by, and the one from which they are voice."""
    peak = float(np.percentile(loudness.single[piece.start : piece.end], PEAK_PERCENTILE))
    below_peak = max(peak - BELOW_PEAK_DB, LOWEST_GATE_DBFS)
    above_noise = _noise(piece, loudness, is_noise) + ABOVE_NOISE_DB
    if above_noise > below_peak:
        return loudness.averaged, above_noise
    return loudness.single, below_peak


def _noise(piece: Piece, loudness: Loudness, is_noise: Bools) -> float:
    """How loud the noise near a piece gets; where there is none to look at, its quietest tenth."""
    within = NOISE_WITHIN_MS // HOP_MS
    near = slice(max(piece.first - within, 0), piece.stop + within)
    noise = loudness.averaged[near][is_noise[near]]
    if noise.size < LEAST_NOISE_MS // HOP_MS:
        quietest = np.sort(loudness.averaged[piece.first : piece.stop])
        noise = quietest[: -(-quietest.size // 10)]
    return float(np.percentile(noise, NOISE_PERCENTILE))


def _dbfs(mean_squares: Floats | Levels) -> Levels:
    return 10 * np.log10(np.maximum(mean_squares, LEAST_POWER, dtype=np.float64) / FULL_SCALE**2)

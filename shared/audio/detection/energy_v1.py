"""``energy-v1``: speech is where a clean track is loud enough, hop by hop.

Theory of operation: hops of 10 ms on one grid from the track's first sample. A zero-delay high-pass
takes away constant offset and mains hum; what is left of a hop gives its level, in dB below a full
scale of 1.0 RMS. A hop turns speech on at the *on* level, speech lasts until a hop falls below the
*off* level, and less than 30 ms of it is a click. Both levels are absolute gates, raised above the
noise floor of tracks that have one. A hop whose own samples are silent is never voiced, so that the
filter's ringing cannot start a word early or end it late.

It cannot tell speech from music or other sound. Spans lie on the grid: the last may end after the
track does, by less than a hop. No gap between spans is bridged.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shared.audio.detection.port import DetectorId
from shared.audio.pcm import SAMPLE_RATE_HZ, SAMPLES_PER_MS, Pcm
from shared.intervals import Interval, IntervalSet

HOP_MS = 10
HOP_SAMPLES = HOP_MS * SAMPLES_PER_MS
ON_DBFS = -45.0
OFF_DBFS = -50.0
ON_ABOVE_FLOOR_DB = 9.0
OFF_ABOVE_FLOOR_DB = 6.0
# Speech without a pause is its own noise floor; the ceiling keeps it from hiding itself.
HIGHEST_ON_DBFS = -35.0
LEAST_HYSTERESIS_DB = 3.0
FLOOR_PERCENTILE = 5
# A track whose pauses are exact zeros is clean: its quietest hops are quiet speech, not noise.
SILENT_SHARE_OF_A_CLEAN_TRACK = 0.01
LEAST_VOICED_MS = 30
HIGHPASS_HZ = 150
# One hop to either side: a sample never rings further than into the neighbouring hop.
HIGHPASS_TAPS = 2 * HOP_SAMPLES + 1

FULL_SCALE = 32_768.0
LEAST_POWER = 1e-6
# 30 hops of new samples per transform of 2^9 * 3 * 5, which suits both the cache and the FFT.
BLOCK_HOPS = 30
BLOCK_SAMPLES = BLOCK_HOPS * HOP_SAMPLES
FFT_SAMPLES = BLOCK_SAMPLES + HIGHPASS_TAPS - 1
BLOCKS_AT_ONCE = 16

type Floats = npt.NDArray[np.float32]
type Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Hops:
    """Mean squares of every hop in sample units, and which hops are nothing but exact zeros.

    ``own`` is the hop's, about its own mean; ``filtered`` that of the high-passed signal.
    """

    own: Floats
    filtered: Floats
    silent: Bools


@dataclass(frozen=True, slots=True)
class Gates:
    """The levels at which speech starts and below which it ends, in dBFS RMS of a hop."""

    on_dbfs: float
    off_dbfs: float


class EnergyV1:
    """The detector as a whole; it has no state and nothing to set."""

    @property
    def id(self) -> DetectorId:
        return DetectorId(
            name="energy-v1",
            version="1",
            parameters={
                "hop_ms": HOP_MS,
                "highpass_hz": HIGHPASS_HZ,
                "highpass_taps": HIGHPASS_TAPS,
                "on_dbfs": ON_DBFS,
                "off_dbfs": OFF_DBFS,
                "on_above_floor_db": ON_ABOVE_FLOOR_DB,
                "off_above_floor_db": OFF_ABOVE_FLOOR_DB,
                "highest_on_dbfs": HIGHEST_ON_DBFS,
                "least_hysteresis_db": LEAST_HYSTERESIS_DB,
                "floor_percentile": FLOOR_PERCENTILE,
                "silent_share_of_a_clean_track": SILENT_SHARE_OF_A_CLEAN_TRACK,
                "least_voiced_ms": LEAST_VOICED_MS,
            },
        )

    def voiced(self, pcm: Pcm) -> IntervalSet:
        """Where the track is voiced, on the 10 ms grid."""
        sounding = _sounding_hops(pcm)
        if not sounding:
            return IntervalSet()
        # Only this stretch is looked at, in blocks counted from its start: silence around it and
        # a shift by whole hops change no bit of what is computed.
        hops = measured(pcm[sounding.start * HOP_SAMPLES : sounding.stop * HOP_SAMPLES])
        gates = gates_for(hops)
        voiced = _with_hysteresis(
            on=hops.filtered >= _power(gates.on_dbfs),
            off=(hops.filtered < _power(gates.off_dbfs)) | (hops.own < _power(OFF_DBFS)),
        )
        return _spans(voiced, first_hop=sounding.start)


def is_voiced_chunk(pcm: Pcm) -> bool:
    """Whether a piece of a clean track holds any sound worth waiting for, as it arrives.

    Not a measurement: it has no filter, no memory and no noise floor, it counts hops from the
    piece's own start, and one loud hop suffices. For deciding when to stop listening.
    """
    padded = np.zeros(-(-pcm.size // HOP_SAMPLES) * HOP_SAMPLES, np.float32)
    padded[: pcm.size] = pcm
    return bool((_own_power(padded.reshape(-1, HOP_SAMPLES)) >= _power(OFF_DBFS)).any())


def measured(stretch: Pcm) -> Hops:
    """Measure every hop of a stretch that starts on the grid; zeros surround it."""
    count = -(-stretch.size // HOP_SAMPLES)
    blocks = -(-count // BLOCK_HOPS)
    padded = np.zeros(blocks * BLOCK_SAMPLES + 2 * HOP_SAMPLES, np.int16)
    padded[HOP_SAMPLES : HOP_SAMPLES + stretch.size] = stretch
    overlapping = np.lib.stride_tricks.sliding_window_view(padded, FFT_SAMPLES)[::BLOCK_SAMPLES]
    own = np.empty((blocks, BLOCK_HOPS), np.float32)
    filtered = np.empty((blocks, BLOCK_HOPS), np.float32)
    for first in range(0, blocks, BLOCKS_AT_ONCE):
        some = slice(first, first + BLOCKS_AT_ONCE)
        samples = overlapping[some].astype(np.float32)
        own[some] = _own_power(_by_hop(samples[:, HOP_SAMPLES:-HOP_SAMPLES]))
        spectrum = np.fft.rfft(samples, axis=1)
        spectrum *= _highpass()
        # Overlap-save: the first two hops of each block are wrapped around and belong to no one.
        cleared = np.fft.irfft(spectrum, FFT_SAMPLES, axis=1)[:, 2 * HOP_SAMPLES :]
        filtered[some] = _mean_square(_by_hop(cleared))
    silent = ~padded[HOP_SAMPLES : (count + 1) * HOP_SAMPLES].reshape(-1, HOP_SAMPLES).any(axis=1)
    return Hops(own.ravel()[:count], filtered.ravel()[:count], silent)


def gates_for(hops: Hops) -> Gates:
    """The levels between which a track's speech and its noise part."""
    silent_share = np.count_nonzero(hops.silent) / hops.silent.size
    if silent_share > SILENT_SHARE_OF_A_CLEAN_TRACK:
        return Gates(ON_DBFS, OFF_DBFS)
    floor_dbfs = _dbfs(float(np.percentile(hops.filtered, FLOOR_PERCENTILE, method="lower")))
    on_dbfs = min(max(ON_DBFS, floor_dbfs + ON_ABOVE_FLOOR_DB), HIGHEST_ON_DBFS)
    off_dbfs = max(OFF_DBFS, floor_dbfs + OFF_ABOVE_FLOOR_DB)
    return Gates(on_dbfs, min(off_dbfs, on_dbfs - LEAST_HYSTERESIS_DB))


def _sounding_hops(pcm: Pcm) -> range:
    """From the hop of the first sample that is not zero to the hop of the last."""
    sounding = pcm != 0
    if not sounding.any():
        return range(0)
    first = int(sounding.argmax())
    last = pcm.size - 1 - int(sounding[::-1].argmax())
    return range(first // HOP_SAMPLES, last // HOP_SAMPLES + 1)


@functools.cache
def _highpass() -> npt.NDArray[np.complex64]:
    """The transform of a unit impulse minus a windowed-sinc low-pass: exactly nothing at 0 Hz."""
    taps = np.arange(HIGHPASS_TAPS) - HOP_SAMPLES
    lowpass = np.sinc(2 * HIGHPASS_HZ / SAMPLE_RATE_HZ * taps) * np.hamming(HIGHPASS_TAPS)
    impulse = -lowpass / lowpass.sum()
    impulse[HOP_SAMPLES] += 1.0
    return np.fft.rfft(impulse, FFT_SAMPLES).astype(np.complex64)


def _with_hysteresis(*, on: Bools, off: Bools) -> Bools:
    """On from a hop that turns on until one that turns off; off wins; others keep the state."""
    decided = on | off
    last_decided = np.maximum.accumulate(np.where(decided, np.arange(decided.size), 0))
    return (on & ~off)[last_decided]


def _spans(voiced: Bools, *, first_hop: int) -> IntervalSet:
    """Runs of voiced hops as spans, without the clicks."""
    edges = np.flatnonzero(np.diff(voiced, prepend=False, append=False))
    starts_ms, ends_ms = ((edges[which::2] + first_hop) * HOP_MS for which in (0, 1))
    lasting = ends_ms - starts_ms >= LEAST_VOICED_MS
    bounds = zip(starts_ms[lasting].tolist(), ends_ms[lasting].tolist(), strict=True)
    return IntervalSet(tuple(Interval(start_ms, end_ms) for start_ms, end_ms in bounds))


def _by_hop(blocks: Floats) -> Floats:
    return blocks.reshape(len(blocks), BLOCK_HOPS, HOP_SAMPLES)


def _mean_square(hops: Floats) -> Floats:
    energy: Floats = np.einsum("...k,...k->...", hops, hops)
    return energy / np.float32(HOP_SAMPLES)


def _own_power(hops: Floats) -> Floats:
    """Mean square about the hop's own mean, so that a constant offset is silence."""
    offset = hops.mean(axis=-1)
    return _mean_square(hops) - offset * offset


def _power(dbfs: float) -> float:
    return float(FULL_SCALE**2 * 10 ** (dbfs / 10))


def _dbfs(power: float) -> float:
    return 10 * math.log10(max(power, LEAST_POWER) / FULL_SCALE**2)

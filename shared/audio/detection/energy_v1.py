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

from dataclasses import dataclass

import numpy as np

from shared.audio.detection.hops import (
    HIGHPASS_HZ,
    HIGHPASS_TAPS,
    HOP_MS,
    HOP_SAMPLES,
    LEAST_VOICED_MS,
    Hops,
    dbfs,
    hops_of,
    power,
    spans,
    with_hysteresis,
)
from shared.audio.detection.port import DetectorId
from shared.audio.pcm import Pcm
from shared.intervals import IntervalSet

NAME = "energy-v1"
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

_ONE_EACH = np.ones(HOP_SAMPLES)
_LEAST_POWER = power(OFF_DBFS)


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
            name=NAME,
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
        hops = hops_of(pcm[sounding.start * HOP_SAMPLES : sounding.stop * HOP_SAMPLES])
        gates = gates_for(hops)
        voiced = with_hysteresis(
            on=hops.filtered >= power(gates.on_dbfs),
            off=(hops.filtered < power(gates.off_dbfs)) | (hops.own < power(OFF_DBFS)),
        )
        return spans(voiced, first_hop=sounding.start)


def is_voiced_chunk(pcm: Pcm) -> bool:
    """Whether a piece of a clean track holds any sound worth waiting for, as it arrives.

    Not a measurement: it has no filter, no memory and no noise floor, it counts hops from the
    piece's own start, and one loud hop suffices. For deciding when to stop listening.
    """
    padded = np.zeros(-(-pcm.size // HOP_SAMPLES) * HOP_SAMPLES)
    padded[: pcm.size] = pcm
    hops = padded.reshape(-1, HOP_SAMPLES)
    # As ``own_power`` has it, but for a few hops at a time the calls are what costs.
    offsets = (hops @ _ONE_EACH) / HOP_SAMPLES
    powers = np.vecdot(hops, hops) / HOP_SAMPLES - offsets * offsets
    return any(one >= _LEAST_POWER for one in powers.tolist())


def gates_for(hops: Hops) -> Gates:
    """The levels between which a track's speech and its noise part."""
    silent_share = np.count_nonzero(hops.silent) / hops.silent.size
    if silent_share > SILENT_SHARE_OF_A_CLEAN_TRACK:
        return Gates(ON_DBFS, OFF_DBFS)
    floor_dbfs = dbfs(float(np.percentile(hops.filtered, FLOOR_PERCENTILE, method="lower")))
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

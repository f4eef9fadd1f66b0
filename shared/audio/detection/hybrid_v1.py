"""``hybrid-v1``: a neural network decides that there is speech, energy places its edges.

For tracks that are not clean. A track is cut into the stretches that sound, each is heard by
itself, and what the network is sure of is measured hop by hop. So silence around a stretch and a
shift by whole hops change nothing, and music or noise alone is no speech.

What the network said is kept as bytes, and :func:`voiced_from` finds the same spans from them and
the recording without it. A track is measured whole: pieces of it measured apart are not the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shared.audio.detection import edges, neural
from shared.audio.detection.hops import (
    HIGHPASS_HZ,
    HIGHPASS_TAPS,
    HOP_MS,
    HOP_SAMPLES,
    LEAST_VOICED_MS,
    hops_of,
    spans,
)
from shared.audio.detection.neural import Heard, Network
from shared.audio.detection.port import DetectorId
from shared.audio.detection.silero import installed, required
from shared.audio.detection.stretches import LEAST_SILENCE_MS, stretches
from shared.audio.pcm import Pcm
from shared.intervals import IntervalSet
from shared.values import JsonScalar

NAME = "hybrid-v1"


@dataclass(frozen=True, slots=True)
class Measured:
    """Where a track is voiced, and what was heard in each of its stretches."""

    voiced: IntervalSet
    heard: tuple[Heard, ...]


def is_available() -> bool:
    """Whether the extra ``speech`` is installed."""
    return installed() is not None


class HybridV1:
    """The detector as a whole. Without a network it takes the one installed.

    Raises :class:`UsageError` when there is none.
    """

    def __init__(self, network: Network | None = None) -> None:
        self._network = network or required(NAME)

    @property
    def id(self) -> DetectorId:
        return DetectorId(
            name=NAME,
            version="1",
            parameters={
                "package": self._network.package,
                "package_version": self._network.version,
                **PARAMETERS,
            },
        )

    def voiced(self, pcm: Pcm) -> IntervalSet:
        """Where the track is voiced, on the 10 ms grid."""
        return self.measured(pcm).voiced

    def measured(self, pcm: Pcm) -> Measured:
        """The same, with what was heard."""
        heard = tuple(
            neural.heard(_cut(pcm, stretch), stretch.start * HOP_MS, self._network)
            for stretch in stretches(pcm)
        )
        return Measured(voiced_from(heard, pcm), heard)


def voiced_from(heard: Sequence[Heard], pcm: Pcm) -> IntervalSet:
    """Where a track is voiced, from what was heard in it; the network is not asked.

    Raises ``ValueError`` when it was heard in another track.
    """
    found = stretches(pcm)
    expected = [
        (stretch.start * HOP_MS, neural.window_count(_cut(pcm, stretch).size)) for stretch in found
    ]
    if [(said.start_ms, len(said.probabilities)) for said in heard] != expected:
        raise ValueError("what was heard belongs to another recording")
    voiced = IntervalSet()
    for said, stretch in zip(heard, found, strict=True):
        voiced |= _voiced(said, _cut(pcm, stretch), stretch.start)
    return voiced


def _voiced(said: Heard, sound: Pcm, first_hop: int) -> IntervalSet:
    speech = [one.shifted(-said.start_ms) for one in neural.speech(said)]
    return spans(edges.voiced_hops(hops_of(sound), speech), first_hop=first_hop)


def _cut(pcm: Pcm, stretch: range) -> Pcm:
    return pcm[stretch.start * HOP_SAMPLES : stretch.stop * HOP_SAMPLES]


PARAMETERS: Mapping[str, JsonScalar] = {
    "resampling": f"soxr {neural.QUALITY}",
    "window_ms": neural.WINDOW_MS,
    "speech_from": neural.SPEECH_FROM,
    "speech_while": neural.SPEECH_WHILE,
    "least_speech_ms": neural.LEAST_SPEECH_MS,
    "least_gap_ms": neural.LEAST_GAP_MS,
    "least_silence_ms": LEAST_SILENCE_MS,
    "hop_ms": HOP_MS,
    "highpass_hz": HIGHPASS_HZ,
    "highpass_taps": HIGHPASS_TAPS,
    "start_late_ms": edges.START_LATE_MS,
    "end_late_ms": edges.END_LATE_MS,
    "searched_before_ms": edges.SEARCHED_BEFORE_MS,
    "searched_after_ms": edges.SEARCHED_AFTER_MS,
    "start_doubted_after_ms": edges.START_DOUBTED_AFTER_MS,
    "end_doubted_before_ms": edges.END_DOUBTED_BEFORE_MS,
    "noise_beyond_ms": edges.NOISE_BEYOND_MS,
    "noise_within_ms": edges.NOISE_WITHIN_MS,
    "least_noise_ms": edges.LEAST_NOISE_MS,
    "noise_percentile": edges.NOISE_PERCENTILE,
    "above_noise_db": edges.ABOVE_NOISE_DB,
    "averaged_hops": edges.AVERAGED_HOPS,
    "peak_percentile": edges.PEAK_PERCENTILE,
    "below_peak_db": edges.BELOW_PEAK_DB,
    "lowest_gate_dbfs": edges.LOWEST_GATE_DBFS,
    "hysteresis_db": edges.HYSTERESIS_DB,
    "least_contrast_db": edges.LEAST_CONTRAST_DB,
    "least_voiced_ms": LEAST_VOICED_MS,
}

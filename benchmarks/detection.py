"""How far from the truth the caller's edges are found in recordings of which nothing is known.

The 21 clean recordings behind WALK's pack go through named acoustics with three seeds each. Truth
is ``energy-v1`` on the clean samples; its figures on the changed ones stand beside those of
``hybrid-v1``. Absolute errors of the end and of the onset, median and 90th percentile in ms. The
last two conditions hold other people's speech, which no detector can tell from the caller's: they
are shown and have no bound. Speed is that of one core over all of it.
``uv run python benchmarks/detection.py``
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import soundfile

from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.detection.hybrid_v1 import HybridV1
from shared.audio.detection.port import Detector
from shared.audio.effects.acoustics import Acoustics
from shared.audio.effects.bundled import ambience
from shared.audio.effects.levels import speech_dbfs
from shared.audio.effects.presets import PRESETS
from shared.audio.effects.recipe import Noise, Recipe
from shared.audio.pcm import SAMPLE_RATE_HZ, Pcm
from shared.intervals import Interval
from shared.scenario_types import AcousticCondition

AUDIO = Path(__file__).parent.parent / "walk_harness" / "data" / "audio"
SEEDS = (1, 2, 3)
AT_LEAST = 20
MISSED_MS = 60_000
"""The error of an edge that was not found at all."""


@dataclass(frozen=True, slots=True)
class Condition:
    name: str
    recipe: Recipe
    median_ms: int | None = None
    p90_ms: int | None = None


CONDITIONS = (
    Condition("clean", Recipe(), 60, 150),
    Condition("telephone", Recipe(telephony=True), 60, 150),
    Condition("white noise 20 dB", Recipe(noise=Noise(snr_db=20)), 60, 150),
    Condition("white noise 10 dB", Recipe(noise=Noise(snr_db=10)), 100, None),
    Condition("background speech", PRESETS[AcousticCondition.BACKGROUND_SPEECH]),
    Condition("realistic", PRESETS[AcousticCondition.REALISTIC]),
)


@dataclass(slots=True)
class Errors:
    """Of one detector under one condition, in ms; and how long it took."""

    onset: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, detector: Detector, pcm: Pcm, truth: Interval) -> None:
        began = time.perf_counter()
        found = detector.voiced(pcm).extent
        self.seconds += time.perf_counter() - began
        self.onset.append(abs(found.start_ms - truth.start_ms) if found else MISSED_MS)
        self.end.append(abs(found.end_ms - truth.end_ms) if found else MISSED_MS)

    def keeps(self, condition: Condition) -> bool:
        return all(
            bound is None or np.percentile(errors, percent) <= bound
            for errors in (self.onset, self.end)
            for percent, bound in ((50, condition.median_ms), (90, condition.p90_ms))
        )


def clean_recordings() -> dict[str, Pcm]:
    """The 21 recordings before any effect, by scenario."""
    files = [*AUDIO.glob("*.wav"), *(AUDIO / "clean").glob("*.flac")]
    return {path.stem: soundfile.read(path, dtype="int16")[0] for path in sorted(files)}


def conditioned(
    condition: Condition, name: str, pcm: Pcm, level_dbfs: float | None
) -> Iterator[Pcm]:
    """The recording as it arrives, once for each seed that makes a difference."""
    for seed in SEEDS if condition.recipe.noise or condition.recipe.background_speech else (1,):
        line = Acoustics(
            condition.recipe,
            seed=seed,
            scope=name,
            speech_dbfs=level_dbfs,
            ambience=ambience(),
        )
        yield line.process(pcm)


def compared(condition: Condition, recordings: dict[str, Pcm]) -> tuple[Errors, float]:
    """Both detectors' errors, printed; those of ``hybrid-v1``, and the seconds it heard."""
    detectors: dict[str, Detector] = {"hybrid-v1": HybridV1(), "energy-v1": EnergyV1()}
    errors = {name: Errors() for name in detectors}
    heard_seconds = 0.0
    for name, pcm in recordings.items():
        truth = EnergyV1().voiced(pcm)
        spoken = truth.extent
        if spoken is None:
            raise ValueError(f"{name}: no speech")
        for track in conditioned(condition, name, pcm, speech_dbfs(pcm, truth)):
            heard_seconds += track.size / SAMPLE_RATE_HZ
            for which, detector in detectors.items():
                errors[which].add(detector, track, spoken)
    figures = "   ".join(f"{which}: {_figures(errors[which])}" for which in detectors)
    print(f"{condition.name:<18} {figures}   {_bound(condition)}")
    return errors["hybrid-v1"], heard_seconds


def _figures(errors: Errors) -> str:
    end, onset = (
        f"{np.median(one):3.0f} | {np.percentile(one, 90):3.0f}"
        for one in (errors.end, errors.onset)
    )
    return f"end {end}, onset {onset}"


def _bound(condition: Condition) -> str:
    if condition.median_ms is None:
        return ""
    p90 = "" if condition.p90_ms is None else f" | {condition.p90_ms}"
    return f"(at most {condition.median_ms}{p90})"


def main() -> None:
    recordings = clean_recordings()
    print(f"{len(recordings)} recordings, median | 90th percentile in ms")
    HybridV1().voiced(next(iter(recordings.values())))  # loads the network
    took = heard = 0.0
    are_kept = True
    for condition in CONDITIONS:
        errors, seconds = compared(condition, recordings)
        are_kept &= errors.keeps(condition)
        took, heard = took + errors.seconds, heard + seconds
    named = HybridV1().id.parameters
    print(
        f"by {named['package']} {named['package_version']}: {heard:.0f} s of audio in {took:.1f} s;"
        f" ratio: {heard / took:.0f} x real time (at least {AT_LEAST})"
    )
    sys.exit(not are_kept or heard / took < AT_LEAST)


if __name__ == "__main__":
    main()

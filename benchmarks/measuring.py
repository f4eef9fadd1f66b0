"""How fast an hour of conversation on two tracks is measured: ``energy-v1`` and every v2 metric.

Prints one ratio line per kind of track: clean ones have exact zeros between words, noisy ones have
no silent hop at all. Best of three rounds. ``uv run python benchmarks/measuring.py``
"""

from __future__ import annotations

import sys
import time

import numpy as np

from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.pcm import SAMPLE_RATE_HZ, Pcm, saturated, silence
from shared.intervals import Interval, IntervalSet
from shared.metrics.interaction import InteractionMeasurements, MetricPolicy, measure
from shared.observability.evidence import (
    CallerAction,
    Ending,
    Evidence,
    MeasuredOn,
    Pacing,
    Track,
    Utterance,
)
from shared.observability.timeline import Timeline
from shared.speech.tone import ToneSynthesizer

HOUR_SECONDS = 3_600
NOISE_RMS = 60
ROUNDS = 3
AT_LEAST = 1_000
TURN_GAP_MS = 1_000
TEXT = "I would like a table for four at seven, please, and one of us eats no fish. Thank you!"


def hour(pitch_hz: int, *, starts_ms: int) -> Pcm:
    """One speaker's hour: the same turn, then as long a silence, over and over."""
    turn = ToneSynthesizer(pitch_hz).speak(TEXT).pcm
    exchange = np.concatenate([silence(starts_ms), turn, silence(1_000), np.zeros_like(turn)])
    return np.resize(exchange, HOUR_SECONDS * SAMPLE_RATE_HZ)


def noisy(track: Pcm) -> Pcm:
    """The track over white noise at about -55 dBFS."""
    noise = np.random.default_rng(1).normal(0, NOISE_RMS, SAMPLE_RATE_HZ * 60)
    return saturated(track + np.resize(np.rint(noise), track.size))


def measured(caller: Pcm, assistant: Pcm) -> InteractionMeasurements:
    """From samples to every v2 number, as an attempt is measured."""
    detector = EnergyV1()
    tracks = [
        Track(detector.voiced(pcm), int(pcm.size), detector.id, MeasuredOn.RECEIVED)
        for pcm in (caller, assistant)
    ]
    evidence = Evidence(
        scenario_id="hour",
        extent_ms=HOUR_SECONDS * 1_000,
        caller=tracks[0],
        assistant=tracks[1],
        utterances=tuple(_utterances(tracks[0].voiced)),
        observations=(),
        state_before={},
        state_after={},
        pacing=Pacing(20, ()),
        ending=Ending.ANSWER_SETTLED,
        failure=None,
    )
    return measure(Timeline.of(evidence), MetricPolicy())


def _utterances(voiced: IntervalSet) -> list[Utterance]:
    return [
        Utterance(Interval(turn.start_ms, turn.end_ms), "", CallerAction.SPEAK, "benchmark")
        for turn in voiced.merged(gaps_below_ms=TURN_GAP_MS)
    ]


def ratio(kind: str, caller: Pcm, assistant: Pcm) -> float:
    took, turns = float("inf"), 0
    for _ in range(ROUNDS):
        began = time.perf_counter()
        turns = measured(caller, assistant).caller_turn_count
        took = min(took, time.perf_counter() - began)
    print(
        f"{kind}: {HOUR_SECONDS} s on two tracks in {took:.2f} s, {turns} caller turns;"
        f" ratio: {HOUR_SECONDS / took:,.0f} x real time (at least {AT_LEAST:,})"
    )
    return HOUR_SECONDS / took


def main() -> None:
    caller, assistant = hour(210, starts_ms=0), hour(120, starts_ms=7_000)
    ratios = [
        ratio("clean tracks", caller, assistant),
        ratio("noisy tracks", noisy(caller), noisy(assistant)),
    ]
    sys.exit(min(ratios) < AT_LEAST)


if __name__ == "__main__":
    main()

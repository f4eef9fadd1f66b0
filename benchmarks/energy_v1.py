"""How fast ``energy-v1`` reads an hour of conversation on two tracks.

Run: ``uv run python benchmarks/energy_v1.py``. Prints one ratio line per kind of track: clean ones
have exact zeros between words, noisy ones have no silent hop at all. Best of three rounds.
"""

from __future__ import annotations

import time

import numpy as np

from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.pcm import SAMPLE_RATE_HZ, Pcm, silence
from shared.speech.tone import ToneSynthesizer

HOUR_SECONDS = 3_600
NOISE_RMS = 60
ROUNDS = 3
TEXT = "I would like a table for four at seven, please, and one of us eats no fish. Thank you!"


def hour(pitch_hz: int, *, starts_ms: int) -> Pcm:
    """One speaker's hour: the same turn, then as long a silence, over and over."""
    turn = ToneSynthesizer(pitch_hz).speak(TEXT).pcm
    exchange = np.concatenate([silence(starts_ms), turn, silence(1_000), np.zeros_like(turn)])
    return np.resize(exchange, HOUR_SECONDS * SAMPLE_RATE_HZ)


def noisy(track: Pcm) -> Pcm:
    """The track over white noise at about -55 dBFS."""
    noise = np.random.default_rng(1).normal(0, NOISE_RMS, SAMPLE_RATE_HZ * 60).astype(np.int16)
    return track + np.resize(noise, track.size)


def ratio_line(kind: str, tracks: tuple[Pcm, Pcm]) -> str:
    spans, took = 0, float("inf")
    for _ in range(ROUNDS):
        began = time.perf_counter()
        spans = sum(len(EnergyV1().voiced(track)) for track in tracks)
        took = min(took, time.perf_counter() - began)
    return (
        f"energy-v1, {kind}: {HOUR_SECONDS / took:,.0f} audio seconds per wall second"
        f" ({HOUR_SECONDS} s on two tracks in {took:.2f} s, {spans:,} spans)"
    )


def main() -> None:
    caller, assistant = hour(210, starts_ms=0), hour(120, starts_ms=7_000)
    print(ratio_line("clean tracks", (caller, assistant)))
    print(ratio_line("noisy tracks", (noisy(caller), noisy(assistant))))


if __name__ == "__main__":
    main()

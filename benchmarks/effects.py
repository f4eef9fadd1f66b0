"""How fast the ``realistic`` preset is: minutes in blocks of a second, and in frames of 20 ms.

Prints one ratio line per size of block, of processor time, so that a busy machine's other work does
not count. Best of three rounds.
``uv run python benchmarks/effects.py``
"""

from __future__ import annotations

import sys
import time

import numpy as np

from shared.audio.effects.acoustics import Acoustics
from shared.audio.effects.bundled import ambience
from shared.audio.effects.presets import PRESETS
from shared.audio.pcm import FRAME_SAMPLES, SAMPLE_RATE_HZ, Pcm
from shared.scenario_types import AcousticCondition
from shared.speech.tone import ToneSynthesizer

SECONDS = 120
ROUNDS = 3
TEXT = "I would like to know, please, whether the last train on Sunday still runs. Thank you!"
AT_LEAST = {SAMPLE_RATE_HZ: 300, FRAME_SAMPLES: 100}


def caller() -> Pcm:
    """One who speaks and pauses in turn."""
    turn = ToneSynthesizer().speak(TEXT).pcm
    return np.resize(np.concatenate([turn, np.zeros_like(turn)]), SECONDS * SAMPLE_RATE_HZ)


def ratio(track: Pcm, block_samples: int, at_least: int) -> float:
    blocks = [track[at : at + block_samples] for at in range(0, track.size, block_samples)]
    took = float("inf")
    for _ in range(ROUNDS):
        chain = Acoustics(
            PRESETS[AcousticCondition.REALISTIC], seed=1, scope="benchmark", ambience=ambience()
        )
        began = time.process_time()
        for block in blocks:
            chain.process(block)
        took = min(took, time.process_time() - began)
    print(
        f"blocks of {1000 * block_samples // SAMPLE_RATE_HZ} ms: {SECONDS} s in {took:.2f} s;"
        f" ratio: {SECONDS / took:,.0f} x real time (at least {at_least:,})"
    )
    return SECONDS / took


def main() -> None:
    track = caller()
    is_slow = [ratio(track, block, least) < least for block, least in AT_LEAST.items()]
    sys.exit(any(is_slow))


if __name__ == "__main__":
    main()

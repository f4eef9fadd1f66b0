"""Cases 14 and 19: recordings under a loop that is busy, and recordings nobody speaks in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.pacing import FRAME_US, LEAST_SPACING_US, Pacer
from shared.audio.pcm import FRAME_MS, SAMPLE_RATE_HZ, Pcm, silence
from shared.clock import Clock
from shared.observability.observations import Observation
from shared.relay import relay
from shared.single_turn.session import RecordedVoice
from tests.support.recordings import a_recorded_dataset, recorded, recording
from tests.support.rooms import in_virtual_time
from tests.support.runs import evaluate_here
from walk_harness.suite import WALK

MINUTE_FRAMES = 60_000 // FRAME_MS


class Busy:
    """An assistant whose every frame keeps the loop busy for a while."""

    failure = None

    def __init__(self, clock: Clock, blocks_us: int) -> None:
        self.clock = clock
        self.blocks_us = blocks_us
        self.at_us: list[int] = []

    async def connect(self) -> None: ...

    async def hear(self, frame: bytes) -> None:
        self.at_us.append(self.clock.now_us())
        await self.clock.sleep_until(self.clock.now_us() + self.blocks_us)

    def observed(self) -> list[Observation]:
        return []

    async def close(self) -> None: ...


@pytest.mark.parametrize(
    "blocks_us",
    [
        pytest.param(10_000, id="for-half-a-frame"),
        pytest.param(LEAST_SPACING_US, id="for-as-long-as-frames-are-apart-at-least"),
        pytest.param(FRAME_US, id="for-a-whole-frame"),
    ],
)
def test_case_14_a_minute_leaves_in_a_minute_while_every_frame_blocks_the_loop(
    blocks_us: int,
) -> None:
    """B4. Deadlines are absolute, so what each frame costs never adds up."""

    async def replay(clock: Clock) -> Busy:
        busy = Busy(clock, blocks_us)
        voice = RecordedVoice(silence(60_000))
        over = 60_000
        await relay(
            voice,
            busy,
            clock,
            Pacer(clock.now_us()),
            take=lambda _: None,
            is_over=lambda now_ms: now_ms >= over,
        )
        return busy

    busy = in_virtual_time(replay)
    assert len(busy.at_us) == MINUTE_FRAMES
    drift_us = busy.at_us[-1] - busy.at_us[0] - (MINUTE_FRAMES - 1) * FRAME_US
    assert 0 <= drift_us <= FRAME_US


def a_click() -> Pcm:
    pcm = silence(2_000)
    pcm[SAMPLE_RATE_HZ] = 20_000
    return pcm


@pytest.mark.parametrize(
    "pcm",
    [
        pytest.param(silence(2_000), id="silence"),
        pytest.param(np.full(48_000, 700, np.int16), id="a-constant"),
        pytest.param(a_click(), id="one-click"),
    ],
)
def test_case_19_where_nobody_is_heard_to_speak_the_latency_is_unknown(
    pcm: Pcm, tmp_path: Path
) -> None:
    """C3, C5."""
    assert not EnergyV1().voiced(pcm)
    dataset = a_recorded_dataset(tmp_path, recorded("a", recording()), audio={"audio/r.wav": pcm})
    run, _ = evaluate_here(tmp_path / "results", WALK, data=str(dataset))

    row = run.rows["a"]
    unknown = row["metrics"]["unavailable"]
    assert row["metrics"]["audio"]["response_latency_ms"] is None
    assert unknown["audio.response_latency_ms"] == "no caller speech was detected"
    assert row["warnings"] == ["no speech was found in the recording"]

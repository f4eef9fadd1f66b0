"""Cases 14, 19 and 21: a busy loop, recordings nobody speaks in, and files of every making."""

from __future__ import annotations

import base64
import shlex
from pathlib import Path

import numpy as np
import pytest

from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.pacing import FRAME_US, LEAST_SPACING_US, Pacer
from shared.audio.pcm import FRAME_MS, SAMPLE_RATE_HZ, Pcm, from_bytes, silence, to_bytes
from shared.clock import Clock
from shared.errors import DatasetError
from shared.observability.observations import Observation
from shared.relay import Relay
from shared.single_turn.session import OneWay, RecordedVoice
from tests.support.recordings import a_recorded_dataset, recorded, recording, spoken
from tests.support.rooms import in_virtual_time
from tests.support.runs import evaluate_here
from tests.support.wav_files import (
    A_LAW,
    EXTENSIBLE,
    FLOAT,
    MU_LAW,
    data,
    extension,
    form,
    riff,
    section,
)
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
        relay = Relay(voice, OneWay(busy), clock, Pacer(clock.now_us()))
        await relay.run(take=lambda *_: None, is_over=lambda now_ms: now_ms >= over)
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
    run, _ = evaluate_here(tmp_path / "results", WALK, data=str(dataset), detector="energy-v1")

    row = run.rows["a"]
    unknown = row["metrics"]["unavailable"]
    assert row["metrics"]["audio"]["response_latency_ms"] is None
    assert unknown["audio.response_latency_ms"] == "no caller speech was detected"
    assert row["warnings"] == ["no speech was found in the recording"]


SPEECH = spoken("Two.")
SAMPLES = to_bytes(SPEECH)


def kept(file: bytes, folder: Path) -> Path:
    """A dataset whose one recording is this file, at ``audio/r.wav``."""
    dataset = a_recorded_dataset(folder, recorded("a", recording()))
    (folder / "audio" / "r.wav").write_bytes(file)
    return dataset


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(riff(form(EXTENSIBLE, more=extension()), data(SAMPLES)), id="extensible-pcm"),
        pytest.param(
            riff(
                section(b"LIST", b"INFOISFT\x05\0\0\0Sound\0"),
                section(b"bext", bytes(602)),
                form(more=b"\0\0"),
                section(b"fact", bytes(4)),
                data(SAMPLES),
            ),
            id="sections-before-the-data-and-a-format-of-18-bytes",
        ),
    ],
)
def test_case_21_only_the_samples_reach_the_line_each_of_them(file: bytes, tmp_path: Path) -> None:
    """D1, D4, B13."""
    run, lines = evaluate_here(
        tmp_path / "results", WALK, data=str(kept(file, tmp_path)), detector="energy-v1"
    )

    assert run.rows["a"]["status"] == "passed"
    appended = [
        base64.b64decode(spoken.event["audio"])
        for spoken in lines["a#1"]
        if spoken.event["type"] == "session.input_audio.append"
    ]
    sent = from_bytes(b"".join(appended))
    assert np.array_equal(sent[: SPEECH.size], SPEECH)
    assert not sent[SPEECH.size :].any()


@pytest.mark.parametrize(
    ("file", "found"),
    [
        pytest.param(riff(form(FLOAT, bits=32), data(bytes(8))), "32 bit float", id="float"),
        pytest.param(
            riff(form(MU_LAW, rate_hz=8_000, bits=8), data()), "8 bit mu-law", id="mu-law"
        ),
        pytest.param(riff(form(A_LAW, bits=8), data()), "8 bit A-law", id="a-law"),
        pytest.param(riff(form(rate_hz=8_000), data()), "8000 Hz", id="8-khz"),
        pytest.param(riff(form(channels=2), data()), "2 channels", id="stereo"),
        pytest.param(riff(form(bits=24), data(bytes(6))), "24 bit PCM", id="24-bit"),
        pytest.param(b"ID3\x04" + bytes(60), "an MP3 file", id="an-mp3-that-is-named-wav"),
    ],
)
def test_case_21_another_format_is_refused_by_what_was_found_before_anything_is_made(
    file: bytes, found: str, tmp_path: Path
) -> None:
    """D1, D8, D9."""
    dataset = kept(file, tmp_path)
    with pytest.raises(DatasetError) as refusal:
        evaluate_here(tmp_path / "results", WALK, data=str(dataset), detector="energy-v1")

    (line,) = refusal.value.faults
    path = dataset.parent / "audio" / "r.wav"
    assert f"{path}: is " in line
    assert found in line
    command = line.partition("convert it: ")[2]
    assert shlex.split(command) == ["walk-generate-audio", "--from-audio", str(path)]
    assert not (tmp_path / "results").exists()

"""Cases 13 and 17: audio cut into frames, and audio louder than a sample can be."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.audio import wav
from shared.audio.mixdown import stereo
from shared.audio.pcm import (
    SAMPLE_BYTES,
    SAMPLES_PER_MS,
    Pcm,
    frames,
    from_bytes,
    saturated,
    to_bytes,
)
from shared.speech.tone import ToneSynthesizer

ROOT = Path(__file__).parents[2]
ONE_DOOR = "shared/audio/pcm.py"


@pytest.mark.parametrize("frame_ms", [7, 13, 33, 12.5])
@given(samples=st.integers(0, 5_000))
def test_case_13_frames_of_any_length_hold_whole_samples(frame_ms: float, samples: int) -> None:
    """B1. Lengths count in samples, so none is ever split."""
    frame_samples = round(frame_ms * SAMPLES_PER_MS)
    track = np.arange(samples).astype(np.int16)
    cut = frames(track, frame_samples)
    joined = from_bytes(b"".join(cut))

    assert {len(frame) for frame in cut} <= {frame_samples * SAMPLE_BYTES}
    assert np.array_equal(joined[:samples], track)
    assert joined.size - samples < frame_samples
    assert not joined[samples:].any()


def full_scale() -> Pcm:
    """A second of a tone that reaches both ends of the scale."""
    steps = np.arange(24_000)
    return saturated(32_767.5 * np.sin(2 * np.pi * 440 * (steps + 0.5) / 24_000))


def test_case_17_full_scale_and_noise_never_changes_its_sign() -> None:
    """B9."""
    track = full_scale()
    noise = np.random.default_rng(17).normal(0, 2_000, track.size)
    noisy = saturated(track + noise)
    loud = np.abs(track.astype(np.int32)) > 16_000

    assert (noisy.min(), noisy.max()) == (-32_768, 32_767)
    assert np.array_equal(np.sign(noisy[loud]), np.sign(track[loud]))
    exact = np.rint(track + noise)
    fits = (exact >= -32_768) & (exact <= 32_767)
    assert np.array_equal(noisy[fits], exact[fits])
    assert not fits.all()


@pytest.mark.parametrize(
    ("sample", "added", "expected"),
    [
        pytest.param(32_767, 0, 32_767, id="exactly-full-scale"),
        pytest.param(32_767, 1, 32_767, id="one-above"),
        pytest.param(32_766, 1, 32_767, id="up-to-full-scale"),
        pytest.param(-32_768, 0, -32_768, id="exactly-full-scale-below"),
        pytest.param(-32_768, -1, -32_768, id="one-below"),
        pytest.param(-32_767, -1, -32_768, id="down-to-full-scale"),
    ],
)
def test_case_17_at_the_ends_of_the_scale(sample: int, added: int, expected: int) -> None:
    """B9."""
    track = np.array([sample], np.int16)

    assert saturated(track.astype(np.int32) + added).tolist() == [expected]


def test_case_17_full_scale_survives_the_way_to_a_file(tmp_path: Path) -> None:
    """B9."""
    track = full_scale()
    path = tmp_path / "loud.wav"
    path.write_bytes(wav.encode(track))

    assert np.array_equal(wav.read_mono(path), track)
    assert np.array_equal(stereo(track, track)[:, 1], track)
    assert np.array_equal(from_bytes(b"".join(frames(track))), track)


def test_case_17_a_sum_that_went_past_the_door_is_refused() -> None:
    """B9."""
    with pytest.raises(TypeError):
        to_bytes(full_scale().astype(np.int32) + 1)


def test_case_17_the_voices_stay_far_from_the_ends() -> None:
    """B9."""
    assert np.abs(ToneSynthesizer().speak("A table, please.").pcm.astype(np.int32)).max() < 30_000


def casts(path: Path) -> list[int]:
    """Lines with ``astype`` to samples, or to samples' width by any of its names."""
    tree = ast.parse(path.read_text("utf-8"))
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"astype", "view"}
        and any(
            word in ast.unparse(node)
            for word in ("int16", "'<i2'", "'i2'", "'h'", "short", "_WIRE")
        )
    ]


def test_case_17_there_is_one_door_from_numbers_to_samples() -> None:
    """B9."""
    sources = [
        path
        for package in ("shared", "assistants", "crawl_harness", "walk_harness", "benchmarks")
        for path in (ROOT / package).rglob("*.py")
    ]
    found = {path.relative_to(ROOT).as_posix() for path in sources if casts(path)}

    assert found == {ONE_DOOR}

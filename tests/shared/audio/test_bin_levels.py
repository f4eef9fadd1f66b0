"""Levels for display: each bin by its own samples, and what nobody heard has none."""

from __future__ import annotations

import numpy as np
import pytest

from shared.audio.bin_levels import rms_per_bin
from shared.audio.pcm import SAMPLES_PER_MS, Pcm, silence


def a_tone(level: int, duration_ms: int) -> Pcm:
    """A square wave, whose RMS is its level."""
    signs = np.tile(np.array([1, -1], np.int16), duration_ms * SAMPLES_PER_MS // 2)
    return (signs * level).astype(np.int16)


@pytest.mark.parametrize(
    ("pcm", "extent_ms", "levels"),
    [
        pytest.param(
            np.concatenate([a_tone(100, 20), silence(20), a_tone(300, 20)]),
            60,
            (100, 0, 300),
            id="each-bin-has-its-own-level-and-silence-has-zero",
        ),
        pytest.param(
            np.concatenate([a_tone(100, 20), a_tone(300, 5)]),
            25,
            (100, 300),
            id="the-last-bin-is-measured-over-its-own-length-when-it-is-short",
        ),
        pytest.param(
            np.concatenate([a_tone(100, 19), a_tone(9_000, 1), a_tone(100, 20)]),
            40,
            (pytest.approx(((100**2 * 19 + 9_000**2) / 20) ** 0.5), 100),
            id="the-last-ms-of-a-bin-is-no-part-of-the-next",
        ),
        pytest.param(
            np.concatenate([a_tone(100, 20), a_tone(300, 40)]),
            40,
            (100, 300),
            id="what-lies-past-the-observation-is-left-out",
        ),
        pytest.param(
            a_tone(100, 20), 60, (100, None, None), id="past-the-end-of-the-track-nobody-knows"
        ),
        pytest.param(
            a_tone(100, 30), 60, (100, 100, None), id="a-bin-half-held-is-the-half-there-is"
        ),
        pytest.param(silence(0), 40, (None, None), id="without-a-track-nothing-is-known"),
        pytest.param(a_tone(100, 20), 0, (), id="without-an-observation-there-is-no-bin"),
        pytest.param(
            np.full(480, np.iinfo(np.int16).min, np.int16), 20, (32_768,), id="nothing-wraps"
        ),
    ],
)
def test_a_level_is_that_of_the_samples_in_its_bin(
    pcm: Pcm, extent_ms: int, levels: tuple[float | None, ...]
) -> None:
    assert rms_per_bin(pcm, 20, extent_ms) == levels


def test_a_bin_as_long_as_the_observation_is_the_whole() -> None:
    assert rms_per_bin(a_tone(50, 999), 1_000, 999) == (50,)


@pytest.mark.parametrize("bin_ms", [0, -20])
def test_a_bin_without_length_is_refused(bin_ms: int) -> None:
    with pytest.raises(ValueError, match="at least 1 ms"):
        rms_per_bin(silence(20), bin_ms, 20)

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from shared.audio.resampling import Signal, resampled, resampler
from tests.support.wav_files import tone


def all_of(blocks: list[Signal], from_hz: int, to_hz: int = 24_000) -> Signal:
    return np.concatenate(list(resampled(blocks, from_hz, to_hz)))


@pytest.mark.parametrize("rate_hz", [8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000])
def test_a_tone_stays_the_tone_in_its_place_at_its_level(rate_hz: int) -> None:
    found = all_of([tone(rate_hz, rate_hz=rate_hz)], rate_hz)
    assert found.size == 24_000
    inside = slice(1_000, -1_000)  # the ends know nothing of what lies beyond them
    assert np.abs(found - tone(24_000))[inside].max() < 1e-5


@pytest.mark.parametrize("size", [1, 7, 480, 65_536])
def test_where_it_is_cut_changes_nothing(size: int) -> None:
    whole = np.random.default_rng(1).normal(size=4_410)
    blocks = [whole[at : at + size] for at in range(0, whole.size, size)]
    assert np.array_equal(all_of(blocks, 44_100), all_of([whole], 44_100))


def test_nothing_above_the_new_band_is_folded_into_it() -> None:
    above = all_of([tone(48_000, rate_hz=48_000, tone_hz=14_000)], 48_000)
    assert np.abs(above[1_000:-1_000]).max() < 1e-4


@pytest.mark.parametrize(
    ("count", "expected"),
    [pytest.param(0, 0, id="nothing"), pytest.param(1, 3, id="one"), pytest.param(5, 15, id="few")],
)
def test_as_long_as_before(count: int, expected: int) -> None:
    assert all_of([np.ones(count)], 8_000).size == expected


def test_at_one_rate_every_number_is_kept() -> None:
    whole = np.random.default_rng(1).normal(size=100)
    assert np.array_equal(all_of([whole[:30], whole[30:]], 24_000), whole)


def test_its_name_says_what_could_change_a_sample() -> None:
    library, version, quality = resampler().split()
    assert (library, quality) == ("soxr", "VHQ")
    assert version[0].isdigit()


def test_the_library_waits_for_the_first_sound() -> None:
    code = "import sys, shared.audio.resampling; sys.exit('soxr' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)

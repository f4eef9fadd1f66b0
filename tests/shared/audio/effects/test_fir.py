from __future__ import annotations

import numpy as np
import pytest

from shared.audio.effects.fir import UNITY, Filter, lowpass
from shared.audio.effects.telephone import lower_edge, upper_edge

TAPS = {"upper": upper_edge(), "lower": lower_edge()}


@pytest.mark.parametrize("taps", TAPS.values(), ids=TAPS)
def test_a_filter_is_whole_numbers_and_the_same_from_either_end(taps: np.ndarray) -> None:
    assert taps.tolist() == np.rint(taps).tolist() == taps[::-1].tolist()


def test_no_tap_is_near_enough_to_a_tie_for_machines_to_differ() -> None:
    places = np.arange(37) - 18
    shape = np.sinc(2 * 3_750 / 24_000 * places) * np.kaiser(37, 3.4)
    exact = shape / shape.sum() * UNITY
    assert np.abs(exact % 1 - 0.5).min() > 1e-4
    places = np.arange(41) - 20
    shape = np.sinc(2 * 250 / 8_000 * places) * np.kaiser(41, 1.5)
    exact = shape / shape.sum() * UNITY
    assert np.abs(exact % 1 - 0.5).min() > 1e-4


def test_no_sum_in_the_telephone_leaves_the_exact_whole_numbers() -> None:
    loudest = 32_768
    narrow = loudest * np.abs(upper_edge()).sum()
    assert narrow * np.abs(lower_edge()).sum() < 2**53
    assert loudest * np.abs(upper_edge() * 3).sum() < 2**53


def test_a_filter_computes_what_whole_numbers_would() -> None:
    samples = np.random.default_rng(1).integers(-32_768, 32_768, 5_000)
    exact = np.convolve(samples, upper_edge().astype(np.int64))[: samples.size]
    assert Filter(upper_edge()).filtered(samples.astype(np.float64)).tolist() == exact.tolist()


def test_an_even_number_of_taps_is_refused() -> None:
    with pytest.raises(ValueError, match="odd number of taps"):
        lowpass(36, 3_750, 24_000, beta=3.4)

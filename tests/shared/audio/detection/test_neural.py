from __future__ import annotations

import numpy as np
import pytest

from shared.audio.detection.neural import (
    RATE_HZ,
    WINDOW_MS,
    WINDOW_SAMPLES,
    Heard,
    heard,
    speech,
    window_count,
)
from shared.audio.pcm import SAMPLE_RATE_HZ, Pcm
from shared.intervals import IntervalSet
from tests.support.heard import ScriptedNetwork, buzz

YES, NO = 255, 0
ON, BELOW_ON = 128, 127
"""As bytes: a half and just less."""
KEEPS, ENDS = 90, 89
"""0.35 of 255 lies between them."""


def windows(*counts: tuple[int, int]) -> IntervalSet:
    return IntervalSet.of((first * WINDOW_MS, stop * WINDOW_MS) for first, stop in counts)


@pytest.mark.parametrize(
    ("probabilities", "expected"),
    [
        pytest.param([], windows(), id="nothing-heard"),
        pytest.param([NO, NO, NO], windows(), id="no-speech"),
        pytest.param([NO, ON, ON, NO], windows((1, 3)), id="a-half-is-speech"),
        pytest.param([NO, BELOW_ON, BELOW_ON, NO], windows(), id="less-is-none"),
        pytest.param([NO, YES, KEEPS, KEEPS, NO], windows((1, 4)), id="speech-lasts-at-0.35"),
        pytest.param([NO, YES, YES, ENDS, KEEPS], windows((1, 3)), id="and-ends-below-it"),
        pytest.param([YES, YES, YES], windows((0, 3)), id="speech-to-the-end-of-the-stretch"),
        pytest.param([NO, YES, NO], windows(), id="one-window-is-too-short"),
        pytest.param([NO, YES, YES, NO], windows((1, 3)), id="two-are-not"),
        pytest.param(
            [YES, YES, NO, NO, NO, YES, YES], windows((0, 7)), id="three-windows-are-no-gap"
        ),
        pytest.param([YES, YES, NO, NO, NO, NO, YES, YES], windows((0, 2), (6, 8)), id="four-are"),
        pytest.param(
            [YES, NO, NO, NO, YES], windows((0, 5)), id="gaps-are-bridged-before-length-counts"
        ),
    ],
)
def test_speech_is(probabilities: list[int], expected: IntervalSet) -> None:
    assert speech(Heard(0, bytes(probabilities))) == expected
    assert speech(Heard(470, bytes(probabilities))) == expected.shifted(470)


@pytest.mark.parametrize(
    ("samples", "count"),
    [
        pytest.param(1, 1, id="one-sample"),
        pytest.param(768, 1, id="a-whole-window"),
        pytest.param(769, 2, id="one-sample-more"),
    ],
)
def test_a_stretch_has_as_many_windows(samples: int, count: int) -> None:
    network = ScriptedNetwork()
    assert window_count(samples) == count
    said = heard(np.full(samples, 900, np.int16), 0, network)
    assert len(said.probabilities) == count
    assert network.heard[0].shape == (count, WINDOW_SAMPLES)


@pytest.mark.parametrize(
    ("sure", "byte"),
    [
        pytest.param(0.0, 0, id="no"),
        pytest.param(1.0, 255, id="yes"),
        pytest.param(0.5, 128, id="a-half-rounds-up"),
        pytest.param(0.4999, 127, id="less-than-a-half-stays-less"),
    ],
)
def test_a_probability_is_kept_as_a_byte(sure: float, byte: int) -> None:
    network = ScriptedNetwork((0, 2), sure=sure)
    assert heard(buzz(64), 30, network) == Heard(30, bytes([byte, byte]))


def tone(hz: float) -> Pcm:
    steps = np.arange(SAMPLE_RATE_HZ) / SAMPLE_RATE_HZ
    return np.rint(16_384 * np.sin(2 * np.pi * hz * steps)).astype(np.int16)


def listened(pcm: Pcm) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """What reaches the network, without its first and last 50 ms."""
    network = ScriptedNetwork()
    heard(pcm, 0, network)
    return network.heard[0].ravel()[800:15_200].astype(np.float64)


@pytest.mark.parametrize("hz", [300, 1_000, 3_400, 7_000])
def test_resampling_moves_and_bends_no_tone(hz: int) -> None:
    steps = np.arange(RATE_HZ)[800:15_200] / RATE_HZ
    assert listened(tone(hz)) == pytest.approx(0.5 * np.sin(2 * np.pi * hz * steps), abs=1e-3)


@pytest.mark.parametrize("hz", [8_700, 10_000, 11_500])
def test_what_16_khz_cannot_hold_is_left_out_and_does_not_come_back_lower(hz: int) -> None:
    assert np.abs(listened(tone(hz))).max() < 5e-4

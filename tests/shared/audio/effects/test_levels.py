from __future__ import annotations

import numpy as np
import pytest

from shared.audio.effects.levels import dbfs, rms_at, speech_dbfs
from shared.audio.pcm import silence
from shared.intervals import IntervalSet

LOUD = np.full(240, 3_277, np.int16)
SOFT = np.full(240, 328, np.int16)


@pytest.mark.parametrize(
    ("rms", "level"),
    [
        pytest.param(32_768.0, 0.0, id="full-scale"),
        pytest.param(3_276.8, -20.0, id="a-tenth-of-it"),
        pytest.param(0.0, None, id="silence-has-none"),
        pytest.param(None, None, id="nor-has-the-unknown"),
    ],
)
def test_level_of(rms: float | None, level: float | None) -> None:
    assert dbfs(rms) == (None if level is None else pytest.approx(level))


def test_an_rms_is_a_whole_number_of_thousandths() -> None:
    assert rms_at(-20) == 3276.8
    assert rms_at(-31.7) == round(rms_at(-31.7), 3) == pytest.approx(852.0, abs=1)


def test_speech_is_as_loud_as_its_voiced_spans() -> None:
    track = np.concatenate([silence(100), LOUD, silence(100), LOUD, SOFT])
    spoken = IntervalSet.of([(100, 110), (210, 220)])
    assert speech_dbfs(track, spoken) == pytest.approx(-20.0, abs=0.01)


def test_a_span_may_end_after_the_track() -> None:
    assert speech_dbfs(LOUD, IntervalSet.of([(0, 30)])) == pytest.approx(-20.0, abs=0.01)


@pytest.mark.parametrize(
    ("track", "voiced"),
    [
        pytest.param(silence(100), IntervalSet.of([(0, 100)]), id="silence-said-to-be-voiced"),
        pytest.param(LOUD, IntervalSet(), id="a-track-without-a-voiced-span"),
        pytest.param(LOUD, IntervalSet.of([(10, 20)]), id="spans-behind-its-end"),
    ],
)
def test_there_is_no_level_in(track: np.ndarray, voiced: IntervalSet) -> None:
    assert speech_dbfs(track, voiced) is None

from __future__ import annotations

import numpy as np
import pytest

from shared.audio.effects.background import BackgroundVoices
from shared.audio.effects.draws import Draws

TALK = np.arange(1, 1_001, dtype=np.int16)


def voices(seed: int = 7, gain: float = 1.0) -> BackgroundVoices:
    return BackgroundVoices(gain, TALK, Draws(seed, "background_speech", "one"))


def test_it_goes_on_where_it_was_and_begins_again_where_it_ends() -> None:
    heard = voices().following(2_500)
    assert set(np.diff(heard).tolist()) == {1.0, -999.0}
    assert set(heard.tolist()) == set(TALK.tolist())


def test_where_it_starts_is_left_to_chance() -> None:
    starts = {voices(seed).following(1).tolist()[0] for seed in range(20)}
    assert len(starts) > 15


def test_it_says_where_it_started() -> None:
    one = voices()
    assert one.starts_at_ms == int(one.following(1)[0] - 1) // 24


def test_a_gain_multiplies_every_sample() -> None:
    assert voices(gain=0.25).following(500).tolist() == (voices().following(500) / 4).tolist()


def test_it_knows_how_loud_it_was() -> None:
    one = voices(gain=0.4)
    assert one.rms is None
    heard = one.following(700)
    assert one.rms == pytest.approx(float(np.sqrt(np.mean(heard**2))))

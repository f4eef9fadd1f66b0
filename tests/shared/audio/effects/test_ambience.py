from __future__ import annotations

import numpy as np
import pytest

from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.effects.ambience import PEAK, Ambience, levelled
from shared.audio.effects.bundled import ambience
from shared.audio.pcm import SAMPLE_RATE_HZ, silence

SOUND = np.array([0, -50, 100], np.int16)


def test_a_sound_is_brought_to_the_one_peak() -> None:
    assert levelled(SOUND).tolist() == [0, -PEAK // 2, PEAK]
    assert levelled(levelled(SOUND)).tolist() == levelled(SOUND).tolist()


def test_whatever_level_sounds_have_they_surround_the_caller_at_one() -> None:
    around = Ambience(conversation=SOUND, aside=SOUND * 3)
    assert around.conversation.tolist() == around.aside.tolist() == [0, -PEAK // 2, PEAK]


def test_the_loudest_negative_sample_counts_too() -> None:
    assert levelled(np.array([100, -32_768], np.int16)).tolist() == [18, -PEAK]


@pytest.mark.parametrize(
    ("conversation", "aside"),
    [
        pytest.param(silence(10), SOUND, id="conversation"),
        pytest.param(SOUND, silence(0), id="aside"),
    ],
)
def test_a_silent_one_is_refused(
    request: pytest.FixtureRequest, conversation: np.ndarray, aside: np.ndarray
) -> None:
    with pytest.raises(ValueError, match=f"the {request.node.callspec.id} holds no sound"):
        Ambience(conversation, aside)


def test_the_bundled_talk_is_long_loud_and_mostly_speech() -> None:
    conversation = ambience().conversation
    assert conversation.size > 5 * SAMPLE_RATE_HZ
    assert np.abs(conversation).max() == PEAK
    spoken_ms = EnergyV1().voiced(conversation).total_ms
    assert 0.6 < spoken_ms * SAMPLE_RATE_HZ / 1_000 / conversation.size < 1
    for gain in (0.4, 0.65):
        assert 150 < gain * np.sqrt(np.mean(conversation.astype(np.float64) ** 2)) < 2_000


def test_the_bundled_aside_is_one_short_remark() -> None:
    aside = ambience().aside
    assert SAMPLE_RATE_HZ // 2 < aside.size < SAMPLE_RATE_HZ
    assert np.abs(aside).max() == PEAK

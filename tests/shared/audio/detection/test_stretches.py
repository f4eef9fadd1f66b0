from __future__ import annotations

import numpy as np
import pytest

from shared.audio.detection.stretches import LEAST_SILENCE_MS, stretches
from shared.audio.pcm import Pcm, silence
from tests.support.heard import buzz

ONE = np.ones(1, np.int16)


@pytest.mark.parametrize(
    ("pcm", "expected"),
    [
        pytest.param(silence(0), (), id="no-audio"),
        pytest.param(silence(5_000), (), id="silence"),
        pytest.param(ONE, (range(1),), id="one-sample"),
        pytest.param(np.concatenate([silence(10), ONE]), (range(1, 2),), id="one-in-the-2nd-hop"),
        pytest.param(buzz(300), (range(30),), id="sound-all-through"),
        pytest.param(
            np.concatenate([silence(25), buzz(100), silence(900)]),
            (range(2, 13),),
            id="whole-hops-around-a-sound",
        ),
        pytest.param(
            np.concatenate([buzz(100), silence(LEAST_SILENCE_MS), buzz(100)]),
            (range(10), range(58, 68)),
            id="silence-long-enough-parts",
        ),
        pytest.param(
            np.concatenate([buzz(100), silence(LEAST_SILENCE_MS - 10), buzz(100)]),
            (range(67),),
            id="a-hop-less-does-not",
        ),
        pytest.param(
            np.concatenate([buzz(95), silence(LEAST_SILENCE_MS + 4), buzz(100)]),
            (range(68),),
            id="nor-do-as-many-zeros-that-are-no-whole-hops",
        ),
    ],
)
def test_the_stretches_of(pcm: Pcm, expected: tuple[range, ...]) -> None:
    assert stretches(pcm) == expected

from __future__ import annotations

import numpy as np
import pytest

from shared.audio.effects.draws import WORDS, Draws

SEEDED = Draws(7, "noise", "one")


def test_words_are_those_of_splitmix64() -> None:
    """The generator's published first outputs, of a state that starts at 1234567."""
    draws = Draws(7, "noise", "one")
    draws._key = 1_234_567
    assert [draws.word(position) for position in range(3)] == [
        6_457_827_717_110_365_317,
        3_203_168_211_198_807_973,
        9_817_491_932_198_370_423,
    ]


def test_one_word_is_the_same_as_among_many() -> None:
    assert SEEDED.words(5, 200).tolist() == [SEEDED.word(position) for position in range(5, 205)]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(Draws(8, "noise", "one"), id="another-seed"),
        pytest.param(Draws(7, "packet_loss", "one"), id="another-effect"),
        pytest.param(Draws(7, "noise", "two"), id="another-scenario"),
        pytest.param(Draws(7, "noiseone", ""), id="the-same-letters-divided-otherwise"),
    ],
)
def test_no_word_is_shared_with(other: Draws) -> None:
    assert not np.intersect1d(SEEDED.words(0, 10_000), other.words(0, 10_000)).size


def test_the_same_names_give_the_same_words() -> None:
    assert SEEDED.words(0, 50).tolist() == Draws(7, "noise", "one").words(0, 50).tolist()


def test_a_number_below_a_bound_reaches_both_ends_evenly() -> None:
    counts = np.bincount([SEEDED.below(position, 4) for position in range(4_000)], minlength=4)
    assert counts.size == 4
    assert counts.min() > 900


@pytest.mark.parametrize(
    ("probability", "expected"),
    [
        pytest.param(0.0, 0, id="what-is-impossible"),
        pytest.param(1.0, 1_000, id="what-is-certain"),
    ],
)
def test_happens(probability: float, expected: int) -> None:
    assert sum(SEEDED.happens(position, probability) for position in range(1_000)) == expected


def test_a_half_happens_for_the_lower_half_of_the_words() -> None:
    for position in range(100):
        assert SEEDED.happens(position, 0.5) is (SEEDED.word(position) < WORDS // 2)

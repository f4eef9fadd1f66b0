"""Word errors of one text and of several, counted and then divided once."""

from __future__ import annotations

import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.metrics.transcription.word_error import WordErrors

WORDS = st.lists(st.sampled_from(["north", "south", "east", "west"]), max_size=8)


@pytest.mark.parametrize(
    ("reference", "heard", "expected"),
    [
        pytest.param("a b c", "a b c", WordErrors(3, 0, 0, 0), id="the-same"),
        pytest.param("b c d", "b x d", WordErrors(2, 1, 0, 0), id="one-word-for-another"),
        pytest.param("b c d", "b d", WordErrors(2, 0, 1, 0), id="a-word-lost"),
        pytest.param("b d", "b c d", WordErrors(2, 0, 0, 1), id="a-word-added"),
        pytest.param("b c", "", WordErrors(0, 0, 2, 0), id="all-lost"),
        pytest.param("b c", "?!", WordErrors(0, 0, 2, 0), id="nothing-but-signs"),
        pytest.param("", "b c", WordErrors(0, 0, 0, 2), id="nothing-to-hear"),
        pytest.param("", "", WordErrors(0, 0, 0, 0), id="nothing-at-all"),
        pytest.param("at seven", "at 7", WordErrors(2, 0, 0, 0), id="another-form-of-a-number"),
    ],
)
def test_errors_are(reference: str, heard: str, expected: WordErrors) -> None:
    assert WordErrors.between(reference, heard) == expected


def test_a_rate_is_errors_per_word_of_the_reference() -> None:
    counted = WordErrors(hits=5, substitutions=1, deletions=2, insertions=4)
    assert counted.reference_words == 8
    assert counted.errors == 7
    assert counted.rate == 7 / 8


def test_more_may_be_added_than_was_said() -> None:
    assert WordErrors(0, 1, 0, 2).rate == 3


def test_without_a_word_there_is_no_rate() -> None:
    assert WordErrors(0, 0, 0, 3).rate is None


def test_pooling_adds_counts_and_averages_no_rates() -> None:
    short, long = WordErrors(0, 1, 0, 0), WordErrors(9, 0, 0, 0)
    pooled = WordErrors.pooled([short, long])
    assert pooled == WordErrors(9, 1, 0, 0)
    assert pooled.rate == 0.1
    assert WordErrors.pooled([]) == WordErrors(0, 0, 0, 0)


def distance(one: list[str], other: list[str]) -> int:
    """The fewest changes, by the book."""
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        row, above = [i], row
        for j, right in enumerate(other, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (left != right)))
    return row[-1]


@given(WORDS, WORDS)
def test_no_fewer_errors_explain_it(reference: list[str], heard: list[str]) -> None:
    found = WordErrors.between(" ".join(reference), " ".join(heard))
    assert found.errors == distance(reference, heard)
    assert found.reference_words == len(reference)
    assert found.hits + found.substitutions + found.insertions == len(heard)


@pytest.mark.parametrize(
    ("reference", "heard"),
    [
        pytest.param("word " * 10_000, "other " * 10_000, id="ten-thousand-words"),
        pytest.param("b c d " * 3_333, "d c b " * 3_333, id="in-another-order"),
        pytest.param("1" * 20_000, "2" * 20_000, id="endless-numbers"),
        pytest.param("seven hundred " * 5_000, "and a million " * 5_000, id="number-words"),
        pytest.param("left", "\u202e\x00\x07" * 30_000, id="controls"),
    ],
)
def test_a_hostile_transcript_takes_a_bounded_time(reference: str, heard: str) -> None:
    began = time.perf_counter()
    WordErrors.between(reference, heard)
    assert time.perf_counter() - began < 5


def test_the_library_waits_until_it_is_needed() -> None:
    """Nobody who asks for help pays for it."""
    import subprocess

    code = "import sys, shared.attempts.assess; sys.exit('jiwer' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)

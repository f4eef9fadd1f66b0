"""``words-v1``: which forms of a text are the same words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.metrics.transcription.words import words
from tests.support.spoken_english import cardinal, ordinal


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("Book it, please!", "book it please", id="case-and-punctuation"),
        pytest.param("I'd like", "I’d like", id="apostrophes"),
        pytest.param("a\u0301b", "áb", id="composed-letters"),
        pytest.param("ｆｕｌｌ", "full", id="wide-letters"),
        pytest.param("\u202bשלום\u202c", "שלום", id="marks-of-direction"),
        pytest.param("sorry - July", "sorry — July", id="dashes"),
        pytest.param("table for three", "table for 3", id="a-number"),
        pytest.param("thirty six", "36", id="a-number-of-two-words"),
        pytest.param("one hundred twenty three", "123", id="a-number-of-many-words"),
        pytest.param("June third", "June 3rd", id="an-ordinal"),
        pytest.param("June third", "June 3", id="an-ordinal-written-plainly"),
        pytest.param("seven thirty p.m.", "7:30 PM", id="a-time"),
        pytest.param("seven oh five", "7:05", id="a-time-with-a-zero"),
        pytest.param("at seven in the evening", "at 7:00 in the evening", id="a-full-hour"),
        pytest.param("R three four one", "R-341", id="an-identifier"),
        pytest.param("R three four one", "r 3 4 1", id="an-identifier-in-pieces"),
        pytest.param("five oh seven", "507", id="oh-is-a-zero"),
        pytest.param("nineteen eighty four", "1984", id="a-year"),
        pytest.param("twenty twenty-seven", "2027", id="another-year"),
        pytest.param("three point five percent", "3.5%", id="a-decimal"),
        pytest.param("a thousand", "1,000", id="a-group-of-digits"),
        pytest.param("salt and pepper", "salt & pepper", id="a-sign-for-and"),
    ],
)
def test_the_same_words_are(one: str, other: str) -> None:
    assert words(one) == words(other)
    assert words(one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("fifteen", "fifty", id="numbers-alike-in-sound"),
        pytest.param("0101", "101", id="a-zero-in-front"),
        pytest.param("to", "two", id="words-alike-in-sound"),
        pytest.param("café", "cafe", id="an-accent"),
        pytest.param("half past seven", "7:30", id="other-words-for-a-time"),
        pytest.param("it is", "it's", id="a-contraction"),
        pytest.param("Oh seven", "0 7", id="oh-that-may-be-a-sigh"),
        pytest.param("10:00:00", "10", id="seconds"),
    ],
)
def test_different_words_are(one: str, other: str) -> None:
    assert words(one) != words(other)


def test_a_number_counts_as_its_digits() -> None:
    assert words("Number thirty-six at 7:30") == ("number", "3", "6", "at", "7", "3", "0")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("7:00 in time", "7 in time", id="at-the-beginning"),
        pytest.param("at 7:00", "at 7", id="at-the-end"),
        pytest.param("at 7:00, 8:00 or 9:00", "at 7 8 or 9", id="each-of-several"),
        pytest.param("10:00:00", "1 0 0 0 0 0", id="not-with-seconds"),
        pytest.param("at 10:00:00 then", "at 1 0 0 0 0 0 then", id="not-with-seconds-between"),
        pytest.param("room:00", "room 0 0", id="not-after-a-word"),
        pytest.param(":00", "0 0", id="not-after-nothing"),
        pytest.param("at 7 room:00", "at 7 room 0 0", id="not-after-a-word-after-a-number"),
        pytest.param("at: 7:00: then", "at 7 then", id="between-other-colons"),
        pytest.param("7: 00", "7 0 0", id="not-after-a-colon-and-a-blank"),
        pytest.param("7 00", "7 0 0", id="not-after-a-blank"),
        pytest.param("7:0", "7 0", id="not-of-one-digit"),
        pytest.param("7:000", "7 0 0 0", id="not-of-three-digits"),
        pytest.param("7.00", "7 point 0 0", id="not-after-a-point"),
    ],
)
def test_the_minutes_of_a_full_hour_are_no_words(text: str, expected: str) -> None:
    assert " ".join(words(text)) == expected


@given(st.text())
def test_a_word_has_no_blank(text: str) -> None:
    assert all(len(word.split()) == 1 for word in words(text))


@given(st.integers(0, 999_999_999))
def test_a_number_is_the_same_spoken_and_written(number: int) -> None:
    assert words(cardinal(number)) == words(str(number)) == tuple(str(number))


@given(st.integers(1, 99))
def test_an_ordinal_is_the_same_spoken_and_written(number: int) -> None:
    assert words(f"the {ordinal(number)}") == words(f"the {number}th")

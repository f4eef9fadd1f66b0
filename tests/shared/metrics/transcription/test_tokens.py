"""Any text becomes tokens, in a time that grows with its length, each with its place."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.metrics.transcription.tokens import plain, tokens
from shared.readings import MOST_MARKS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Don’t  stop", "Don't stop", id="apostrophes-are-one-and-blanks-too"),
        pytest.param("٧ o'clock", "7 o'clock", id="digits-of-another-script"),
        pytest.param("a\u202eb\u2066c\u200bd", "abcd", id="what-cannot-be-seen-is-gone"),
        pytest.param("one\x00two\x1b[31m\nthree", "one two 31m three", id="controls-part-words"),
        pytest.param("7–8 − 9", "7-8 - 9", id="every-dash-is-a-hyphen"),
        pytest.param("日本 − 7", "日本 - 7", id="letters-beyond-the-signs"),
        pytest.param("ﬁne ½", "fine 1 2", id="compatible-forms"),
        pytest.param("“Hi”, (you)!", "Hi , you", id="other-signs-are-blanks"),
    ],
)
def test_plain_text_is(text: str, expected: str) -> None:
    assert plain(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("It's", ["its"], id="an-apostrophe-parts-nothing"),
        pytest.param("p.m. P M pm p. m.", ["pm"] * 4, id="half-of-a-day"),
        pytest.param("7p.m. 7PM", ["7", "pm", "7", "pm"], id="half-of-a-day-after-digits"),
        pytest.param("U.S.A. a.b", ["usa", "ab"], id="initials"),
        pytest.param("amp. I'm", ["amp", "im"], id="no-half-of-a-day-in-a-word"),
        pytest.param("hello.World", ["hello", "world"], id="a-point-between-words"),
        pytest.param("R341b", ["r", "341", "b"], id="letters-and-digits-part"),
        pytest.param("50% & @", ["50", "percent", "and", "at"], id="signs-that-are-spoken"),
        pytest.param("STRASSE straße", ["strasse", "strasse"], id="case-is-folded"),
        pytest.param("हिन्दी שלום עולם", ["हिन्दी", "שלום", "עולם"], id="other-scripts"),
        pytest.param("' '' ’", [], id="apostrophes-alone"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_words_are(text: str, expected: list[str]) -> None:
    assert [token.text for token in tokens(plain(text))] == expected


def test_a_run_of_digits_is_told_from_a_word() -> None:
    assert [token.is_digits for token in tokens(plain("gate 7b ٧"))] == [False, True, False, True]


def test_glue_is_what_stands_between() -> None:
    row = tokens(plain("at 7:30, June  3 x-2"))
    assert [token.glue for token in row] == ["", " ", ":", ", ", " ", " ", "-"]


@given(st.text())
def test_every_token_lies_where_it_says(text: str) -> None:
    made = plain(text)
    end = 0
    for token in tokens(made):
        assert made[end : token.start] == token.glue
        assert end <= token.start < token.end <= len(made)
        assert token.text
        end = token.end


@given(st.text())
def test_plain_text_stays_as_it_is(text: str) -> None:
    made = plain(text)
    assert plain(made) == made


def test_marks_without_end_cost_no_more_than_other_letters() -> None:
    """Putting them in order takes the square of their number, so there must not be many."""
    stacked = "a" + "\u0315\u0300\u0327\u0334" * 25_000
    began = time.perf_counter()
    made = plain(stacked)
    assert time.perf_counter() - began < 2
    assert sum(map(bool, map(unicodedata.combining, made))) <= MOST_MARKS

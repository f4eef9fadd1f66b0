"""What texts say: as words, numbers, dates and times of day."""

from __future__ import annotations

import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.readings import (
    MOST_MARKS,
    composed,
    date_of,
    has_words,
    is_exactly,
    is_finite,
    normalized,
    same_words,
    second_of_day,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("Window-Seat!", "window seat", id="case-and-punctuation"),
        pytest.param("  two \t words ", "two words", id="blanks-collapse"),
        pytest.param("snake_case", "snake case", id="an-underscore-is-punctuation"),
        pytest.param("STRASSE Straße", "strasse strasse", id="case-is-folded-not-lowered"),
        pytest.param("ﬁne Ａ１", "fine a1", id="compatible-forms-are-one"),
        pytest.param("cafe\u0301", "caf\u00e9", id="composed-and-decomposed-are-one"),
        pytest.param("की", "की", id="vowel-signs-stay"),
        pytest.param("co\u00adop\u200b", "coop", id="invisible-characters-vanish"),
        pytest.param("٢٠", "20", id="digits-of-any-script"),
        pytest.param("-5", "-5", id="a-sign"),
        pytest.param("−5", "-5", id="a-true-minus"),
        pytest.param("(+5)", "+5", id="a-sign-in-brackets"),
        pytest.param("R-100", "r 100", id="a-hyphen-after-a-letter-is-no-sign"),
        pytest.param("5 - 3", "5 3", id="a-dash-in-blanks-is-no-sign"),
        pytest.param("1.50.", "1.50", id="a-decimal-point-but-no-full-stop"),
        pytest.param(".5 -.5", ".5 -.5", id="a-leading-point"),
        pytest.param("wait...5", "wait 5", id="dots-are-no-point"),
        pytest.param("19:30, 7/8, 2026–08–07", "19:30 7/8 2026-08-07", id="between-digits"),
        pytest.param("a:b/c", "a b c", id="not-between-letters"),
        pytest.param("1,5", "1 5", id="a-comma-is-punctuation"),
        pytest.param("...!", "", id="punctuation-only"),
    ],
)
def test_normalized(text: str, words: str) -> None:
    assert normalized(text) == words


@given(text=st.text())
def test_normalizing_twice_changes_nothing(text: str) -> None:
    assert normalized(normalized(text)) == normalized(text)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        pytest.param("Maya's", "maya’s", True, id="apostrophes"),
        pytest.param("-5", "5", False, id="a-sign-counts"),
        pytest.param("1.5", "1 5", False, id="a-point-counts"),
        pytest.param("!", "?", False, id="punctuation-differs"),
        pytest.param("!", "!", True, id="punctuation-is-the-same"),
        pytest.param("", " ", True, id="nothing-is-nothing"),
        pytest.param("", "!", False, id="nothing-is-no-punctuation"),
        pytest.param("two", "2", False, id="number-words-are-words"),
    ],
)
def test_same_words(one: str, other: str, is_same: bool) -> None:
    assert same_words(one, other) is is_same
    assert same_words(other, one) is is_same


@pytest.mark.parametrize(
    ("number", "text", "is_same"),
    [
        pytest.param(2, "2", True, id="an-integer"),
        pytest.param(2, " 2.00 ", True, id="zeros-behind-the-point"),
        pytest.param(2.5, "2.50", True, id="a-fraction"),
        pytest.param(0.1, "0.1", True, id="the-decimal-as-written"),
        pytest.param(0.1, "0.1000000000000000055511151231257827", False, id="no-binary-neighbour"),
        pytest.param(-5, "-5", True, id="a-sign"),
        pytest.param(-5, "−5", True, id="a-true-minus"),
        pytest.param(5, "+5", True, id="a-plus"),
        pytest.param(5, "-5", False, id="the-other-sign"),
        pytest.param(2, "two", False, id="a-word"),
        pytest.param(2, "2 people", False, id="more-than-the-number"),
        pytest.param(1000, "1,000", False, id="grouping"),
        pytest.param(20, "2e1", False, id="an-exponent"),
        pytest.param(102, "10²", False, id="a-power"),
        pytest.param(2, "", False, id="nothing"),
        pytest.param(10**400, "1" + "0" * 400, True, id="larger-than-any-float"),
        pytest.param(1e300, "1" + "0" * 300, True, id="a-large-float"),
        pytest.param(float("nan"), "nan", False, id="nan"),
        pytest.param(float("inf"), "inf", False, id="infinity"),
    ],
)
def test_exact_numbers(number: float, text: str, is_same: bool) -> None:
    assert is_exactly(number, text) is is_same


@given(number=st.integers() | st.floats(-1e6, 1e6).map(lambda n: round(n, 6)))
def test_a_number_is_its_own_notation(number: float) -> None:
    plain = f"{number}" if isinstance(number, int) else f"{number:.6f}"

    assert is_exactly(number, plain)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        pytest.param("2026-08-07", date(2026, 8, 7), id="extended"),
        pytest.param("20260807", date(2026, 8, 7), id="basic"),
        pytest.param("2026-W32-5", date(2026, 8, 7), id="week-date"),
        pytest.param(" ２０２６–08–07 ", date(2026, 8, 7), id="compatible-forms"),
        pytest.param("2028-02-29", date(2028, 2, 29), id="a-leap-day"),
        pytest.param("2027-02-29", None, id="no-leap-day"),
        pytest.param("2026-13-01", None, id="no-month"),
        pytest.param("0000-01-01", None, id="no-year"),
        pytest.param("August 7", None, id="words"),
        pytest.param("08/07/2026", None, id="slashes"),
        pytest.param("2026-08-07T19:00", None, id="with-a-time"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_dates(text: str, day: date | None) -> None:
    assert date_of(text) == day


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        pytest.param("19:00", (19, 0, 0), id="24-hours"),
        pytest.param("00:00", (0, 0, 0), id="midnight"),
        pytest.param("23:59:59", (23, 59, 59), id="the-last-second"),
        pytest.param("9:05", (9, 5, 0), id="one-digit"),
        pytest.param("24:00", None, id="no-hour-24"),
        pytest.param("19:60", None, id="no-minute-60"),
        pytest.param("19:00:60", None, id="no-second-60"),
        pytest.param("7 pm", (19, 0, 0), id="pm"),
        pytest.param("7PM", (19, 0, 0), id="pm-close-by"),
        pytest.param("7:30 p.m.", (19, 30, 0), id="p.m."),
        pytest.param("7:30\u202fp. m.", (19, 30, 0), id="narrow-blanks"),
        pytest.param("12 am", (0, 0, 0), id="12-a.m.-is-midnight"),
        pytest.param("12:30 p.m.", (12, 30, 0), id="12-p.m.-is-noon"),
        pytest.param("1 am", (1, 0, 0), id="1-a.m."),
        pytest.param("0 am", None, id="no-hour-0-before-noon"),
        pytest.param("13 pm", None, id="no-hour-13-after-noon"),
        pytest.param("7", None, id="an-hour-alone-is-a-number"),
        pytest.param("19:5", None, id="minutes-have-two-digits"),
        pytest.param("seven", None, id="words"),
        pytest.param("19:00Z", None, id="a-zone"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_times(text: str, clock: tuple[int, int, int] | None) -> None:
    seconds = None if clock is None else (clock[0] * 60 + clock[1]) * 60 + clock[2]

    assert second_of_day(text) == seconds


@given(text=st.text() | st.text(st.characters(categories=["Cs"])))
def test_any_text_can_be_read(text: str) -> None:
    normalized(text)
    date_of(text)
    second_of_day(text)
    is_exactly(1, text)


@pytest.mark.parametrize(
    ("text", "is_speakable"),
    [
        pytest.param("a", True, id="a-letter"),
        pytest.param("(4)", True, id="a-digit-in-brackets"),
        pytest.param("はい", True, id="another-script"),
        pytest.param("", False, id="nothing"),
        pytest.param(" \n", False, id="blanks"),
        pytest.param("?! — …", False, id="punctuation"),
        pytest.param("👋", False, id="a-picture"),
    ],
)
def test_there_is_something_to_say_in(text: str, is_speakable: bool) -> None:
    assert has_words(text) is is_speakable


@pytest.mark.parametrize(
    ("number", "finite"),
    [(10**400, True), (1e308, True), (float("nan"), False), (float("-inf"), False)],
)
def test_finite(number: float, finite: bool) -> None:
    assert is_finite(number) is finite


@pytest.mark.parametrize(
    "marks",
    [
        pytest.param("\u0301\u0316", id="of-two-places-in-turn"),
        pytest.param("\u0f73", id="that-are-made-of-two"),
        pytest.param("\uff9e\u0316", id="in-a-compatible-form"),
    ],
)
def test_marks_without_end_are_left_out(marks: str) -> None:
    """... for to bring 100,000 of them into order took half a minute."""
    text = "a" + marks * 50_000
    began = time.process_time()
    assert normalized(text)
    assert same_words(text, text)
    assert second_of_day(text) is None
    assert time.process_time() - began < 5
    assert len(composed(text)) <= 1 + 2 * MOST_MARKS


@pytest.mark.parametrize("count", [MOST_MARKS - 1, MOST_MARKS, MOST_MARKS + 1])
def test_so_many_marks_are_kept(count: int) -> None:
    assert len(composed("x" + "\u0316" * count + "y")) == 2 + min(count, MOST_MARKS)

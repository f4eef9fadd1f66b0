"""A value of a file is what it should be, or nothing."""

from __future__ import annotations

import math

import pytest

from shared.values import JsonValue
from shared.viewer.history.untrusted import (
    LONGEST_LABEL,
    LONGEST_MS,
    LONGEST_TEXT,
    identifier,
    instant_ms,
    items,
    label,
    pair,
    record,
    records,
    text,
    word,
)


@pytest.mark.parametrize(
    ("told", "found"),
    [
        pytest.param(0, 0, id="the-beginning"),
        pytest.param(LONGEST_MS, LONGEST_MS, id="the-end-of-the-longest-session"),
        pytest.param(LONGEST_MS + 1, None, id="beyond-it"),
        pytest.param(-1, None, id="before-the-beginning"),
        pytest.param(412.6, 413, id="a-part-of-a-millisecond"),
        pytest.param(-0.4, None, id="a-part-before-the-beginning"),
        pytest.param("300", None, id="a-number-in-quotes"),
        pytest.param(True, None, id="a-truth"),
        pytest.param(None, None, id="nothing"),
        pytest.param([300], None, id="a-list"),
        pytest.param(math.nan, None, id="no-number"),
        pytest.param(math.inf, None, id="infinity"),
        pytest.param(1e308, None, id="a-huge-float"),
        pytest.param(10**5_000, None, id="a-whole-number-that-no-float-holds"),
    ],
)
def test_a_time_is(told: JsonValue, found: int | None) -> None:
    assert instant_ms(told) == found
    assert type(instant_ms(told)) in {int, type(None)}


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ([0, 1], (0, 1)),
        ((0, 1), (0, 1)),
        ([1, 1], None),
        ([2, 1], None),
        ([0], None),
        ([0, 1, 2], None),
        ("01", None),
        ({"0": 1}, None),
        ([0, "1"], None),
    ],
)
def test_a_pair_is_two_times_with_something_between(told: JsonValue, found: object) -> None:
    assert pair(told) == found


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ("book", "book"),
        ("  book \n", "book"),
        ("two\nlines", "two\\x0alines"),
        ("\u202eturned", "\\u202eturned"),
        (" ", None),
        ("", None),
        (3, None),
        (["book"], None),
    ],
)
def test_a_label_is_one_line_of_words(told: JsonValue, found: str | None) -> None:
    assert label(told) == found


def test_what_is_endless_is_cut_and_says_so() -> None:
    assert text("a" * LONGEST_TEXT) == "a" * LONGEST_TEXT
    assert text("a" * (LONGEST_TEXT + 7)) == "a" * LONGEST_TEXT + " [7 characters left out]"
    assert label("a" * (LONGEST_LABEL + 7)) == "a" * LONGEST_LABEL + " [7 characters left out]"


def test_half_a_character_is_replaced() -> None:
    assert text("a\ud83d") == "a\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize("told", [None, 3, "x", True, [], {}, [[]], 1.5])
def test_nothing_of_another_kind_gets_through(told: JsonValue) -> None:
    assert record(told) == {}
    assert list(records(told)) == []
    assert list(items(told)) in ([], [[]])
    assert word(told, ("passed",)) is None
    assert identifier(told) == ("x" if told == "x" else None)
    assert text(told) == ("x" if told == "x" else None)


def test_a_word_may_stand_for_another() -> None:
    assert word("old", {"old": "new"}) == "new"
    assert word("new", {"old": "new"}) is None

"""Where phrases lie in what was said, and where in the evidence words that came in pieces."""

from __future__ import annotations

import pytest

from shared.grading.spoken import (
    LONGEST_AT_ONCE,
    LONGEST_PHRASE,
    STRETCH,
    Utterance,
    occurrences,
)
from tests.support.builders import a_caption


def uttered(*texts: str) -> Utterance:
    """Pieces at the places 10, 20, 30 and so on."""
    pieces = [(10 * number, a_caption(0, 100, text)) for number, text in enumerate(texts, 1)]
    return Utterance(pieces)


@pytest.mark.parametrize(
    ("texts", "character", "place"),
    [
        pytest.param(["ab", "cd"], 0, 10, id="the-first-letter"),
        pytest.param(["ab", "cd"], 1, 10, id="the-last-letter-of-a-piece"),
        pytest.param(["ab", "cd"], 2, 20, id="the-first-letter-of-the-next"),
        pytest.param(["ab", "", "cd"], 2, 30, id="never-in-a-piece-without-letters"),
        pytest.param(["ab", "cd"], 4, 20, id="an-empty-match-behind-the-last-letter"),
        pytest.param(["ab", ""], 2, 20, id="which-belongs-to-the-last-piece-even-an-empty-one"),
    ],
)
def test_a_letter_lies_in_the_piece_that_holds_it(
    texts: list[str], character: int, place: int
) -> None:
    assert uttered(*texts).received_at(character) == place


def test_every_letter_of_a_flood_of_pieces_is_found() -> None:
    """In quadratic time this would not end."""
    flood = 300_000
    utterance = uttered(*["x"] * flood)
    assert utterance.received_at(flood - 1) == 10 * flood
    assert sum(utterance.received_at(one) for one in range(flood)) == 5 * flood * (flood + 1)


PHRASE = r"(?<!if )\byou are booked\b(?! up)"
FILLER = "x " * LONGEST_AT_ONCE


def said_at(offset: int, words: str = "you are booked") -> str:
    """The words at a place in a text too long to be read at once."""
    return f"{FILLER[: offset - 1]} {words} {FILLER}"


@pytest.mark.parametrize("offset", range(STRETCH - 20, STRETCH + 21))
def test_a_phrase_is_found_once_wherever_a_stretch_ends(offset: int) -> None:
    assert [hit.start() for hit in occurrences(PHRASE, said_at(offset))] == [offset]


@pytest.mark.parametrize("offset", range(STRETCH - 20, STRETCH + 21))
@pytest.mark.parametrize(
    "words",
    [
        pytest.param("you are booked up", id="by-what-follows"),
        pytest.param("if you are booked", id="by-what-comes-before"),
    ],
)
def test_a_phrase_is_ruled_out_wherever_a_stretch_ends(words: str, offset: int) -> None:
    assert not list(occurrences(PHRASE, said_at(offset, words)))


@pytest.mark.parametrize(
    ("length", "is_found"),
    [
        pytest.param(LONGEST_PHRASE, True, id="as-long-as-a-phrase-may-be"),
        pytest.param(STRETCH + LONGEST_PHRASE + 1, False, id="longer-than-all-that-is-looked-at"),
    ],
)
def test_a_phrase_in_a_long_text_has_an_end(length: int, *, is_found: bool) -> None:
    text = said_at(STRETCH, f"a{'-' * (length - 2)}z")
    assert any(True for _ in occurrences("a-+z", text)) is is_found


def test_phrases_next_to_one_another_are_each_found_once() -> None:
    count = 2 * LONGEST_AT_ONCE
    found = [hit.start() for hit in occurrences("abc", "abc" * count)]
    assert found == list(range(0, 3 * count, 3))


def test_a_short_text_is_read_at_once() -> None:
    text = f"a{'-' * (LONGEST_AT_ONCE - 2)}z"
    assert [hit.span() for hit in occurrences("A-+Z", text)] == [(0, LONGEST_AT_ONCE)]


def test_beginnings_of_phrases_that_never_end_take_no_quadratic_time() -> None:
    """In quadratic time this would not end."""
    assert not list(
        occurrences(r"\bthe table\b(?:(?!not)[^.?!])*?is booked", "the table " * 30_000)
    )

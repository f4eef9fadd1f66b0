"""English numbers, spoken and written, are the same digits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.metrics.transcription.numerals import Item, items
from shared.metrics.transcription.tokens import plain
from tests.support.spoken_english import cardinal, ordinal


def read(text: str) -> list[str]:
    """Numerals as digits, an order with its point, words as they are."""
    return [told(item) for item in items(plain(text))]


def told(item: Item) -> str:
    if item.digits is None:
        return item.text
    return f"{item.digits}." if item.is_ordinal else item.digits


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("zero", ["0"], id="zero"),
        pytest.param("thirty six", ["36"], id="tens-and-units"),
        pytest.param("twenty-two", ["22"], id="with-a-hyphen"),
        pytest.param("one hundred twenty three", ["123"], id="hundreds"),
        pytest.param("one hundred and five", ["105"], id="hundreds-and"),
        pytest.param("nineteen hundred", ["1900"], id="many-hundreds"),
        pytest.param("a hundred people", ["100", "people"], id="a-hundred"),
        pytest.param("a thousand and one", ["1001"], id="a-thousand-and"),
        pytest.param("two hundred and", ["200", "and"], id="and-something-else"),
        pytest.param("hundred", ["hundred"], id="a-mere-scale"),
        pytest.param("a book", ["a", "book"], id="a-mere-article"),
        pytest.param("two million three hundred thousand and five", ["2300005"], id="millions"),
        pytest.param("five thousand twelve hundred", ["5000", "1200"], id="no-such-number"),
        pytest.param("two thousand million", ["2000", "million"], id="scales-go-down"),
        pytest.param("twenty, three", ["20", "3"], id="a-comma-parts"),
        pytest.param("twenty zero", ["20", "0"], id="tens-and-zero"),
        pytest.param("twenty twelve", ["20", "12"], id="no-year-is-guessed"),
        pytest.param("nineteen eighty-four", ["19", "84"], id="no-year-is-guessed-either"),
        pytest.param("seven thirty", ["7", "30"], id="one-after-the-other"),
        pytest.param("third 3rd", ["3.", "3."], id="ordinals"),
        pytest.param("twenty-first", ["21."], id="ordinal-units"),
        pytest.param("thirtieth 30th", ["30.", "30."], id="ordinal-tens"),
        pytest.param("one hundred third", ["103."], id="ordinal-after-hundreds"),
        pytest.param("third hundred", ["3.", "hundred"], id="an-ordinal-ends-a-number"),
        pytest.param("3 rd", ["3", "rd"], id="an-ending-touches"),
        pytest.param("1,000,000", ["1000000"], id="written-in-groups"),
        pytest.param("1,00", ["1", "00"], id="written-in-no-groups"),
        pytest.param("1234,567", ["1234", "567"], id="too-long-a-first-group"),
        pytest.param("0101", ["0101"], id="zeros-in-front-stay"),
        pytest.param("3.50", ["3.50"], id="a-decimal"),
        pytest.param("12,345.67", ["12345.67"], id="a-decimal-in-groups"),
        pytest.param("11.06.2027", ["11", "06", "2027"], id="a-chain-is-no-decimal"),
        pytest.param("7. 30", ["7", "30"], id="the-end-of-a-sentence"),
        pytest.param("three point one four", ["3.14"], id="a-spoken-decimal"),
        pytest.param("three point taken", ["3", "point", "taken"], id="a-point-of-another-kind"),
        pytest.param("3 million 2 hundred", ["3000000", "200"], id="written-with-a-scale"),
        pytest.param("five oh seven", ["5", "0", "7"], id="oh-between-digits"),
        pytest.param("five o seven", ["5", "0", "7"], id="o-between-digits"),
        pytest.param("oh seven", ["oh", "7"], id="oh-before-digits"),
        pytest.param("five, oh, seven", ["5", "oh", "7"], id="oh-between-commas"),
        pytest.param("five oh twenty", ["5", "oh", "20"], id="oh-before-tens"),
    ],
)
def test_numbers_are_read(text: str, expected: list[str]) -> None:
    assert read(text) == expected


@given(st.integers(0, 999_999_999))
def test_a_spoken_cardinal_is_its_digits(number: int) -> None:
    assert read(cardinal(number)) == read(f"{number:,}") == [str(number)]


@given(st.integers(1, 99), st.sampled_from([0, 100, 2_000, 4_300]))
def test_a_spoken_ordinal_is_its_digits(number: int, before: int) -> None:
    assert read(ordinal(before + number)) == [f"{before + number}."]


@given(st.lists(st.sampled_from(["a", "and", "hundred", "million", "one", "third", "oh", "point"])))
def test_no_row_of_number_words_loses_a_token(words: list[str]) -> None:
    row = items(" ".join(words))
    ends = [item.end for item in row]
    assert ends == sorted(ends)
    assert ends[-1:] == [len(" ".join(words))][: len(row)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("7", 7, id="inside"),
        pytest.param("1", 1, id="at-the-lower-end"),
        pytest.param("31", 31, id="at-the-upper-end"),
        pytest.param("0", None, id="one-below"),
        pytest.param("32", None, id="one-above"),
        pytest.param("7.5", None, id="no-whole-number"),
        pytest.param("9" * 5_000, None, id="endless"),
        pytest.param("word", None, id="a-word"),
    ],
)
def test_a_number_lies_between(text: str, expected: int | None) -> None:
    assert items(text)[0].between(1, 31) == expected

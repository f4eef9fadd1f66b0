"""English numbers in a row of tokens: spoken and written, cardinal and ordinal, as their digits.

``twenty-three`` and ``23`` are one numeral with the digits 23, ``third`` and ``3rd`` are 3 in
order, ``1,000`` and ``a thousand`` are 1000. Numbers said one after the other stay apart: what
``seven thirty`` means is not decided here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from shared.metrics.transcription.tokens import Token, tokens

UNITS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
)  # fmt: skip
TEENS: Final = (
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
    "eighteen", "nineteen",
)  # fmt: skip
TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
SCALES: Final = {"million": 1_000_000, "thousand": 1_000}
HUNDRED: Final = "hundred"

_ORDINAL_UNITS: Final = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
)  # fmt: skip
_ORDINAL_TEENS: Final = (
    "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth",
    "seventeenth", "eighteenth", "nineteenth",
)  # fmt: skip
_SMALL: Final = {word: value for value, word in enumerate([*UNITS, *TEENS])}
_SMALL_ORDINALS: Final = {
    word: value for value, word in enumerate([*_ORDINAL_UNITS, *_ORDINAL_TEENS], start=1)
}
_TENS: Final = {word: value for value, word in zip(range(20, 100, 10), TENS, strict=True)}
_TENS_ORDINALS: Final = {word[:-1] + "ieth": value for word, value in _TENS.items()}
_ENDINGS: Final = frozenset({"st", "nd", "rd", "th"})
ZERO_SOUNDS: Final = frozenset({"oh", "o"})
_JOINING: Final = frozenset({" ", "-"})
_GROUP: Final = 3
"""Digits between two commas of a written number."""


@dataclass(frozen=True, slots=True)
class Item:
    """One word or one numeral, ``[start, end)`` of the plain text.

    ``digits`` are ASCII, leading zeros kept, with a point in a decimal number; a word has none.
    ``is_written`` says that the numeral stood there in digits.
    """

    text: str
    start: int
    end: int
    glue: str
    digits: str | None = None
    is_ordinal: bool = False
    is_written: bool = False

    @property
    def joins(self) -> bool:
        """Whether only a blank or a hyphen parts it from the item before."""
        return self.glue in _JOINING

    @property
    def word(self) -> str | None:
        return self.text if self.digits is None else None

    @property
    def cardinal(self) -> str | None:
        """The digits of a numeral that counts rather than orders."""
        return None if self.is_ordinal else self.digits

    def between(self, low: int, high: int) -> int | None:
        """The whole number it is, if it lies in ``[low, high]``."""
        # A longer run of digits is none of the numbers asked for here, and may be too long for int.
        if self.digits is None or "." in self.digits or len(self.digits) > len(str(high)) + 1:
            return None
        return value if low <= (value := int(self.digits)) <= high else None


def items(plain_text: str) -> tuple[Item, ...]:
    """Words and numerals of a plain text, in order."""
    return tuple(_with_points(_with_zeros(list(_read(tokens(plain_text))))))


def _read(row: Sequence[Token]) -> Iterator[Item]:
    position = 0
    while position < len(row):
        found = _written(row, position) or _spoken(row, position)
        if found is None:
            token = row[position]
            yield Item(token.text, token.start, token.end, token.glue)
            position += 1
        else:
            yield found.item(row, position)
            position = found.end


@dataclass(frozen=True, slots=True)
class _Found:
    """A numeral that ends before token ``end``."""

    digits: str
    end: int
    is_ordinal: bool = False
    is_written: bool = False

    def item(self, row: Sequence[Token], begin: int) -> Item:
        first, last = row[begin], row[self.end - 1]
        return Item(
            "", first.start, last.end, first.glue, self.digits, self.is_ordinal, self.is_written
        )


@dataclass(frozen=True, slots=True)
class _Value:
    number: int
    end: int
    is_ordinal: bool = False


def _written(row: Sequence[Token], begin: int) -> _Found | None:
    if not row[begin].is_digits:
        return None
    digits, end = row[begin].text, begin + 1
    while len(digits) <= _GROUP or end > begin + 1:
        if not (_is_glued(row, end, ",") and len(row[end].text) == _GROUP):
            break
        digits, end = digits + row[end].text, end + 1
    if _is_glued(row, end, ".") and not (_is_glued(row, end + 1, ".") or _goes_on(row, begin)):
        return _Found(f"{digits}.{row[end].text}", end + 1, is_written=True)
    if end < len(row) and not row[end].glue and row[end].text in _ENDINGS:
        return _Found(digits, end + 1, is_ordinal=True, is_written=True)
    if _text(row, end) in {HUNDRED, *SCALES} and len(digits) <= _GROUP:
        scale = SCALES.get(row[end].text, 100)
        return _Found(str(int(digits) * scale), end + 1, is_written=True)
    return _Found(digits, end, is_written=True)


def _spoken(row: Sequence[Token], begin: int) -> _Found | None:
    found = _group(row, begin)
    if found is None:
        return None
    total, end, is_ordinal = found.number, found.end, found.is_ordinal
    limit = max(SCALES.values()) * 1_000
    rest, total = total, 0
    while not is_ordinal and (scale := SCALES.get(_text(row, end) or "", limit)) < limit:
        total, rest, end, limit = total + rest * scale, 0, end + 1, scale
        after = _group(row, _past_and(row, end))
        if after is None or not 0 < after.number < scale:
            break
        rest, end, is_ordinal = after.number, after.end, after.is_ordinal
    return _Found(str(total + rest), end, is_ordinal)


def _group(row: Sequence[Token], begin: int) -> _Value | None:
    """A number below 10,000 as it is said before a scale: ``nineteen hundred`` and ``a`` too."""
    if begin >= len(row):
        return None
    small = _below_hundred(row, begin)
    if small is None:
        follows = _text(row, begin + 1)
        if row[begin].text != "a" or not (follows == HUNDRED or follows in SCALES):
            return None
        small = _Value(1, begin + 1)
    if small.is_ordinal or not small.number or _text(row, small.end) != HUNDRED:
        return small
    end = small.end + 1
    rest = _below_hundred(row, _past_and(row, end))
    if rest is None or not rest.number:
        return _Value(small.number * 100, end)
    return _Value(small.number * 100 + rest.number, rest.end, rest.is_ordinal)


def _below_hundred(row: Sequence[Token], begin: int) -> _Value | None:
    if begin >= len(row):
        return None
    text = row[begin].text
    if text in _SMALL_ORDINALS or text in _TENS_ORDINALS:
        return _Value((_SMALL_ORDINALS | _TENS_ORDINALS)[text], begin + 1, is_ordinal=True)
    if text in _SMALL:
        return _Value(_SMALL[text], begin + 1)
    if text not in _TENS:
        return None
    follows = _text(row, begin + 1) or ""
    for units, is_ordinal in ((_SMALL, False), (_SMALL_ORDINALS, True)):
        if 0 < units.get(follows, 0) < len(UNITS):
            return _Value(_TENS[text] + units[follows], begin + 2, is_ordinal)
    return _Value(_TENS[text], begin + 1)


def _past_and(row: Sequence[Token], position: int) -> int:
    """Where the rest of a number may go on; beyond the row when nothing joins what stands there."""
    position += _text(row, position) == "and"
    return position if _joins(row, position) else len(row)


def _text(row: Sequence[Token], position: int) -> str | None:
    """The token there, if it goes on what stands before it."""
    return row[position].text if _joins(row, position) else None


def _joins(row: Sequence[Token], position: int) -> bool:
    return position < len(row) and row[position].glue in _JOINING


def _is_glued(row: Sequence[Token], position: int, sign: str) -> bool:
    return position < len(row) and row[position].glue == sign and row[position].is_digits


def _goes_on(row: Sequence[Token], position: int) -> bool:
    """Whether digits touch the digits before them, so that they are a part of something longer."""
    return bool(position) and row[position - 1].is_digits and row[position].glue in {".", ":", "/"}


def _with_zeros(row: list[Item]) -> list[Item]:
    """``oh`` between a number and a single digit is a zero."""
    return [
        replace(item, digits="0")
        if item.text in ZERO_SOUNDS
        and item.joins
        and position
        and row[position - 1].cardinal is not None
        and position + 1 < len(row)
        and _is_single(row[position + 1])
        else item
        for position, item in enumerate(row)
    ]


def _with_points(row: list[Item]) -> Iterator[Item]:
    """``three point one four`` is one number."""
    position = 0
    while position < len(row):
        item, end = row[position], position + 1
        if item.cardinal is not None and end < len(row) and row[end].text == "point":
            while end + 1 < len(row) and _is_single(row[end + 1]):
                end += 1
        if end > position + 1:
            decimals = "".join(one.digits or "" for one in row[position + 2 : end + 1])
            whole = f"{item.digits}.{decimals}"
            item, end = replace(item, digits=whole, end=row[end].end), end + 1
        yield item
        position = end


def _is_single(item: Item) -> bool:
    return item.joins and item.cardinal is not None and len(item.cardinal) == 1

"""What a text says when it is read as words, as a number, as a date or as a time of day.

No language is assumed beyond a.m. and p.m.: number words are words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from itertools import groupby, islice
from math import isfinite
from typing import Final

MOST_MARKS: Final = 30
"""Marks on one letter. Ordering them takes the square of their number, and no language has more."""

_VARIANTS = str.maketrans(dict.fromkeys("‐‑‒–−", "-") | {"⁄": "/"})
_NUMERIC_MARKS = re.compile(r"(?<!\w)[+-](?=\.?\d)|(?<![\w.])\.(?=\d)|(?<=\d)[.:/-](?=\d)")
_PLAIN_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
_TIME = re.compile(
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?::(?P<second>\d\d))?)?\s*(?:(?P<half>[ap])\.?\s?m\.?)?"
)
_WORD_CATEGORIES = "LMN"
_MINUTES_PER_HOUR = 60
_SECONDS_PER_MINUTE = 60
_HOURS = 24
_HALF_DAY = 12


def composed(text: str) -> str:
    """The text in compatible forms (NFKC), with at most :data:`MOST_MARKS` marks in a row."""
    return unicodedata.normalize("NFKC", "".join(_calmed(text)))


def normalized(text: str) -> str:
    """The words of a text: compatible forms and case folded, punctuation and spacing gone.

    What makes a number stays: a sign or point in front of digits; points, colons, slashes and
    hyphens between digits. Invisible characters vanish; digits of any script become ASCII ones.
    """
    folded = unicodedata.normalize("NFKC", composed(text).casefold())
    visible = "".join(c for c in folded.translate(_VARIANTS) if unicodedata.category(c) != "Cf")
    kept = {mark.start() for mark in _NUMERIC_MARKS.finditer(visible)}
    return " ".join("".join(_letter(c, kept=i in kept) for i, c in enumerate(visible)).split())


def has_words(text: str) -> bool:
    """Whether there is anything to say in a text: a letter or a digit of any script."""
    return any(map(str.isalnum, text))


def same_words(one: str, other: str) -> bool:
    """Whether two texts have the same words; texts without words must be the same text."""
    words, other_words = normalized(one), normalized(other)
    if words or other_words:
        return words == other_words
    return one.split() == other.split()


def is_exactly(number: float, text: str) -> bool:
    """Whether a text is the plain decimal notation of exactly this number."""
    digits = text.translate(_VARIANTS).strip()
    if not (is_finite(number) and _PLAIN_NUMBER.fullmatch(digits)):
        return False
    # A float is the decimal that JSON wrote, not its binary neighbour: 0.1 is "0.1".
    return Decimal(digits) == Decimal(number if isinstance(number, int) else repr(number))


def date_of(text: str) -> date | None:
    """The calendar date a text names in an ISO 8601 form; nothing when it names none."""
    try:
        return date.fromisoformat(composed(text).translate(_VARIANTS).strip())
    except ValueError:
        return None


def second_of_day(text: str) -> int | None:
    """The time of day a text names: 24-hour with minutes, or 12-hour with a.m. or p.m."""
    parts = _TIME.fullmatch(composed(text).casefold().strip())
    if parts is None:
        return None
    hour, minute, second = (int(parts[name] or 0) for name in ("hour", "minute", "second"))
    if minute >= _MINUTES_PER_HOUR or second >= _SECONDS_PER_MINUTE:
        return None
    if parts["half"]:
        if not 1 <= hour <= _HALF_DAY:
            return None
        hour = hour % _HALF_DAY + (_HALF_DAY if parts["half"] == "p" else 0)
    elif parts["minute"] is None or hour >= _HOURS:
        return None
    return (hour * _MINUTES_PER_HOUR + minute) * _SECONDS_PER_MINUTE + second


def is_finite(number: float) -> bool:
    """Whether a number is neither NaN nor infinite, however large an integer it is."""
    return isinstance(number, int) or isfinite(number)


def _calmed(text: str) -> Iterator[str]:
    for is_mark, run in groupby(text, key=_is_mark):
        yield from islice(run, MOST_MARKS if is_mark else None)


def _is_mark(character: str) -> bool:
    """Whether it belongs to the letter before it, itself or by what it is made of."""
    first = unicodedata.normalize("NFKD", character)[0]
    return not character.isascii() and unicodedata.combining(first) != 0


def _letter(character: str, *, kept: bool) -> str:
    if kept:
        return character
    if unicodedata.category(character)[0] not in _WORD_CATEGORIES:
        return " "
    digit = unicodedata.decimal(character, None)
    return character if digit is None else str(digit)

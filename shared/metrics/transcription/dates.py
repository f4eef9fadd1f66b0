"""English dates in a row of items.

Read are ``August 7``, ``the seventh of August``, ``7 Aug 2027``, ``2027-08-07``, days of the week
and the days around today. ``8/7`` names one day here and another there, and ``June seven`` may be
seven people in June: neither is read as a date.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from shared.metrics.transcription.numerals import Item
from shared.metrics.transcription.times import cardinal_at, half_at, word_at

MONTHS: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
WEEKDAYS: Final = (
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
)  # fmt: skip
NEAR_DAYS: Final = frozenset({"yesterday", "today", "tomorrow"})

_MONTHS: Final = {name: month for month, name in enumerate(MONTHS, start=1)}
_SHORT: Final = {name[:3]: month for name, month in _MONTHS.items()} | {"sept": 9}
_ALSO_VERBS: Final = frozenset({"may", "march", "mar"})
_BEFORE_A_DATE: Final = frozenset(
    {
        "on", "by", "for", "from", "until", "till", "before", "after", "of", "since", "through",
        "to", "this", "next",
    }
)  # fmt: skip
_WEEKDAYS: Final = {name + end: name for name in WEEKDAYS for end in ("", "s")}
_LEAP_YEAR: Final = 2000
_ISO_FORM: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATE_GLUE: Final = frozenset({" ", "-", ", ", ". "})
_CHAINS: Final = frozenset({":", "/", ".", "-"})


@dataclass(frozen=True, slots=True)
class Date:
    """A day of a year, or of any year where none was said."""

    month: int
    day: int
    year: int | None = None

    @property
    def loose(self) -> Date:
        """The least that says this day."""
        return Date(self.month, self.day)

    @property
    def is_loose(self) -> bool:
        """Whether it is met by all of its loose form; else by its equal alone."""
        return self.year is None


@dataclass(frozen=True, slots=True)
class DayName:
    """A day of the week, or one told by its distance from today."""

    name: str

    @property
    def loose(self) -> DayName:
        return self

    @property
    def is_loose(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class DateReading:
    """What items up to ``end`` say; nothing when it has the form of a date and is none."""

    value: Date | DayName | None
    end: int


def date_at(row: Sequence[Item], begin: int) -> DateReading | None:
    """The date that begins at this item, if one does."""
    return next((found for read in _DATES if (found := read(row, begin))), None)


def _named(row: Sequence[Item], begin: int) -> DateReading | None:
    word = word_at(row, begin) or ""
    name = _WEEKDAYS.get(word) or (word if word in NEAR_DAYS else None)
    return None if name is None else DateReading(DayName(name), begin + 1)


def _month_first(row: Sequence[Item], begin: int) -> DateReading | None:
    """``June eleventh``, ``June the 11th``, ``Jun. 11``, ``on June eleven``."""
    word = word_at(row, begin) or ""
    month = _MONTHS.get(word) or _SHORT.get(word)
    at = begin + 1 + (word_at(row, begin + 1) == "the")
    day = _day_at(row, at)
    if month is None or day is None or row[at].glue not in _DATE_GLUE:
        return None
    if not row[at].is_ordinal:
        before = word_at(row, begin - 1)
        is_sure = word not in _ALSO_VERBS or before in _BEFORE_A_DATE
        is_day = row[at].is_written or before == "on"
        if not (is_sure and is_day) or half_at(row, at + 1) is not None:
            return None
    return _dated(row, month, day, at + 1)


def _day_first(row: Sequence[Item], begin: int) -> DateReading | None:
    """``the eleventh of June``, ``11 June``, ``11th June``."""
    at = begin + (word_at(row, begin) == "the")
    day = _day_at(row, at)
    if day is None or not (row[at].is_ordinal or row[at].is_written):
        return None
    has_of = word_at(row, at + 1) == "of"
    at += 1 + has_of
    word = word_at(row, at) or ""
    month = _MONTHS.get(word) or _SHORT.get(word)
    if month is None or not row[at].joins or (word in _ALSO_VERBS and not has_of):
        return None
    if at + 1 < len(row) and row[at + 1].is_ordinal:
        # "For 3 June 5th": the month belongs to what follows.
        return None
    return _dated(row, month, day, at + 1)


def _in_iso_form(row: Sequence[Item], begin: int) -> DateReading | None:
    parts = row[begin : begin + 3]
    written = "-".join(part.cardinal or "" for part in parts)
    if not _ISO_FORM.fullmatch(written) or any(part.glue != "-" for part in parts[1:]):
        return None
    try:
        said = date.fromisoformat(written)
    except ValueError:
        return DateReading(None, begin + 3)
    return DateReading(Date(said.month, said.day, said.year), begin + 3)


def _day_at(row: Sequence[Item], position: int) -> int | None:
    """The day of a month there, unless it is a part of something longer."""
    if not 0 <= position < len(row):
        return None
    follows = row[position + 1] if position + 1 < len(row) else None
    if follows is not None and follows.digits is not None and follows.glue in _CHAINS:
        return None
    return row[position].between(1, 31)


def _dated(row: Sequence[Item], month: int, day: int, end: int) -> DateReading | None:
    year, after = _year_at(row, end) or (None, end)
    if day > calendar.monthrange(year or _LEAP_YEAR, month)[1]:
        return None
    return DateReading(Date(month, day, year), after)


def _year_at(row: Sequence[Item], begin: int) -> tuple[int, int] | None:
    """``2027`` and, in words, ``twenty twenty-seven``."""
    if begin >= len(row) or row[begin].glue not in _DATE_GLUE:
        return None
    year = cardinal_at(row, begin, 1900, 2199)
    if year is not None:
        return year, begin + 1
    century, rest = cardinal_at(row, begin, 19, 21), cardinal_at(row, begin + 1, 10, 99)
    if century is None or rest is None or not row[begin + 1].joins:
        return None
    is_spoken = not (row[begin].is_written or row[begin + 1].is_written)
    return (century * 100 + rest, begin + 2) if is_spoken else None


_DATES: Final[tuple[Callable[[Sequence[Item], int], DateReading | None], ...]] = (
    _named,
    _month_first,
    _day_first,
    _in_iso_form,
)

"""English times of day in a row of items.

Read are ``19:30``, ``7:30 p.m.``, ``seven thirty``, ``half past seven in the evening``, ``a quarter
to eight``, ``7 o'clock``, ``noon`` and the like. Where a row can be read in more than one way, as
``for six in the evening`` can, no time is read, and the reading says how far the doubt goes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from shared.metrics.transcription.numerals import Item

NOON: Final = 12
"""Hours."""
LAST_HOUR: Final = 23
LAST_MINUTE: Final = 59
HALF_DAY: Final = 720
"""Minutes."""
NAMED: Final = {"noon": 12, "midday": 12, "midnight": 0}

_BEFORE_A_TIME: Final = frozenset(
    {
        "at", "by", "until", "till", "around", "about", "before", "after", "from", "to", "past",
        "it", "that", "say",
    }
)  # fmt: skip
"""``make it nine`` is among them: it is followed by what tells that nine is an hour."""

_FRACTIONS: Final = {"half": 30, "quarter": 15}
_RUN_TOGETHER: Final = re.compile(r"(?P<hour>\d{1,2})\.?(?P<minute>[0-5]\d)")
_WRITTEN_MINUTES: Final = re.compile(r"[0-5]\d")
_PAST: Final = frozenset({"past", "after"})
_TO: Final = frozenset({"to", "till"})


class Half(Enum):
    """What tells the two halves of a day apart."""

    AM = "am"
    PM = "pm"
    MORNING = "morning"
    AFTERNOON = "afternoon"
    EVENING = "evening"
    NIGHT = "night"


_HOURS: Final = {
    # Which hours of the clock's face each may follow, as hours of the day.
    Half.AM: {12: 0, **{hour: hour for hour in range(1, NOON)}},
    Half.PM: {12: 12, **{hour: hour + 12 for hour in range(1, NOON)}},
    Half.MORNING: {hour: hour for hour in range(1, NOON)},
    Half.AFTERNOON: {12: 12, **{hour: hour + 12 for hour in range(1, 7)}},
    Half.EVENING: {hour: hour + 12 for hour in range(4, 12)},
    Half.NIGHT: {
        12: 0,
        **{hour: hour for hour in range(1, 5)},
        **{hour: hour + 12 for hour in range(6, 12)},
    },
}


@dataclass(frozen=True, slots=True)
class Time:
    """``minute`` of the day; of either half of it when nothing told the halves apart."""

    minute: int
    is_exact: bool

    @property
    def loose(self) -> Time:
        """The same place of the hands, of either half."""
        return Time(self.minute % HALF_DAY, is_exact=False)

    @property
    def is_loose(self) -> bool:
        """Whether it is met by all of its loose form; else by its equal alone."""
        return not self.is_exact


@dataclass(frozen=True, slots=True)
class TimeReading:
    """What items up to ``end`` say; nothing when that is in doubt."""

    time: Time | None
    end: int


@dataclass(frozen=True, slots=True)
class _Face:
    """Hour and minute as told, before anything that tells the halves of the day apart.

    ``is_of_day`` says that the hour counts from midnight. A ``bare`` face is a mere number and no
    time without such a sign; ``is_doubtful`` says that even then it may be something else.
    """

    hour: int
    minute: int
    end: int
    is_of_day: bool = False
    is_bare: bool = False
    is_doubtful: bool = False


def time_at(row: Sequence[Item], begin: int) -> TimeReading | None:
    """The time that begins at this item, if one does."""
    for read in _FACES:
        face = read(row, begin)
        if face is not None:
            reading = _told(row, face)
            if reading is not None:
                return reading
    return None


def _told(row: Sequence[Item], face: _Face) -> TimeReading | None:
    half = half_at(row, face.end)
    if half is None:
        if face.is_bare:
            return None
        is_exact = face.is_of_day
        return TimeReading(Time(face.hour * 60 + face.minute, is_exact), face.end)
    which, end = half
    hour = face.hour if face.is_of_day else _HOURS[which].get(face.hour)
    if hour is None:
        # "Two in the evening" is no time, and so two may well be a number.
        return None if face.is_bare else TimeReading(None, end)
    if face.is_doubtful and which not in {Half.AM, Half.PM}:
        return TimeReading(None, end)
    return TimeReading(Time(hour * 60 + face.minute, is_exact=True), end)


def half_at(row: Sequence[Item], begin: int) -> tuple[Half, int] | None:
    """What tells the halves of the day apart here, and where it ends."""
    first, second, third = (word_at(row, begin + n) for n in range(3))
    if first in {"am", "pm"}:
        return Half(first), begin + 1
    if first == "tonight":
        return Half.EVENING, begin + 1
    if (first, second) == ("at", "night"):
        return Half.NIGHT, begin + 2
    parts = {half.value: half for half in (Half.MORNING, Half.AFTERNOON, Half.EVENING)}
    if first == "in" and second == "the" and third in parts:
        return parts[third], begin + 3
    if first == "this" and second in parts:
        return parts[second], begin + 2
    return None


def word_at(row: Sequence[Item], position: int) -> str | None:
    return row[position].word if 0 <= position < len(row) else None


def cardinal_at(row: Sequence[Item], position: int, low: int, high: int) -> int | None:
    """The cardinal there, if it goes on what stands before it and lies in ``[low, high]``."""
    if not 0 <= position < len(row) or row[position].is_ordinal:
        return None
    return row[position].between(low, high)


def _named(row: Sequence[Item], begin: int) -> _Face | None:
    at = begin + (cardinal_at(row, begin, NOON, NOON) is not None)
    hour = NAMED.get(word_at(row, at) or "")
    return None if hour is None else _Face(hour, 0, at + 1, is_of_day=True)


def _by_fraction(row: Sequence[Item], begin: int) -> _Face | None:
    """``(a) quarter to eight``, ``half past seven``."""
    at = begin + (word_at(row, begin) in {"a", "an"})
    fraction = word_at(row, at) or ""
    if fraction not in _FRACTIONS:
        return None
    direction = word_at(row, at + 1)
    if fraction == "half" and direction != "past":
        return None
    return _beside_the_hour(row, _FRACTIONS[fraction], direction, at + 2)


def _by_minutes(row: Sequence[Item], begin: int) -> _Face | None:
    """``ten past seven``, ``twenty minutes to eight``; ``five to eight`` may be a range."""
    minutes = cardinal_at(row, begin, 1, 29)
    if minutes is None:
        return None
    is_named = word_at(row, begin + 1) in {"minute", "minutes"}
    direction = word_at(row, begin + 1 + is_named)
    if direction == "after" and not is_named:
        return None
    face = _beside_the_hour(row, minutes, direction, begin + 2 + is_named)
    if face is None or is_named or direction == "past" or word_at(row, begin - 1) == "at":
        return face
    return None


def _beside_the_hour(
    row: Sequence[Item], minutes: int, direction: str | None, at: int
) -> _Face | None:
    hour = cardinal_at(row, at, 1, NOON)
    if hour is None:
        return None
    end = at + 1 + (word_at(row, at + 1) == "oclock")
    if direction in _PAST:
        return _Face(hour, minutes, end)
    if direction in _TO:
        return _Face(12 if hour == 1 else hour - 1, 60 - minutes, end)
    return None


def _with_colon(row: Sequence[Item], begin: int) -> _Face | None:
    """``7:30``, ``07:30``, ``19:30:00``."""
    hour, minute = cardinal_at(row, begin, 0, LAST_HOUR), _minutes_at(row, begin + 1)
    if hour is None or minute is None or row[begin].glue in {":", "/", "."}:
        return None
    has_seconds = _minutes_at(row, begin + 2) is not None
    end = begin + 2 + has_seconds
    if end < len(row) and row[end].digits is not None and row[end].glue in {":", "/", "."}:
        return None
    is_of_day = hour > NOON or has_seconds or (row[begin].digits or "").startswith("0")
    return _Face(hour, minute, end, is_of_day)


def _minutes_at(row: Sequence[Item], position: int) -> int | None:
    if position >= len(row) or row[position].glue != ":":
        return None
    digits = row[position].cardinal or ""
    return int(digits) if _WRITTEN_MINUTES.fullmatch(digits) else None


def _run_together(row: Sequence[Item], begin: int) -> _Face | None:
    """``7.30 p.m.``, ``730 in the evening``: times only by what follows."""
    found = _RUN_TOGETHER.fullmatch(row[begin].cardinal or "")
    if found is None or not row[begin].is_written:
        return None
    hour, minute = int(found["hour"]), int(found["minute"])
    if not 1 <= hour <= LAST_HOUR:
        return None
    return _Face(hour, minute, begin + 1, is_of_day=hour > NOON, is_bare=True)


def _in_two_numbers(row: Sequence[Item], begin: int) -> _Face | None:
    """``seven thirty``, ``seven oh five``: after ``at`` and the like, else only by what follows."""
    hour = cardinal_at(row, begin, 1, LAST_HOUR)
    if hour is None or (begin and row[begin].joins and row[begin - 1].digits is not None):
        return None
    minute, end = cardinal_at(row, begin + 1, 10, LAST_MINUTE), begin + 2
    if begin + 1 < len(row) and row[begin + 1].digits == "0":
        minute, end = cardinal_at(row, begin + 2, 1, 9), begin + 3
    parts = row[begin + 1 : end]
    if minute is None or not all(part.joins and part.cardinal for part in parts):
        return None
    if end < len(row) and row[end].joins and row[end].digits is not None:
        return None
    is_bare = word_at(row, begin - 1) not in _BEFORE_A_TIME
    return _Face(hour, minute, end, is_of_day=hour > NOON, is_bare=is_bare)


def _full_hour(row: Sequence[Item], begin: int) -> _Face | None:
    """``seven o'clock``, ``7 p.m.``, ``eight in the evening``; ``for six`` may be a number."""
    hour = cardinal_at(row, begin, 1, LAST_HOUR)
    if hour is None or (begin and row[begin].joins and row[begin - 1].digits is not None):
        return None
    if word_at(row, begin + 1) == "oclock":
        return _Face(hour, 0, begin + 2, is_of_day=hour > NOON)
    is_doubtful = word_at(row, begin - 1) not in _BEFORE_A_TIME
    return _Face(hour, 0, begin + 1, is_of_day=hour > NOON, is_bare=True, is_doubtful=is_doubtful)


_FACES: Final[tuple[Callable[[Sequence[Item], int], _Face | None], ...]] = (
    _named,
    _by_fraction,
    _by_minutes,
    _with_colon,
    _run_together,
    _in_two_numbers,
    _full_hour,
)

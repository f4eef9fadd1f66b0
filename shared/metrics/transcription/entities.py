"""What a request hinges on: names, dates, times and numbers, and which of them were heard.

Each is compared by what it means, not by how it is written: ``seven p.m.`` is ``19:00``, ``August
seventh`` is ``Aug 7``. English only. What can be read in two ways is left out. Contract:
``docs/metrics-contract.md``, "Entities".
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from shared.metrics.transcription.dates import Date, DayName, date_at
from shared.metrics.transcription.numerals import Item, items
from shared.metrics.transcription.times import Time, time_at
from shared.metrics.transcription.tokens import plain
from shared.pairing import largest_pairing

DIGITS_IN_A_ROW: Final = 3
"""So many single digits said one after another are one number; two may be two numbers."""
DIGITS_OF_A_TELEPHONE: Final = 7
_ARTICLES: Final = frozenset({"a", "i"})


class EntityKind(StrEnum):
    NAME = "name"
    DATE = "date"
    TIME = "time"
    NUMBER = "number"


@dataclass(frozen=True, slots=True)
class Entity:
    """``expected`` is as it stands in the reference."""

    kind: EntityKind
    expected: str
    is_heard: bool


type _Value = Date | DayName | Time | Number | Name


@dataclass(frozen=True, slots=True)
class Number:
    """Digits as they are told, a decimal point among them perhaps, after a ``letter`` perhaps."""

    digits: str
    letter: str = ""


@dataclass(frozen=True, slots=True)
class Name:
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Mention:
    """A value told by the items ``[begin, end)`` of a text."""

    value: _Value
    begin: int
    end: int

    @property
    def kind(self) -> EntityKind:
        match self.value:
            case Date() | DayName():
                return EntityKind.DATE
            case Time():
                return EntityKind.TIME
            case Number():
                return EntityKind.NUMBER
            case Name():
                return EntityKind.NAME


def entities(reference: str, heard: str, names: Iterable[str]) -> tuple[Entity, ...]:
    """Every entity of the reference in order, and whether the other text has it too.

    ``names`` are values that count as names where they occur in the reference, word for word. What
    was heard stands for one entity at most.
    """
    text = plain(reference)
    row = items(text)
    mentions = _mentions(row, [name for name in map(_name, names) if name is not None])
    found = _found(mentions, items(plain(heard)))
    return tuple(
        Entity(one.kind, text[row[one.begin].start : row[one.end - 1].end], one in found)
        for one in mentions
    )


def told(text: str) -> tuple[Date | DayName | Time | Number, ...]:
    """The dates, times and numbers that a text tells, in order; what is in doubt is left out."""
    return tuple(value for _, _, value in _scanned(items(plain(text))) if value is not None)


def _mentions(row: Sequence[Item], names: Sequence[Name]) -> list[_Mention]:
    told, free = [], set(range(len(row)))
    for begin, end, value in _scanned(row):
        free -= set(range(begin, end))
        if value is not None:
            told.append(_Mention(value, begin, end))
    for name in sorted(names, key=lambda one: -len(one.words)):
        for begin in _places(name, row):
            place = range(begin, begin + len(name.words))
            if free.issuperset(place):
                free -= set(place)
                told.append(_Mention(name, place.start, place.stop))
    return sorted(told, key=lambda one: one.begin)


type _Told = Date | DayName | Time | Number


def _scanned(row: Sequence[Item]) -> Iterator[tuple[int, int, _Told | None]]:
    """Stretches of a text that say a date, a time or a number, or that leave it in doubt."""
    position = 0
    while position < len(row):
        begin = position
        value: _Told | None
        if (date := date_at(row, position)) is not None:
            value, position = date.value, date.end
        elif (time := time_at(row, position)) is not None:
            value, position = time.time, time.end
        elif row[position].digits is not None:
            position = _run_end(row, position)
            value = _number(row, begin, position)
            begin -= isinstance(value, Number) and bool(value.letter)
        else:
            position += 1
            continue
        yield begin, position, value


def _run_end(row: Sequence[Item], begin: int) -> int:
    """Where the numerals end that follow one another and are no date or time."""
    end = begin + 1
    while (
        end < len(row)
        and row[end].digits is not None
        and len(row[end].glue) == 1
        and date_at(row, end) is None
        and time_at(row, end) is None
    ):
        end += 1
    return end


def _number(row: Sequence[Item], begin: int, end: int) -> Number | None:
    run = row[begin:end]
    if any(item.cardinal is None for item in run) or not all(item.joins for item in run[1:]):
        return None
    digits = "".join(item.cardinal or "" for item in run)
    if len(run) == 1:
        # "That one" is no number.
        is_sure = run[0].is_written or digits != "1"
    else:
        are_single = all(len(item.cardinal or "") == 1 for item in run)
        is_sure = (are_single and len(run) >= DIGITS_IN_A_ROW) or (
            digits.isdecimal() and len(digits) >= DIGITS_OF_A_TELEPHONE
        )
    letter = _letter_before(row, begin) if len(digits) > 1 and digits.isdecimal() else ""
    return Number(digits, letter) if is_sure else None


def _letter_before(row: Sequence[Item], begin: int) -> str:
    """The single letter of an identifier such as ``R 341``."""
    word = row[begin - 1].word if begin else None
    is_close = row[begin].glue in {"", " ", "-"}
    is_letter = word is not None and len(word) == 1 and word.isalpha() and word not in _ARTICLES
    return word if word is not None and is_letter and is_close else ""


def _name(text: str) -> Name | None:
    """A name to look for; what holds a number is no name."""
    row = items(plain(text))
    if not row or any(item.digits is not None for item in row):
        return None
    return Name(tuple(_bare(item.text) for item in row))


def _places(name: Name, row: Sequence[Item]) -> Iterator[int]:
    told = [None if item.word is None else _bare(item.word) for item in row]
    for begin in range(len(row) - len(name.words) + 1):
        if tuple(told[begin : begin + len(name.words)]) == name.words:
            yield begin


def _bare(word: str) -> str:
    """A word without its accents, which writers of a spoken name cannot know."""
    parts = unicodedata.normalize("NFKD", word)
    return "".join(part for part in parts if not unicodedata.combining(part)) or word


def _found(mentions: Sequence[_Mention], row: Sequence[Item]) -> set[_Mention]:
    free = set(range(len(row)))
    found: set[_Mention] = set()
    for one, begin, end in _of_the_calendar(mentions, row):
        found.add(one)
        free -= set(range(begin, end))
    # The longest first, so that no short number takes the digits of a long one.
    for one in sorted(mentions, key=_digits, reverse=True):
        for begin, end in _places_of(one.value, row):
            place = set(range(begin, end))
            if free >= place:
                found.add(one)
                free -= place
                break
    return found


def _of_the_calendar(
    mentions: Sequence[_Mention], row: Sequence[Item]
) -> Iterator[tuple[_Mention, int, int]]:
    """Dates and times paired with those heard, as many as possible."""
    asked = [one for one in mentions if isinstance(one.value, Date | DayName | Time)]
    told = [(begin, end, value) for begin, end, value in _scanned(row) if value is not None]
    fits = [
        [j for j, (_, _, value) in enumerate(told) if _is_met(one.value, value)] for one in asked
    ]
    for i, j in largest_pairing(fits):
        begin, end, _ = told[j]
        yield asked[i], begin, end


def _is_met(asked: _Value, heard: _Value) -> bool:
    match asked, heard:
        case (Date(), Date()):
            return asked.is_met_by(heard)
        case (DayName(), DayName()):
            return asked.is_met_by(heard)
        case (Time(), Time()):
            return asked.is_met_by(heard)
        case _:
            return False


def _digits(one: _Mention) -> int:
    return len(one.value.digits) if isinstance(one.value, Number) else 0


def _places_of(value: _Value, row: Sequence[Item]) -> Iterator[tuple[int, int]]:
    match value:
        case Name():
            for begin in _places(value, row):
                yield begin, begin + len(value.words)
        case Number():
            for begin, end in _numeral_places(value, row):
                if not value.letter:
                    yield begin, end
                elif begin and row[begin - 1].word == value.letter:
                    yield begin - 1, end
        case _:
            return


def _numeral_places(number: Number, row: Sequence[Item]) -> Iterator[tuple[int, int]]:
    """Where numerals say just these digits; a long number may be told in several."""
    for begin, item in enumerate(row):
        told, end = item.cardinal or "", begin + 1
        may_go_on = len(number.digits) >= DIGITS_IN_A_ROW and bool(told)
        while may_go_on and len(told) < len(number.digits) and end < len(row):
            more = row[end].cardinal
            if more is None:
                break
            told, end = told + more, end + 1
        if told == number.digits:
            yield begin, end

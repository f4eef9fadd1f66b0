"""What a request hinges on: names, dates, times and numbers, and which of them were heard.

Each is compared by what it means, not by how it is written: ``seven p.m.`` is ``19:00``, ``August
seventh`` is ``Aug 7``. English only. What can be read in two ways is left out. Contract:
``docs/metrics-contract.md``, "Entities".
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import Final

from shared.metrics.transcription.dates import Date, DayName, date_at
from shared.metrics.transcription.numerals import ZERO_SOUNDS, Item, items
from shared.metrics.transcription.times import NOON, Time, cardinal_at, time_at, word_at
from shared.metrics.transcription.tokens import plain

DIGITS_IN_A_ROW: Final = 3
"""So many single digits said one after another are one number; two may be two numbers."""
DIGITS_OF_A_TELEPHONE: Final = 7
MOST_DIGITS: Final = 40
"""Nobody says more as one number, and looking for many such ones has no end."""
_ARTICLES: Final = frozenset({"a", "i"})
_OTHER: Final = "|"
_POSSESSIVES: Final = ("'s", "'S")
_MULTIPLIERS: Final = frozenset({"double", "triple", "treble"})
_FRACTIONS: Final = frozenset({"half", "third", "quarter"})
_BEFORE_AN_HOUR: Final = frozenset({"at", "by", "until", "till", "before", "after"})


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
    words = _Words.of(text, row)
    mentions = _mentions(row, words, [name for name in map(_name, names) if name is not None])
    found, doubtful = _found(mentions, plain(heard))
    return tuple(
        Entity(one.kind, text[row[one.begin].start : row[one.end - 1].end], one in found)
        for one in mentions
        if one not in doubtful
    )


def told(text: str) -> tuple[Date | DayName | Time | Number, ...]:
    """The dates, times and numbers that a text tells, in order; what is in doubt is left out."""
    return tuple(value for _, _, value in _scanned(items(plain(text))) if value is not None)


def _mentions(row: Sequence[Item], words: _Words, names: Sequence[Name]) -> list[_Mention]:
    told, free = [], set(range(len(row)))
    for begin, end, value in _scanned(row):
        free -= set(range(begin, end))
        if value is not None:
            told.append(_Mention(value, begin, end))
    for name in sorted(set(names), key=lambda one: -len(one.words)):
        for begin, end in words.name(name):
            if free.issuperset(range(begin, end)):
                free -= set(range(begin, end))
                told.append(_Mention(name, begin, end))
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
    if _is_multiplied(row, begin, end) or _has_fraction(row, end):
        return None
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
    return Number(digits, letter) if is_sure and len(digits) <= MOST_DIGITS else None


def _is_multiplied(row: Sequence[Item], begin: int, end: int) -> bool:
    """Whether digits here belong to ``double five``, which one writer takes for 55."""
    before = begin - (word_at(row, begin - 1) in ZERO_SOUNDS)
    if word_at(row, before - 1) in _MULTIPLIERS:
        return True
    follows = row[end + 1] if end + 1 < len(row) else None
    is_digit = follows is not None and (follows.digits is not None or follows.text in ZERO_SOUNDS)
    return word_at(row, end) in _MULTIPLIERS and is_digit


def _has_fraction(row: Sequence[Item], end: int) -> bool:
    """``two and a half`` may be written 2.5."""
    words = tuple(word_at(row, end + n) for n in range(3))
    return words[:2] == ("and", "a") and words[2] in _FRACTIONS


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


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a row without their accents, and where each of them ends a name.

    ``Maya's`` ends one in Maya, too.
    """

    told: tuple[str | None, ...]
    places: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, text: str, row: Sequence[Item]) -> _Words:
        told = tuple(None if item.word is None else _bare(item.word) for item in row)
        places: dict[str, list[int]] = {}
        for position, (item, word) in enumerate(zip(row, told, strict=True)):
            if word is None:
                continue
            places.setdefault(word, []).append(position)
            if text.endswith(_POSSESSIVES, item.start, item.end):
                places.setdefault(word[:-1], []).append(position)
        return cls(told, places)

    def name(self, name: Name) -> Iterator[tuple[int, int]]:
        """Where the words of a name follow one another."""
        for last in self.places.get(name.words[-1], ()):
            begin = last + 1 - len(name.words)
            if begin >= 0 and self.told[begin:last] == name.words[:-1]:
                yield begin, last + 1


def _bare(word: str) -> str:
    """A word without its accents, which writers of a spoken name cannot know."""
    parts = unicodedata.normalize("NFKD", word)
    return "".join(part for part in parts if not unicodedata.combining(part)) or word


def _found(mentions: Sequence[_Mention], heard: str) -> tuple[set[_Mention], set[_Mention]]:
    """Which mentions were heard, and of which that cannot be told."""
    row = items(heard)
    free = set(range(len(row)))
    found: set[_Mention] = set()
    for one, begin, end in _of_the_calendar(mentions, row):
        found.add(one)
        free -= set(range(begin, end))
    doubtful = set()
    for one, begin, end in _of_two_meanings([one for one in mentions if one not in found], row):
        doubtful.add(one)
        free -= set(range(begin, end))
    # What is taken stays taken: a place that one mention of a value was refused, no other can have.
    words, numerals = _Words.of(heard, row), _Numerals.of(row)
    places: dict[Name | Number, Iterator[tuple[int, int]]] = {}
    # The longest first, so that no short number takes the digits of a long one.
    for one in sorted(mentions, key=_digits, reverse=True):
        match one.value:
            case Name() as name:
                left = places.setdefault(name, words.name(name))
            case Number() as number:
                left = places.setdefault(number, numerals.number(number))
            case _:
                continue
        for begin, end in left:
            if free.issuperset(range(begin, end)):
                found.add(one)
                free -= set(range(begin, end))
                break
    return found, doubtful


def _of_two_meanings(
    missed: Sequence[_Mention], row: Sequence[Item]
) -> Iterator[tuple[_Mention, int, int]]:
    """Dates that may be meant by a ``6/11``, one to each."""
    told: dict[tuple[int, int], deque[tuple[int, int]]] = {}
    for begin in range(len(row) - 1):
        one, other = cardinal_at(row, begin, 1, 31), cardinal_at(row, begin + 1, 1, 31)
        if one is not None and other is not None and row[begin + 1].glue == "/":
            end = begin + 2 + (begin + 2 < len(row) and row[begin + 2].glue == "/")
            place = told.setdefault((min(one, other), max(one, other)), deque())
            place.append((begin, end))
    for each in missed:
        if isinstance(each.value, Date):
            numbers = sorted((each.value.month, each.value.day))
            places = told.get((numbers[0], numbers[1]))
            if places:
                yield each, *places.popleft()


def _heard_of_the_calendar(row: Sequence[Item]) -> Iterator[tuple[int, int, _Told]]:
    """What was heard of it, where an hour after ``at`` is one, and 12:00 is noon as on a clock."""
    for begin, end, value in _scanned(row):
        is_number = isinstance(value, Number) or row[begin].cardinal == "1"
        is_one_number = is_number and end == begin + 1
        hour = cardinal_at(row, begin, 1, NOON) if is_one_number else None
        if hour is not None and word_at(row, begin - 1) in _BEFORE_AN_HOUR:
            yield begin, end, Time(hour * 60, is_exact=hour == NOON)
        elif value == Time(NOON * 60, is_exact=False):
            yield begin, end, Time(NOON * 60, is_exact=True)
        elif value is not None:
            yield begin, end, value


def _of_the_calendar(
    mentions: Sequence[_Mention], row: Sequence[Item]
) -> Iterator[tuple[_Mention, int, int]]:
    """Dates and times paired with those heard, as many as possible and the first ones first.

    What was said fully is met by its equal alone, what was said loosely by all that share it. So
    those of one loose form can be paired if no full one asks for more than its equals, and all of
    them together for no more than there are.
    """
    told: dict[_Told, list[_Mention]] = {}
    heard: Counter[_Told] = Counter()
    for begin, end, value in _heard_of_the_calendar(row):
        if isinstance(value, Date | DayName | Time):
            told.setdefault(value.loose, []).append(_Mention(value, begin, end))
            heard[value] += 1
    kept: dict[_Told, list[_Mention]] = {}
    full: Counter[_Told] = Counter()
    for one in mentions:
        if not isinstance(one.value, Date | DayName | Time):
            continue
        asked, loose = one.value, one.value.loose
        those = kept.setdefault(loose, [])
        is_full = not asked.is_loose
        if len(those) < len(told.get(loose, ())) and not (is_full and full[asked] == heard[asked]):
            those.append(one)
            full[asked] += is_full
    for form, those in kept.items():
        yield from _paired(those, told.get(form, ()))


def _paired(
    those: Sequence[_Mention], told: Sequence[_Mention]
) -> Iterator[tuple[_Mention, int, int]]:
    """Pair mentions of one loose form, all of which can be, with what was heard of it."""
    left: dict[_Value, deque[_Mention]] = {}
    for each in told:
        left.setdefault(each.value, deque()).append(each)
    loosely = []
    for one in those:
        if isinstance(one.value, Date | DayName | Time) and one.value.is_loose:
            loosely.append(one)
        else:
            place = left[one.value].popleft()
            yield one, place.begin, place.end
    rest = sorted((each for queue in left.values() for each in queue), key=lambda each: each.begin)
    for one, place in zip(loosely, rest, strict=False):
        yield one, place.begin, place.end


def _digits(one: _Mention) -> int:
    return len(one.value.digits) if isinstance(one.value, Number) else 0


@dataclass(frozen=True, slots=True)
class _Numerals:
    """A row as one line: digits as they are, a letter alone, a sign for every other word.

    To find a number is then to find a text, however many numerals tell it. ``begins`` has where
    each item begins in the line, and where the last one ends.
    """

    line: str
    begins: Sequence[int]

    @classmethod
    def of(cls, row: Sequence[Item]) -> _Numerals:
        shown = [_sign(item) for item in row]
        return cls("".join(shown), [0, *accumulate(map(len, shown))])

    def number(self, number: Number) -> Iterator[tuple[int, int]]:
        """Where numerals say just these digits; a long number may be told in several."""
        wanted = number.letter + number.digits
        most = len(number.letter) + (1 if len(number.digits) < DIGITS_IN_A_ROW else len(wanted))
        at = self.line.find(wanted)
        while at >= 0:
            begin = bisect_left(self.begins, at)
            end = bisect_left(self.begins, at + len(wanted))
            is_whole = (
                self.begins[begin] == at
                and self.begins[end] == at + len(wanted)
                and end - begin <= most
            )
            if is_whole:
                yield begin, end
            at = self.line.find(wanted, self.begins[begin + (self.begins[begin] == at)])


def _sign(item: Item) -> str:
    if item.cardinal is not None:
        return item.cardinal
    word = item.word
    return word if word is not None and len(word) == 1 and word.isalpha() else _OTHER

"""JSON read strictly: nothing that another reader could understand differently gets through.

Refused beyond the grammar: keys that repeat in one object, NaN and infinities, numbers too large to
hold, lone surrogates, nesting deeper than ``MAX_DEPTH``. Faults that leave the text readable are
collected, each with its path, so that a person can mend all of them at once.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Final

from shared.faults import Fault, Where, shown
from shared.values import JsonObject, JsonValue

MAX_DEPTH: Final = 64
"""Objects and lists inside one another, the outermost counted."""

_BLANKS = re.compile(r"[ \t\n\r]*")
# The closing quote may be missing: to look for it from every quote inside would take for ever.
_STRUCTURE = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.DOTALL)
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_TOO_LARGE = "is a number too large to hold; write a smaller one"


class JsonSyntaxError(ValueError):
    """The text is no JSON that can be read. ``line`` counts from 1."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Document:
    """What a text holds. Where a flaw is, ``value`` holds a harmless stand-in."""

    value: JsonValue
    flaws: tuple[Fault, ...]


def parse(text: str) -> Document:
    """Read one JSON text; raise :class:`JsonSyntaxError` when it cannot be read at all."""
    _refuse_deep_nesting(text)
    try:
        raw = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        problem = f"not valid JSON at column {error.colno}: {error.msg}; mend the text there"
        raise JsonSyntaxError(error.lineno, problem) from None
    flaws: list[Fault] = []
    value = _cleaned(raw, (), flaws)
    return Document(value, tuple(flaws))


def line_at(text: str, offset: int) -> int:
    """The line of a character offset, counted from 1."""
    return text.count("\n", 0, offset) + 1


def item_lines(text: str, key: str) -> tuple[int, ...]:
    """The line on which each item of the list under a top-level key starts.

    The text must be one that :func:`parse` reads. Nothing when it holds no such list; the last one
    when the key repeats, as in the parsed value.
    """
    starts: list[int] = []
    position = _after_blanks(text, 0)
    if not text.startswith("{", position):
        return ()
    position = _after_blanks(text, position + 1)
    while text[position] != "}":
        name, position = _DECODER.raw_decode(text, position)
        position = _after_blanks(text, _after_blanks(text, position) + 1)
        if name == key:
            starts = list(_item_starts(text, position))
        _, position = _DECODER.raw_decode(text, position)
        position = _after_comma(text, position)
    return tuple(line_at(text, start) for start in starts)


def _item_starts(text: str, position: int) -> Iterator[int]:
    if text[position] != "[":
        return
    position = _after_blanks(text, position + 1)
    while text[position] != "]":
        yield position
        _, position = _DECODER.raw_decode(text, position)
        position = _after_comma(text, position)


def _after_blanks(text: str, position: int) -> int:
    blanks = _BLANKS.match(text, position)
    return blanks.end() if blanks else position


def _after_comma(text: str, position: int) -> int:
    position = _after_blanks(text, position)
    return _after_blanks(text, position + 1) if text[position] == "," else position


def _refuse_deep_nesting(text: str) -> None:
    depth = 0
    for token in _STRUCTURE.finditer(text):
        opens_or_closes = token.group()
        if opens_or_closes in "[{":
            depth += 1
        elif opens_or_closes in "]}":
            depth -= 1
        if depth > MAX_DEPTH:
            problem = f"nested deeper than {MAX_DEPTH} levels; flatten what is there"
            raise JsonSyntaxError(line_at(text, token.start()), problem)


class _Members(dict[str, object]):
    """An object as decoded, remembering which of its keys came more than once."""

    def __init__(self, pairs: Sequence[tuple[str, object]]) -> None:
        super().__init__(pairs)
        counts = Counter(name for name, _ in pairs)
        self.repeated = [name for name, count in counts.items() if count > 1]


@dataclass(frozen=True, slots=True)
class _NoNumber:
    """Stands where a number stood that cannot be used."""

    problem: str


def _constant(name: str) -> _NoNumber:
    return _NoNumber(f"is {name}, which JSON does not have; write a number or null")


def _decimal(digits: str) -> float | _NoNumber:
    number = float(digits)
    return number if isfinite(number) else _NoNumber(_TOO_LARGE)


def _integer(digits: str) -> int | _NoNumber:
    try:
        return int(digits)
    except ValueError:
        return _NoNumber(_TOO_LARGE)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_Members,
    parse_constant=_constant,
    parse_float=_decimal,
    parse_int=_integer,
)


def _cleaned(raw: object, where: Where, flaws: list[Fault]) -> JsonValue:
    match raw:
        case _Members():
            return _cleaned_object(raw, where, flaws)
        case list():
            return [_cleaned(item, (*where, i), flaws) for i, item in enumerate(raw)]
        case _NoNumber(problem):
            flaws.append(Fault(where, problem))
            return 0
        case str():
            return _cleaned_text(raw, where, flaws)
        case None | bool() | int() | float():
            return raw
        case _:
            raise TypeError(f"not a decoded JSON value: {type(raw).__name__}")


def _cleaned_object(raw: _Members, where: Where, flaws: list[Fault]) -> JsonObject:
    members: dict[str, JsonValue] = {}
    for name, item in raw.items():
        place = (*where, _SURROGATE.sub(_REPLACEMENT, name))
        key = _cleaned_text(name, place, flaws)
        if name in raw.repeated:
            flaws.append(Fault(place, "the key stands more than once in its object; keep one"))
        members[key] = _cleaned(item, place, flaws)
    return members


def _cleaned_text(raw: str, where: Where, flaws: list[Fault]) -> str:
    lone = _SURROGATE.search(raw)
    if lone is None:
        return raw
    problem = f"holds the lone surrogate {shown(lone.group())[1:-1]}; write the whole character"
    flaws.append(Fault(where, problem))
    return _SURROGATE.sub(_REPLACEMENT, raw)

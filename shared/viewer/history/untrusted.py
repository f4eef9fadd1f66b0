"""Values of files that somebody else wrote: each is what it should be, or nothing.

Nothing is converted: a number in quotes is no number, and no ``true`` is a 1. Times are whole
milliseconds from 0 up to the longest session there can be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Final

from shared.audio.wav import LONGEST_S
from shared.plain_text import one_line, shortened
from shared.values import JsonObject, JsonValue
from shared.viewer.view import Span

LONGEST_MS: Final = LONGEST_S * 1_000
LONGEST_TEXT: Final = 20_000
"""Characters of one turn or of one answer of a backend."""
LONGEST_LABEL: Final = 200
_NOTHING: Final[JsonObject] = {}
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def record(value: JsonValue) -> JsonObject:
    """The object, or one without members."""
    return value if isinstance(value, Mapping) else _NOTHING


def items(value: JsonValue) -> Sequence[JsonValue]:
    """The list, or an empty one."""
    return value if isinstance(value, list | tuple) else ()


def records(value: JsonValue) -> Iterator[JsonObject]:
    """The objects of a list."""
    return (one for one in items(value) if isinstance(one, Mapping))


def text(value: JsonValue) -> str | None:
    """What somebody said or wrote, whole characters only, cut where it is endless."""
    if not isinstance(value, str):
        return None
    return shortened(_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value), LONGEST_TEXT)


def label(value: JsonValue) -> str | None:
    """A name in a word or a few; blank is none."""
    told = text(value)
    return None if told is None else one_line(shortened(told.strip(), LONGEST_LABEL)) or None


def identifier(value: JsonValue) -> str | None:
    """What tells one thing from another. Never shown."""
    return value or None if isinstance(value, str) else None


def first_identifier(*values: JsonValue) -> str | None:
    return next((found for one in values if (found := identifier(one)) is not None), None)


def word(value: JsonValue, known: Mapping[str, str] | Sequence[str]) -> str | None:
    """One of some words. With a mapping, what the word stands for."""
    if not isinstance(value, str) or value not in known:
        return None
    return known[value] if isinstance(known, Mapping) else value


def flag(value: JsonValue) -> bool | None:
    return value if isinstance(value, bool) else None


def instant_ms(value: JsonValue) -> int | None:
    """A time, or a length of time, in whole milliseconds."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not isfinite(value):
        return None
    return round(value) if 0 <= value <= LONGEST_MS else None


def first_instant_ms(*values: JsonValue) -> int | None:
    return next((found for one in values if (found := instant_ms(one)) is not None), None)


def span(start: JsonValue, end: JsonValue) -> Span | None:
    """Two times with something between them."""
    start_ms, end_ms = instant_ms(start), instant_ms(end)
    return None if start_ms is None or end_ms is None or end_ms <= start_ms else (start_ms, end_ms)


def pair(value: JsonValue) -> Span | None:
    """A span written as a list of two times."""
    match value:
        case [start, end]:
            return span(start, end)
        case _:
            return None

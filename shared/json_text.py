"""JSON as we write it: every strict reader takes it, and no reader of lines breaks it in two.
And as we read what was written by others: leniently and fast.

Beyond the grammar: no NaN, no infinity, no half characters, no number longer than readers hold,
nothing nested deeper than ``strict_json`` reads; U+2028 and its like are escaped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Final

from pydantic_core import PydanticSerializationError, from_json, to_json

from shared.strict_json import MAX_DEPTH
from shared.values import JsonValue

DEEPEST: Final = MAX_DEPTH - 4
"""How deep evidence may be: the rest is for the file around it."""
TOO_DEEP: Final = "[nested too deep]"
MOST_BITS: Final = 13_000
"""A whole number of so many bits has fewer than the 4,300 digits at which Python stops reading."""

_SMALL: Final = 1 << 53
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
# Lawful within JSON, but some programs take them for ends of lines, and terminals obey them.
_UNSAFE = re.compile(r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def json_text(value: object, *, indent: int | None = None) -> str:
    """The value as JSON text, one line unless indented. Models and enums are taken too."""
    try:
        text = to_json(value, indent=indent, inf_nan_mode="null").decode()
    except (PydanticSerializationError, ValueError):
        text = to_json(portable(value), indent=indent, inf_nan_mode="null").decode()  # type: ignore[arg-type]
    return escaped(text)


def json_value(text: str) -> JsonValue:
    """What ``json.loads`` reads, or its ``ValueError``; a message full of audio in a tenth of the
    time."""
    try:
        value: JsonValue = from_json(text)
    except (ValueError, TypeError):
        # Half characters, which Python holds and others do not; and what is no JSON at all.
        value = json.loads(text)
    return value


def escaped(text: str) -> str:
    """JSON text with what is unsafe on a line or a terminal written as escapes."""
    if text.isascii() and "\x7f" not in text:
        return text
    return _UNSAFE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def portable(value: JsonValue, deepest: int = DEEPEST) -> JsonValue:
    """The value as every reader of JSON in UTF-8 can hold it."""
    match value:
        case str():
            return (
                value
                if value.isascii()
                else _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)
            )
        case float():
            return value if isfinite(value) else None
        case int():
            return value if value.bit_length() <= MOST_BITS else None
        case Mapping() | Sequence() if deepest == 0:
            return TOO_DEEP
        case Mapping():
            return {
                str(portable(str(key))): portable(inner, deepest - 1)
                for key, inner in value.items()
            }
        case Sequence() if _are_small_numbers(value):
            return list(value)
        case Sequence():
            return [portable(inner, deepest - 1) for inner in value]
        case _:
            return value


def _are_small_numbers(values: Sequence[JsonValue]) -> bool:
    """Whether they are whole numbers that anybody can hold: a column of a long measurement."""
    return set(map(type, values)) == {int} and max(map(abs, values)) <= _SMALL  # type: ignore[arg-type]

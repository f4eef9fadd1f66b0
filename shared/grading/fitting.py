"""Make a JSON value fit a size: what is largest is cut first, and every cut says so in place.

The same value and limit always give the same result. Sizes are characters of compact JSON text.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Final

from shared.values import JsonObject, JsonValue

SMALLEST_SHARE: Final = 64
"""Below this many characters an entry says nothing; entries are left out instead."""
_LONGEST_NOTE: Final = 48


def compact(value: JsonValue) -> str:
    """The value as JSON on one line, keys sorted, readable as it is."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    # JSON allows these within a text, but other readers break lines at them.
    return text.translate({0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"})


def cut(text: str, longest: int) -> str:
    """The beginning of a text, with a note of how much is missing."""
    return text if len(text) <= longest else _beginning(text, max(0, longest - _LONGEST_NOTE))


def _beginning(text: str, kept: int) -> str:
    return f"{text[:kept]} [{len(text) - kept} characters removed]"


def fitted(value: JsonObject, limit: int) -> JsonObject:
    """The object in at most ``limit`` characters; as it is when it fits.

    ``limit`` is at least ten times :data:`SMALLEST_SHARE`.
    """
    if limit < 10 * SMALLEST_SHARE:
        raise ValueError(f"{limit} characters are too few to say anything")
    return value if _size(value) <= limit else _fit_object(value, limit)


def _size(value: JsonValue) -> int:
    return len(compact(value))


def _fit(value: JsonValue, limit: int) -> JsonValue:
    if _size(value) <= limit:
        return value
    match value:
        case str():
            return _fit_text(value, limit)
        case Mapping():
            return _fit_object(value, limit)
        case Sequence():
            return _fit_list(value, limit)
        case _:
            return f"[{_size(value)} characters removed]"


def _fit_text(text: str, limit: int) -> str:
    """As much of it as fits: an escape takes several characters for one."""
    kept = range(len(text))
    fitting = bisect_right(kept, limit, key=lambda count: _size(_beginning(text, count)))
    return _beginning(text, kept[fitting - 1])


def _fit_object(value: JsonObject, limit: int) -> JsonObject:
    """The first entries by key."""
    keys = sorted(value)
    # A colon and a comma.
    count, room = _room_for([len(compact(key)) + 2 for key in keys], limit)
    kept, left_out = keys[:count], len(keys) - count
    small = dict(zip(kept, _fit_all([value[key] for key in kept], room), strict=True))
    return {**small, "[removed]": f"{left_out} entries"} if left_out else small


def _fit_list(value: Sequence[JsonValue], limit: int) -> Sequence[JsonValue]:
    """The first and the last entries; what is left out comes from the middle."""
    count, room = _room_for([1] * len(value), limit)
    left_out = len(value) - count
    last = count // 2
    first = count - last
    small = _fit_all([*value[:first], *value[first + left_out :]], room)
    note = [f"[{left_out} entries removed]"] if left_out else []
    return [*small[:first], *note, *small[first:]]


def _room_for(overheads: Sequence[int], limit: int) -> tuple[int, int]:
    """How many entries can have the smallest share beside what goes with them, and all their room.

    A note of what is left out always has its place.
    """
    room = limit - _LONGEST_NOTE
    needed = accumulate(overhead + SMALLEST_SHARE for overhead in overheads)
    count = bisect_right(list(needed), room)
    return count, room - sum(overheads[:count])


def _fit_all(values: Sequence[JsonValue], room: int) -> list[JsonValue]:
    """Divide the room: small values get all they need, the large ones equal parts of the rest."""
    sizes = [_size(value) for value in values]
    small: dict[int, JsonValue] = {}
    for index in sorted(range(len(values)), key=lambda index: sizes[index]):
        share = room // (len(values) - len(small))
        small[index] = _fit(values[index], share)
        room -= min(sizes[index], share)
    return [small[index] for index in range(len(values))]

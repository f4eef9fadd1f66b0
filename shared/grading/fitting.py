"""Make a JSON value fit a size: what is largest is cut first, and every cut says so in place.

The same value and limit always give the same result. Sizes are characters of compact JSON text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
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
    if len(text) <= longest:
        return text
    kept = max(0, longest - _LONGEST_NOTE)
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
    """Cut until the JSON fits: an escape takes several characters for one."""
    longest = limit
    shorter = cut(text, longest)
    while _size(shorter) > limit and longest > _LONGEST_NOTE:
        longest = max(_LONGEST_NOTE, longest - max(1, (_size(shorter) - limit) // 6))
        shorter = cut(text, longest)
    return shorter


def _fit_object(value: JsonObject, limit: int) -> JsonObject:
    keys = sorted(value)
    kept = keys[: _room_for([len(compact(key)) + 2 for key in keys], limit)]
    overhead = sum(len(compact(key)) + 2 for key in kept) + _LONGEST_NOTE
    shares = _shares([_size(value[key]) for key in kept], limit - overhead)
    small = {key: _fit(value[key], share) for key, share in zip(kept, shares, strict=True)}
    left_out = len(keys) - len(kept)
    return {**small, "[removed]": f"{left_out} entries"} if left_out else small


def _fit_list(value: Sequence[JsonValue], limit: int) -> Sequence[JsonValue]:
    """The first and the last entries; what is left out comes from the middle."""
    count = _room_for([1] * len(value), limit)
    if count >= len(value):
        shares = _shares([_size(one) for one in value], limit - len(value) - 2)
        return [_fit(one, share) for one, share in zip(value, shares, strict=True)]
    head, tail = value[: count - count // 2], value[len(value) - count // 2 :]
    shares = _shares([_size(one) for one in (*head, *tail)], limit - count - _LONGEST_NOTE)
    small = [_fit(one, share) for one, share in zip((*head, *tail), shares, strict=True)]
    note = f"[{len(value) - count} entries removed]"
    return [*small[: len(head)], note, *small[len(head) :]]


def _room_for(overheads: Sequence[int], limit: int) -> int:
    """How many entries can have the smallest share, at least, beside their keys and commas."""
    room = limit - _LONGEST_NOTE
    for count, overhead in enumerate(overheads):
        room -= overhead + SMALLEST_SHARE
        if room < 0:
            return count
    return len(overheads)


def _shares(sizes: Sequence[int], limit: int) -> list[int]:
    """Divide the room: small entries get all they need, the large ones equal parts of the rest."""
    shares = [0] * len(sizes)
    room = max(0, limit)
    by_size = sorted(range(len(sizes)), key=lambda index: (sizes[index], index))
    for done, index in enumerate(by_size):
        shares[index] = min(sizes[index], room // (len(sizes) - done))
        room -= shares[index]
    return shares

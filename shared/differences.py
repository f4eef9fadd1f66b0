"""Where an observed value first differs from the expected one, in words for a report.

It finds nothing out: :mod:`shared.matching` decides what matches, this says where it did not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard

from shared.faults import Where, dotted, shown
from shared.matching import MATCH_KEY, MAX_DEPTH, identical, matches
from shared.values import JsonObject, JsonValue


def first_difference(expected: JsonValue, observed: JsonValue) -> str | None:
    """``path: observed, expected ...`` of the first part that does not match; else nothing."""
    return _difference(expected, observed, (), MAX_DEPTH)


def first_change(before: JsonObject, after: JsonObject) -> str | None:
    """The first key of a state that did not stay as it was."""
    for key in sorted({*before, *after}):
        if key not in after:
            return f"{dotted((key,))}: gone"
        if key not in before:
            return f"{dotted((key,))}: new, {shown(after[key])}"
        if not identical(before[key], after[key]):
            return f"{dotted((key,))}: {shown(after[key])}, was {shown(before[key])}"
    return None


def _difference(expected: JsonValue, observed: JsonValue, where: Where, depth: int) -> str | None:
    if depth == 0 or matches(expected, observed):
        return None
    if (
        isinstance(expected, Mapping)
        and isinstance(observed, Mapping)
        and MATCH_KEY not in expected
    ):
        return _difference_within(expected, observed, where, depth)
    if _is_list(expected) and _is_list(observed) and len(expected) == len(observed):
        pairs = enumerate(zip(expected, observed, strict=True))
        found = (_difference(want, item, (*where, n), depth - 1) for n, (want, item) in pairs)
        return next((one for one in found if one is not None), None)
    return f"{dotted(where) or 'value'}: {shown(observed)}, expected {shown(expected)}"


def _difference_within(
    expected: JsonObject, observed: JsonObject, where: Where, depth: int
) -> str | None:
    for key, want in expected.items():
        path = (*where, key)
        if key in observed:
            found = _difference(want, observed[key], path, depth - 1)
        elif matches({key: want}, observed):
            found = None
        else:
            found = f"{dotted(path)}: missing, expected {shown(want)}"
        if found is not None:
            return found
    return None


def _is_list(value: JsonValue) -> TypeGuard[list[JsonValue] | tuple[JsonValue, ...]]:
    return isinstance(value, list | tuple)

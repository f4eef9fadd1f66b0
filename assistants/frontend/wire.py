"""How one JSON object of the wire becomes a frozen type: strictly from clients, else leniently.

Client events are read strictly (a field the schema does not know is refused, at every level) and
server events leniently (fields we do not know are ignored), because a service may grow while a
client has no business inventing commands. Nothing is ever coerced: ``"600"`` is not a number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, TypeAliasType, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

_T = TypeVar("_T")


def _is_absent(value: object) -> bool:
    return value is None


def _finite(value: JsonValue) -> JsonValue:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("numbers must be finite")
    if isinstance(value, dict):
        for inner in value.values():
            _finite(inner)
    if isinstance(value, list):
        for inner in value:
            _finite(inner)
    return value


class StrictModel(BaseModel):
    """An object of which every field is known."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class LenientModel(BaseModel):
    """An object that may carry fields we do not know; they are dropped."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True, allow_inf_nan=False)


# A field that is either there or not: absence is never written as null. A field whose null the wire
# shows is declared ``T | None`` instead.
Maybe = Annotated[_T | None, Field(exclude_if=_is_absent)]

# Free JSON inside an event (a tool's parameters, a session's resolved settings).
JsonDict = Annotated[dict[str, JsonValue], AfterValidator(_finite)]


def kinds_of(union: TypeAliasType) -> tuple[str, ...]:
    """The ``type`` of every event in a union, in its order."""
    return tuple(str(event.model_fields["type"].default) for event in union.__value__.__args__)


def known_kinds(*kinds: str) -> Callable[[object], str]:
    """Sort a value into ``known`` or ``other`` by its ``type``, before it is validated."""
    known = frozenset(kinds)

    def sort(value: object) -> str:
        kind = value.get("type") if isinstance(value, dict) else getattr(value, "type", None)
        return "known" if isinstance(kind, str) and kind in known else "other"

    return sort

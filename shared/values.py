"""Numbers that may be absent: a rate keeps its population, a pair keeps both of its sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import override

type JsonScalar = str | int | float | bool | None
type JsonValue = JsonScalar | Sequence[JsonValue] | Mapping[str, JsonValue]
type JsonObject = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of a population. Add counts, divide once; never average rates."""

    count: int
    total: int

    def __post_init__(self) -> None:
        if not 0 <= self.count <= self.total:
            raise ValueError(f"a rate needs 0 <= count <= total, got {self.count}/{self.total}")

    @property
    def value(self) -> float | None:
        """The share, or nothing when the population is empty."""
        return self.count / self.total if self.total else None

    @override
    def __str__(self) -> str:
        return f"{self.count}/{self.total}"


@dataclass(frozen=True, slots=True)
class CountPair:
    """How many happened against how many were expected."""

    actual: int
    expected: int

    @override
    def __str__(self) -> str:
        return f"{self.actual}/{self.expected}"

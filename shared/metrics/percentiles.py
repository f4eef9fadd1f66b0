"""Percentiles by nearest rank, always with their count.

The p-th percentile of n ordered values is the value at rank ceil(p * n / 100), counted from 1. It
is a value that was observed, so integers stay integers; nothing is interpolated. P50 of an even
count is therefore the lower of the two middle values, and a high percentile of a few values is
their maximum: read it beside its count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self


def nearest_rank[N: (int, float)](ordered: Sequence[N], percent: int) -> N:
    """The percentile of values in ascending order; ``percent`` in 1..100, no empty population."""
    if percent not in range(1, 101):
        raise ValueError(f"a percentile lies in 1..100, got {percent}")
    if not ordered:
        raise ValueError("no values, no percentile")
    rank = -(-percent * len(ordered) // 100)
    return ordered[rank - 1]


@dataclass(frozen=True, slots=True)
class Spread[N: (int, float)]:
    """How some values lie, in their own unit; without values only the count is given."""

    count: int
    p50: N | None = None
    p90: N | None = None
    p99: N | None = None
    maximum: N | None = None

    @classmethod
    def of(cls, values: Iterable[N]) -> Self:
        ordered = sorted(values)
        if not ordered:
            return cls(count=0)
        return cls(
            count=len(ordered),
            p50=nearest_rank(ordered, 50),
            p90=nearest_rank(ordered, 90),
            p99=nearest_rank(ordered, 99),
            maximum=ordered[-1],
        )

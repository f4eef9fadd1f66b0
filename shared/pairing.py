"""Pairing two sides one to one, as many pairs as possible."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence


def largest_pairing(fits: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Pair as many lefts as possible with one right each; ``fits[left]`` lists its rights.

    Augmenting paths, breadth first and lowest positions first, hence always the same answer.
    """
    right_of: dict[int, int] = {}
    left_of: dict[int, int] = {}
    for start in range(len(fits)):
        reached_from: dict[int, int] = {}
        free = _free_right(start, fits, left_of, reached_from)
        while free is not None:
            left = reached_from[free]
            left_of[free] = left
            right_of[left], free = free, right_of.get(left)
    return sorted(right_of.items())


def _free_right(
    start: int,
    fits: Sequence[Sequence[int]],
    left_of: Mapping[int, int],
    reached_from: dict[int, int],
) -> int | None:
    waiting = deque([start])
    while waiting:
        left = waiting.popleft()
        for right in fits[left]:
            if right in reached_from:
                continue
            reached_from[right] = left
            if right not in left_of:
                return right
            waiting.append(left_of[right])
    return None

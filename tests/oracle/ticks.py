"""Spans as reporting bins would hold them: cut at every tick into pieces that touch."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise


def in_ticks(spans: Iterable[tuple[int, int]], tick_ms: int) -> list[tuple[int, int]]:
    return [
        piece
        for start_ms, end_ms in spans
        for piece in pairwise(
            (start_ms, *range((start_ms // tick_ms + 1) * tick_ms, end_ms, tick_ms), end_ms)
        )
    ]

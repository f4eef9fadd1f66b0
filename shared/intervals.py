"""Half-open spans of media time, and the one algebra every metric uses.

Contract: ``docs/metrics-contract.md``, "Speech is exact intervals": spans that overlap or touch are
one span, a positive gap stays a gap.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True, order=True)
class Interval:
    """A span of media time in integer milliseconds, ``[start_ms, end_ms)``. Never empty."""

    start_ms: int
    end_ms: int

    def __post_init__(self) -> None:
        if self.end_ms <= self.start_ms:
            raise ValueError(f"empty interval: [{self.start_ms}, {self.end_ms})")

    @property
    def duration_ms(self) -> int:
        return self.end_ms - self.start_ms

    def overlaps(self, other: Interval) -> bool:
        """Whether the two share any instant. Touching spans do not."""
        return self.start_ms < other.end_ms and other.start_ms < self.end_ms

    def contains(self, instant_ms: int) -> bool:
        return self.start_ms <= instant_ms < self.end_ms

    def shifted(self, offset_ms: int) -> Interval:
        return Interval(self.start_ms + offset_ms, self.end_ms + offset_ms)


@dataclass(frozen=True, slots=True)
class IntervalSet:
    """Disjoint spans in order. Build one with :meth:`of`, which unions what overlaps or touches."""

    spans: tuple[Interval, ...] = ()

    def __post_init__(self) -> None:
        for earlier, later in zip(self.spans, self.spans[1:], strict=False):
            if later.start_ms <= earlier.end_ms:
                raise ValueError(f"spans out of order or touching: {earlier}, {later}")

    @classmethod
    def of(cls, spans: Iterable[Interval | tuple[int, int]]) -> Self:
        """Union any spans, in any order, given as intervals or ``(start_ms, end_ms)`` pairs."""
        ordered = sorted(s if isinstance(s, Interval) else Interval(*s) for s in spans)
        merged: list[Interval] = []
        for span in ordered:
            if merged and span.start_ms <= merged[-1].end_ms:
                if span.end_ms > merged[-1].end_ms:
                    merged[-1] = Interval(merged[-1].start_ms, span.end_ms)
            else:
                merged.append(span)
        return cls(tuple(merged))

    def __iter__(self) -> Iterator[Interval]:
        return iter(self.spans)

    def __len__(self) -> int:
        return len(self.spans)

    def __bool__(self) -> bool:
        return bool(self.spans)

    def __or__(self, other: Self) -> Self:
        return type(self).of((*self.spans, *other.spans))

    def __and__(self, other: Self) -> Self:
        shared: list[Interval] = []
        mine, theirs = 0, 0
        while mine < len(self.spans) and theirs < len(other.spans):
            a, b = self.spans[mine], other.spans[theirs]
            if a.overlaps(b):
                shared.append(Interval(max(a.start_ms, b.start_ms), min(a.end_ms, b.end_ms)))
            if a.end_ms <= b.end_ms:
                mine += 1
            else:
                theirs += 1
        return type(self)(tuple(shared))

    def __sub__(self, other: Self) -> Self:
        left: list[Interval] = []
        first = 0
        for span in self.spans:
            start = span.start_ms
            while first < len(other.spans) and other.spans[first].end_ms <= start:
                first += 1
            at = first
            while at < len(other.spans) and other.spans[at].start_ms < span.end_ms:
                cut = other.spans[at]
                if cut.start_ms > start:
                    left.append(Interval(start, cut.start_ms))
                start = max(start, cut.end_ms)
                at += 1
            if start < span.end_ms:
                left.append(Interval(start, span.end_ms))
        return type(self)(tuple(left))

    def clip(self, window: Interval) -> Self:
        """Keep what lies inside the window; the spans outside it are not walked."""
        first = bisect_right(self.spans, window.start_ms, key=_end_of)
        last = bisect_left(self.spans, window.end_ms, key=_start_of)
        return type(self)(self.spans[first:last]) & type(self)((window,))

    def shifted(self, offset_ms: int) -> Self:
        return type(self)(tuple(span.shifted(offset_ms) for span in self.spans))

    def merged(self, *, gaps_below_ms: int) -> Self:
        """Bridge gaps shorter than the limit. The v2 numbers never use this."""
        bridged: list[Interval] = []
        for span in self.spans:
            if bridged and span.start_ms - bridged[-1].end_ms < gaps_below_ms:
                bridged[-1] = Interval(bridged[-1].start_ms, span.end_ms)
            else:
                bridged.append(span)
        return type(self)(tuple(bridged))

    def contains(self, instant_ms: int) -> bool:
        index = bisect_right(self.spans, instant_ms, key=_end_of)
        return index < len(self.spans) and self.spans[index].contains(instant_ms)

    @property
    def total_ms(self) -> int:
        return sum(span.duration_ms for span in self.spans)

    @property
    def longest_ms(self) -> int:
        """The longest span, 0 when there is none."""
        return max((span.duration_ms for span in self.spans), default=0)

    @property
    def extent(self) -> Interval | None:
        """From the first start to the last end."""
        if not self.spans:
            return None
        return Interval(self.spans[0].start_ms, self.spans[-1].end_ms)


def _start_of(span: Interval) -> int:
    return span.start_ms


def _end_of(span: Interval) -> int:
    return span.end_ms

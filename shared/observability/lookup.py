"""Finding spans by instant in logarithmic time.

An hour of speech is some ten thousand spans a side, so a question about one turn must not walk
them all. Nothing here decides what a span means.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from shared.intervals import Interval, IntervalSet


def start_of(span: Interval) -> int:
    return span.start_ms


def starting_from(spans: IntervalSet, instant_ms: int) -> Interval | None:
    """The first span that starts at or after the instant."""
    index = bisect_left(spans.spans, instant_ms, key=start_of)
    return spans.spans[index] if index < len(spans) else None


def started_before(spans: IntervalSet, instant_ms: int) -> Interval | None:
    """The last span that started before the instant, whether or not it still runs there."""
    index = bisect_left(spans.spans, instant_ms, key=start_of)
    return spans.spans[index - 1] if index else None


def starting_inside(spans: IntervalSet, window: Interval) -> tuple[Interval, ...]:
    """The spans that start after the window's start and before its end; neither edge counts."""
    first = bisect_right(spans.spans, window.start_ms, key=start_of)
    last = bisect_left(spans.spans, window.end_ms, key=start_of)
    return spans.spans[first:last]

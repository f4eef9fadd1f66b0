"""The bins of a debug trace, put back together: exact spans where told, whole bins elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from shared.intervals import IntervalSet
from shared.values import JsonObject, JsonValue
from shared.viewer.history.untrusted import flag, items, pair, record, records, span
from shared.viewer.view import Span


class WorkSource(StrEnum):
    """From what the spans of delegated work are known, best first."""

    LIFECYCLE = "lifecycle_events"
    EXACT_TICKS = "exact_tick_intervals"
    WHOLE_TICKS = "legacy_tick_projection"


@dataclass(frozen=True, slots=True)
class Ticks:
    """``is_exact`` is false where a tick says that somebody spoke, but not when.

    ``work_source`` is absent where no tick tells of delegated work. ``left_out`` counts ticks of
    which a part could not be used.
    """

    caller: IntervalSet
    assistant: IntervalSet
    work: IntervalSet
    work_source: WorkSource | None
    is_exact: bool
    end_ms: int
    events: tuple[JsonObject, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class _Active:
    """When something was so within one tick. No spans at all: the tick does not say."""

    spans: tuple[Span, ...] | None
    is_exact: bool = True
    is_damaged: bool = False


@dataclass(frozen=True, slots=True)
class _Tick:
    bounds: Span
    caller: _Active
    assistant: _Active
    work: _Active
    events: tuple[JsonObject, ...]


def ticks(values: Iterable[JsonValue]) -> Ticks | None:
    """The ticks of a conversation; ``None`` where not one of them can be used."""
    caller, assistant, work = _Track(), _Track(), _Track()
    events: list[JsonObject] = []
    end_ms = left_out = 0
    for value in values:
        tick = _tick(record(value))
        if tick is None:
            left_out += 1
            continue
        end_ms = max(end_ms, tick.bounds[1])
        events.extend(tick.events)
        for track, active in (caller, tick.caller), (assistant, tick.assistant), (work, tick.work):
            track.add(active)
        left_out += tick.caller.is_damaged or tick.assistant.is_damaged or tick.work.is_damaged
    if end_ms == 0:
        return None
    return Ticks(
        caller=IntervalSet.of(caller.spans),
        assistant=IntervalSet.of(assistant.spans),
        work=IntervalSet.of(work.spans),
        work_source=_work_source(work),
        is_exact=caller.is_exact and assistant.is_exact,
        end_ms=end_ms,
        events=tuple(events),
        left_out=left_out,
    )


class _Track:
    """When something was so in all ticks up to now, and how well they say it."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.is_exact = True
        self.is_complete = True
        self.is_told = False

    def add(self, active: _Active) -> None:
        self.is_exact &= active.is_exact
        self.is_complete &= active.spans is not None
        self.is_told |= active.spans is not None
        self.spans.extend(active.spans or ())


def _tick(value: JsonObject) -> _Tick | None:
    bounds = span(value.get("start_ms"), value.get("end_ms"))
    if bounds is None:
        return None
    caller = record(value.get("user", value.get("caller")))
    assistant = record(value.get("assistant", value.get("agent")))
    between = record(value.get("interaction"))
    return _Tick(
        bounds,
        _required(_active(caller, "speech_intervals_ms", "speech", bounds)),
        _required(_active(assistant, "speech_intervals_ms", "speech", bounds)),
        _active(between, "delegation_intervals_ms", "delegation_active", bounds),
        tuple(records(value.get("events"))),
    )


def _active(told: JsonObject, spans_name: str, flag_name: str, bounds: Span) -> _Active:
    listed = told.get(spans_name)
    if isinstance(listed, list | tuple):
        pairs = [pair(one) for one in items(listed)]
        inside = [one for one in pairs if one is not None and _lies_in(one, bounds)]
        return _Active(tuple(inside), is_damaged=len(inside) < len(pairs))
    match flag(told.get(flag_name)):
        case None:
            return _Active(None, is_damaged=spans_name in told or flag_name in told)
        case True:
            return _Active((bounds,), is_exact=False)
        case False:
            return _Active((), is_exact=False)


def _required(active: _Active) -> _Active:
    """Whether somebody spoke is what a tick is for: one that does not say is damaged.

    Silence for a whole tick is exact, however it is told.
    """
    is_exact = active.is_exact or not active.spans
    return _Active(active.spans, is_exact, active.is_damaged or active.spans is None)


def _lies_in(inner: Span, outer: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _work_source(work: _Track) -> WorkSource | None:
    if not work.is_told:
        return None
    is_exact = work.is_exact and work.is_complete
    return WorkSource.EXACT_TICKS if is_exact else WorkSource.WHOLE_TICKS

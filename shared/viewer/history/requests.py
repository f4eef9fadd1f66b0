"""Requests and what became of them; yields, interruptions and backchannels: as they were counted.

Turn rows say it best. Where rows of older builds say nothing of a kind, the events do from which
the figures were counted. Nothing is counted here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from shared.intervals import IntervalSet
from shared.metrics.backchannels import BackchannelOutcome
from shared.metrics.interruptions import YieldOutcome
from shared.metrics.responses import Outcome
from shared.metrics.turn_record import NOT_APPLICABLE
from shared.viewer.history.details import MetricEvent
from shared.viewer.history.turn_rows import TurnRow
from shared.viewer.view import FloorEventView, OpportunityView, Role, TurnView

YIELD, INTERRUPTION, BACKCHANNEL = "yield", "interruption", "backchannel"
INTERRUPTED: Final = INTERRUPTION


@dataclass(frozen=True, slots=True)
class Counted:
    """What was counted, in order of time; ``None`` where no file says whether there was any."""

    opportunities: tuple[OpportunityView, ...] | None
    floor_events: tuple[FloorEventView, ...] | None


def counted(
    rows: Sequence[TurnRow],
    events: Sequence[MetricEvent] | None,
    turns: Iterable[TurnView],
    assistant: IntervalSet,
) -> Counted:
    onsets = {turn.end_ms: turn.start_ms for turn in turns if turn.role is Role.CALLER}
    ends = {span.start_ms: span.end_ms for span in assistant}
    asked = _asked_in_rows(rows)
    if asked is None and events is not None:
        asked = _asked_in_events(events, onsets)
    kinds = [
        _first(_yields(rows), events, _yields_of),
        _first(_backchannels(rows), events, _backchannels_of),
        _first(_interruptions(rows, ends), events, lambda told: _interruptions_of(told, ends)),
    ]
    known = [one for one in kinds if one is not None]
    floor = sorted((event for one in known for event in one), key=lambda event: event.at_ms)
    return Counted(asked, tuple(floor) if known else None)


def _asked_in_rows(rows: Iterable[TurnRow]) -> tuple[OpportunityView, ...] | None:
    found = [
        OpportunityView(
            row.start_ms,
            row.end_ms,
            row.answer.outcome,
            row.answer.reason,
            row.answer.deadline_at_ms,
            row.answer.latency_ms,
            _later(row.end_ms, row.answer.latency_ms),
        )
        for row in rows
        if row.answer is not None
    ]
    return tuple(found) or None


def _asked_in_events(
    events: Iterable[MetricEvent], onsets: Mapping[int, int]
) -> tuple[OpportunityView, ...]:
    """By the end of the request, which is all that an event tells of it."""
    asked: dict[int, OpportunityView] = {}
    late: list[MetricEvent] = []
    for event in events:
        if event.caller_end_ms is None or event.kind not in _ANSWERS:
            continue
        outcome = _ANSWERS[event.kind]
        if outcome is None:
            late.append(event)
        else:
            asked.setdefault(event.caller_end_ms, _asked(event, outcome, onsets))
    for event in late:
        request = asked.get(event.caller_end_ms or 0) or _asked(event, Outcome.MISSED, onsets)
        asked[request.request_end_ms] = replace(
            request,
            deadline_at_ms=event.deadline_at_ms,
            latency_ms=event.latency_ms,
            answer_at_ms=event.assistant_start_ms,
        )
    return tuple(sorted(asked.values(), key=lambda one: one.start_ms))


_ANSWERS: Final[Mapping[str, Outcome | None]] = {
    "response": Outcome.ANSWERED,
    "no_response": Outcome.MISSED,
    "late_response": None,
}


def _asked(event: MetricEvent, outcome: Outcome, onsets: Mapping[int, int]) -> OpportunityView:
    end_ms = event.caller_end_ms or 0
    start_ms, latency_ms = onsets.get(end_ms, end_ms), event.latency_ms
    if latency_ms is None and event.assistant_start_ms is not None:
        latency_ms = max(0, event.assistant_start_ms - end_ms)
    answer_at_ms = event.assistant_start_ms
    return OpportunityView(start_ms, end_ms, outcome.value, None, None, latency_ms, answer_at_ms)


type _Floor = list[FloorEventView]


def _first(
    in_rows: _Floor | None,
    events: Sequence[MetricEvent] | None,
    in_events: Callable[[Sequence[MetricEvent]], _Floor],
) -> _Floor | None:
    if in_rows is not None:
        return in_rows
    return None if events is None else in_events(events)


def _yields(rows: Sequence[TurnRow]) -> _Floor | None:
    if all(row.yielded is None for row in rows):
        return None
    return [
        FloorEventView(
            YIELD,
            row.start_ms,
            _later(row.start_ms, row.yield_latency_ms),
            row.yielded,
            row.yield_latency_ms,
        )
        for row in rows
        if row.yielded is not None and row.yielded != NOT_APPLICABLE
    ]


def _yields_of(events: Iterable[MetricEvent]) -> _Floor:
    outcomes = {"yield": YieldOutcome.YIELDED.value, "no_yield": YieldOutcome.NO_YIELD.value}
    return [
        FloorEventView(
            YIELD,
            event.caller_start_ms,
            event.assistant_stop_ms,
            outcomes[event.kind],
            event.latency_ms,
        )
        for event in events
        if event.kind in outcomes and event.caller_start_ms is not None
    ]


def _backchannels(rows: Sequence[TurnRow]) -> _Floor | None:
    if all(row.backchannel is None for row in rows):
        return None
    return [
        FloorEventView(BACKCHANNEL, row.start_ms, row.end_ms, row.backchannel)
        for row in rows
        if row.backchannel is not None and row.backchannel != NOT_APPLICABLE
    ]


def _backchannels_of(events: Iterable[MetricEvent]) -> _Floor:
    outcomes = {
        "backchannel_correct": BackchannelOutcome.CONTINUED.value,
        "backchannel_error": BackchannelOutcome.FALSE_YIELD.value,
    }
    return [
        FloorEventView(
            BACKCHANNEL, event.caller_start_ms, event.caller_end_ms, outcomes[event.kind]
        )
        for event in events
        if event.kind in outcomes and event.caller_start_ms is not None
    ]


def _interruptions(rows: Sequence[TurnRow], ends: Mapping[int, int]) -> _Floor | None:
    if not rows or any(row.interruptions_ms is None for row in rows):
        return None
    onsets = [at_ms for row in rows for at_ms in row.interruptions_ms or ()]
    return [_interrupted(at_ms, ends) for at_ms in onsets]


def _interruptions_of(events: Iterable[MetricEvent], ends: Mapping[int, int]) -> _Floor:
    return [
        _interrupted(event.assistant_start_ms, ends)
        for event in events
        if event.kind == "agent_interruption" and event.assistant_start_ms is not None
    ]


def _interrupted(at_ms: int, ends: Mapping[int, int]) -> FloorEventView:
    """Until the assistant paused, where it is known when that was."""
    return FloorEventView(INTERRUPTION, at_ms, ends.get(at_ms), INTERRUPTED)


def _later(from_ms: int, after_ms: int | None) -> int | None:
    return None if after_ms is None else from_ms + after_ms

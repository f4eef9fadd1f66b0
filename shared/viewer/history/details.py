"""The details of an attempt as builds of all ages wrote them, as far as a page may tell them."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Final

from shared.values import JsonObject, JsonValue
from shared.viewer.history.said import Said, said_in_list
from shared.viewer.history.ticks import WorkSource
from shared.viewer.history.transcript_text import said_in_text
from shared.viewer.history.turn_rows import TurnRows, turn_rows
from shared.viewer.history.untrusted import (
    instant_ms,
    items,
    label,
    pair,
    record,
    records,
    word,
)
from shared.viewer.view import Span

EVENTS: Final = (
    "response",
    "no_response",
    "late_response",
    "yield",
    "no_yield",
    "backchannel_correct",
    "backchannel_error",
    "agent_interruption",
)
_WORK_SOURCES: Final = tuple(one.value for one in WorkSource)


@dataclass(frozen=True, slots=True)
class MetricEvent:
    """Something that was counted of a caller turn, with the times that it names."""

    kind: str
    caller_start_ms: int | None
    caller_end_ms: int | None
    assistant_start_ms: int | None
    assistant_stop_ms: int | None
    latency_ms: int | None
    deadline_at_ms: int | None


@dataclass(frozen=True, slots=True)
class Details:
    """``lifecycle`` and ``happenings`` are events of delegated work, still to be understood, absent
    where the details have no such list.

    ``floor_hold`` is absent where the details do not say when work held the floor in silence, and
    ``extent_ms`` where they do not say how long the conversation was.
    """

    said: Said
    rows: TurnRows
    events: tuple[MetricEvent, ...] | None
    floor_hold: tuple[Span, ...] | None
    work_source: str | None
    lifecycle: tuple[JsonObject, ...] | None
    happenings: tuple[JsonObject, ...] | None
    condition: str | None
    ending: str | None
    extent_ms: int | None
    left_out: int


def details(content: JsonObject) -> Details:
    metrics = record(content.get("interaction_metrics"))
    metadata = record(content.get("run_metadata"))
    counted, left_out = _metric_events(metrics.get("events"))
    return Details(
        said=_said(content.get("transcript")),
        rows=turn_rows(items(content.get("turn_metrics"))),
        events=counted,
        floor_hold=_spans(metrics.get("floor_hold_intervals_ms")),
        work_source=word(metrics.get("delegation_timing_source"), _WORK_SOURCES),
        lifecycle=_listed(metadata.get("delegation_lifecycle_events")),
        happenings=_listed(content.get("agent_events")),
        condition=label(content.get("audio_condition")) or label(metadata.get("audio_condition")),
        ending=label(content.get("termination_reason")),
        extent_ms=_extent_ms(record(content.get("efficiency_metrics"))),
        left_out=left_out,
    )


def _listed(value: JsonValue) -> tuple[JsonObject, ...] | None:
    return tuple(records(value)) if isinstance(value, list | tuple) else None


def _said(value: JsonValue) -> Said:
    return said_in_text(value) if isinstance(value, str) else said_in_list(value)


def _spans(value: JsonValue) -> tuple[Span, ...] | None:
    if not isinstance(value, list | tuple):
        return None
    return tuple(sorted(one for one in map(pair, value) if one is not None))


def _extent_ms(efficiency: JsonObject) -> int | None:
    seconds = efficiency.get("conversation_duration_s")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    # Beyond any session before it is multiplied: whole numbers have no end.
    return instant_ms(seconds * 1_000) if 0 < seconds < _LONGEST_S and isfinite(seconds) else None


_LONGEST_S: Final = 100_000


def _metric_events(value: JsonValue) -> tuple[tuple[MetricEvent, ...] | None, int]:
    """What was counted, nothing where it is not told; and how many entries name no time."""
    if not isinstance(value, list | tuple):
        return None, 0
    found = [_metric_event(record(one)) for one in value]
    events = tuple(event for event in found if event is not None)
    return events, len(found) - len(events)


def _metric_event(value: JsonObject) -> MetricEvent | None:
    kind = word(value.get("type"), EVENTS)
    if kind is None:
        return None
    interruption_ms = value.get("caller_interruption_ms")
    event = MetricEvent(
        kind,
        instant_ms(value.get("caller_start_ms", interruption_ms)),
        instant_ms(value.get("caller_end_ms")),
        instant_ms(value.get("assistant_start_ms")),
        instant_ms(value.get("assistant_stop_ms")),
        instant_ms(value.get("latency_ms")),
        instant_ms(value.get("deadline_at_ms")),
    )
    return None if _when_ms(event) is None else event


def _when_ms(event: MetricEvent) -> int | None:
    """The time without which an event of its kind is nowhere."""
    match event.kind:
        case "response" | "no_response" | "late_response":
            return event.caller_end_ms
        case "agent_interruption":
            return event.assistant_start_ms
        case _:
            return event.caller_start_ms

"""A conversation cut into bins for display, and a row for each caller turn.

A tick is a bin and nothing more: every span in it is exact, cut at the bin's edges alone, and no
number is ever computed from one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from shared.intervals import Interval, IntervalSet
from shared.metrics.interaction import InteractionMeasurements
from shared.metrics.turn_record import row
from shared.observability.evidence import Evidence
from shared.observability.observations import Observation, Speaker
from shared.observability.timeline import Timeline
from shared.observability.turns import Turn
from shared.reporting.lifecycle import timed_lifecycle_events
from shared.reporting.standing import standing, task_row
from shared.scenarios import Scenario
from shared.values import JsonObject, JsonValue


def tick_rows(
    timeline: Timeline,
    tick_ms: int,
    observations: Iterable[Observation] = (),
    rms: Mapping[Speaker, Sequence[float | None]] | None = None,
) -> list[JsonObject]:
    """The observation in bins of ``tick_ms``, in order; the last one may be shorter.

    ``observations`` are the assistant's, of which delegated work is listed. ``rms`` holds a level
    per tick and party, in sample units, where somebody measured it; what is unknown is null.
    """
    end_ms = timeline.extent.end_ms
    starts_ms = range(timeline.extent.start_ms, end_ms, tick_ms)
    bins = [Interval(start_ms, min(start_ms + tick_ms, end_ms)) for start_ms in starts_ms]
    words = _Words.of(timeline.caller_turns), _Words.of(timeline.assistant_turns)
    levels = rms or {}
    events: list[list[JsonValue]] = [[] for _ in bins]
    for at_ms, event in _events(timeline, observations):
        events[min(max(at_ms, 0) // tick_ms, len(bins) - 1)].append(event)
    return [
        {
            "tick": index,
            "start_ms": one.start_ms,
            "end_ms": one.end_ms,
            "user": {
                **_speech(timeline.caller.clip(one), levels.get(Speaker.CALLER), index),
                "action": _action(timeline.caller_turns, one),
                "transcript": words[0].between(one.start_ms, one.end_ms),
            },
            "assistant": {
                **_speech(timeline.assistant.clip(one), levels.get(Speaker.ASSISTANT), index),
                "transcript": words[1].between(one.start_ms, one.end_ms),
            },
            "interaction": _interaction(timeline, one),
            "events": events[index],
        }
        for index, one in enumerate(bins)
    ]


def turn_rows(
    measured: InteractionMeasurements,
    timeline: Timeline,
    evidence: Evidence,
    scenario: Scenario,
    *,
    is_completed: bool,
) -> list[JsonObject]:
    """The measured caller turns, each with what was newly said and done by its window's end.

    A window ends where the next caller turn begins; the last one holds everything up to the end.
    ``is_completed`` is the verdict's, and told of the last turn alone.
    """
    assistant = _Words.of(timeline.assistant_turns)
    rows: list[JsonObject] = []
    told_ms, stood = timeline.extent.start_ms, None
    for number, record in enumerate(measured.turns, start=1):
        is_last = number == len(measured.turns)
        until_ms = max(told_ms, record.window_end_ms)
        spoken = assistant.between(timeline.extent.start_ms, until_ms)
        stands = standing(evidence, scenario, spoken, None if is_last else until_ms)
        rows.append(
            {
                **row(record, measured.metrics_version),
                "assistant_transcript": assistant.between(told_ms, until_ms),
                "task": task_row(stands, stood, is_completed=is_completed if is_last else None),
            }
        )
        told_ms, stood = until_ms, stands
    return rows


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of one party, each at the instant where it lies if all take equally long."""

    instants_ms: tuple[int, ...]
    words: tuple[str, ...]

    @classmethod
    def of(cls, turns: Iterable[Turn]) -> _Words:
        placed = sorted(
            (
                (turn.span.start_ms + number * turn.span.duration_ms // len(words), word)
                for turn in turns
                for words in [turn.text.split()]
                for number, word in enumerate(words)
            ),
            key=lambda one: one[0],
        )
        return cls(tuple(at_ms for at_ms, _ in placed), tuple(word for _, word in placed))

    def between(self, start_ms: int, end_ms: int) -> str:
        first, last = (bisect_left(self.instants_ms, edge) for edge in (start_ms, end_ms))
        return " ".join(self.words[first:last])


def _speech(voiced: IntervalSet, levels: Sequence[float | None] | None, index: int) -> JsonObject:
    level = None if levels is None else levels[index]
    return {
        "speech": bool(voiced),
        "speech_intervals_ms": _pairs(voiced),
        "rms": None if level is None else round(level, 2),
    }


def _interaction(timeline: Timeline, within: Interval) -> JsonObject:
    work = timeline.work.clip(within)
    return {
        "overlap_ms": (timeline.caller.clip(within) & timeline.assistant.clip(within)).total_ms,
        "delegation_active": bool(work),
        "delegation_intervals_ms": _pairs(work),
        "delegation_active_ms": work.total_ms,
    }


def _action(turns: Iterable[Turn], within: Interval) -> str | None:
    """The action of the first caller turn that reaches into the tick, its pauses included."""
    return next((turn.action for turn in turns if turn.span.overlaps(within)), None)


def _events(
    timeline: Timeline, observations: Iterable[Observation]
) -> list[tuple[int, JsonObject]]:
    """What happened, in order of media time; at one instant, what the caller did comes first."""
    actions = [(turn.span.start_ms, _action_event(turn)) for turn in timeline.caller_turns]
    return sorted((*actions, *timed_lifecycle_events(observations)), key=lambda timed: timed[0])


def _action_event(turn: Turn) -> JsonObject:
    return {
        "type": "caller.action.observed",
        "offset_ms": turn.span.start_ms,
        "role": "user",
        "action": turn.action,
        "source": turn.source,
        "text": turn.text,
    }


def _pairs(spans: IntervalSet) -> list[JsonValue]:
    return [[span.start_ms, span.end_ms] for span in spans]

"""The course of an attempt from whatever its run left: what is known, and a sentence for the rest.

Of several files that tell the same, the one that knows best is believed. When the parties spoke is
taken from the debug trace, or heard again in the recording; what they said from the details, the
transcript or the turn rows; what was counted from the turn rows or the details. No number is
computed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shared.intervals import IntervalSet
from shared.values import JsonObject
from shared.viewer.history.backend import Backend, backend
from shared.viewer.history.bounds import bounded
from shared.viewer.history.files import Files, Source
from shared.viewer.history.gaps import because, left_out
from shared.viewer.history.parsed import Parsed, parsed
from shared.viewer.history.requests import Counted, counted
from shared.viewer.history.said import Said, with_actions
from shared.viewer.history.timing import Measured, Timing, timing
from shared.viewer.history.untrusted import label, record
from shared.viewer.view import Course, Span, TrackView, TurnView


def course_of_history(row: JsonObject, files: Files) -> Course:
    """The course of an attempt from its row in a report and its files.

    Never raises for what these hold: what is damaged is left out, and named in ``missing``.
    """
    told = parsed(files)
    kept = told.details
    heard = timing(row, files, told.ticks, None if kept is None else kept.condition)
    said = told.said(heard.assistant)
    turns = with_actions(said.turns, told.rows)
    found = counted(told.rows, None if kept is None else kept.events, turns, heard.assistant)
    extent_ms = _extent_ms(told, heard, turns)
    work = backend(row, told, extent_ms)
    return bounded(
        Course(
            extent_ms=extent_ms,
            timing_source=heard.source,
            delegation_timing_source=work.work_source,
            caller=_track(heard.caller, heard.caller_by),
            assistant=_track(heard.assistant, heard.assistant_by),
            overlaps=_pairs(heard.caller & heard.assistant),
            floor_hold=work.floor_hold,
            turns=turns,
            opportunities=found.opportunities or (),
            floor_events=found.floor_events or (),
            delegations=work.delegations,
            tools=work.tools,
            decisions=() if told.trace is None else told.trace.decisions,
            ending=_ending(row, told),
            missing=tuple(_missing(told, heard, said, found, work)),
        )
    )


def _track(voiced: IntervalSet, by: Measured) -> TrackView:
    return TrackView(_pairs(voiced), by.detector, by.measured_on)


def _pairs(spans: IntervalSet) -> tuple[Span, ...]:
    return tuple((one.start_ms, one.end_ms) for one in spans)


def _extent_ms(told: Parsed, heard: Timing, turns: Sequence[TurnView]) -> int:
    """As far as any file reaches: what lies beyond the longest session has been left out."""
    reached = [heard.end_ms]
    if told.files.reconstructed is not None:
        reached.append(told.files.reconstructed.duration_ms)
    if told.details is not None:
        reached.append(told.details.extent_ms or 0)
    reached.extend(turn.end_ms for turn in turns)
    reached.extend(row.window_end_ms or row.end_ms for row in told.rows)
    return max(reached)


def _ending(row: JsonObject, told: Parsed) -> str | None:
    ending = None if told.details is None else told.details.ending
    completion = record(record(row.get("observability")).get("completion"))
    return ending or label(completion.get("termination_reason"))


def _missing(
    told: Parsed, heard: Timing, said: Said, found: Counted, work: Backend
) -> Iterator[str]:
    yield from heard.missing
    files = told.files
    if not said.turns:
        reasons = because(files, Source.DETAILS, Source.TRANSCRIPT, Source.TURNS)
        yield f"What was said is not known: {reasons}."
    uncounted = [
        what
        for what, known in (
            ("the requests", found.opportunities),
            ("yields, interruptions and backchannels", found.floor_events),
        )
        if known is None
    ]
    if uncounted:
        reasons = because(files, Source.TURNS, Source.DETAILS)
        yield f"What became of {' and of '.join(uncounted)} is not known: {reasons}."
    yield from work.missing
    if told.trace is not None and told.trace.decisions:
        yield "When the completion observer was asked is not known, only when it was done."
    yield from left_out(
        (
            said.left_out,
            "turn is left out: it says not who spoke, what or when",
            "turns are left out: they say not who spoke, what or when",
        ),
        (
            said.unplaced,
            "answer is left out: when it was given is not known",
            "answers are left out: when they were given is not known",
        ),
    )
    yield from told.damage()

"""No more of anything than a page can serve: a damaged file may hold things by the million."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from shared.viewer.view import Course, DelegationView, ToolView, TrackView

MOST: Final = 20_000
"""Of one kind in one attempt: turns, spans, calls."""
MOST_TEXTS: Final = 100
"""Final answers within one delegation."""


def bounded(course: Course) -> Course:
    """The first so many of each kind, and a sentence for each kind of which there are more."""
    cut = tuple(
        f"Only the first {MOST:,} {what} are told, of {len(told):,}."
        for what, told in (
            ("spans of the caller", course.caller.voiced),
            ("spans of the assistant", course.assistant.voiced),
            ("overlaps", course.overlaps),
            ("silences", course.floor_hold),
            ("turns", course.turns),
            ("requests", course.opportunities),
            ("yields, interruptions and backchannels", course.floor_events),
            ("delegations", course.delegations),
            ("calls", course.tools),
            ("decisions", course.decisions),
        )
        if len(told) > MOST
    )
    return replace(
        course,
        caller=_track(course.caller),
        assistant=_track(course.assistant),
        overlaps=course.overlaps[:MOST],
        floor_hold=course.floor_hold[:MOST],
        turns=course.turns[:MOST],
        opportunities=course.opportunities[:MOST],
        floor_events=course.floor_events[:MOST],
        delegations=tuple(_delegation(one) for one in course.delegations[:MOST]),
        tools=tuple(_tool(one) for one in course.tools[:MOST]),
        decisions=course.decisions[:MOST],
        missing=(*course.missing, *cut),
    )


def _track(track: TrackView) -> TrackView:
    return replace(track, voiced=track.voiced[:MOST])


def _delegation(one: DelegationView) -> DelegationView:
    return replace(one, work=one.work[:MOST], texts=one.texts[:MOST_TEXTS])


def _tool(call: ToolView) -> ToolView:
    """A delegation that is not told has no place."""
    is_told = call.delegation is None or call.delegation < MOST
    return call if is_told else replace(call, delegation=None)

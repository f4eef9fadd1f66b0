"""Delegated work and calls of an attempt, from every file that tells of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from shared.values import JsonObject
from shared.viewer.history.calls import all_recorded_steps, calls_of, recorded_steps
from shared.viewer.history.delegations import Delegated, Telling, delegated
from shared.viewer.history.files import Source
from shared.viewer.history.gaps import because, left_out, why
from shared.viewer.history.parsed import Parsed
from shared.viewer.history.steps import Step, steps
from shared.viewer.history.story import story
from shared.viewer.history.ticks import WorkSource
from shared.viewer.history.transcript_marks import steps_in_text
from shared.viewer.history.untrusted import record, records
from shared.viewer.view import DelegationView, Span, ToolView


@dataclass(frozen=True, slots=True)
class Backend:
    """``work_source`` says from what the spans of work are known, ``floor_hold`` when work held
    the floor in silence, as it was counted."""

    delegations: tuple[DelegationView, ...]
    tools: tuple[ToolView, ...]
    work_source: str | None
    floor_hold: tuple[Span, ...]
    missing: tuple[str, ...]


def backend(row: JsonObject, told: Parsed, extent_ms: int) -> Backend:
    tellings = list(_tellings(told)) or list(_marks(told))
    tools = record(record(row.get("observability")).get("tools"))
    found = delegated(
        tellings,
        [
            calls_of(recorded_steps(call for one in told.rows for call in one.calls)),
            calls_of(all_recorded_steps(records(tools.get("executed")))),
        ],
        extent_ms,
    )
    delegations, work_source = _with_work(found, told)
    kept = told.details
    floor_hold = None if kept is None else kept.floor_hold
    gaps = _Gaps(told, delegations, found, bool(tellings))
    return Backend(
        delegations,
        found.tools,
        work_source,
        floor_hold or (),
        tuple(gaps.sentences(knows_floor_hold=floor_hold is not None)),
    )


def _tellings(told: Parsed) -> Iterator[Telling]:
    """Every list of steps that there is, the one that knows best about times in front."""
    kept = told.details
    if kept is not None and kept.lifecycle is not None:
        yield Telling(story(_steps(kept.lifecycle)))
    if told.trace is not None:
        yield Telling(story(told.trace.steps), is_event_log=True)
    if told.ticks is not None and (told.ticks.events or told.ticks.work_source is not None):
        yield Telling(story(_steps(told.ticks.events)), notes_moments_alone=True)
    if kept is not None and kept.happenings is not None:
        yield Telling(story(_steps(kept.happenings)), notes_moments_alone=True)


def _marks(told: Parsed) -> Iterator[Telling]:
    """What the transcript notes of it, where nothing else does: moments without identity."""
    content = told.files.transcript
    if content is not None:
        yield Telling(story(steps_in_text(content)), notes_moments_alone=True)


def _steps(events: Iterable[JsonObject]) -> Iterator[Step]:
    return (step for event in events for step in steps(event))


def _with_work(found: Delegated, told: Parsed) -> tuple[tuple[DelegationView, ...], str | None]:
    """Spans of the steps, or else those of the ticks where they can only be one delegation's."""
    if found.has_spans:
        return found.delegations, WorkSource.LIFECYCLE.value
    noted = told.ticks
    if noted is not None and noted.work and len(found.delegations) == 1:
        work = tuple((one.start_ms, one.end_ms) for one in noted.work)
        return (replace(found.delegations[0], work=work),), noted.work_source
    counted_from = None if told.details is None else told.details.work_source
    noted_from = None if noted is None else noted.work_source
    return found.delegations, counted_from or noted_from


@dataclass(frozen=True, slots=True)
class _Gaps:
    told: Parsed
    delegations: tuple[DelegationView, ...]
    found: Delegated
    is_told: bool

    def sentences(self, *, knows_floor_hold: bool) -> Iterator[str]:
        files = self.told.files
        if not self.is_told:
            reasons = because(files, Source.TRACE, Source.DETAILS, Source.TICKS)
            yield f"Whether work was delegated is not known: {reasons}."
        lonely = sum(one.is_timeline_only for one in self.delegations)
        if lonely:
            yield (
                f"Of {lonely} of {len(self.delegations)} delegations only the moment is known:"
                f" {why(files, Source.TRACE)}."
            )
        if self.delegations and not any(one.work for one in self.delegations):
            yield "When delegated work was under way is not known."
        elif self.delegations and not knows_floor_hold:
            yield (
                "When delegated work held the floor in silence is not known:"
                f" {why(files, Source.DETAILS)}."
            )
        if len(self.delegations) > lonely and self.told.trace is None:
            yield f"What the backend answered is not known: {why(files, Source.TRACE)}."
        yield from left_out(
            (
                self.found.unmarked,
                "moment of a delegation is left out: it may be that of one told otherwise",
                "moments of delegations are left out: they may be those of some told otherwise",
            ),
            (
                self.found.unplaced,
                "answer of the backend is left out: it may be that of several delegations",
                "answers of the backend are left out: each may be that of several delegations",
            ),
        )

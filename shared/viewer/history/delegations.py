"""Delegations and calls of tools, put together from all files that tell of them.

A delegation is the same one where its identity is. The order of the tellings is that of how well
they know when work was under way; of what a backend said in the end, every one may tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from shared.intervals import IntervalSet
from shared.viewer.history.calls import UNKNOWN, Call, together
from shared.viewer.history.steps import CLIENT, COMPLETED, FAILED, INCOMPLETE, Step, StepKind
from shared.viewer.history.story import Story
from shared.viewer.history.work import IN_PROGRESS, RECORDED, spans, status
from shared.viewer.view import DelegationView, Span, ToolView

UNAVAILABLE: Final = "unavailable"
_PROGRESS: Final[Mapping[str, int]] = {
    RECORDED: 0,
    IN_PROGRESS: 1,
    COMPLETED: 2,
    FAILED: 2,
    INCOMPLETE: 2,
}
_UNKNOWN_TARGET: Final = "unknown"


@dataclass(frozen=True, slots=True)
class Telling:
    """What a file tells. One that notes moments alone says nothing by its silence: a delegation of
    which it knows only that it began may have done anything since. An event log may have no time
    but the provider's, which every other file knows better."""

    story: Story
    notes_moments_alone: bool = False
    is_event_log: bool = False


@dataclass(frozen=True, slots=True)
class Delegated:
    """Delegations in order of time, and the calls made.

    ``has_spans`` says whether it was read from steps when work was under way. ``unmarked`` counts
    delegations without an identity that may be others already told, ``unplaced`` final answers that
    may be those of several.
    """

    delegations: tuple[DelegationView, ...]
    tools: tuple[ToolView, ...]
    has_spans: bool
    unmarked: int
    unplaced: int


def delegated(
    tellings: Sequence[Telling], others: Iterable[Sequence[Call]], extent_ms: int
) -> Delegated:
    """``others`` are calls of files that know of no delegation."""
    stories = [one.story for one in tellings]
    identities = list(dict.fromkeys(owner for one in stories for owner in one.owned))
    views = {owner: _view(owner, tellings, extent_ms) for owner in identities}
    marks, unmarked = _marks(stories, views.values())
    listed = sorted(
        [*views.items(), *((None, mark) for mark in marks)], key=lambda one: _when(one[1].at_ms)
    )
    places = {owner: place for place, (owner, _) in enumerate(listed) if owner is not None}
    owners = _owners(stories)
    calls = together([*(one.calls for one in stories), *others])
    return Delegated(
        tuple(view for _, view in listed),
        tuple(_tool(call, owners, places) for call in calls),
        any(view.work for view in views.values()),
        unmarked,
        sum(one.unplaced for one in stories),
    )


def _view(owner: str, tellings: Sequence[Telling], extent_ms: int) -> DelegationView:
    told = [(one, one.story.owned[owner]) for one in tellings if owner in one.story.owned]
    known = [owned for one, owned in told if not (one.notes_moments_alone and _is_moment(owned))]
    by_times = sorted(told, key=lambda one: one[0].is_event_log)
    began = [step for _, owned in by_times for step in owned if step.kind is StepKind.DELEGATED]
    at_ms = next((step.at_ms for step in began if step.at_ms is not None), None)
    target = next((step.name for step in began if step.name is not None), _UNKNOWN_TARGET)
    if not known:
        return DelegationView(target, UNAVAILABLE, at_ms, (), (), is_timeline_only=True)
    steps = [step for owned in known for step in owned]
    responses = {step.response_id for step in steps if step.response_id is not None}
    return DelegationView(
        target=target,
        status=max((status(owned) for owned in known), key=_PROGRESS.__getitem__),
        at_ms=at_ms,
        work=_pairs(_first(spans(owned, extent_ms) for owned in known)),
        texts=_texts(steps),
        responses=len(responses) if responses or target != CLIENT else None,
    )


def _is_moment(owned: Sequence[Step]) -> bool:
    return all(step.kind is StepKind.DELEGATED for step in owned)


def _first(told: Iterable[IntervalSet | None]) -> IntervalSet:
    return next((one for one in told if one is not None), IntervalSet())


def _pairs(told: IntervalSet) -> tuple[Span, ...]:
    return tuple((one.start_ms, one.end_ms) for one in told)


def _texts(steps: Sequence[Step]) -> tuple[str, ...]:
    """The application's own last word, or else what the backend's messages say, each once."""
    final = [
        step.text
        for step in steps
        if step.kind is StepKind.APPLICATION_ENDED and step.text is not None
    ]
    if final:
        return (final[-1],)
    return tuple(dict.fromkeys(step.text for step in steps if step.text is not None))


def _marks(
    stories: Iterable[Story], known: Iterable[DelegationView]
) -> tuple[list[DelegationView], int]:
    """Delegations without an identity, each moment once, and how many may be known ones.

    One at the very moment of a known one to the same target is that one. At another moment it may
    be it, too, by another clock, and nothing says so.
    """
    told = {(view.at_ms, view.target) for view in known}
    targets = {target for _, target in told}
    moments = dict.fromkeys(
        (step.at_ms, step.name or _UNKNOWN_TARGET) for one in stories for step in one.marks
    )
    others = [moment for moment in moments if moment not in told]
    views = [
        DelegationView(target, UNAVAILABLE, at_ms, (), (), is_timeline_only=True)
        for at_ms, target in others
        if target not in targets
    ]
    return views, len(others) - len(views)


def _owners(stories: Iterable[Story]) -> Mapping[str, str | None]:
    """Whose each response is; nobody's where files disagree."""
    owners: dict[str, str | None] = {}
    for one in stories:
        for response_id, owner in one.owners.items():
            is_agreed = owners.setdefault(response_id, owner) == owner
            owners[response_id] = owner if is_agreed else None
    return owners


def _tool(call: Call, owners: Mapping[str, str | None], places: Mapping[str, int]) -> ToolView:
    by_response = owners.get(call.response_id) if call.response_id is not None else None
    owner = call.delegation_id or by_response
    return ToolView(
        call.name or UNKNOWN,
        call.status,
        call.at_ms,
        call.returned_at_ms,
        None if owner is None else places.get(owner),
    )


def _when(at_ms: int | None) -> tuple[bool, int]:
    return at_ms is None, at_ms or 0

"""When a delegation was at work and how it ended, from its own steps in order.

The reducer is the one of live sessions. Older logs leave out two things that it goes by, and both
follow from what they have: that outputs were sent back before the next response of the same
delegation began, and that a call had been made before it returned. Work of the application itself
lasts from its beginning to the application's own word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from shared.clock import Stamp
from shared.intervals import IntervalSet
from shared.observability.delegation import WorkState, work_intervals
from shared.observability.observations import (
    ContinuationRefused,
    DelegationBegan,
    DelegationEnded,
    DelegationOutcome,
    Observation,
    ResponseBegan,
    ResponseEnded,
    ResponseStatus,
    ToolCalled,
    ToolReturned,
    ToolStatus,
    WorkContinued,
)
from shared.viewer.history.steps import CLIENT, COMPLETED, FAILED, Step, StepKind

RECORDED: Final = "recorded"
IN_PROGRESS: Final = "in_progress"
MOST_STEPS: Final = 500
"""Of one delegation. A log with more of them is damaged, and following it would take for ever."""


def status(owned: Sequence[Step]) -> str:
    """How far the work came: recorded, in_progress, completed, failed or incomplete."""
    ended = [one.status for one in owned if one.kind is StepKind.APPLICATION_ENDED]
    if ended:
        return ended[-1] or IN_PROGRESS
    if all(one.kind in {StepKind.DELEGATED, StepKind.ITEM} for one in owned):
        is_answered = any(one.kind is StepKind.ITEM for one in owned)
        return IN_PROGRESS if is_answered else RECORDED
    last = [one for one in owned if one.kind is not StepKind.ITEM][-1]
    if _target(owned) == CLIENT or len(owned) > MOST_STEPS:
        return IN_PROGRESS
    if not _tells_beginnings(owned):
        return last.status if last.kind is StepKind.RESPONSE_ENDED and last.status else IN_PROGRESS
    work = WorkState()
    for seen in _observations(owned):
        work.observe(seen)
    endings = [one.status for one in owned if one.kind is StepKind.RESPONSE_ENDED]
    return IN_PROGRESS if work.is_active or not endings else endings[-1] or IN_PROGRESS


def _tells_beginnings(owned: Sequence[Step]) -> bool:
    """Whether it can be followed at all: a list without beginnings would have every call wait for
    a response that has long been there."""
    is_called = any(one.kind in {StepKind.CALLED, StepKind.RETURNED} for one in owned)
    return not is_called or any(one.kind is StepKind.RESPONSE_BEGAN for one in owned)


def spans(owned: Sequence[Step], extent_ms: int) -> IntervalSet | None:
    """When it was under way within the conversation; ``None`` where the steps do not tell."""
    timed = [one for one in owned if one.kind is not StepKind.ITEM]
    if not timed or len(timed) > MOST_STEPS or any(one.at_ms is None for one in timed):
        return None
    if _target(owned) != CLIENT and not _tells_beginnings(timed):
        return None
    return work_intervals(_observations(timed), extent_ms)


def _target(owned: Iterable[Step]) -> str | None:
    return next((one.name for one in owned if one.kind is StepKind.DELEGATED), None)


def _observations(owned: Iterable[Step]) -> Iterator[Observation]:
    """The steps as a live session would have observed them."""
    return (seen for step in _in_full(owned) if (seen := _observation(step)) is not None)


def _in_full(owned: Iterable[Step]) -> Iterator[Step]:
    """The steps, with what older logs leave out."""
    response_of: dict[str, str | None] = {}
    early: set[str] = set()
    unsent: dict[str, None] = {}
    for step in owned:
        call_id = step.call_id
        if step.kind is StepKind.RESPONSE_BEGAN:
            for response_id in unsent:
                yield replace(step, kind=StepKind.SENT_BACK, response_id=response_id)
            unsent.clear()
        if step.kind is StepKind.RETURNED and call_id is not None and call_id not in response_of:
            early.add(call_id)
            continue
        yield step
        if call_id is None:
            continue
        if step.kind is StepKind.CALLED:
            response_of[call_id] = response_of.get(call_id) or step.response_id
            if call_id in early:
                yield replace(step, kind=StepKind.RETURNED)
        response_id_of_call = response_of.get(call_id)
        is_returned = step.kind is StepKind.RETURNED or call_id in early
        if is_returned and response_id_of_call is not None:
            unsent[response_id_of_call] = None


def _observation(step: Step) -> Observation | None:
    stamp = Stamp(step.at_ms or 0, 0)
    owner, response_id, call_id = step.delegation_id, step.response_id, step.call_id
    match step.kind:
        case StepKind.DELEGATED if owner is not None:
            return DelegationBegan(stamp, owner, step.name or "", response_id)
        case StepKind.RESPONSE_BEGAN if response_id is not None:
            return ResponseBegan(stamp, response_id, owner, step.previous_response_id)
        case StepKind.RESPONSE_ENDED if response_id is not None:
            ended = ResponseStatus(step.status or COMPLETED)
            return ResponseEnded(stamp, response_id, owner, ended, None, None)
        case StepKind.CALLED if call_id is not None:
            return ToolCalled(stamp, call_id, "", "", None, response_id, owner)
        case StepKind.RETURNED if call_id is not None:
            return ToolReturned(stamp, call_id, "", ToolStatus.COMPLETED, None, {})
        case StepKind.SENT_BACK if response_id is not None:
            return WorkContinued(stamp, response_id, owner)
        case StepKind.APPLICATION_ENDED if owner is not None:
            outcome = DelegationOutcome.FAILED if step.status == FAILED else COMPLETED
            return DelegationEnded(stamp, owner, DelegationOutcome(outcome))
        case StepKind.REFUSED if response_id is not None:
            return ContinuationRefused(stamp, response_id, owner)
        case _:
            return None

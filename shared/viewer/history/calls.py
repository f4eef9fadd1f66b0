"""Calls of tools from the steps that tell of them: one call, however often it is told."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from shared.values import JsonObject
from shared.viewer.history.steps import COMPLETED, FAILED, Step, StepKind
from shared.viewer.history.untrusted import (
    first_instant_ms,
    identifier,
    instant_ms,
    label,
    word,
)

CALLED: Final = "called"
UNKNOWN: Final = "unknown"
STATUSES: Final = {
    "completed": COMPLETED,
    "success": COMPLETED,
    "succeeded": COMPLETED,
    "ok": COMPLETED,
    "failed": FAILED,
    "error": FAILED,
    "called": CALLED,
    "in_progress": CALLED,
}


@dataclass(frozen=True, slots=True)
class Call:
    """One call. ``status`` is completed, failed, called or unknown; what is not told is absent."""

    call_id: str | None
    name: str | None
    status: str
    at_ms: int | None
    returned_at_ms: int | None
    delegation_id: str | None
    response_id: str | None


def calls_of(placed: Iterable[Step]) -> tuple[Call, ...]:
    """The calls that one file tells, in the order in which it first tells of them."""
    named: dict[str, Call] = {}
    nameless: dict[str, _Nameless] = defaultdict(_Nameless)
    for step in placed:
        if step.kind not in {StepKind.CALLED, StepKind.RETURNED}:
            continue
        call = _call(step)
        if step.call_id is not None:
            known = named.get(step.call_id)
            named[step.call_id] = call if known is None else merged(known, call)
        elif call.name is not None:
            nameless[call.name].add(call)
    return (*named.values(), *(call for same in nameless.values() for call in same.calls))


def _call(step: Step) -> Call:
    is_called = step.kind is StepKind.CALLED
    return Call(
        step.call_id,
        step.name,
        CALLED if is_called else step.status or UNKNOWN,
        step.at_ms if is_called else None,
        None if is_called else step.at_ms,
        step.delegation_id,
        step.response_id,
    )


class _Nameless:
    """Calls of one tool that have no identity.

    The outcome of one of several that are under way is nobody's, until all of them have returned in
    the same way.
    """

    def __init__(self) -> None:
        self._settled: list[Call] = []
        self._under_way: list[Call] = []
        self._returned: list[Call] = []

    def add(self, call: Call) -> None:
        if call.status == CALLED:
            self._under_way.append(call)
        elif not self._under_way:
            self._settled.append(call)
        else:
            self._returned.append(call)
            if len(self._returned) == len(self._under_way):
                self._settle()

    def _settle(self) -> None:
        if len(self._under_way) == 1:
            self._settled.append(merged(self._under_way[0], self._returned[0]))
        else:
            statuses = {call.status for call in self._returned}
            status = next(iter(statuses)) if len(statuses) == 1 else UNKNOWN
            self._settled.extend(replace(call, status=status) for call in self._under_way)
        self._under_way, self._returned = [], []

    @property
    def calls(self) -> tuple[Call, ...]:
        status = UNKNOWN if self._returned else CALLED
        return (*self._settled, *(replace(call, status=status) for call in self._under_way))


def merged(one: Call, other: Call) -> Call:
    """Two tellings of one call. The earliest time counts, and an outcome above none."""
    outcomes = [told.status for told in (one, other) if told.status in {COMPLETED, FAILED}]
    is_returned = UNKNOWN in {one.status, other.status}
    return Call(
        one.call_id or other.call_id,
        one.name or other.name,
        outcomes[0] if outcomes else UNKNOWN if is_returned else CALLED,
        _earliest(one.at_ms, other.at_ms),
        _earliest(one.returned_at_ms, other.returned_at_ms),
        one.delegation_id or other.delegation_id,
        one.response_id or other.response_id,
    )


def _earliest(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else min(one, other)


def recorded_steps(entries: Iterable[JsonObject]) -> tuple[Step, ...]:
    """Calls as a report or a turn row lists them, as steps; the same thing told twice is told
    once."""
    found: dict[tuple[object, ...], Step] = {}
    for entry in entries:
        for step in _steps_of(entry):
            key = (step.kind, step.call_id, step.name, step.status, step.at_ms)
            found.setdefault(key, step)
    return tuple(found.values())


def all_recorded_steps(entries: Iterable[JsonObject]) -> tuple[Step, ...]:
    """The same for a list in which each entry is a call of its own."""
    return tuple(step for entry in entries for step in _steps_of(entry))


def _steps_of(entry: JsonObject) -> Iterator[Step]:
    """A time without a meaning of its own is that of what the status tells."""
    name, call_id = label(entry.get("name")), identifier(entry.get("call_id"))
    if name is None and call_id is None:
        return
    status = word(entry.get("status"), STATUSES)
    called_ms, at_ms = instant_ms(entry.get("called_ms")), instant_ms(entry.get("timestamp_ms"))
    if status == CALLED:
        called_ms = at_ms if called_ms is None else called_ms
    if status == CALLED or called_ms is not None:
        yield Step(StepKind.CALLED, called_ms, call_id=call_id, name=name)
    if status != CALLED:
        returned_ms = first_instant_ms(entry.get("returned_ms"), at_ms)
        yield Step(StepKind.RETURNED, returned_ms, call_id=call_id, name=name, status=status)


def together(told: Iterable[Sequence[Call]]) -> tuple[Call, ...]:
    """The calls of several files, the best informed first, as one list in order of time.

    Those with an identity are joined by it. A file's calls without one are taken for those already
    known by the same name, and only what it has more of them is new.
    """
    given = [tuple(calls) for calls in told]
    named: dict[str, Call] = {}
    for call in (one for calls in given for one in calls):
        if call.call_id is not None:
            known = named.get(call.call_id)
            named[call.call_id] = call if known is None else merged(known, call)
    found = list(named.values())
    for calls in given:
        known_by_name = Counter(call.name for call in found)
        for call in calls:
            if call.call_id is None:
                known_by_name[call.name] -= 1
                if known_by_name[call.name] < 0:
                    found.append(call)
    return tuple(sorted(found, key=_when))


def _when(call: Call) -> tuple[bool, int]:
    at_ms = call.at_ms if call.at_ms is not None else call.returned_at_ms
    return at_ms is None, at_ms or 0

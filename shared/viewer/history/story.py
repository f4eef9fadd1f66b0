"""What one file tells of delegated work, put in order: which step belongs to which delegation.

Identities decide. Where a step names none, it is placed only if there is one place for it: a piece
of output while a single response is open, the beginning of a response while nothing is open and a
single delegation awaits one. What fits several places is left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from shared.viewer.history.calls import Call, calls_of
from shared.viewer.history.steps import CLIENT, Step, StepKind

_DISPUTED: Final = 2


@dataclass(frozen=True, slots=True)
class Story:
    """Steps by the delegation they belong to, in order; delegations without an identity; calls.

    ``owners`` says of responses whose they are. ``unplaced`` counts final answers that belong to
    one of several delegations, without saying to which.
    """

    owned: Mapping[str, tuple[Step, ...]]
    marks: tuple[Step, ...]
    calls: tuple[Call, ...]
    owners: Mapping[str, str]
    unplaced: int


def story(told: Iterable[Step]) -> Story:
    given = list(told)
    owners = _Owners(given)
    placed = [owners.placed(step) for step in given]
    owned: dict[str, list[Step]] = defaultdict(list)
    for step in placed:
        if step.delegation_id is not None:
            owned[step.delegation_id].append(step)
    return Story(
        owned={owner: tuple(its) for owner, its in owned.items()},
        marks=tuple(
            step
            for step in placed
            if step.kind is StepKind.DELEGATED and step.delegation_id is None
        ),
        calls=calls_of(placed),
        owners=owners.of_responses,
        unplaced=sum(step.text is not None and step.delegation_id is None for step in placed),
    )


class _Owners:
    """Whose a step is: first by what all steps say outright, then by what is open as they pass."""

    def __init__(self, told: Iterable[Step]) -> None:
        self._owner: dict[str, str] = {}  # of responses
        self._successors: dict[str, list[str]] = defaultdict(list)
        self._of_things: dict[str, set[str]] = defaultdict(set)  # calls, items: responses
        self._targets: dict[str, str | None] = {}
        self._open: set[str] = set()
        self._open_of: dict[str | None, set[str]] = defaultdict(set)
        self._waiting: set[str] = set()
        said: dict[str, set[str]] = defaultdict(set)
        for step in told:
            self._learn(step, said)
        self._spoken_for = {*said, *(one for later in self._successors.values() for one in later)}
        self._disputed = {one for one, owners in said.items() if len(owners) > 1}
        self._owner |= {one: next(iter(by)) for one, by in said.items() if len(by) == 1}
        for response_id in tuple(self._owner):
            self._bequeath(response_id)

    @property
    def of_responses(self) -> Mapping[str, str]:
        return dict(self._owner)

    def _learn(self, step: Step, said: dict[str, set[str]]) -> None:
        response_id = step.response_id
        if step.kind is StepKind.DELEGATED and step.delegation_id is not None:
            self._targets.setdefault(step.delegation_id, step.name)
        if response_id is None:
            return
        if step.delegation_id is not None:
            said[response_id].add(step.delegation_id)
        if step.previous_response_id is not None:
            self._successors[step.previous_response_id].append(response_id)
        self._note(step, response_id)

    def _note(self, step: Step, response_id: str) -> None:
        """Whose a call or an item is. Of more than two who claim it, two tell enough."""
        for thing in _things(step):
            if len(self._of_things[thing]) < _DISPUTED:
                self._of_things[thing].add(response_id)

    def _bequeath(self, response_id: str) -> None:
        """What continues a response, and names nobody else, is its owner's too."""
        owner = self._owner[response_id]
        waiting = [response_id]
        while waiting:
            for later in self._successors.pop(waiting.pop(), ()):
                if later not in self._owner and later not in self._disputed:
                    self._owner[later] = owner
                    waiting.append(later)

    def placed(self, step: Step) -> Step:
        """The step with the response and the delegation that it belongs to. Call in order."""
        response_id = step.response_id or self._response_of(step)
        delegation_id = step.delegation_id
        if delegation_id is None and response_id is not None:
            delegation_id = self._owner.get(response_id) or self._heir(step, response_id)
        if response_id is not None:
            self._note(step, response_id)
        found = replace(step, response_id=response_id, delegation_id=delegation_id)
        self._pass(found)
        return found

    def _response_of(self, step: Step) -> str | None:
        named = {one for thing in _things(step) for one in self._of_things.get(thing, ())}
        if not named and step.is_item:
            named = self._open if step.delegation_id is None else self._open_of[step.delegation_id]
        return next(iter(named)) if len(named) == 1 else None

    def _heir(self, step: Step, response_id: str) -> str | None:
        """The one delegation that awaits a response, for one that begins while nothing is open."""
        begins = step.kind is StepKind.RESPONSE_BEGAN and not self._open
        if not begins or response_id in self._spoken_for or len(self._waiting) != 1:
            return None
        owner = next(iter(self._waiting))
        self._owner[response_id] = owner
        self._bequeath(response_id)
        return owner

    def _pass(self, step: Step) -> None:
        owner, response_id = step.delegation_id, step.response_id
        is_ours = owner is not None and self._targets.get(owner) != CLIENT
        match step.kind:
            case StepKind.DELEGATED | StepKind.RESPONSE_BEGAN if response_id is not None:
                self._open.add(response_id)
                self._open_of[owner].add(response_id)
                self._waiting.discard(owner or "")
            case StepKind.RESPONSE_ENDED if response_id is not None:
                self._open.discard(response_id)
                self._open_of[owner].discard(response_id)
            case StepKind.DELEGATED | StepKind.RETURNED if owner is not None and is_ours:
                self._waiting.add(owner)
            case _:
                pass


def _things(step: Step) -> tuple[str, ...]:
    """Calls and items by their identities, told apart from each other."""
    call = () if step.call_id is None else (f"call {step.call_id}",)
    return call if step.item_id is None else (*call, f"item {step.item_id}")

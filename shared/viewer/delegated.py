"""Each delegation apart: what belongs to it by its ids, when it was at work, what it answered.

Ids alone tell what belongs together; what names none belongs to no delegation and is not guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from shared.observability.delegation import work_intervals
from shared.observability.observations import (
    BackendText,
    ContinuationRefused,
    DelegationBegan,
    DelegationEnded,
    Observation,
    ResponseBegan,
    ResponseEnded,
    ToolCalled,
    ToolReturned,
    WorkContinued,
)
from shared.viewer.view import DelegationView


def delegations(observations: Sequence[Observation], extent_ms: int) -> tuple[DelegationView, ...]:
    """Every delegation of an attempt in order of its beginning; a repeated one counts once."""
    owners = _Owners(observations)
    parts: dict[str, list[Observation]] = {begun: [] for begun in owners.begun}
    for seen in observations:
        owner = owners.of(seen)
        if owner in parts:
            parts[owner].append(seen)
    return tuple(_delegation(owners.begun[one], parts[one], extent_ms) for one in owners.begun)


def tool_owners(observations: Sequence[Observation]) -> Mapping[str, int]:
    """The place of each call's delegation among :func:`delegations`, by the call's id."""
    owners = _Owners(observations)
    places = {delegation_id: place for place, delegation_id in enumerate(owners.begun)}
    return {call: places[owner] for call, owner in owners.calls.items() if owner in places}


class _Owners:
    """Which delegation a response and a call belong to, as the events that name both tell."""

    def __init__(self, observations: Iterable[Observation]) -> None:
        self.begun: dict[str, DelegationBegan] = {}
        self.calls: dict[str, str] = {}
        self._responses: dict[str, str] = {}
        observed = tuple(observations)
        for seen in observed:
            if isinstance(seen, DelegationBegan):
                self.begun.setdefault(seen.delegation_id, seen)
            response_id, delegation_id = _ids(seen)
            if response_id is not None and delegation_id is not None:
                self._responses.setdefault(response_id, delegation_id)
        self._follow(observed)
        for seen in observed:
            if isinstance(seen, ToolCalled) and (owner := self._owner(*_ids(seen))) is not None:
                self.calls.setdefault(seen.call_id, owner)

    def of(self, seen: Observation) -> str | None:
        if isinstance(seen, ToolReturned):
            return self.calls.get(seen.call_id)
        return self._owner(*_ids(seen))

    def _follow(self, observed: Iterable[Observation]) -> None:
        """A response that goes on from another serves the same delegation."""
        for seen in observed:
            if isinstance(seen, ResponseBegan) and seen.previous_response_id is not None:
                owner = self._responses.get(seen.previous_response_id)
                if owner is not None:
                    self._responses.setdefault(seen.response_id, owner)

    def _owner(self, response_id: str | None, delegation_id: str | None) -> str | None:
        if delegation_id is not None:
            return delegation_id
        return None if response_id is None else self._responses.get(response_id)


def _ids(seen: Observation) -> tuple[str | None, str | None]:
    match seen:
        case (
            DelegationBegan(response_id=r, delegation_id=d)
            | ResponseBegan(response_id=r, delegation_id=d)
            | ResponseEnded(response_id=r, delegation_id=d)
            | BackendText(response_id=r, delegation_id=d)
            | ToolCalled(response_id=r, delegation_id=d)
            | WorkContinued(response_id=r, delegation_id=d)
            | ContinuationRefused(response_id=r, delegation_id=d)
        ):
            return r, d
        case DelegationEnded(delegation_id=d):
            return None, d
        case _:
            return None, None


def _delegation(
    begun: DelegationBegan, parts: Sequence[Observation], extent_ms: int
) -> DelegationView:
    texts = [seen.text for seen in parts if isinstance(seen, BackendText) and seen.text.strip()]
    work = work_intervals(parts, extent_ms)
    ended = {seen.response_id for seen in parts if isinstance(seen, ResponseEnded)}
    began = {seen.response_id for seen in parts if isinstance(seen, ResponseBegan)}
    return DelegationView(
        target=begun.target,
        status=_status(parts, is_open=bool(work) and work.spans[-1].end_ms >= extent_ms),
        at_ms=begun.stamp.media_ms,
        work=tuple((span.start_ms, span.end_ms) for span in work),
        texts=tuple(dict.fromkeys(texts)),
        responses=len(ended | began),
    )


def _status(parts: Sequence[Observation], *, is_open: bool) -> str:
    """As the application said, else as its last response ended; in progress while any of it is."""
    reported = [seen.outcome.value for seen in parts if isinstance(seen, DelegationEnded)]
    if reported:
        return reported[-1]
    if is_open:
        return "in_progress"
    endings = [seen.status.value for seen in parts if isinstance(seen, ResponseEnded)]
    return endings[-1] if endings else "recorded"

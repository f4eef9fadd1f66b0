"""Delegated work: when the backend, or a tool it called, was busy on the assistant's behalf.

One fold over the observations in order of receipt serves the live session (is work pending?) and
replay (when was it?). Contract: ``docs/metrics-contract.md``, "Delegated-work silence".

Theory of operation. Work is under way while anything is open, and five things can be:

* a delegation to which no response is bound yet;
* a delegation to the application itself;
* a response that has begun, or that its delegation names, and has not ended;
* a call that has not returned;
* a response with a returned call, until the response that must follow it begins.

Ids alone tell which is which: names, positions and counts infer nothing. The first telling of a
step counts and no later one does, so a repetition changes nothing however late it comes. What ends
something unknown ends nothing, and what begins only afterwards is open. A response that fails takes
its open calls and its own continuation with it, and nothing else; so does one whose continuation
the provider refused. A delegation to the application ends by the application's own report and takes
all that is its own with it.

Whose response it is may be learnt from any event that names response and delegation together, the
earliest or the latest. Which response followed which is therefore asked anew with every event that
tells of it; knowledge only grows, so what was followed stays followed.

The end of the session ends no work: it says that nobody listens any more, not that the backend
finished. Work that never ended runs to the end of the observation.
"""

from __future__ import annotations

from collections.abc import Iterable

from shared.intervals import Interval, IntervalSet
from shared.observability.observations import (
    ContinuationRefused,
    DelegationBegan,
    DelegationEnded,
    Observation,
    ResponseBegan,
    ResponseEnded,
    ResponseStatus,
    ToolCalled,
    ToolReturned,
    WorkContinued,
)

CLIENT = "client"
TIMING_SOURCE = "lifecycle_events"
"""From what the spans of work are known: exactly, from the events themselves."""


class WorkState:
    """What is open after the observations so far."""

    def __init__(self) -> None:
        self._unbound: set[str] = set()
        self._client: set[str] = set()
        self._over: set[str] = set()  # delegations to the application that have ended
        self._open: set[str] = set()
        self._calls: dict[str, str | None] = {}
        self._called_for: dict[str, str | None] = {}
        self._due: set[str] = set()  # responses that another must follow

        # What has been told once, so that it is not taken for news again.
        self._delegations: set[str] = set()
        self._known: set[str] = set()  # responses told of by anything but their ending
        self._called: set[str] = set()
        self._ended: set[str] = set()
        self._void: set[str] = set()  # responses that no other must follow any more

        # Which response follows which: positions count the responses that had begun by then.
        self._responses_of: dict[str, set[str]] = {}
        self._delegations_of: dict[str, set[str]] = {}
        self._begun: dict[str, int] = {}
        self._continued: dict[str, int] = {}
        self._heirs: set[str] = set()  # begun without naming a previous response known by then
        self._latest: dict[str, list[tuple[int, str]]] = {}  # the two last heirs of a delegation
        self._followed: set[str] = set()

    @property
    def is_active(self) -> bool:
        """Whether any delegated work is under way."""
        return bool(self._unbound or self._client or self._open or self._calls or self._due)

    def observe(self, seen: Observation) -> None:
        """Take in the next observation; kinds that say nothing about work change nothing."""
        match seen:
            case DelegationBegan():
                self._delegation_began(seen)
            case ResponseBegan():
                self._response_began(seen)
            case ToolCalled():
                self._tool_called(seen)
            case ToolReturned():
                self._tool_returned(seen)
            case WorkContinued():
                self._work_continued(seen)
            case ResponseEnded():
                self._response_ended(seen)
            case ContinuationRefused():
                self._continuation_refused(seen)
            case DelegationEnded():
                self._delegation_ended(seen)
            case _:
                return

    def _delegation_began(self, seen: DelegationBegan) -> None:
        if seen.delegation_id in self._delegations:
            return
        self._delegations.add(seen.delegation_id)
        if seen.target == CLIENT:
            # The application's own work: only its own report of the end can close it.
            self._client.add(seen.delegation_id)
        elif seen.delegation_id not in self._responses_of:
            self._unbound.add(seen.delegation_id)
        if seen.response_id is not None:
            self._run(seen.response_id)
            self._learn(seen.response_id, seen.delegation_id)

    def _response_began(self, seen: ResponseBegan) -> None:
        if seen.response_id in self._begun:
            return
        if seen.previous_response_id not in self._known:
            self._heirs.add(seen.response_id)
        elif seen.previous_response_id != seen.response_id:
            self._followed.add(seen.previous_response_id)
            self._ask_anew([seen.previous_response_id])
        self._begun[seen.response_id] = len(self._begun)
        for delegation_id in self._delegations_of.get(seen.response_id, ()):
            self._note_heir(seen.response_id, delegation_id)
        if seen.delegation_id in self._over:
            self._ended.add(seen.response_id)
            self._void.add(seen.response_id)
        self._run(seen.response_id)
        self._learn(seen.response_id, seen.delegation_id)

    def _tool_called(self, seen: ToolCalled) -> None:
        if seen.call_id in self._called:
            return
        self._called.add(seen.call_id)
        if seen.delegation_id in self._over:
            return
        self._calls[seen.call_id] = seen.response_id
        self._called_for[seen.call_id] = seen.delegation_id
        if seen.response_id is not None:
            self._learn(seen.response_id, seen.delegation_id)

    def _tool_returned(self, seen: ToolReturned) -> None:
        response_id = self._calls.pop(seen.call_id, None)
        if response_id is not None and response_id not in self._void:
            self._due.add(response_id)
            self._ask_anew([response_id])

    def _work_continued(self, seen: WorkContinued) -> None:
        if seen.response_id in self._continued:
            return
        self._continued[seen.response_id] = len(self._begun)
        self._learn(seen.response_id, seen.delegation_id)
        self._ask_anew([seen.response_id])

    def _response_ended(self, seen: ResponseEnded) -> None:
        if seen.response_id in self._ended:
            return
        self._bind(seen.response_id, seen.delegation_id)
        if seen.response_id not in self._known:
            return
        self._ended.add(seen.response_id)
        self._open.discard(seen.response_id)
        if seen.status is not ResponseStatus.COMPLETED:
            self._give_up(seen.response_id)

    def _continuation_refused(self, seen: ContinuationRefused) -> None:
        self._bind(seen.response_id, seen.delegation_id)
        if seen.response_id in self._known:
            self._give_up(seen.response_id)

    def _delegation_ended(self, seen: DelegationEnded) -> None:
        if seen.delegation_id not in self._client:
            return
        self._client.discard(seen.delegation_id)
        self._over.add(seen.delegation_id)
        for call_id in [
            call for call in self._calls if self._called_for[call] == seen.delegation_id
        ]:
            del self._calls[call_id]
        for response_id in self._responses_of.get(seen.delegation_id, ()):
            self._ended.add(response_id)
            self._open.discard(response_id)
            self._give_up(response_id)

    def _give_up(self, response_id: str) -> None:
        """Its open calls and its continuation come to nothing."""
        self._void.add(response_id)
        self._due.discard(response_id)
        for call_id in [call for call, owner in self._calls.items() if owner == response_id]:
            del self._calls[call_id]

    def _learn(self, response_id: str, delegation_id: str | None) -> None:
        self._known.add(response_id)
        self._bind(response_id, delegation_id)

    def _bind(self, response_id: str, delegation_id: str | None) -> None:
        if delegation_id is not None:
            self._responses_of.setdefault(delegation_id, set()).add(response_id)
            self._delegations_of.setdefault(response_id, set()).add(delegation_id)
            self._unbound.discard(delegation_id)
            self._note_heir(response_id, delegation_id)
            self._ask_anew([response_id])

    def _note_heir(self, response_id: str, delegation_id: str) -> None:
        """Whatever waits in its delegation may have been followed by it."""
        if response_id not in self._heirs or response_id not in self._begun:
            return
        # One may be the very response that waits, so two are enough; all would take hours to ask.
        latest = {*self._latest.get(delegation_id, ()), (self._begun[response_id], response_id)}
        self._latest[delegation_id] = sorted(latest)[-2:]
        self._ask_anew(self._due & self._responses_of[delegation_id])

    def _ask_anew(self, response_ids: Iterable[str]) -> None:
        """Whether these, of which something new is known, are followed now."""
        self._due -= {one for one in response_ids if self._is_followed(one)}

    def _run(self, response_id: str) -> None:
        if response_id not in self._ended:
            self._open.add(response_id)

    def _is_followed(self, response_id: str) -> bool:
        """Whether the response that had to come after this one has begun.

        One that names this one as previous is it. One that names none we knew is it for every
        response of its delegation whose outputs had been sent back by then.
        """
        if response_id in self._followed:
            return True
        sent_back_at = self._continued.get(response_id)
        return sent_back_at is not None and any(
            other != response_id and begun_at >= sent_back_at
            for delegation_id in self._delegations_of.get(response_id, ())
            for begun_at, other in self._latest.get(delegation_id, ())
        )


def work_intervals(observations: Iterable[Observation], extent_ms: int) -> IntervalSet:
    """When delegated work was under way within ``[0, extent_ms)``.

    An observation lies at the media position of its receipt, whatever its kind; activity that
    begins and ends at one position has no span.
    """
    work = WorkState()
    spans: list[Interval] = []
    since_ms: int | None = None
    for seen in observations:
        work.observe(seen)
        now_ms = min(max(seen.stamp.media_ms, 0), extent_ms)
        if work.is_active and since_ms is None:
            since_ms = now_ms
        elif not work.is_active and since_ms is not None:
            if since_ms < now_ms:
                spans.append(Interval(since_ms, now_ms))
            since_ms = None
    if since_ms is not None and since_ms < extent_ms:
        spans.append(Interval(since_ms, extent_ms))
    return IntervalSet.of(spans)

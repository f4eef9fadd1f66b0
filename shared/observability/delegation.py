"""Delegated work: when the backend, or a tool it called, was busy on the assistant's behalf.

One fold over the observations in order of receipt serves the live session (is work pending?) and
replay (when was it?). Contract: ``docs/metrics-contract.md``, "Delegated-work silence".

Theory of operation. Work is under way while anything is open, and five things can be:

* a delegation no response is bound to yet;
* a response that has begun, or that its delegation names, and has not ended;
* a call that has not returned;
* a response with a returned call that has not been continued;
* a continued response whose successor has not begun.

Ids alone tell which is which: names, positions and counts infer nothing. Every step counts once, so
a repetition changes nothing however late it comes, and what ends something unknown ends nothing
else. A response that fails takes its own calls and its own continuation with it, and so does one
whose continuation the provider refused.

The end of the session ends no work: it says that nobody listens any more, not that the backend
finished. Work that never ended runs to the end of the observation.
"""

from __future__ import annotations

from collections.abc import Iterable

from shared.intervals import Interval, IntervalSet
from shared.observability.observations import (
    ContinuationRefused,
    DelegationBegan,
    Observation,
    ResponseBegan,
    ResponseEnded,
    ResponseStatus,
    ToolCalled,
    ToolReturned,
    WorkContinued,
)

CLIENT = "client"


class WorkState:
    """What is open after the observations so far."""

    def __init__(self) -> None:
        self._unbound: set[str] = set()
        self._client: set[str] = set()
        self._open: set[str] = set()
        self._calls: dict[str, str | None] = {}
        self._due: set[str] = set()  # responses that another must follow

        # What has been seen once, so that it is not taken for news again.
        self._delegations: set[str] = set()
        self._responses: dict[str, str | None] = {}
        self._begun: set[str] = set()
        self._ended: set[str] = set()
        self._failed: set[str] = set()
        self._returned: set[str] = set()
        self._continued: set[str] = set()
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
                self._void(seen.response_id)
            case _:
                pass

    def _delegation_began(self, seen: DelegationBegan) -> None:
        if seen.delegation_id in self._delegations:
            return
        self._delegations.add(seen.delegation_id)
        if seen.target == CLIENT:
            # The application's own work: only its own report of the end can close it.
            self._client.add(seen.delegation_id)
        elif seen.response_id is None:
            self._unbound.add(seen.delegation_id)
        else:
            self._bind(seen.response_id, seen.delegation_id)
            self._run(seen.response_id)

    def _response_began(self, seen: ResponseBegan) -> None:
        if seen.response_id in self._begun:
            return
        self._begun.add(seen.response_id)
        self._bind(seen.response_id, seen.delegation_id)
        self._settle_predecessors(seen)
        self._run(seen.response_id)

    def _tool_called(self, seen: ToolCalled) -> None:
        is_known = seen.call_id in self._calls or seen.call_id in self._returned
        if is_known or seen.response_id in self._failed:
            return
        self._calls[seen.call_id] = seen.response_id
        if seen.response_id is not None:
            self._bind(seen.response_id, seen.delegation_id)

    def _tool_returned(self, seen: ToolReturned) -> None:
        self._returned.add(seen.call_id)
        response_id = self._calls.pop(seen.call_id, None)
        if response_id is not None and response_id not in self._followed:
            self._due.add(response_id)

    def _work_continued(self, seen: WorkContinued) -> None:
        if seen.response_id in self._followed or seen.response_id not in self._responses:
            return
        self._bind(seen.response_id, seen.delegation_id)
        self._continued.add(seen.response_id)
        self._due.add(seen.response_id)

    def _response_ended(self, seen: ResponseEnded) -> None:
        if seen.response_id in self._ended:
            return
        self._ended.add(seen.response_id)
        self._open.discard(seen.response_id)
        self._bind(seen.response_id, seen.delegation_id)
        if seen.status is not ResponseStatus.COMPLETED:
            self._void(seen.response_id)

    def _bind(self, response_id: str, delegation_id: str | None) -> None:
        """Learn that the response exists and, from whoever says so first, whose it is."""
        known = self._responses.get(response_id)
        self._responses[response_id] = delegation_id if known is None else known
        if delegation_id is not None:
            self._delegations.add(delegation_id)
            self._unbound.discard(delegation_id)

    def _run(self, response_id: str) -> None:
        if response_id not in self._ended:
            self._open.add(response_id)

    def _settle_predecessors(self, seen: ResponseBegan) -> None:
        """A response began: what waited for it waits no longer."""
        if seen.previous_response_id in self._responses:
            self._follow(seen.previous_response_id)
            return
        delegation_id = self._responses[seen.response_id]
        if delegation_id is None:
            return
        for waiting in [one for one in self._due if one in self._continued]:
            if waiting != seen.response_id and self._responses[waiting] == delegation_id:
                self._follow(waiting)

    def _follow(self, response_id: str) -> None:
        """Nothing more is owed to this response, nor awaited from it."""
        self._followed.add(response_id)
        self._due.discard(response_id)

    def _void(self, response_id: str) -> None:
        self._failed.add(response_id)
        self._follow(response_id)
        for call_id in [call for call, owner in self._calls.items() if owner == response_id]:
            del self._calls[call_id]


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
        now_ms = min(seen.stamp.media_ms, extent_ms)
        if work.is_active and since_ms is None:
            since_ms = now_ms
        elif not work.is_active and since_ms is not None:
            if since_ms < now_ms:
                spans.append(Interval(since_ms, now_ms))
            since_ms = None
    if since_ms is not None and since_ms < extent_ms:
        spans.append(Interval(since_ms, extent_ms))
    return IntervalSet.of(spans)

"""Response opportunities: which caller requests were answered in time by first audio.

This classifies the start of speech. It does not say that the answer was right, complete or an
answer at all. Contract: ``docs/metrics-contract.md``, "Response opportunities".
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from shared.intervals import Interval, IntervalSet
from shared.observability.evidence import CallerAction
from shared.observability.lookup import started_before, starting_from
from shared.observability.turns import Turn


class Outcome(StrEnum):
    """What became of a request. Only the first two are scored."""

    ANSWERED = "answered"
    MISSED = "missed"
    CENSORED = "censored"
    EXCLUDED = "excluded"


class Reason(StrEnum):
    """Why the outcome is what it is."""

    RESPONSE_RECEIVED = "response_received"
    NEXT_ELIGIBLE_REQUEST = "next_eligible_request"
    DEADLINE_EXPIRED = "deadline_expired"
    OBSERVATION_ENDED = "observation_ended_before_deadline"
    CONNECTION_LOST = "connection_lost"
    BACKCHANNEL = "backchannel"
    CALLER_CLOSING = "caller_closing"
    ASSISTANT_ACTIVE = "assistant_active_at_request_end"


@dataclass(frozen=True, slots=True)
class Opportunity:
    """One request and its outcome.

    ``latency_ms`` runs from the request's end to the first audio attributed to it, timely or late.
    An excluded request has neither latency nor deadline.
    """

    request: Interval
    outcome: Outcome
    reason: Reason
    latency_ms: int | None
    deadline_at_ms: int | None

    @property
    def is_eligible(self) -> bool:
        return self.outcome is not Outcome.EXCLUDED

    @property
    def is_late(self) -> bool:
        """Whether an answer came after its deadline; the deadline stays missed."""
        return self.outcome is Outcome.MISSED and self.latency_ms is not None


@dataclass(frozen=True, slots=True)
class Watch:
    """For how long an answer is waited for, and for how long anybody watched.

    ``observed_until_ms`` is exclusive: nothing is known about that instant. ``is_cut`` says that a
    lost connection ended the watch.
    """

    deadline_ms: int
    observed_until_ms: int
    is_cut: bool


def classify(
    requests: Sequence[Turn], assistant: IntervalSet, watch: Watch
) -> tuple[Opportunity, ...]:
    """One opportunity per caller turn, in the order given, which must be that of onset."""
    exclusions = [_exclusion(request, assistant) for request in requests]
    eligible_starts = [
        request.span.start_ms
        for request, reason in zip(requests, exclusions, strict=True)
        if reason is None
    ]
    return tuple(
        _decided(request.span, assistant, _first_from(eligible_starts, request.span.end_ms), watch)
        if reason is None
        else Opportunity(request.span, Outcome.EXCLUDED, reason, None, None)
        for request, reason in zip(requests, exclusions, strict=True)
    )


def _exclusion(request: Turn, assistant: IntervalSet) -> Reason | None:
    if request.action is CallerAction.BACKCHANNEL:
        return Reason.BACKCHANNEL
    if request.action is CallerAction.STOP:
        return Reason.CALLER_CLOSING
    speaking = started_before(assistant, request.span.end_ms)
    if speaking is not None and request.span.end_ms <= speaking.end_ms:
        return Reason.ASSISTANT_ACTIVE
    return None


def _first_from(starts: Sequence[int], instant_ms: int) -> int | None:
    index = bisect_left(starts, instant_ms)
    return starts[index] if index < len(starts) else None


def _decided(
    request: Interval, assistant: IntervalSet, closed_at_ms: int | None, watch: Watch
) -> Opportunity:
    deadline_at_ms = request.end_ms + watch.deadline_ms
    answer = starting_from(assistant, request.end_ms)
    if answer is not None and (closed_at_ms is None or answer.start_ms <= closed_at_ms):
        latency_ms = answer.start_ms - request.end_ms
        if answer.start_ms <= deadline_at_ms:
            outcome, reason = Outcome.ANSWERED, Reason.RESPONSE_RECEIVED
        else:
            outcome, reason = Outcome.MISSED, Reason.DEADLINE_EXPIRED
        return Opportunity(request, outcome, reason, latency_ms, deadline_at_ms)
    outcome, reason = _unanswered(deadline_at_ms, closed_at_ms, watch)
    return Opportunity(request, outcome, reason, None, deadline_at_ms)


def _unanswered(
    deadline_at_ms: int, closed_at_ms: int | None, watch: Watch
) -> tuple[Outcome, Reason]:
    if closed_at_ms is not None and closed_at_ms < deadline_at_ms:
        return Outcome.MISSED, Reason.NEXT_ELIGIBLE_REQUEST
    if watch.observed_until_ms < deadline_at_ms:
        return Outcome.CENSORED, Reason.OBSERVATION_ENDED
    if watch.is_cut and closed_at_ms is None:
        # A dead line is silent long before its loss is noticed, so silence proves nothing here.
        return Outcome.CENSORED, Reason.CONNECTION_LOST
    return Outcome.MISSED, Reason.DEADLINE_EXPIRED

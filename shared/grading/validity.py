"""Whether the simulated caller was fit to call: the gate between an attempt and its verdict.

A caller may think by its own managed backend. It may not hand work on in any other way, its backend
may not fail, its session may not be lost in the middle, and it must be through with thinking when
the conversation ends; what a backend still says while the sessions are being closed comes too late.
This says nothing about how real the caller was: see ``fidelity``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from shared.errors import Stage
from shared.observability.delegation import WorkState
from shared.observability.evidence import Evidence
from shared.observability.observations import (
    DelegationBegan,
    Observation,
    ResponseEnded,
    ResponseStatus,
)
from shared.values import JsonObject

RESPONSES: Final = "responses"


class Scope(StrEnum):
    """What kind of caller was looked at."""

    WITH_BACKEND = "caller_responses_delegation"
    VOICE_ALONE = "frontend_only_caller_delegation"


class Invalidity(StrEnum):
    """Why a caller was unfit; the first that applies."""

    UNSUPPORTED_DELEGATION = "unsupported_caller_delegation"
    BACKEND_FAILED = "caller_backend_failed"
    SESSION_LOST = "caller_session_lost"
    BACKEND_PENDING = "caller_backend_pending"


@dataclass(frozen=True, slots=True)
class SimulatorValidity:
    """The outcome. ``delegation_ids`` are those that had no business there, each once, sorted."""

    scope: Scope
    reason: Invalidity | None = None
    delegation_ids: tuple[str, ...] = ()

    @property
    def is_valid(self) -> bool:
        return self.reason is None

    def as_json(self) -> JsonObject:
        """The object ``validity`` of results."""
        return {
            "scope": self.scope.value,
            "status": "valid" if self.is_valid else "invalid",
            "target_metrics_eligible": self.is_valid,
            "reason": None if self.reason is None else self.reason.value,
            "unexpected_delegation_count": len(self.delegation_ids),
            "delegation_ids": list(self.delegation_ids),
        }

    def message(self) -> str:
        """Why the attempt is no measurement, in one line. ``ValueError`` when it is one."""
        if self.reason is None:
            raise ValueError("a valid caller is no reason")
        return _MESSAGES[self.reason]


_MESSAGES: Final = {
    Invalidity.UNSUPPORTED_DELEGATION: "the simulated caller handed work to somebody it may not",
    Invalidity.BACKEND_FAILED: "the simulated caller's backend failed",
    Invalidity.SESSION_LOST: "the simulated caller's session was lost",
    Invalidity.BACKEND_PENDING: "the simulated caller was still thinking when its time was up",
}


def simulator_validity(
    observations: Sequence[Observation],
    *,
    has_backend: bool,
    extent_ms: int,
    is_session_lost: bool = False,
) -> SimulatorValidity:
    """Judge the caller's own session by its observations in order of receipt.

    ``extent_ms`` is the media time observed: what arrived at or after it came during the closing.
    """
    scope = Scope.WITH_BACKEND if has_backend else Scope.VOICE_ALONE
    unsupported = {
        seen.delegation_id
        for seen in observations
        if isinstance(seen, DelegationBegan) and _is_unsupported(seen, has_backend=has_backend)
    }
    if unsupported:
        ids = tuple(sorted(unsupported))
        return SimulatorValidity(scope, Invalidity.UNSUPPORTED_DELEGATION, ids)
    if has_backend and any(_is_failure(seen) for seen in observations):
        return SimulatorValidity(scope, Invalidity.BACKEND_FAILED)
    if is_session_lost:
        return SimulatorValidity(scope, Invalidity.SESSION_LOST)
    in_time = [seen for seen in observations if seen.stamp.media_ms < extent_ms]
    if has_backend and (_is_working(in_time) or _is_working(observations)):
        return SimulatorValidity(scope, Invalidity.BACKEND_PENDING)
    return SimulatorValidity(scope)


def caller_validity(evidence: Evidence) -> SimulatorValidity:
    """The same of a conversation, whose caller always has a backend of its own."""
    failure = evidence.failure
    return simulator_validity(
        evidence.caller_observations,
        has_backend=True,
        extent_ms=evidence.extent_ms,
        is_session_lost=failure is not None and failure.stage is Stage.CALLER_SIMULATION,
    )


def spoils(seen: Observation, *, has_backend: bool = True) -> bool:
    """Whether this alone makes a caller unfit, whatever else its session will tell."""
    match seen:
        case DelegationBegan():
            return _is_unsupported(seen, has_backend=has_backend)
        case _:
            return has_backend and _is_failure(seen)


def _is_unsupported(seen: DelegationBegan, *, has_backend: bool) -> bool:
    return not (has_backend and seen.target == RESPONSES)


def _is_failure(seen: Observation) -> bool:
    return isinstance(seen, ResponseEnded) and seen.status is not ResponseStatus.COMPLETED


def _is_working(observations: Iterable[Observation]) -> bool:
    work = WorkState()
    for seen in observations:
        work.observe(seen)
    return work.is_active

"""Delegated work as a list of events with the least identifiers it takes to follow it.

They stand in order of receipt, each at the media position of its receipt, which is where the
reducer puts it; a provider's own offset is kept beside it. Contract: ``docs/metrics-contract.md``,
"Delegated-work silence".
"""

from __future__ import annotations

from collections.abc import Iterable

from shared.observability.observations import (
    ContinuationRefused,
    DelegationBegan,
    DelegationEnded,
    HandedOver,
    Observation,
    ResponseBegan,
    ResponseEnded,
    ToolCalled,
    ToolReturned,
    WorkContinued,
)
from shared.values import JsonObject


def lifecycle_events(observations: Iterable[Observation]) -> list[JsonObject]:
    """One object per event of delegated work; identifiers nobody gave are left out."""
    return [event for _, event in timed_lifecycle_events(observations)]


def timed_lifecycle_events(observations: Iterable[Observation]) -> list[tuple[int, JsonObject]]:
    """The same, each with its position in ms."""
    return [
        (seen.stamp.media_ms, _event(seen, told))
        for seen in observations
        if (told := _told(seen)) is not None
    ]


def _event(seen: Observation, told: JsonObject) -> JsonObject:
    times = {"offset_ms": seen.stamp.media_ms, "provider_ms": seen.stamp.provider_ms}
    return {name: value for name, value in {**told, **times}.items() if value is not None}


def _told(seen: Observation) -> JsonObject | None:
    match seen:
        case DelegationBegan(delegation_id=d, target=target, response_id=r):
            kind = "session.delegation.created"
            return {"type": kind, "delegation_id": d, "response_id": r, "target": target}
        case ResponseBegan(response_id=r, delegation_id=d, previous_response_id=previous):
            named = {"response_id": r, "delegation_id": d, "previous_response_id": previous}
            return {"type": "response.created", **named}
        case ResponseEnded(response_id=r, delegation_id=d, status=status):
            return {"type": f"response.{status}", "response_id": r, "delegation_id": d}
        case ToolCalled(call_id=c, response_id=r, delegation_id=d):
            return {"type": "tool.called", "call_id": c, "response_id": r, "delegation_id": d}
        case ToolReturned(call_id=c, status=status):
            return {"type": f"tool.{status}", "call_id": c}
        case WorkContinued(response_id=r, delegation_id=d):
            return {"type": "tool.outputs_sent", "response_id": r, "delegation_id": d}
        case ContinuationRefused(response_id=r, delegation_id=d):
            return {"type": "tool.outputs_refused", "response_id": r, "delegation_id": d}
        case HandedOver(delegation_id=d):
            return {"type": "client_delegation.handoff", "delegation_id": d}
        case DelegationEnded(delegation_id=d, outcome=outcome):
            return {"type": f"client_delegation.{outcome}", "delegation_id": d}
        case _:
            return None

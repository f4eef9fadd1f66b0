"""A published list of lifecycle events read back, by nobody but tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shared.observability.observations import (
    ContinuationRefused,
    DelegationBegan,
    Observation,
    ResponseBegan,
    ResponseEnded,
    ResponseStatus,
    Stamp,
    ToolCalled,
    ToolReturned,
    ToolStatus,
    WorkContinued,
)


def observation_of(event: Mapping[str, Any]) -> Observation:
    """What a lifecycle event tells of, as far as it tells it."""
    stamp = Stamp(event["offset_ms"], 0, event.get("provider_ms"))
    response, delegation = event.get("response_id"), event.get("delegation_id")
    match str(event["type"]).rpartition(".")[::2]:
        case "session.delegation", "created":
            return DelegationBegan(stamp, str(delegation), event["target"], response)
        case "response", "created":
            previous = event.get("previous_response_id")
            return ResponseBegan(stamp, str(response), delegation, previous)
        case "response", status:
            return ResponseEnded(
                stamp, str(response), delegation, ResponseStatus(status), None, None
            )
        case "tool", "called":
            return ToolCalled(stamp, event["call_id"], "", "", None, response, delegation)
        case "tool", "outputs_sent":
            return WorkContinued(stamp, str(response), delegation)
        case "tool", "outputs_refused":
            return ContinuationRefused(stamp, str(response), delegation)
        case _, status:
            return ToolReturned(stamp, event["call_id"], "", ToolStatus(status), None, {})

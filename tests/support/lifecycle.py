"""The published list of delegated work read back into observations, by its names alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from shared.clock import Stamp
from shared.observability.observations import (
    ContinuationRefused,
    DelegationBegan,
    Observation,
    ResponseBegan,
    ResponseEnded,
    ResponseStatus,
    ToolCalled,
    ToolReturned,
    ToolStatus,
    WorkContinued,
)

type Event = Mapping[str, Any]


def observations_of(events: Iterable[Event]) -> list[Observation]:
    """What the reducer reads; names, arguments and results are gone, and it needs none."""
    return [_READERS[event["type"]](event, _stamp(event)) for event in events]


def _stamp(event: Event) -> Stamp:
    return Stamp(event["offset_ms"], 0, event.get("provider_ms"))


def _ended(event: Event, stamp: Stamp) -> Observation:
    status = ResponseStatus(event["type"].removeprefix("response."))
    delegation_id = event.get("delegation_id")
    return ResponseEnded(stamp, event["response_id"], delegation_id, status, None, None)


def _called(event: Event, stamp: Stamp) -> Observation:
    named = event.get("response_id"), event.get("delegation_id")
    return ToolCalled(stamp, event["call_id"], "", "", None, *named)


def _returned(event: Event, stamp: Stamp) -> Observation:
    status = ToolStatus(event["type"].removeprefix("tool."))
    return ToolReturned(stamp, event["call_id"], "", status, None, {})


_READERS: dict[str, Callable[[Event, Stamp], Observation]] = {
    "session.delegation.created": lambda event, stamp: DelegationBegan(
        stamp, event["delegation_id"], event["target"], event.get("response_id")
    ),
    "response.created": lambda event, stamp: ResponseBegan(
        stamp,
        event["response_id"],
        event.get("delegation_id"),
        event.get("previous_response_id"),
    ),
    **{f"response.{status.value}": _ended for status in ResponseStatus},
    "tool.called": _called,
    **{f"tool.{status.value}": _returned for status in ToolStatus},
    "tool.outputs_sent": lambda event, stamp: WorkContinued(
        stamp, event["response_id"], event.get("delegation_id")
    ),
    "tool.outputs_refused": lambda event, stamp: ContinuationRefused(
        stamp, event["response_id"], event.get("delegation_id")
    ),
}

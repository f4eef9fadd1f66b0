from __future__ import annotations

import pytest

from shared.observability.delegation import work_intervals
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
    UsageReported,
    WorkContinued,
)
from shared.reporting.lifecycle import lifecycle_events
from shared.values import JsonObject
from tests.oracle.conversations import case
from tests.oracle.engine import evidence_of
from tests.support.builders import at
from tests.support.lifecycle import observation_of


@pytest.mark.parametrize(
    ("seen", "event"),
    [
        pytest.param(
            DelegationBegan(at(40, 20), "d1", "responses", None),
            {
                "type": "session.delegation.created",
                "delegation_id": "d1",
                "target": "responses",
                "provider_ms": 20,
            },
            id="a-delegation-with-the-providers-own-offset",
        ),
        pytest.param(
            ResponseBegan(at(40), "r2", "d1", "r1"),
            {
                "type": "response.created",
                "response_id": "r2",
                "delegation_id": "d1",
                "previous_response_id": "r1",
            },
            id="a-response",
        ),
        pytest.param(
            ResponseEnded(at(40), "r1", None, ResponseStatus.INCOMPLETE, "m", None, "why"),
            {"type": "response.incomplete", "response_id": "r1"},
            id="its-end",
        ),
        pytest.param(
            ToolCalled(at(40), "c1", "book", '{"for": "Maya"}', {"for": "Maya"}, "r1", "d1"),
            {"type": "tool.called", "call_id": "c1", "response_id": "r1", "delegation_id": "d1"},
            id="a-call-without-what-was-called",
        ),
        pytest.param(
            ToolReturned(at(40), "c1", "book", ToolStatus.FAILED, "no", {"a": 1}),
            {"type": "tool.failed", "call_id": "c1"},
            id="its-outcome-without-what-came-of-it",
        ),
        pytest.param(
            WorkContinued(at(40), "r1", "d1"),
            {"type": "tool.outputs_sent", "response_id": "r1", "delegation_id": "d1"},
            id="outputs-sent-back",
        ),
        pytest.param(
            ContinuationRefused(at(40), "r1", None),
            {"type": "tool.outputs_refused", "response_id": "r1"},
            id="and-refused",
        ),
    ],
)
def test_an_event_names_what_it_takes_to_follow_work(seen: Observation, event: JsonObject) -> None:
    assert lifecycle_events([seen]) == [{**event, "offset_ms": 40}]


def test_events_stand_in_order_of_receipt_whatever_the_provider_says() -> None:
    seen = [
        ResponseBegan(at(40, 90), "r1", None, None),
        UsageReported(at(50), 1.0),
        ResponseBegan(at(60, 10), "r2", None, None),
    ]
    assert [event["response_id"] for event in lifecycle_events(seen)] == ["r1", "r2"]


def test_the_list_is_enough_to_find_the_same_work_again() -> None:
    """Told out of order, twice, by halves and beyond the end, as the oracle's cases are."""
    for number in range(300):
        evidence = evidence_of(case(number))
        events = lifecycle_events(evidence.observations)
        again = work_intervals(map(observation_of, events), evidence.extent_ms)
        assert again == work_intervals(evidence.observations, evidence.extent_ms), number

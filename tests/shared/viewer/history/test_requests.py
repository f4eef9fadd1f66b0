"""What was counted is told as rows tell it, or else as the events do."""

from __future__ import annotations

from typing import Any

import pytest

from shared.viewer.history.details import MetricEvent, details
from shared.viewer.history.requests import counted
from shared.viewer.history.turn_rows import TurnRow, turn_rows
from shared.viewer.view import FloorEventView, OpportunityView, Role, TurnView
from tests.support.builders import spans

TURN = TurnView(Role.CALLER, 100, 300, "Hello.")
ASSISTANT = spans((150, 170), (400, 700))


def rows(*audio: dict[str, Any]) -> tuple[TurnRow, ...]:
    return turn_rows([{"start_ms": 100, "end_ms": 300, "audio": one} for one in audio]).rows


def events(*told: dict[str, Any]) -> tuple[MetricEvent, ...]:
    return details({"interaction_metrics": {"events": list(told)}}).events or ()


ANSWERED = {"type": "response", "caller_end_ms": 300, "assistant_start_ms": 400, "latency_ms": 100}
LATE = {**ANSWERED, "type": "late_response", "deadline_at_ms": 350}


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        pytest.param([ANSWERED], [OpportunityView(100, 300, "answered", None, None, 100, 400)],
                     id="answered"),
        pytest.param([{**ANSWERED, "latency_ms": None}],
                     [OpportunityView(100, 300, "answered", None, None, 100, 400)],
                     id="the-difference-where-no-latency-is-told"),
        pytest.param([{"type": "no_response", "caller_end_ms": 300}],
                     [OpportunityView(100, 300, "missed", None)], id="missed"),
        pytest.param([LATE, {"type": "no_response", "caller_end_ms": 300}],
                     [OpportunityView(100, 300, "missed", None, 350, 100, 400)],
                     id="missed-and-answered-late-is-one-request"),
        pytest.param([LATE], [OpportunityView(100, 300, "missed", None, 350, 100, 400)],
                     id="late-alone-was-missed"),
        pytest.param([{**ANSWERED, "caller_end_ms": 310}],
                     [OpportunityView(310, 310, "answered", None, None, 100, 400)],
                     id="of-a-request-whose-turn-is-unknown-the-end-alone"),
        pytest.param([], [], id="none-was-counted"),
    ],
)  # fmt: skip
def test_events_tell_of_requests(told: list[dict[str, Any]], asked: object) -> None:
    found = counted((), events(*told), [TURN], ASSISTANT)
    assert list(found.opportunities or ()) == asked


def test_rows_go_before_events() -> None:
    row = {"response_status": "censored", "response_reason": "observation_ended_before_deadline"}
    found = counted(rows(row), events(ANSWERED), [TURN], ASSISTANT)
    assert found.opportunities == (
        OpportunityView(100, 300, "censored", "observation_ended_before_deadline"),
    )


def test_rows_that_say_nothing_of_a_kind_leave_it_to_the_events() -> None:
    row = {"response_status": "answered", "yield_outcome": "not_applicable"}
    yielded = {"type": "yield", "caller_interruption_ms": 100, "assistant_stop_ms": 170}
    murmured = {"type": "backchannel_error", "caller_start_ms": 100, "caller_end_ms": 300}
    interrupted = {"type": "agent_interruption", "assistant_start_ms": 150}
    found = counted(rows(row), events(yielded, murmured, interrupted), [TURN], ASSISTANT)
    assert found.floor_events == (
        FloorEventView("backchannel", 100, 300, "false_yield"),
        FloorEventView("interruption", 150, 170, "interruption"),
    )


@pytest.mark.parametrize(
    ("row", "event"),
    [
        ({"yield_outcome": "yielded", "yield_latency_ms": 70},
         FloorEventView("yield", 100, 170, "yielded", 70)),
        ({"yield_outcome": "no_yield"}, FloorEventView("yield", 100, None, "no_yield")),
        ({"backchannel_outcome": "continued"},
         FloorEventView("backchannel", 100, 300, "continued")),
        ({"backchannel_outcome": "false_yield"},
         FloorEventView("backchannel", 100, 300, "false_yield")),
        ({"agent_interruption_starts_ms": [150]},
         FloorEventView("interruption", 150, 170, "interruption")),
        ({"agent_interruption_starts_ms": [151]},
         FloorEventView("interruption", 151, None, "interruption")),
    ],
)  # fmt: skip
def test_a_row_tells_of(row: dict[str, Any], event: FloorEventView) -> None:
    assert counted(rows(row), None, [TURN], ASSISTANT).floor_events == (event,)


@pytest.mark.parametrize(
    ("told", "event"),
    [
        ({"type": "yield", "caller_interruption_ms": 100, "assistant_stop_ms": 170,
          "latency_ms": 70}, FloorEventView("yield", 100, 170, "yielded", 70)),
        ({"type": "no_yield", "caller_interruption_ms": 100},
         FloorEventView("yield", 100, None, "no_yield")),
        ({"type": "backchannel_correct", "caller_start_ms": 100, "caller_end_ms": 300},
         FloorEventView("backchannel", 100, 300, "continued")),
    ],
)  # fmt: skip
def test_an_event_tells_of(told: dict[str, Any], event: FloorEventView) -> None:
    assert counted((), events(told), [TURN], ASSISTANT).floor_events == (event,)


def test_what_nobody_counted_is_not_none() -> None:
    found = counted((), None, [TURN], ASSISTANT)
    assert (found.opportunities, found.floor_events) == (None, None)
    found = counted(rows({}), None, [TURN], ASSISTANT)
    assert (found.opportunities, found.floor_events) == (None, None)
    found = counted((), (), [TURN], ASSISTANT)
    assert (found.opportunities, found.floor_events) == ((), ())

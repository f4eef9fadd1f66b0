"""An event log tells of the assistant's own work and of an observer's decisions."""

from __future__ import annotations

from typing import Any

import pytest

from shared.viewer.history.trace import trace
from shared.viewer.view import DecisionView

BEGAN = {"type": "tool.called", "name": "book"}


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("assistant_gpt_live", 1),
        ("live_frontend", 1),
        ("delegated_responses", 1),
        ("caller_gpt_live", 0),
        ("evaluator", 0),
        (None, 0),
        (["live_frontend"], 0),
    ],
)
def test_only_the_assistants_session_tells_of_its_work(source: Any, told: int) -> None:
    assert len(trace([{"source": source, "event": BEGAN}]).steps) == told


def decision(**event: Any) -> tuple[DecisionView, ...]:
    told = trace([{"source": "semantic_completion_observer", "event": event}])
    assert told.steps == ()
    return told.decisions


def test_a_decision_is_told_at_the_instant_it_was_settled() -> None:
    event = {"timeline_ms": 900, "should_drain": True, "outcome": "resolved", "reason": "Said so."}
    assert decision(type="simulator.completion.assessed", **event) == (
        DecisionView(900, 900, "answered", True, "resolved", "Said so."),
    )


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (
            {"type": "simulator.completion.stale", "timeline_ms": 9, "should_drain": True},
            (DecisionView(9, 9, "stale", True, None, ""),),
        ),
        (
            {"type": "simulator.completion.observer_failed", "timeline_ms": 9, "reason": "Late."},
            (DecisionView(9, 9, "failed", None, None, "Late."),),
        ),
        (
            {"type": "simulator.completion.assessed", "timeline_ms": 9, "outcome": "perhaps",
             "should_drain": "yes", "reason": 4},
            (DecisionView(9, 9, "answered", None, None, ""),),
        ),
        ({"type": "simulator.completion.assessed"}, ()),
        ({"type": "simulator.completion.drain_revoked", "timeline_ms": 9}, ()),
    ],
)  # fmt: skip
def test_of_an_observer_is_told(event: dict[str, Any], told: object) -> None:
    assert decision(**event) == told


def test_decisions_come_in_order_of_time_and_odd_records_are_counted() -> None:
    settled = [
        {"source": "semantic_completion_observer",
         "event": {"type": "simulator.completion.assessed", "timeline_ms": at_ms}}
        for at_ms in (900, 500)
    ]  # fmt: skip
    told = trace([*settled, None, [], {}])
    assert [one.asked_ms for one in told.decisions] == [500, 900]
    assert told.left_out == 3

"""Details of all builds, as far as they may be told."""

from __future__ import annotations

from typing import Any

import pytest

from shared.viewer.history.details import MetricEvent, details


@pytest.mark.parametrize(
    ("seconds", "extent_ms"),
    [
        (0.8, 800),
        (34, 34_000),
        (0, None),
        (-1, None),
        (True, None),
        ("34", None),
        (float("nan"), None),
        (float("inf"), None),
        (10**400, None),
        (7_200, 7_200_000),
        (7_201, None),
    ],
)
def test_how_long_it_was(seconds: Any, extent_ms: int | None) -> None:
    told = details({"efficiency_metrics": {"conversation_duration_s": seconds}})
    assert told.extent_ms == extent_ms


@pytest.mark.parametrize(
    ("event", "kept"),
    [
        ({"type": "response", "caller_end_ms": 300}, True),
        ({"type": "response", "assistant_start_ms": 300}, False),
        ({"type": "agent_interruption", "assistant_start_ms": 300}, True),
        ({"type": "agent_interruption", "caller_start_ms": 300}, False),
        ({"type": "yield", "caller_interruption_ms": 300}, True),
        ({"type": "no_yield", "caller_start_ms": 300}, True),
        ({"type": "backchannel_error", "caller_end_ms": 300}, False),
        ({"type": "simulator.action", "caller_end_ms": 300}, False),
        ({"type": ["response"], "caller_end_ms": 300}, False),
        ("response", False),
    ],
)
def test_an_event_names_the_time_of_its_kind(event: Any, kept: bool) -> None:
    told = details({"interaction_metrics": {"events": [event]}})
    assert told.events is not None
    assert (len(told.events), told.left_out) == (int(kept), int(not kept))


def test_a_yield_begins_where_the_caller_came_in() -> None:
    event = {"type": "yield", "caller_interruption_ms": 300, "assistant_stop_ms": 450}
    (told,) = details({"interaction_metrics": {"events": [event]}}).events or ()
    assert told == MetricEvent("yield", 300, None, None, 450, None, None)


@pytest.mark.parametrize("content", [{}, {"interaction_metrics": []}, {"agent_events": "none"}])
def test_what_is_not_told_is_not_empty(content: Any) -> None:
    told = details(content)
    assert (told.events, told.floor_hold, told.lifecycle, told.happenings) == (None,) * 4
    assert (told.work_source, told.condition, told.ending, told.extent_ms) == (None,) * 4


def test_floor_hold_keeps_only_spans() -> None:
    told = details({"interaction_metrics": {"floor_hold_intervals_ms": [[5, 9], [1, 2], [3, 3]]}})
    assert told.floor_hold == ((1, 2), (5, 9))


def test_no_source_of_work_is_believed_that_is_none_of_the_known() -> None:
    assert (
        details({"interaction_metrics": {"delegation_timing_source": "guess"}}).work_source is None
    )


@pytest.mark.parametrize(
    "transcript",
    [
        [{"role": "user", "start_ms": 1, "end_ms": 2, "text": "Hi."}],
        "USER 1..2ms: Hi.",
        "1..2 CALLER: Hi.",
    ],
)
def test_a_transcript_may_be_a_list_or_a_text(transcript: Any) -> None:
    assert [one.text for one in details({"transcript": transcript}).said.turns] == ["Hi."]

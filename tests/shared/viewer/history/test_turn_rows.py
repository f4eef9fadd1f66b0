"""Turn rows of all builds say the same in their own words."""

from __future__ import annotations

from typing import Any

import pytest

from shared.viewer.history.turn_rows import Answer, TurnRow, turn_rows


def row(**audio: Any) -> TurnRow:
    (found,) = turn_rows([{"start_ms": 100, "end_ms": 300, "audio": audio}]).rows
    return found


@pytest.mark.parametrize(
    ("audio", "answer"),
    [
        pytest.param(
            {
                "response_status": "answered",
                "response_reason": "response_received",
                "response_latency_ms": 100,
                "response_observed_latency_ms": 100,
                "response_deadline_at_ms": 5_300,
            },
            Answer("answered", "response_received", 100, 5_300),
            id="answered",
        ),
        pytest.param(
            {
                "response_status": "missed",
                "response_reason": "deadline_expired",
                "response_latency_ms": None,
                "response_observed_latency_ms": 6_000,
            },
            Answer("missed", "deadline_expired", 6_000, None),
            id="missed-and-answered-late",
        ),
        pytest.param({"response_outcome": "responded", "response_latency_ms": 100},
                     Answer("answered", None, 100, None), id="as-an-older-build-called-it"),
        pytest.param({"response_outcome": "no_response"}, Answer("missed", None, None, None),
                     id="missed-in-an-older-build"),
        pytest.param({"response_outcome": "unobserved"}, Answer("censored", None, None, None),
                     id="censored-in-an-older-build"),
        pytest.param({"response_outcome": "not_applicable"},
                     Answer("excluded", None, None, None), id="excluded-in-an-older-build"),
        pytest.param({"response_status": "perhaps", "response_outcome": "no_response"},
                     Answer("missed", None, None, None), id="an-unknown-status-gives-way"),
        pytest.param({"response_status": ["answered"]}, None, id="no-status"),
        pytest.param({}, None, id="nothing-told"),
    ],
)  # fmt: skip
def test_a_request_is(audio: Any, answer: Answer | None) -> None:
    assert row(**audio).answer == answer


def test_what_was_heard_may_stand_in_the_row_itself() -> None:
    (found,) = turn_rows([{"start_ms": 0, "end_ms": 1, "response_outcome": "responded"}]).rows
    assert found.answer == Answer("answered", None, None, None)


@pytest.mark.parametrize(
    ("audio", "onsets"),
    [
        ({"agent_interruption_starts_ms": [150, "x", 200]}, (150, 200)),
        ({"agent_interruption_starts_ms": [], "agent_interrupted_user": False}, ()),
        ({"agent_interrupted_user": False}, ()),
        ({"agent_interrupted_user": True}, None),
        ({"agent_interrupted_user": True, "agent_interruption_starts_ms": []}, None),
        ({}, None),
    ],
)
def test_interruptions_of_unknown_onset_are_not_none(audio: Any, onsets: object) -> None:
    assert row(**audio).interruptions_ms == onsets


@pytest.mark.parametrize("label", ["WAIT", "STALE_DISCARDED", "STALL_RECOVERY", "speak", 3, None])
def test_no_other_label_is_an_action(label: Any) -> None:
    (found,) = turn_rows([{"start_ms": 0, "end_ms": 1, "action": label}]).rows
    assert found.action is None


def test_rows_come_in_order_and_those_without_times_are_counted() -> None:
    told = turn_rows(
        [
            {"start_ms": 500, "end_ms": 600},
            {"start_ms": 100, "end_ms": 100},
            {"start_ms": 100, "end_ms": 99},
            {"end_ms": 99},
            "row",
        ]
    )
    assert [one.start_ms for one in told.rows] == [100, 500]
    assert told.left_out == 3

from __future__ import annotations

import json

import pytest

from shared.metrics.interaction import METRICS_VERSION, MetricPolicy, measure
from shared.metrics.turn_record import row
from shared.observability.evidence import CallerAction
from tests.support.builders import a_request, a_timeline, spans


def rows(*requests, assistant, until_ms: int = 60_000):
    measured = measure(
        a_timeline(*requests, assistant=assistant, until_ms=until_ms), MetricPolicy()
    )
    return [row(record, METRICS_VERSION) for record in measured.turns]


def test_a_row_carries_its_published_names() -> None:
    (first, _) = rows(
        a_request((1_000, 2_000), (2_500, 3_000), text="a table please"),
        a_request((9_000, 10_000)),
        assistant=spans((1_500, 1_600), (3_400, 4_000)),
    )
    assert json.loads(json.dumps(first)) == {
        "metrics_version": "2.0",
        "turn_index": 0,
        "start_ms": 1_000,
        "end_ms": 3_000,
        "window_end_ms": 9_000,
        "action": "SPEAK",
        "action_source": "script",
        "user_transcript": "a table please",
        "audio": {
            "user_speech_ms": 1_500,
            "assistant_speech_ms": 700,
            "overlap_ms": 100,
            "response_expected": True,
            "response_outcome": "responded",
            "response_latency_ms": 400,
            "response_status": "answered",
            "response_reason": "response_received",
            "response_deadline_at_ms": 8_000,
            "response_observed_latency_ms": 400,
            "user_interrupted_assistant": False,
            "yield_outcome": "not_applicable",
            "yield_latency_ms": None,
            "agent_interrupted_user": True,
            "agent_interruption_count": 1,
            "agent_interruption_starts_ms": [1_500],
            "backchannel_outcome": "not_applicable",
        },
    }


@pytest.mark.parametrize(
    ("assistant", "until_ms", "outcome", "latency_ms", "observed_ms"),
    [
        pytest.param(spans((1_500, 2_000)), 60_000, "responded", 500, 500, id="answered"),
        pytest.param(spans((8_000, 9_000)), 60_000, "no_response", None, 7_000, id="late"),
        pytest.param(spans(), 60_000, "no_response", None, None, id="missed"),
        pytest.param(spans(), 2_000, "unobserved", None, None, id="censored"),
        pytest.param(spans((500, 2_000)), 60_000, "not_applicable", None, None, id="excluded"),
    ],
)
def test_the_response_of_a_row(assistant, until_ms, outcome, latency_ms, observed_ms) -> None:
    (only,) = rows(a_request((0, 1_000)), assistant=assistant, until_ms=until_ms)
    assert only["audio"]["response_outcome"] == outcome
    assert only["audio"]["response_latency_ms"] == latency_ms
    assert only["audio"]["response_observed_latency_ms"] == observed_ms


@pytest.mark.parametrize(
    ("action", "end_ms", "yielded", "latency_ms", "backchannel"),
    [
        (CallerAction.INTERRUPT, 4_000, "yielded", 1_000, "not_applicable"),
        (CallerAction.INTERRUPT, 9_000, "no_yield", None, "not_applicable"),
        (CallerAction.BACKCHANNEL, 9_000, "not_applicable", None, "continued"),
        (CallerAction.BACKCHANNEL, 3_100, "not_applicable", None, "false_yield"),
    ],
)
def test_the_floor_of_a_row(action, end_ms, yielded, latency_ms, backchannel) -> None:
    cue = a_request((3_000, 3_250), action=action)
    (only,) = rows(cue, assistant=spans((0, end_ms)))
    assert only["audio"]["yield_outcome"] == yielded
    assert only["audio"]["yield_latency_ms"] == latency_ms
    assert only["audio"]["backchannel_outcome"] == backchannel
    assert only["audio"]["user_interrupted_assistant"] is (yielded != "not_applicable")

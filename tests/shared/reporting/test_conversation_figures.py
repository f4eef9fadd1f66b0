"""A conversation's figures: every event that was counted is named, and no other."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from shared.attempts.assess import assess
from shared.grading.policy import EvaluationPolicy
from shared.intervals import Interval, IntervalSet
from shared.metrics.interaction import MetricPolicy, measure
from shared.observability.evidence import CallerAction, Evidence
from shared.observability.observations import ToolReturned
from shared.observability.timeline import Timeline
from shared.observability.turns import Turn
from shared.reporting.conversation_figures import (
    caller_actions,
    efficiency_metrics,
    interaction_metrics,
)
from shared.reporting.ticks import turn_rows
from shared.values import JsonObject
from tests.oracle.placed import CONVERSATIONS, SOUNDS
from tests.support.builders import a_request, a_timeline, spans
from tests.support.judged import Exchange, a_call, a_conversation

ASKS = a_request((0, 1_000))
MURMURS = a_request((1_500, 1_700), action=CallerAction.BACKCHANNEL)
BREAKS_IN = a_request((2_000, 3_000), action=CallerAction.INTERRUPT)


@pytest.mark.parametrize(
    ("requests", "assistant", "until_ms", "events"),
    [
        pytest.param(
            (ASKS,),
            spans((6_000, 7_000)),
            20_000,
            [
                {
                    "type": "response",
                    "caller_end_ms": 1_000,
                    "assistant_start_ms": 6_000,
                    "latency_ms": 5_000,
                }
            ],
            id="an-answer-at-the-deadline-is-in-time",
        ),
        pytest.param(
            (ASKS,),
            spans((6_001, 7_000)),
            20_000,
            [
                {"type": "no_response", "caller_end_ms": 1_000},
                {
                    "type": "late_response",
                    "caller_end_ms": 1_000,
                    "assistant_start_ms": 6_001,
                    "latency_ms": 5_001,
                    "deadline_at_ms": 6_000,
                },
            ],
            id="one-ms-later-is-missed-and-late",
        ),
        pytest.param(
            (ASKS,),
            spans(),
            6_000,
            [{"type": "no_response", "caller_end_ms": 1_000}],
            id="observed-up-to-the-deadline-is-missed",
        ),
        pytest.param((ASKS,), spans(), 5_999, [], id="one-ms-less-is-no-event"),
        pytest.param(
            (BREAKS_IN,),
            spans((1_000, 4_000)),
            3_500,
            [
                {
                    "type": "yield",
                    "caller_interruption_ms": 2_000,
                    "assistant_stop_ms": 3_500,
                    "latency_ms": 1_500,
                }
            ],
            id="a-yield",
        ),
        pytest.param(
            (BREAKS_IN,),
            spans((1_000, 4_001)),
            5_000,
            [
                {
                    "type": "no_yield",
                    "caller_interruption_ms": 2_000,
                    "assistant_stop_ms": None,
                    "latency_ms": None,
                }
            ],
            id="one-ms-past-the-window-is-none",
        ),
        pytest.param(
            (MURMURS,),
            spans((1_000, 1_701)),
            5_000,
            [{"type": "backchannel_correct", "caller_start_ms": 1_500, "caller_end_ms": 1_700}],
            id="talking-on-through-a-murmur",
        ),
        pytest.param(
            (MURMURS,),
            spans((1_000, 1_700)),
            5_000,
            [{"type": "backchannel_error", "caller_start_ms": 1_500, "caller_end_ms": 1_700}],
            id="stopping-for-it",
        ),
        pytest.param(
            (ASKS,),
            spans((400, 500), (1_200, 1_900)),
            5_000,
            [
                {
                    "type": "response",
                    "caller_end_ms": 1_000,
                    "assistant_start_ms": 1_200,
                    "latency_ms": 200,
                },
                {
                    "type": "agent_interruption",
                    "caller_start_ms": 0,
                    "caller_end_ms": 1_000,
                    "assistant_start_ms": 400,
                },
            ],
            id="an-interruption-beside-the-answer",
        ),
    ],
)
def test_what_was_counted_is_named(
    requests: tuple[Turn, ...], assistant: IntervalSet, until_ms: int, events: list[JsonObject]
) -> None:
    heard = assistant.clip(Interval(0, until_ms))
    timeline = a_timeline(*requests, assistant=heard, until_ms=until_ms)
    assert interaction_metrics(measure(timeline, MetricPolicy()))["events"] == events


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_events_add_up_to_the_counts(name: str) -> None:
    timeline = Timeline.of(CONVERSATIONS[name].evidence, SOUNDS)
    told: Any = interaction_metrics(measure(timeline, MetricPolicy()))
    kinds = Counter(event["type"] for event in told["events"])
    counts = told["counts"]

    assert kinds == {
        kind: count
        for kind, count in {
            "response": counts["response_count"],
            "no_response": counts["no_response_count"],
            "late_response": counts["response_late_count"],
            "yield": counts["yield_count"],
            "no_yield": counts["no_yield_count"],
            "backchannel_correct": counts["backchannel_correct_count"],
            "backchannel_error": counts["backchannel_error_count"],
            "agent_interruption": counts["agent_interrupts_count"],
        }.items()
        if count
    }
    assert told["delegation_timing_source"] == "lifecycle_events"
    assert "tick_ms" not in told["config"]


def test_of_nothing_there_is_no_rate() -> None:
    told = interaction_metrics(measure(a_timeline(), MetricPolicy()))
    assert [told[name] for name in ("response_rate", "yield_rate", "selectivity_backchannel")] == [
        None,
        None,
        None,
    ]


def test_actions_nobody_took_are_left_out() -> None:
    assert caller_actions(a_timeline(ASKS, BREAKS_IN, MURMURS)) == {
        "SPEAK": 1,
        "INTERRUPT": 1,
        "BACKCHANNEL": 1,
    }


def efficiency(evidence: Evidence) -> JsonObject:
    scenario = a_conversation(expected__tools__required=[{"name": "book"}])
    observed = assess(evidence, scenario, EvaluationPolicy()).observed
    assert observed is not None
    measured, timeline = observed.interaction, observed.timeline
    rows = turn_rows(measured, timeline, evidence, scenario, is_completed=True)
    return efficiency_metrics(evidence, observed, rows)


def test_it_tells_after_how_many_turns_the_requirements_were_satisfied() -> None:
    said = ("C: a table", "A: for when", "C: noon", a_call(), "A: booked", "C: thank you")
    told = efficiency(Exchange.of(*said).evidence)

    assert told["turns_to_requirements"] == 2
    assert told["post_requirement_caller_turns"] == 1
    assert (told["tool_call_count"], told["completed_tool_call_count"]) == (1, 1)


def test_requirements_that_were_never_satisfied_have_no_turn() -> None:
    told = efficiency(Exchange.of("C: a table", "A: no").evidence)
    assert told["turns_to_requirements"] is None
    assert told["post_requirement_caller_turns"] is None


def test_a_call_that_never_returned_neither_completed_nor_failed() -> None:
    evidence = Exchange.of("C: a table", a_call(), "A: wait").evidence
    open_ended = tuple(one for one in evidence.observations if not isinstance(one, ToolReturned))
    told = efficiency(replace(evidence, observations=open_ended))

    names = ("tool_call_count", "completed_tool_call_count", "failed_tool_call_count")
    assert [told[name] for name in names] == [1, 0, 0]

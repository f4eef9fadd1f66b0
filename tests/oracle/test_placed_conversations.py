"""Twelve placed conversations: truth on paper, the oracle and the engine agree to the millisecond.

The engine is given no annotation: it hears turns in the callers' own captions and voice.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from shared.intervals import Interval, IntervalSet
from shared.json_text import json_text
from shared.metrics.interaction import InteractionMeasurements, MetricPolicy, measure
from shared.observability.codec import decode_evidence, encode_evidence
from shared.observability.delegation import WorkState, work_intervals
from shared.observability.evidence import Closing, Decision, DecisionStatus, Evidence
from shared.observability.redaction import Masker
from shared.observability.sealing import seal
from shared.observability.timeline import Timeline
from shared.reporting.lifecycle import lifecycle_events
from shared.reporting.ticks import tick_rows
from shared.values import Rate
from tests.oracle import interaction_oracle
from tests.oracle.engine import as_told
from tests.oracle.placed import CONVERSATIONS, SOUNDS, Placed
from tests.support.builders import a_caption, spans
from tests.support.lifecycle import observation_of

POLICY = {
    "response_deadline_ms": 5_000,
    "yield_window_ms": 2_000,
    "backchannel_window_ms": 1_000,
}

every_conversation = pytest.mark.parametrize("placed", CONVERSATIONS.values(), ids=CONVERSATIONS)


def measured(evidence: Evidence) -> InteractionMeasurements:
    return measure(Timeline.of(evidence, SOUNDS), MetricPolicy())


def test_there_are_twelve() -> None:
    assert len(CONVERSATIONS) == 12


@every_conversation
def test_turns_are_heard_as_they_were_said(placed: Placed) -> None:
    turns = Timeline.of(placed.evidence, SOUNDS).caller_turns

    assert [(turn.span.start_ms, turn.span.end_ms) for turn in turns] == [
        said.span for said in placed.caller
    ]
    assert [(turn.text, turn.action, turn.source) for turn in turns] == [
        (said.text, said.action, said.source) for said in placed.caller
    ]


@every_conversation
def test_the_engine_finds_what_was_worked_out_on_paper(placed: Placed) -> None:
    found = measured(placed.evidence)
    nothing = (None,) * len(placed.caller)

    assert tuple(map(outcome, found.turns)) == placed.outcomes
    assert tuple(
        None if one.yielding is None else (one.yielding.outcome, one.yielding.delay_ms)
        for one in found.turns
    ) == (placed.yields or nothing)
    assert tuple(one.backchannel for one in found.turns) == (placed.backchannels or nothing)
    starts = [span.start_ms for one in found.turns for span in one.interruptions]
    assert tuple(starts) == placed.interruptions
    hold = found.floor_hold_durations
    assert (hold.cumulative_ms, hold.maximum_ms) == placed.floor_hold


def outcome(record: Any) -> str:
    one = record.opportunity
    if one.outcome == "answered":
        return f"answered {one.latency_ms}"
    late = "" if one.latency_ms is None else f" {one.latency_ms}"
    return f"{one.outcome} {one.reason}{late}"


@every_conversation
def test_the_oracle_finds_the_same_in_the_placement(placed: Placed) -> None:
    assert as_told(measured(placed.evidence)) == interaction_oracle.measure(placed.told, POLICY)


@every_conversation
def test_nothing_changes_by_sealing_and_reading_again(placed: Placed) -> None:
    evidence = seal(placed.evidence, Masker())
    stored = json.loads(json.dumps(encode_evidence(evidence)))

    assert Timeline.of(decode_evidence(stored), SOUNDS) == Timeline.of(placed.evidence, SOUNDS)


@every_conversation
def test_work_live_is_work_in_replay(placed: Placed) -> None:
    """Live, the state is asked after every millisecond, with what had been received by then."""
    work = WorkState()
    waiting = list(placed.evidence.observations)
    live = []
    for now_ms in range(placed.extent_ms):
        while waiting and waiting[0].stamp.media_ms <= now_ms:
            work.observe(waiting.pop(0))
        if work.is_active:
            live.append(Interval(now_ms, now_ms + 1))

    assert Timeline.of(seal(placed.evidence, Masker())).work == IntervalSet.of(live)


@every_conversation
def test_the_published_list_of_events_gives_the_work_again(placed: Placed) -> None:
    events = json.loads(json_text(lifecycle_events(placed.evidence.observations)))
    replayed = work_intervals(map(observation_of, events), placed.extent_ms)

    assert replayed == Timeline.of(placed.evidence, SOUNDS).work


@every_conversation
@pytest.mark.parametrize("tick_ms", [20, 33, 200, 1_000, 90_000])
def test_ticks_of_any_width_hold_the_same_numbers(placed: Placed, tick_ms: int) -> None:
    whole = Timeline.of(placed.evidence, SOUNDS)
    rows: list[Any] = list(tick_rows(whole, tick_ms, placed.evidence.observations))
    again = replace(
        whole,
        caller=union(row["user"]["speech_intervals_ms"] for row in rows),
        assistant=union(row["assistant"]["speech_intervals_ms"] for row in rows),
        work=union(row["interaction"]["delegation_intervals_ms"] for row in rows),
    )

    assert measure(again, MetricPolicy()) == measure(whole, MetricPolicy())
    assert sum(row["interaction"]["delegation_active_ms"] for row in rows) == whole.work.total_ms
    assert len([event for row in rows for event in row["events"]]) == len(whole.caller_turns) + len(
        placed.work
    )


def union(columns: Any) -> IntervalSet:
    return IntervalSet.of((start, end) for pairs in columns for start, end in pairs)


# Farewells and late answers.


def with_a_farewell(placed: Placed, *, at_ms: int, is_named: bool) -> Evidence:
    """The conversation, going on for another 20 s after the caller has said goodbye."""
    evidence, span = placed.evidence, Interval(at_ms, at_ms + 600)
    closing = Closing(span, carries_request=False)
    decision = Decision(at_ms + 1_300, at_ms + 1_500, 99, DecisionStatus.ANSWERED, closing=closing)
    caller = replace(evidence.caller, voiced=evidence.caller.voiced | spans((at_ms, at_ms + 600)))
    return replace(
        evidence,
        extent_ms=at_ms + 20_000,
        caller=caller,
        caller_observations=(
            *evidence.caller_observations,
            a_caption(at_ms, at_ms + 600, "Goodbye."),
        ),
        decisions=(*evidence.decisions, *([decision] if is_named else ())),
    )


@every_conversation
def test_a_farewell_never_lowers_the_response_rate(placed: Placed) -> None:
    at_ms = placed.extent_ms + 10_000
    evidence = with_a_farewell(placed, at_ms=at_ms, is_named=True)
    without = replace(placed.evidence, extent_ms=evidence.extent_ms)
    found, before = measured(evidence), measured(without)

    assert found.turns[-1].turn.action == "STOP"
    assert found.response_rate == before.response_rate
    assert found.response_latencies_ms == before.response_latencies_ms
    assert found.response_excluded_count == before.response_excluded_count + 1


@every_conversation
def test_where_nobody_named_it_a_farewell_is_a_request_nobody_answered(placed: Placed) -> None:
    """Only an explicit source tells: the end of a session renames no turn."""
    at_ms = placed.extent_ms + 10_000
    named = measured(with_a_farewell(placed, at_ms=at_ms, is_named=True)).response_rate
    unnamed = measured(with_a_farewell(placed, at_ms=at_ms, is_named=False)).response_rate

    assert unnamed == Rate(named.count, named.total + 1)


@pytest.mark.parametrize(
    ("answer_ms", "rate"),
    [
        pytest.param(6_000, Rate(2, 2), id="at-the-deadline"),
        pytest.param(6_001, Rate(1, 2), id="1-ms-after-it"),
        pytest.param(9_700, Rate(1, 2), id="as-the-next-request-begins"),
    ],
)
def test_a_late_answer_lowers_the_response_rate(answer_ms: int, rate: Rate) -> None:
    placed = CONVERSATIONS["an-answer-comes-late"]
    assistant = ((answer_ms, 9_701), placed.assistant[1])
    assert measured(replace(placed, assistant=assistant).evidence).response_rate == rate

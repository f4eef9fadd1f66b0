"""Ticks are bins: exact spans cut at their edges, and nothing is computed from them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.intervals import Interval, IntervalSet
from shared.metrics.interaction import MetricPolicy, measure
from shared.metrics.turn_record import row
from shared.observability.evidence import CallerAction
from shared.observability.observations import ResponseBegan, Speaker
from shared.observability.timeline import Timeline
from shared.observability.turns import assistant_turns
from shared.reporting.ticks import tick_rows, turn_rows
from shared.values import JsonObject
from tests.support.builders import a_caption, a_request, a_timeline, at, spans

TIMELINE = a_timeline(
    a_request((150, 350), (380, 420), action=CallerAction.OPENING, text="a table please"),
    assistant=spans((390, 700)),
    work=spans((150, 190), (300, 450)),
    until_ms=750,
)


def test_a_tick_has_its_published_names() -> None:
    began = ResponseBegan(at(200), "r1", None, None)
    first, second, *_ = tick_rows(TIMELINE, 200, [began], {Speaker.CALLER: [1.234, 2, 0, 0]})

    assert first == {
        "tick": 0,
        "start_ms": 0,
        "end_ms": 200,
        "user": {
            "speech": True,
            "speech_intervals_ms": [[150, 200]],
            "rms": 1.23,
            "action": "OPENING",
            "transcript": "a",
        },
        "assistant": {
            "speech": False,
            "speech_intervals_ms": [],
            "rms": None,
            "transcript": "",
        },
        "interaction": {
            "overlap_ms": 0,
            "delegation_active": True,
            "delegation_intervals_ms": [[150, 190]],
            "delegation_active_ms": 40,
        },
        "events": [
            {
                "type": "caller.action.observed",
                "offset_ms": 150,
                "role": "user",
                "action": "OPENING",
                "source": "script",
                "text": "a table please",
            }
        ],
    }
    assert second["events"] == [{"type": "response.created", "response_id": "r1", "offset_ms": 200}]


def column(rows: list[JsonObject], *names: str) -> list[Any]:
    found: list[Any] = list(rows)
    for name in names:
        found = [one[name] for one in found]
    return found


def test_ticks_cover_what_was_observed_and_no_more() -> None:
    rows = tick_rows(TIMELINE, 200)
    edges = zip(column(rows, "start_ms"), column(rows, "end_ms"), strict=True)
    assert list(edges) == [(0, 200), (200, 400), (400, 600), (600, 750)]


def test_work_of_40_ms_is_in_ticks_of_any_width() -> None:
    for tick_ms in (20, 33, 200, 5_000):
        rows = tick_rows(TIMELINE, tick_ms)
        assert sum(column(rows, "interaction", "delegation_active_ms")) == 190


def test_overlap_is_cut_at_the_edges_of_a_tick() -> None:
    assert column(tick_rows(TIMELINE, 200), "interaction", "overlap_ms") == [0, 10, 20, 0]


def test_an_action_lasts_through_the_pauses_of_its_turn() -> None:
    assert column(tick_rows(TIMELINE, 100), "user", "action") == [
        None, "OPENING", "OPENING", "OPENING", "OPENING", None, None, None,
    ]  # fmt: skip
    pausing = a_timeline(a_request((0, 10), (90, 100)), until_ms=100)
    assert column(tick_rows(pausing, 10), "user", "action") == ["SPEAK"] * 10


def test_every_word_lies_in_one_tick() -> None:
    for tick_ms in (1, 20, 200):
        said = column(tick_rows(TIMELINE, tick_ms), "user", "transcript")
        assert " ".join(one for one in said if one) == "a table please"


@pytest.mark.parametrize(
    ("at_ms", "tick"),
    [
        pytest.param(199, 0, id="in-the-last-ms-of-a-tick"),
        pytest.param(200, 1, id="at-the-edge-of-two"),
        pytest.param(749, 3, id="in-the-last-ms-observed"),
        pytest.param(9_000, 3, id="after-all-that-was-observed"),
    ],
)
def test_an_event_stands_in_one_tick(at_ms: int, tick: int) -> None:
    rows = tick_rows(TIMELINE, 200, [ResponseBegan(at(at_ms), "r1", None, None)])
    kinds = [[event["type"] for event in events] for events in column(rows, "events")]
    assert [kinds.index(one) for one in kinds if "response.created" in one] == [tick]


def union(rows: list[JsonObject], *names: str) -> IntervalSet:
    return IntervalSet.of((start, end) for pairs in column(rows, *names) for start, end in pairs)


some_spans = st.lists(
    st.tuples(st.integers(0, 2_900), st.integers(1, 400)).map(lambda at: (at[0], sum(at))),
    max_size=5,
).map(lambda pairs: spans(*pairs).clip(Interval(0, 3_000)))


@given(
    st.lists(st.tuples(st.integers(0, 2_500), st.integers(1, 400)), max_size=4),
    some_spans,
    some_spans,
    st.integers(1, 700),
)
def test_no_number_depends_on_the_width_of_a_tick(
    said: list[tuple[int, int]], assistant: IntervalSet, work: IntervalSet, tick_ms: int
) -> None:
    requests = [a_request((start, start + lasts)) for start, lasts in said]
    whole = a_timeline(*requests, assistant=assistant, work=work, until_ms=3_000)
    rows = tick_rows(whole, tick_ms)
    again = replace(
        whole,
        caller=union(rows, "user", "speech_intervals_ms"),
        assistant=union(rows, "assistant", "speech_intervals_ms"),
        work=union(rows, "interaction", "delegation_intervals_ms"),
    )

    assert again == whole
    assert measure(again, MetricPolicy()) == measure(whole, MetricPolicy())
    assert sum(column(rows, "interaction", "overlap_ms")) == (whole.caller & assistant).total_ms
    active = column(rows, "interaction", "delegation_active")
    assert active == [ms > 0 for ms in column(rows, "interaction", "delegation_active_ms")]


# Turn rows.


def a_dialogue() -> Timeline:
    spoken = spans((0, 400), (2_000, 3_000), (9_000, 9_500))
    requests = (a_request((500, 1_500)), a_request((2_500, 4_000)))
    words = [
        a_caption(0, 400, "Hello."),
        a_caption(2_000, 3_000, "one two three four"),
        a_caption(9_000, 9_500, "Bye."),
    ]
    whole = a_timeline(*requests, assistant=spoken, until_ms=10_000)
    return replace(whole, assistant_turns=assistant_turns(spoken, whole.caller, words))


def test_a_turn_row_is_the_measured_one_and_what_was_newly_said_until_the_next() -> None:
    timeline = a_dialogue()
    measured = measure(timeline, MetricPolicy())
    rows = turn_rows(measured, timeline)

    assert [one["assistant_transcript"] for one in rows] == ["Hello. one two", "three four Bye."]
    assert [
        {name: value for name, value in one.items() if name != "assistant_transcript"}
        for one in rows
    ] == [row(record, "2.0") for record in measured.turns]


def test_without_caller_turns_there_is_no_row() -> None:
    timeline = a_timeline(assistant=spans((0, 400)))
    assert turn_rows(measure(timeline, MetricPolicy()), timeline) == []

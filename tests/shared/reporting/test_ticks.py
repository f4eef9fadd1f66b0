"""Ticks are bins: exact spans cut at their edges, and nothing is computed from them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
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
from tests.support.judged import a_call, a_conversation, a_return, an_attempt

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


@settings(max_examples=40)
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


def the_turn_rows(timeline: Timeline, **parts: Any) -> list[JsonObject]:
    measured = measure(timeline, MetricPolicy())
    evidence = an_attempt(**parts)
    return turn_rows(measured, timeline, evidence, a_conversation(), is_completed=True)


def test_a_turn_row_is_the_measured_one_and_what_was_newly_said_until_the_next() -> None:
    timeline = a_dialogue()
    rows = the_turn_rows(timeline)

    assert [one["assistant_transcript"] for one in rows] == ["Hello. one two", "three four Bye."]
    added = {"assistant_transcript", "task"}
    assert [{name: value for name, value in one.items() if name not in added} for one in rows] == [
        row(record, "2.0") for record in measure(timeline, MetricPolicy()).turns
    ]


@pytest.mark.parametrize(
    ("at_ms", "turn"),
    [
        pytest.param(0, 0, id="before-the-caller-has-said-a-word"),
        pytest.param(2_499, 0, id="in-the-last-ms-of-a-window"),
        pytest.param(2_500, 1, id="when-the-next-turn-begins"),
        pytest.param(9_999, 1, id="in-the-last-ms-observed"),
        pytest.param(10_000, 1, id="at-the-end-of-what-was-observed"),
        pytest.param(12_345, 1, id="while-the-sessions-are-being-closed"),
    ],
)
def test_a_call_is_told_of_in_the_turn_in_whose_window_it_was_made(at_ms: int, turn: int) -> None:
    rows = the_turn_rows(a_dialogue(), observations=[a_call(at_ms=at_ms)])
    calls = [len(one) for one in column(rows, "task", "tool_calls")]
    assert calls == [1 - turn, turn]


def test_a_call_still_open_when_its_window_ends_is_told_of_again_when_it_returns() -> None:
    seen = [a_call(at_ms=2_000), a_return(at_ms=2_500)]
    first, second = column(the_turn_rows(a_dialogue(), observations=seen), "task", "tool_calls")

    assert [(one["status"], one["returned_ms"]) for one in first] == [("called", None)]
    assert [(one["status"], one["returned_ms"]) for one in second] == [("completed", 2_500)]


def test_a_call_that_never_returns_stays_open_at_the_end() -> None:
    first, second = column(
        the_turn_rows(a_dialogue(), observations=[a_call(at_ms=2_000)]), "task", "tool_calls"
    )
    assert [one["status"] for one in first] == ["called"]
    assert second == []


def test_whether_the_task_was_completed_is_told_of_the_last_turn_alone() -> None:
    assert column(the_turn_rows(a_dialogue()), "task", "task_completed") == [None, True]


def test_without_caller_turns_there_is_no_row() -> None:
    assert the_turn_rows(a_timeline(assistant=spans((0, 400)))) == []


# Hard edges of ticks.


@pytest.mark.parametrize(
    ("until_ms", "last"),
    [
        pytest.param(200, (0, 200), id="a-whole-tick"),
        pytest.param(201, (200, 201), id="one-ms-more-is-a-tick-of-1-ms"),
        pytest.param(199, (0, 199), id="one-ms-less-is-a-shorter-tick"),
        pytest.param(1, (0, 1), id="one-ms"),
    ],
)
def test_the_last_tick_ends_with_the_observation(until_ms: int, last: tuple[int, int]) -> None:
    final = tick_rows(a_timeline(until_ms=until_ms), 200)[-1]
    assert (final["start_ms"], final["end_ms"]) == last


@pytest.mark.parametrize(
    ("span", "ticks"),
    [
        pytest.param((0, 200), [[[0, 200]], [], []], id="that-fills-a-tick-is-in-no-other"),
        pytest.param((199, 200), [[[199, 200]], [], []], id="of-its-last-ms"),
        pytest.param((200, 201), [[], [[200, 201]], []], id="of-the-first-ms-of-the-next"),
        pytest.param((199, 201), [[[199, 200]], [[200, 201]], []], id="across-an-edge-is-cut"),
        pytest.param(
            (399, 450), [[], [[399, 400]], [[400, 450]]], id="open-at-the-end-runs-to-the-end"
        ),
    ],
)
@pytest.mark.parametrize("track", ["user", "assistant", "interaction"])
def test_a_span_lies_in_its_ticks_to_the_ms(
    span: tuple[int, int], ticks: list[list[list[int]]], track: str
) -> None:
    timeline = {
        "user": a_timeline(a_request(span), until_ms=450),
        "assistant": a_timeline(assistant=spans(span), until_ms=450),
        "interaction": a_timeline(work=spans(span), until_ms=450),
    }[track]
    name = "delegation_intervals_ms" if track == "interaction" else "speech_intervals_ms"
    assert column(tick_rows(timeline, 200), track, name) == ticks


def test_an_unknown_level_is_null_and_silence_is_zero() -> None:
    levels = {Speaker.CALLER: (0.0, None, 2.345, None)}
    rows = tick_rows(TIMELINE, 200, rms=levels)
    assert column(rows, "user", "rms") == [0.0, None, 2.35, None]
    assert column(rows, "assistant", "rms") == [None] * 4

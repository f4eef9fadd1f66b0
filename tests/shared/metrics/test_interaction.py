"""The v2 numbers together: the contract's own examples, and what may not move them."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.intervals import Interval, IntervalSet
from shared.metrics.floor import Durations
from shared.metrics.interaction import InteractionMeasurements, MetricPolicy, measure
from shared.metrics.responses import Outcome, Reason
from shared.observability.evidence import CallerAction
from shared.observability.timeline import Timeline
from shared.observability.turns import Turn
from shared.values import Rate
from tests.support.builders import a_request, a_timeline, an_evidence, an_utterance, spans

POLICY = MetricPolicy()


def test_the_default_policy() -> None:
    assert (POLICY.response_deadline_ms, POLICY.yield_window_ms, POLICY.backchannel_window_ms) == (
        5_000,
        2_000,
        1_000,
    )


@pytest.mark.parametrize("value", [0, -1, True, False, 5_000.0, "5000", None])
@pytest.mark.parametrize("name", [one.name for one in dataclasses.fields(MetricPolicy)])
def test_a_policy_is_whole_ms_above_zero(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{name} must be a whole number of ms above 0"):
        MetricPolicy(**{name: value})


def test_one_ms_is_a_policy() -> None:
    assert MetricPolicy(1, 1, 1).response_deadline_ms == 1


def two_requests(until_ms: int) -> Timeline:
    return a_timeline(
        a_request((0, 1_000)),
        a_request((10_000, 11_000)),
        assistant=spans((1_500, 3_000)),
        until_ms=until_ms,
    )


def test_one_answer_and_89_seconds_of_silence_is_half() -> None:
    measured = measure(two_requests(11_000 + 89_000), POLICY)
    assert measured.response_rate == Rate(1, 2)
    assert measured.response_rate.value == 0.5


def test_a_tail_of_20_ms_censors_the_second() -> None:
    measured = measure(two_requests(11_000 + 20), POLICY)
    assert measured.response_rate == Rate(1, 1)
    assert measured.response_censored_count == 1


def test_an_attempt_without_caller_speech_has_no_rates() -> None:
    measured = measure(a_timeline(), POLICY)
    assert measured.metrics_version == "2.0"
    assert measured.caller_turn_count == 0
    assert measured.response_rate.value is None
    assert measured.response_latency_ms is None
    assert measured.interruption_rate is None
    assert measured.yield_rate.value is None
    assert measured.backchannel_rate.value is None
    assert measured.floor_hold_durations == Durations(0, 0)


def test_the_whole_picture() -> None:
    measured = measure(
        a_timeline(
            a_request((0, 1_000), action=CallerAction.OPENING),
            a_request((5_000, 5_200), action=CallerAction.BACKCHANNEL),
            a_request((8_000, 9_000), action=CallerAction.INTERRUPT),
            a_request((20_000, 20_400), (20_600, 22_000)),
            a_request((40_000, 41_000), action=CallerAction.STOP),
            assistant=spans(
                (1_400, 8_500), (9_600, 12_000), (20_500, 20_700), (30_000, 31_000),
                (41_500, 42_000),
            ),
            work=spans((22_000, 30_500)),
        ),
        POLICY,
    )  # fmt: skip
    assert measured.caller_turn_count == 5
    assert measured.response_rate == Rate(2, 3)
    assert measured.response_latencies_ms == (400, 600)
    assert measured.response_latency_ms == 500
    assert measured.late_response_latencies_ms == (8_000,)
    assert measured.response_late_count == 1
    assert measured.response_exclusion_reasons == {
        Reason.BACKCHANNEL: 1,
        Reason.CALLER_CLOSING: 1,
    }
    assert measured.interruption_count == 1
    assert measured.interruption_rate == pytest.approx(1 / 3)
    assert measured.yield_rate == Rate(1, 1)
    assert measured.yield_latency_ms == 500
    assert measured.backchannel_rate == Rate(1, 1)
    assert measured.speaking == Durations(7_100 + 2_400 + 200 + 1_000 + 500, 7_100)
    assert measured.floor_hold == spans((22_000, 30_000))


def test_a_mean_may_lie_between_two_ms() -> None:
    measured = measure(
        a_timeline(
            a_request((0, 1_000)),
            a_request((10_000, 11_000)),
            assistant=spans((1_001, 2_000), (11_002, 12_000)),
        ),
        POLICY,
    )
    assert measured.response_latency_ms == 1.5


def test_overlap_is_the_time_when_both_are_voiced() -> None:
    pausing = a_request((0, 1_000), (2_000, 3_000))
    measured = measure(a_timeline(pausing, assistant=spans((700, 1_200), (1_500, 1_700))), POLICY)
    assert [turn.overlap_ms for turn in measured.turns] == [300]


def test_several_interruptions_of_one_request_exceed_one() -> None:
    measured = measure(
        a_timeline(a_request((0, 9_000)), assistant=spans((1_000, 1_500), (3_000, 3_500))), POLICY
    )
    assert measured.interruption_rate == 2.0


def test_an_interruption_of_an_excluded_request_is_in_no_rate() -> None:
    measured = measure(
        a_timeline(a_request((0, 5_000)), assistant=spans((1_000, 1_500), (4_000, 6_000))), POLICY
    )
    assert measured.interruption_count == 0
    assert measured.interruption_rate is None


def test_a_policy_of_its_own_decides() -> None:
    timeline = a_timeline(a_request((0, 1_000)), assistant=spans((1_500, 2_000)))
    assert measure(timeline, MetricPolicy(500)).response_rate == Rate(1, 1)
    assert measure(timeline, MetricPolicy(499)).response_rate == Rate(0, 1)


def test_a_cut_timeline_censors_its_last_request() -> None:
    timeline = a_timeline(a_request((0, 1_000)), is_cut=True)
    assert measure(timeline, POLICY).response_censored_count == 1


def test_utterances_that_begin_together_leave_no_speech_between_them() -> None:
    timeline = a_timeline(a_request((0, 1_000)), a_request((0, 2_000)), assistant=spans((500, 900)))
    assert [turn.assistant_speech_ms for turn in measure(timeline, POLICY).turns] == [0, 400]


@st.composite
def timelines(draw: st.DrawFn) -> Timeline:
    """Conversations on a grid coarse enough for boundaries to meet."""
    pair = st.tuples(st.integers(0, 40), st.integers(1, 6)).map(
        lambda p: (p[0] * 250, (p[0] + p[1]) * 250)
    )
    requests = [
        a_request(*voiced, action=draw(st.sampled_from(CallerAction)))
        for voiced in draw(st.lists(st.lists(pair, min_size=1, max_size=2), max_size=6))
    ]
    return a_timeline(
        *requests,
        assistant=spans(*draw(st.lists(pair, max_size=8))),
        work=spans(*draw(st.lists(pair, max_size=4))),
        until_ms=draw(st.integers(46, 80)) * 250,
        is_cut=draw(st.booleans()),
    )


def shifted(timeline: Timeline, offset_ms: int) -> Timeline:
    def moved(turn: Turn) -> Turn:
        return dataclasses.replace(
            turn, span=turn.span.shifted(offset_ms), voiced=turn.voiced.shifted(offset_ms)
        )

    return dataclasses.replace(
        timeline,
        extent=timeline.extent.shifted(offset_ms),
        caller=timeline.caller.shifted(offset_ms),
        assistant=timeline.assistant.shifted(offset_ms),
        work=timeline.work.shifted(offset_ms),
        caller_turns=tuple(map(moved, timeline.caller_turns)),
        assistant_turns=tuple(map(moved, timeline.assistant_turns)),
    )


NUMBERS = [
    "speaking",
    *(name for name, kind in vars(InteractionMeasurements).items() if isinstance(kind, property)),
]


def numbers(measured: InteractionMeasurements) -> dict[str, object]:
    """Every number; no instant is among them."""
    return {name: getattr(measured, name) for name in NUMBERS}


@given(timelines(), st.integers(-100_000, 100_000))
def test_a_shift_of_everything_moves_no_number(timeline: Timeline, offset_ms: int) -> None:
    moved = measure(shifted(timeline, offset_ms), POLICY)
    straight = measure(timeline, POLICY)
    assert numbers(moved) == numbers(straight)
    assert moved.floor_hold == straight.floor_hold.shifted(offset_ms)


@given(timelines(), st.integers(1, 600_000))
def test_silence_beyond_every_deadline_only_decides_what_was_censored(timeline, more_ms) -> None:
    longer = dataclasses.replace(timeline, extent=Interval(0, 60_000 + more_ms))
    before, after = measure(timeline, POLICY), measure(longer, POLICY)
    for earlier, later in zip(before.turns, after.turns, strict=True):
        if earlier.opportunity.reason is Reason.OBSERVATION_ENDED:
            assert later.opportunity.latency_ms is None
            assert later.opportunity.reason in {Reason.DEADLINE_EXPIRED, Reason.CONNECTION_LOST}
        else:
            assert later.opportunity == earlier.opportunity
        assert (later.interruptions, later.yielding) == (earlier.interruptions, earlier.yielding)
        assert later.backchannel == earlier.backchannel
    assert (after.speaking, after.floor_hold) == (before.speaking, before.floor_hold)


@given(timelines())
def test_the_counts_add_up(timeline: Timeline) -> None:
    measured = measure(timeline, POLICY)
    outcomes = [turn.opportunity.outcome for turn in measured.turns]
    assert measured.response_count == outcomes.count(Outcome.ANSWERED)
    assert measured.response_total == measured.response_count + measured.no_response_count
    assert (
        measured.response_eligible_count
        == measured.response_total + measured.response_censored_count
    )
    assert (
        measured.caller_turn_count
        == measured.response_eligible_count + measured.response_excluded_count
        == len(timeline.caller_turns)
    )
    assert sum(measured.response_exclusion_reasons.values()) == measured.response_excluded_count
    assert len(measured.response_latencies_ms) == measured.response_count
    assert measured.response_late_count <= measured.no_response_count


@given(timelines())
def test_speech_of_the_turns_is_the_assistants_speech_after_the_first(timeline: Timeline) -> None:
    measured = measure(timeline, POLICY)
    first_ms = timeline.caller_turns[0].span.start_ms if timeline.caller_turns else None
    if first_ms is not None:
        heard = timeline.assistant.clip(Interval(first_ms, timeline.extent.end_ms))
        assert sum(turn.assistant_speech_ms for turn in measured.turns) == heard.total_ms


def an_hour() -> tuple[IntervalSet, IntervalSet, int]:
    """Two tracks of 10,000 spans each that touch, overlap and leave gaps."""
    caller = IntervalSet(tuple(Interval(n * 360, n * 360 + 200) for n in range(10_000)))
    assistant = IntervalSet(tuple(Interval(n * 360 + 150, n * 360 + 330) for n in range(10_000)))
    return caller, assistant, 3_600_000


@pytest.mark.parametrize("utterance_ms", [3_600, 3_600_000], ids=["many-turns", "one-turn"])
def test_every_turn_of_an_hour_is_measured(utterance_ms: int) -> None:
    caller, assistant, extent_ms = an_hour()
    utterances = [an_utterance(ms, ms + utterance_ms) for ms in range(0, extent_ms, utterance_ms)]
    evidence = an_evidence(
        caller=caller, assistant=assistant, utterances=utterances, extent_ms=extent_ms
    )
    measured = measure(Timeline.of(evidence), POLICY)
    assert measured.caller_turn_count == extent_ms // utterance_ms

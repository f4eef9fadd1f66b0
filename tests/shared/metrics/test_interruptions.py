from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.intervals import Interval
from shared.metrics.interruptions import YieldOutcome, exposure, interruptions, yields
from shared.metrics.responses import Watch, classify
from shared.observability.evidence import CallerAction
from tests.support.builders import a_request, spans

WATCH = Watch(5_000, 90_000, is_cut=False)
PAUSING = a_request((1_000, 2_000), (3_000, 4_000))


def broken_into(*requests, assistant) -> list[list[int]]:
    opportunities = classify(requests, assistant, WATCH)
    found = interruptions(requests, opportunities, assistant)
    return [[span.start_ms for span in mine] for mine in found]


@pytest.mark.parametrize(
    ("assistant", "starts"),
    [
        pytest.param(spans((1_000, 1_500)), [], id="exactly-at-its-first-instant"),
        pytest.param(spans((1_001, 1_500)), [1_001], id="one-ms-after-its-first-instant"),
        pytest.param(spans((999, 1_500)), [], id="one-ms-before-its-first-instant"),
        pytest.param(spans((1_999, 2_500)), [1_999], id="in-the-last-ms-before-a-pause"),
        pytest.param(spans((2_000, 2_500)), [], id="in-a-pause-and-over-in-it"),
        pytest.param(spans((2_500, 3_000)), [], id="in-a-pause-and-over-as-it-ends"),
        pytest.param(spans((2_500, 3_001)), [2_500], id="in-a-pause-the-caller-ends"),
        pytest.param(spans((3_000, 3_500)), [3_000], id="as-the-caller-resumes"),
        pytest.param(spans((3_998, 3_999)), [3_998], id="shortly-before-its-last-instant"),
        pytest.param(spans((4_000, 4_500)), [], id="exactly-at-its-end"),
        pytest.param(spans((3_900, 4_500)), [], id="speaking-on-past-its-end-excludes-the-request"),
        pytest.param(
            spans((1_100, 1_200), (1_300, 1_400), (3_100, 3_200)),
            [1_100, 1_300, 3_100],
            id="every-start-counts",
        ),
    ],
)  # fmt: skip
def test_an_assistant_starting(assistant, starts: list[int]) -> None:
    assert broken_into(PAUSING, assistant=assistant) == [starts]


@pytest.mark.parametrize("action", [CallerAction.BACKCHANNEL, CallerAction.STOP])
def test_only_eligible_requests_are_interrupted(action: CallerAction) -> None:
    request = a_request((1_000, 4_000), action=action)
    assert broken_into(request, assistant=spans((2_000, 2_500))) == [[]]


@pytest.mark.parametrize("shift_ms", [0, 100])
def test_segments_around_the_caller_do_not_overlap_it(shift_ms: int) -> None:
    caller = a_request((350 + shift_ms, 370 + shift_ms))
    assistant = spans((200, 220), (580, 600)).shifted(shift_ms)
    assert broken_into(caller, assistant=assistant) == [[]]


def test_answering_in_a_pause_of_one_second_is_one_interruption_of_one_turn() -> None:
    caller = a_request((0, 1_500), (2_500, 4_000))
    assert broken_into(caller, assistant=spans((1_900, 3_200))) == [[1_900]]


def test_where_utterances_overlap_a_start_counts_for_the_earlier() -> None:
    early, late = a_request((0, 3_000)), a_request((1_000, 5_000))
    assistant = spans((1_500, 1_600), (2_000, 2_100), (4_000, 4_100))
    assert broken_into(early, late, assistant=assistant) == [[1_500, 2_000], [4_000]]


def test_each_turn_comes_with_its_opportunity() -> None:
    with pytest.raises(ValueError, match="shorter"):
        interruptions([PAUSING], [], spans())


def by_the_letter(request, assistant) -> list[int]:
    instants = {ms for span in request.voiced for ms in range(span.start_ms, span.end_ms)}
    return [
        span.start_ms
        for span in assistant
        if request.span.start_ms < span.start_ms < request.span.end_ms
        and instants & set(range(span.start_ms, span.end_ms))
        and not any(a.start_ms < request.span.end_ms <= a.end_ms for a in assistant)
    ]


some_spans = st.lists(
    st.tuples(st.integers(0, 40), st.integers(1, 8)).map(lambda p: (p[0], p[0] + p[1])),
    min_size=1,
    max_size=5,
)


@given(some_spans, some_spans)
def test_interruptions_keep_to_the_letter(voiced, spoken) -> None:
    request, assistant = a_request(*voiced), spans(*spoken)
    assert broken_into(request, assistant=assistant) == [by_the_letter(request, assistant)]


@pytest.mark.parametrize(
    ("assistant", "action", "expected"),
    [
        pytest.param(spans((0, 1_001)), CallerAction.SPEAK, (0, 1_001), id="running-at-the-onset"),
        pytest.param(spans((0, 1_000)), CallerAction.SPEAK, None, id="ended-at-the-onset"),
        pytest.param(
            spans((0, 1_000)), CallerAction.INTERRUPT, (0, 1_000), id="ended-at-an-interruption"
        ),
        pytest.param(spans((0, 999)), CallerAction.INTERRUPT, None, id="a-gap-of-one-ms"),
        pytest.param(spans((1_000, 2_000)), CallerAction.INTERRUPT, None, id="simultaneous-onset"),
        pytest.param(
            spans((999, 2_000)), CallerAction.SPEAK, (999, 2_000), id="begun-one-ms-earlier"
        ),
        pytest.param(spans((1_001, 2_000)), CallerAction.INTERRUPT, None, id="begun-afterwards"),
        pytest.param(
            spans((0, 900), (1_000, 2_000)), CallerAction.INTERRUPT, None, id="between-two-spans"
        ),
    ],
)
def test_exposure_to_assistant_speech(assistant, action: CallerAction, expected) -> None:
    cue = a_request((1_000, 3_000), action=action)
    assert exposure(cue, assistant) == (Interval(*expected) if expected else None)


@pytest.mark.parametrize(
    ("end_ms", "outcome", "latency_ms"),
    [
        pytest.param(1_001, YieldOutcome.YIELDED, 1, id="at-once"),
        pytest.param(2_999, YieldOutcome.YIELDED, 1_999, id="one-ms-inside-the-window"),
        pytest.param(3_000, YieldOutcome.YIELDED, 2_000, id="exactly-at-the-window"),
        pytest.param(3_001, YieldOutcome.NO_YIELD, None, id="one-ms-outside-the-window"),
    ],
)
def test_the_assistant_stops(end_ms: int, outcome: YieldOutcome, latency_ms: int | None) -> None:
    (one,) = yields([a_request((1_000, 6_000))], spans((0, end_ms)), window_ms=2_000)
    assert one is not None
    assert one.outcome is outcome
    assert one.latency_ms == latency_ms
    assert one.delay_ms == end_ms - 1_000


def test_an_explicit_interruption_can_succeed_without_overlap() -> None:
    cue = a_request((1_000, 2_000), action=CallerAction.INTERRUPT)
    (one,) = yields([cue], spans((0, 1_000)), window_ms=2_000)
    assert one is not None
    assert one.latency_ms == 0


@pytest.mark.parametrize("action", [CallerAction.BACKCHANNEL, CallerAction.STOP])
def test_who_asks_for_no_floor_is_yielded_none(action: CallerAction) -> None:
    cue = a_request((1_000, 2_000), action=action)
    assert yields([cue], spans((0, 1_500)), window_ms=2_000) == (None,)

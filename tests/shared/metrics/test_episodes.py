from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.intervals import IntervalSet
from shared.metrics.episodes import (
    Settled,
    SettledYield,
    interruption_episodes,
    settled_yields,
    stretches,
    talk_over,
)
from shared.observability.evidence import CallerAction
from shared.observability.turns import Turn
from shared.values import Rate
from tests.support.builders import a_request, spans

PAUSING = a_request((1_000, 2_000), (3_000, 4_000))
NO_REPLY = [CallerAction.BACKCHANNEL, CallerAction.STOP]


@pytest.mark.parametrize(
    ("gap_ms", "count"),
    [
        pytest.param(299, 1, id="shorter-than-300-ms-ends-no-stretch"),
        pytest.param(300, 2, id="of-300-ms-ends-it"),
        pytest.param(301, 2, id="of-301-ms-ends-it"),
    ],
)
def test_a_silence(gap_ms: int, count: int) -> None:
    assert len(stretches(spans((0, 100), (100 + gap_ms, 900)))) == count


def broken_into(*turns: Turn, assistant: IntervalSet) -> list[list[int]]:
    found = interruption_episodes(turns, assistant)
    return [[stretch.start_ms for stretch in mine] for mine in found]


@pytest.mark.parametrize(
    ("assistant", "starts"),
    [
        pytest.param(spans((1_000, 1_500)), [], id="exactly-at-its-first-instant"),
        pytest.param(spans((1_001, 1_500)), [1_001], id="one-ms-after-its-first-instant"),
        pytest.param(spans((3_999, 4_500)), [3_999], id="one-ms-before-its-end"),
        pytest.param(spans((4_000, 4_500)), [], id="exactly-at-its-end"),
        pytest.param(spans((1_500, 9_000)), [1_500], id="and-speaking-on-past-its-end"),
        pytest.param(spans((2_100, 2_900)), [], id="in-a-pause-and-over-in-it"),
        pytest.param(spans((2_100, 3_001)), [2_100], id="in-a-pause-the-caller-ends"),
        pytest.param(
            spans((2_100, 2_800), (3_099, 3_200)), [2_100], id="in-a-pause-and-again-after-299-ms"
        ),
        pytest.param(
            spans((2_100, 2_800), (3_100, 3_200)), [3_100], id="in-a-pause-and-again-after-300-ms"
        ),
        pytest.param(
            spans((2_800, 2_990), (3_000, 3_001)), [2_800], id="in-a-pause-and-on-with-the-caller"
        ),
        pytest.param(
            spans((2_701, 2_800), (4_000, 4_100)), [], id="in-a-pause-and-never-with-the-caller"
        ),
        pytest.param(
            spans((1_100, 1_200), (1_300, 1_400), (1_699, 1_800)), [1_100], id="word-by-word"
        ),
        pytest.param(
            spans((1_100, 1_200), (1_500, 1_600)), [1_100, 1_500], id="twice-300-ms-apart"
        ),
        pytest.param(
            spans((500, 900), (1_199, 1_500)), [], id="after-a-pause-of-299-ms-begun-before-it"
        ),
        pytest.param(
            spans((500, 900), (1_200, 1_500)), [1_200], id="after-a-pause-of-300-ms-begun-before-it"
        ),
    ],
)  # fmt: skip
def test_an_assistant_starting(assistant: IntervalSet, starts: list[int]) -> None:
    assert broken_into(PAUSING, assistant=assistant) == [starts]


@pytest.mark.parametrize("action", NO_REPLY)
def test_only_what_asks_for_a_reply_is_broken_into(action: CallerAction) -> None:
    request = a_request((1_000, 4_000), action=action)
    assert broken_into(request, assistant=spans((2_000, 2_500))) == [[]]


def test_a_stretch_counts_once_where_utterances_overlap() -> None:
    inner, outer = a_request((1_500, 3_000)), a_request((1_000, 4_000))
    assert broken_into(outer, inner, assistant=spans((2_000, 2_500))) == [[2_000], []]


@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(1, 299)), max_size=6),
    st.lists(st.tuples(st.integers(0, 300), st.integers(1, 90)), min_size=1, max_size=4),
)
def test_a_word_gap_makes_no_further_episode(
    gaps: list[tuple[int, int]], asked: list[tuple[int, int]]
) -> None:
    turns = sorted((a_request((a * 10, (a + n) * 10)) for a, n in asked), key=lambda t: t.span)
    unbroken = spans((0, 200), (700, 1_200), (1_600, 4_000))
    spoken = unbroken
    for start, duration in gaps:
        hole = spans((start * 10, start * 10 + duration))
        if stretches(spoken - hole) == unbroken:
            spoken = spoken - hole
    before, after = (broken_into(*turns, assistant=track) for track in (unbroken, spoken))
    assert sum(map(len, after)) <= sum(map(len, before))


@pytest.mark.parametrize(
    ("turns", "assistant", "expected"),
    [
        pytest.param([PAUSING], spans((1_500, 3_200)), Rate(700, 2_000), id="of-voice-not-pauses"),
        pytest.param([PAUSING], spans((2_000, 3_000)), Rate(0, 2_000), id="not-beside-it"),
        pytest.param([PAUSING], spans((0, 9_000)), Rate(2_000, 2_000), id="of-excluded-requests"),
        pytest.param([], spans((0, 9_000)), Rate(0, 0), id="of-nobody"),
        pytest.param(
            [a_request((0, 900), action=action) for action in NO_REPLY],
            spans((0, 900)),
            Rate(0, 0),
            id="only-where-a-reply-is-asked-for",
        ),
        pytest.param(
            [a_request((0, 900)), a_request((300, 900))],
            spans((600, 700)),
            Rate(100, 900),
            id="once-where-utterances-overlap",
        ),
    ],
)
def test_talk_over_is_a_share(turns: list[Turn], assistant: IntervalSet, expected: Rate) -> None:
    assert talk_over(turns, assistant) == expected


def settled(
    assistant: IntervalSet,
    *,
    until_ms: int = 60_000,
    action: CallerAction = CallerAction.SPEAK,
) -> SettledYield | None:
    request = a_request((1_000, 4_000), action=action)
    (one,) = settled_yields([request], assistant, window_ms=2_000, observed_until_ms=until_ms)
    return one


YIELDED, NO_YIELD, CENSORED = Settled.YIELDED, Settled.NO_YIELD, Settled.CENSORED


@pytest.mark.parametrize(
    ("assistant", "expected"),
    [
        pytest.param(spans((500, 3_000)), SettledYield(YIELDED, 2_000), id="at-the-window"),
        pytest.param(spans((500, 3_001)), SettledYield(NO_YIELD, 2_001), id="one-ms-beyond-it"),
        pytest.param(
            spans((500, 1_400), (1_699, 3_500)), SettledYield(NO_YIELD, 2_500), id="after-299-ms"
        ),
        pytest.param(
            spans((500, 1_400), (1_700, 3_500)), SettledYield(YIELDED, 400), id="after-300-ms"
        ),
        pytest.param(
            spans((500, 1_400), (1_701, 3_500)), SettledYield(YIELDED, 400), id="after-301-ms"
        ),
        pytest.param(spans((1_000, 1_400)), None, id="begun-with-the-caller-is-no-exposure"),
        pytest.param(spans((500, 1_000)), None, id="over-at-the-onset-is-no-exposure"),
        pytest.param(
            spans((500, 900), (1_100, 1_400)),
            SettledYield(YIELDED, 400),
            id="an-onset-in-a-pause-of-200-ms-is-exposure",
        ),
        pytest.param(spans((500, 900), (1_200, 1_400)), None, id="an-onset-in-one-of-300-is-none"),
    ],
)
def test_an_assistant_that_stops_and_goes_on(
    assistant: IntervalSet, expected: SettledYield | None
) -> None:
    assert settled(assistant) == expected


@pytest.mark.parametrize(
    ("until_ms", "outcome"),
    [
        pytest.param(1_799, CENSORED, id="299-ms-of-silence-settle-nothing"),
        pytest.param(1_800, YIELDED, id="300-ms-of-silence-settle-it"),
        pytest.param(1_801, YIELDED, id="301-ms-of-silence-settle-it"),
    ],
)
def test_observation_ending_after(until_ms: int, outcome: Settled) -> None:
    assert settled(spans((500, 1_500)), until_ms=until_ms) == SettledYield(outcome, 500)


def test_speech_beyond_the_window_needs_no_silence_to_be_no_yield() -> None:
    assert settled(spans((500, 3_001)), until_ms=3_001) == SettledYield(NO_YIELD, 2_001)


@pytest.mark.parametrize("action", NO_REPLY)
def test_only_a_turn_that_asks_for_the_floor_is_yielded_to(action: CallerAction) -> None:
    assert settled(spans((500, 1_600)), action=action) is None


def test_an_interruption_as_the_stretch_ends_is_a_yield_without_overlap() -> None:
    one = settled(spans((500, 1_000)), action=CallerAction.INTERRUPT)
    assert one == SettledYield(YIELDED, 0)

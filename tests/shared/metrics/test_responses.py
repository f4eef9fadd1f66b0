"""Each request, its boundary cases first: at, one before, one after."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.intervals import IntervalSet
from shared.metrics.responses import Opportunity, Outcome, Reason, Watch, classify
from shared.observability.evidence import CallerAction
from tests.support.builders import a_request, spans

DEADLINE_MS = 5_000
REQUEST = a_request((0, 1_000))

ANSWERED = (Outcome.ANSWERED, Reason.RESPONSE_RECEIVED)
EXPIRED = (Outcome.MISSED, Reason.DEADLINE_EXPIRED)
CLOSED = (Outcome.MISSED, Reason.NEXT_ELIGIBLE_REQUEST)
CENSORED = (Outcome.CENSORED, Reason.OBSERVATION_ENDED)
CUT = (Outcome.CENSORED, Reason.CONNECTION_LOST)
ACTIVE = (Outcome.EXCLUDED, Reason.ASSISTANT_ACTIVE)


def classified(*requests, assistant=None, until_ms=90_000, is_cut=False) -> tuple[Opportunity, ...]:
    watch = Watch(DEADLINE_MS, until_ms, is_cut)
    return classify(requests, assistant or spans(), watch)


def verdicts(opportunities) -> list[tuple[Outcome, Reason]]:
    return [(one.outcome, one.reason) for one in opportunities]


@pytest.mark.parametrize(
    ("assistant", "until_ms", "expected", "latency_ms"),
    [
        pytest.param(spans((1_000, 1_100)), 90_000, ANSWERED, 0, id="audio-at-its-very-end"),
        pytest.param(spans((1_001, 1_100)), 90_000, ANSWERED, 1, id="audio-one-ms-after-it"),
        pytest.param(spans((5_999, 7_000)), 90_000, ANSWERED, 4_999, id="one-ms-early"),
        pytest.param(spans((6_000, 7_000)), 90_000, ANSWERED, 5_000, id="exactly-at-the-deadline"),
        pytest.param(spans((6_001, 7_000)), 90_000, EXPIRED, 5_001, id="one-ms-late"),
        pytest.param(spans((9_000, 9_500)), 90_000, EXPIRED, 8_000, id="late-does-not-erase-it"),
        pytest.param(spans(), 6_001, EXPIRED, None, id="observed-one-ms-past-the-deadline"),
        pytest.param(spans(), 6_000, EXPIRED, None, id="observation-ends-at-the-deadline"),
        pytest.param(spans(), 5_999, CENSORED, None, id="observation-ends-one-ms-before-it"),
        pytest.param(spans(), 1_020, CENSORED, None, id="twenty-ms-of-tail"),
        pytest.param(
            spans((2_000, 2_010), (2_500, 3_000)), 90_000, ANSWERED, 1_000, id="the-first-audio"
        ),
    ],
)
def test_one_request_with(assistant, until_ms, expected, latency_ms) -> None:
    (one,) = classified(REQUEST, assistant=assistant, until_ms=until_ms)
    assert (one.outcome, one.reason) == expected
    assert one.latency_ms == latency_ms
    assert one.deadline_at_ms == 6_000
    assert one.is_late is (expected == EXPIRED and latency_ms is not None)


@pytest.mark.parametrize(
    ("assistant", "expected"),
    [
        pytest.param(spans((999, 1_000)), ACTIVE, id="ending-at-the-requests-end"),
        pytest.param(spans((500, 999)), EXPIRED, id="ending-one-ms-before-it"),
        pytest.param(spans((999, 1_001)), ACTIVE, id="begun-one-ms-before-it"),
        pytest.param(spans((1_000, 1_001)), ANSWERED, id="begun-exactly-at-it"),
        pytest.param(spans((0, 2_000)), ACTIVE, id="begun-with-the-request"),
        pytest.param(spans((400, 990), (1_010, 2_000)), ANSWERED, id="silent-just-there"),
    ],
)
def test_assistant_speech(assistant, expected) -> None:
    (one,) = classified(REQUEST, assistant=assistant)
    assert (one.outcome, one.reason) == expected
    assert one.is_eligible is (expected != ACTIVE)


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (CallerAction.OPENING, ANSWERED),
        (CallerAction.SPEAK, ANSWERED),
        (CallerAction.INTERRUPT, ANSWERED),
        (CallerAction.BACKCHANNEL, (Outcome.EXCLUDED, Reason.BACKCHANNEL)),
        (CallerAction.STOP, (Outcome.EXCLUDED, Reason.CALLER_CLOSING)),
    ],
)
def test_the_callers_action_decides_first(action: CallerAction, expected) -> None:
    answered = classified(a_request((0, 1_000), action=action), assistant=spans((1_200, 2_000)))
    assert verdicts(answered) == [expected]
    if expected[0] is Outcome.EXCLUDED:
        spoken_over = classified(a_request((0, 1_000), action=action), assistant=spans((0, 2_000)))
        assert verdicts(spoken_over) == [expected]
        assert spoken_over[0].latency_ms is None
        assert spoken_over[0].deadline_at_ms is None


def next_at(start_ms: int, action: CallerAction = CallerAction.SPEAK):
    return a_request((start_ms, start_ms + 1_000), action=action)


@pytest.mark.parametrize(
    ("following", "assistant", "expected"),
    [
        pytest.param(next_at(3_000), spans((3_000, 3_500)), ANSWERED, id="audio-at-its-start"),
        pytest.param(next_at(3_000), spans((2_999, 3_500)), ANSWERED, id="audio-one-ms-before-it"),
        pytest.param(next_at(3_000), spans((3_001, 3_500)), CLOSED, id="audio-one-ms-after-it"),
        pytest.param(next_at(5_999), spans(), CLOSED, id="one-ms-before-the-deadline"),
        pytest.param(next_at(6_000), spans(), EXPIRED, id="exactly-at-the-deadline"),
        pytest.param(next_at(6_001), spans(), EXPIRED, id="one-ms-after-the-deadline"),
        pytest.param(next_at(1_000), spans(), CLOSED, id="at-the-requests-end"),
        pytest.param(next_at(1_000), spans((1_000, 1_500)), ANSWERED, id="all-three-at-once"),
        pytest.param(
            next_at(3_000, CallerAction.BACKCHANNEL),
            spans((3_001, 3_500)),
            ANSWERED,
            id="a-backchannel-closes-nothing",
        ),
        pytest.param(
            next_at(3_000, CallerAction.STOP),
            spans((3_001, 3_500)),
            ANSWERED,
            id="a-closing-closes-nothing",
        ),
        pytest.param(
            next_at(3_000), spans((3_500, 4_500)), ANSWERED, id="one-spoken-through-closes-nothing"
        ),
    ],
)
def test_the_next_request(following, assistant, expected) -> None:
    assert verdicts(classified(REQUEST, following, assistant=assistant))[0] == expected


@pytest.mark.parametrize(
    ("audio_ms", "latency_ms"),
    [
        pytest.param(6_001, 5_001, id="first-late-instant"),
        pytest.param(8_000, 7_000, id="at-the-next-requests-start"),
        pytest.param(8_001, None, id="one-ms-after-the-next-requests-start"),
    ],
)
def test_late_audio_is_the_earlier_requests_until_the_next_begins(audio_ms, latency_ms) -> None:
    first, _ = classified(REQUEST, next_at(8_000), assistant=spans((audio_ms, audio_ms + 100)))
    assert (first.outcome, first.reason) == EXPIRED
    assert first.latency_ms == latency_ms


def test_audio_at_the_next_requests_start_answers_the_earlier_only() -> None:
    assert verdicts(classified(REQUEST, next_at(3_000), assistant=spans((3_000, 3_500)))) == [
        ANSWERED,
        EXPIRED,
    ]


def test_only_a_request_that_begins_after_this_one_ended_can_close_it() -> None:
    overlapping = a_request((500, 1_500))
    assert verdicts(classified(REQUEST, overlapping, assistant=spans((1_600, 2_000)))) == [
        ANSWERED,
        ANSWERED,
    ]


@pytest.mark.parametrize(
    ("assistant", "until_ms", "expected"),
    [
        pytest.param(spans(), 90_000, CUT, id="censors-a-deadline-that-seemed-to-expire"),
        pytest.param(spans(), 6_000, CUT, id="censors-a-deadline-at-the-end-of-observation"),
        pytest.param(spans(), 5_999, CENSORED, id="changes-no-reason-before-the-deadline"),
        pytest.param(spans((2_000, 2_500)), 90_000, ANSWERED, id="takes-no-answer-away"),
        pytest.param(spans((7_000, 7_500)), 90_000, EXPIRED, id="excuses-no-late-answer"),
    ],
)
def test_a_lost_connection(assistant, until_ms, expected) -> None:
    (one,) = classified(REQUEST, assistant=assistant, until_ms=until_ms, is_cut=True)
    assert (one.outcome, one.reason) == expected


def test_a_lost_connection_censors_the_last_request_only() -> None:
    assert verdicts(classified(REQUEST, next_at(8_000), is_cut=True)) == [EXPIRED, CUT]
    assert verdicts(classified(REQUEST, next_at(2_000), is_cut=True)) == [CLOSED, CUT]


def by_the_letter(requests, assistant: IntervalSet, until_ms: int):
    """The rules read one after another, without any thought of speed."""
    excluded = [
        r.action in {CallerAction.BACKCHANNEL, CallerAction.STOP}
        or any(a.start_ms < r.span.end_ms <= a.end_ms for a in assistant)
        for r in requests
    ]
    for n, r in enumerate(requests):
        if excluded[n]:
            yield Outcome.EXCLUDED, None
            continue
        later = [q.span.start_ms for m, q in enumerate(requests) if m > n and not excluded[m]]
        closing = min((start for start in later if start >= r.span.end_ms), default=10**9)
        audio = [a.start_ms for a in assistant if r.span.end_ms <= a.start_ms <= closing]
        latency = min(audio) - r.span.end_ms if audio else None
        deadline = r.span.end_ms + DEADLINE_MS
        if latency is not None and latency <= DEADLINE_MS:
            yield Outcome.ANSWERED, latency
        elif closing < deadline or until_ms >= deadline:
            yield Outcome.MISSED, latency
        else:
            yield Outcome.CENSORED, None


@st.composite
def conversations(draw: st.DrawFn):
    grid = st.integers(0, 20)
    pair = st.tuples(grid, st.integers(1, 4)).map(lambda p: (p[0] * 500, (p[0] + p[1]) * 500))
    requests = [
        a_request(one, action=draw(st.sampled_from(CallerAction)))
        for one in sorted(draw(st.lists(pair, max_size=6)))
    ]
    return requests, spans(*draw(st.lists(pair, max_size=6)))


@given(conversations(), st.integers(24, 40).map(lambda n: n * 500))
def test_the_classifier_keeps_to_the_letter(conversation, until_ms: int) -> None:
    requests, assistant = conversation
    found = classified(*requests, assistant=assistant, until_ms=until_ms)
    expected = list(by_the_letter(requests, assistant, until_ms))
    assert [(one.outcome, one.latency_ms) for one in found] == expected

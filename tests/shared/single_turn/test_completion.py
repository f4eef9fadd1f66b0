"""When an answer is over: each row of the table, at its edge and one millisecond to either side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.observability.evidence import Ending
from shared.observability.observations import (
    BackendText,
    DelegationBegan,
    Observation,
    ResponseBegan,
    ResponseEnded,
    ResponseStatus,
    ToolCalled,
    ToolReturned,
    ToolStatus,
    UsageReported,
    WorkContinued,
)
from shared.single_turn.completion import AnswerWatch
from tests.support.builders import at

REQUEST_END_MS = 2_000
CALLER_AUDIO_MS = 2_300
TIMEOUT_MS = 30_000
TIMEOUT_AT_MS = REQUEST_END_MS + TIMEOUT_MS
SETTLED, TIMED_OUT = Ending.ANSWER_SETTLED, Ending.RESPONSE_TIMEOUT


@dataclass(frozen=True, slots=True)
class Heard:
    """The assistant was heard, ``[start_ms, end_ms)``."""

    start_ms: int
    end_ms: int


type Step = Heard | Observation


def delegated(at_ms: int, name: str = "1", target: str = "responses") -> Observation:
    bound = f"r{name}" if target == "responses" else None
    return DelegationBegan(at(at_ms), f"d{name}", target, bound)


def ended(
    at_ms: int, name: str = "1", status: ResponseStatus = ResponseStatus.COMPLETED
) -> Observation:
    return ResponseEnded(at(at_ms), f"r{name}", f"d{name}", status, None, None)


def text(at_ms: int, name: str = "1") -> Observation:
    return BackendText(at(at_ms), f"r{name}", f"d{name}", f"m{name}", "It is done.")


def work(start_ms: int, end_ms: int, name: str = "1") -> list[Step]:
    return [delegated(start_ms, name), ended(end_ms, name)]


def a_watch(
    *steps: Step,
    request_end_ms: int = REQUEST_END_MS,
    caller_audio_ms: int = CALLER_AUDIO_MS,
    timeout_ms: int = TIMEOUT_MS,
    received_until_ms: int = 10**9,
) -> AnswerWatch:
    watch = AnswerWatch(
        request_end_ms=request_end_ms, caller_audio_ms=caller_audio_ms, timeout_ms=timeout_ms
    )
    for step in steps:
        if isinstance(step, Heard):
            watch.heard(step.start_ms, step.end_ms)
        else:
            watch.observe(step)
    watch.received(received_until_ms)
    return watch


@pytest.mark.parametrize(
    ("story", "ending", "at_ms"),
    [
        # without work
        pytest.param([], TIMED_OUT, TIMEOUT_AT_MS, id="nothing-was-heard"),
        pytest.param([Heard(2_500, 3_500)], SETTLED, 5_000, id="an-answer-and-1500-ms-of-quiet"),
        pytest.param(
            [Heard(2_500, 3_000), Heard(4_499, 5_000)], SETTLED, 6_500, id="quiet-counts-anew"
        ),
        pytest.param(
            [Heard(500, 1_999)], TIMED_OUT, TIMEOUT_AT_MS, id="speech-that-ended-before-the-request"
        ),
        pytest.param(
            [Heard(500, 2_000)], TIMED_OUT, TIMEOUT_AT_MS, id="speech-that-ended-with-the-request"
        ),
        pytest.param(
            [Heard(500, 2_999)],
            TIMED_OUT,
            TIMEOUT_AT_MS,
            id="a-short-sound-across-the-requests-end",
        ),
        pytest.param(
            [Heard(500, 3_000)], SETTLED, 4_500, id="speech-that-outlasted-the-request-by-1000-ms"
        ),
        pytest.param(
            [Heard(500, 2_200), Heard(2_500, 3_000)],
            SETTLED,
            4_500,
            id="a-short-sound-and-an-answer",
        ),
        pytest.param(
            [Heard(500, 1_000), Heard(2_500, 3_000)], SETTLED, 4_500, id="talk-before-and-after"
        ),
        pytest.param(
            [Heard(2_500, 30_500)], SETTLED, TIMEOUT_AT_MS, id="settled-just-as-time-runs-out"
        ),
        pytest.param([Heard(2_500, 30_501)], TIMED_OUT, TIMEOUT_AT_MS, id="1-ms-short-of-settling"),
        pytest.param([Heard(2_500, 60_000)], TIMED_OUT, TIMEOUT_AT_MS, id="speech-extends-nothing"),
        pytest.param(
            [UsageReported(at(3_000), 15), Heard(2_500, 3_500)],
            SETTLED,
            5_000,
            id="other-observations-are-no-work",
        ),
        # work under way
        pytest.param(
            [Heard(2_500, 3_500), delegated(3_000)], TIMED_OUT, TIMEOUT_AT_MS, id="work-never-ends"
        ),
        pytest.param(
            [delegated(3_000, target="client"), Heard(4_000, 5_000)],
            TIMED_OUT,
            TIMEOUT_AT_MS,
            id="an-applications-own-work-never-ends",
        ),
        pytest.param(
            [*work(3_000, 5_000), Heard(5_200, 6_000), delegated(6_100, "2")],
            TIMED_OUT,
            TIMEOUT_AT_MS,
            id="new-work-reopens-what-had-settled",
        ),
        pytest.param(
            [
                delegated(3_000),
                ResponseBegan(at(3_000), "r1", "d1", None),
                ToolCalled(at(3_500), "c1", "t", "{}", {}, "r1", "d1"),
                ended(3_600),
                ToolReturned(at(3_700), "c1", "t", ToolStatus.COMPLETED, {}, {}),
                WorkContinued(at(3_700), "r1", "d1"),
                Heard(4_000, 5_000),
            ],
            TIMED_OUT,
            TIMEOUT_AT_MS,
            id="work-that-was-continued-still-runs",
        ),
        # after work
        pytest.param(
            work(3_000, 5_000), TIMED_OUT, TIMEOUT_AT_MS, id="nothing-was-heard-since-the-result"
        ),
        pytest.param(
            [Heard(2_500, 3_500), *work(3_000, 5_000)],
            TIMED_OUT,
            TIMEOUT_AT_MS,
            id="only-a-filler-was-heard",
        ),
        pytest.param(
            [Heard(2_500, 5_000), *work(3_000, 5_000)],
            TIMED_OUT,
            TIMEOUT_AT_MS,
            id="the-filler-ended-with-the-result",
        ),
        pytest.param(
            [Heard(2_500, 5_001), *work(3_000, 5_000)],
            SETTLED,
            9_001,
            id="the-filler-outlasted-the-result-by-1-ms-and-4000-ms-of-quiet",
        ),
        pytest.param(
            [Heard(4_999, 7_000), *work(3_000, 5_000)],
            SETTLED,
            11_000,
            id="speech-began-1-ms-before-the-result",
        ),
        pytest.param(
            [*work(3_000, 5_000), Heard(5_000, 7_000)],
            SETTLED,
            8_500,
            id="speech-began-with-the-result",
        ),
        pytest.param(
            [*work(3_000, 5_000), Heard(5_800, 7_000)], SETTLED, 8_500, id="speech-began-after-it"
        ),
        pytest.param(
            [Heard(2_500, 4_700), *work(3_000, 4_900), Heard(5_000, 6_000)],
            SETTLED,
            7_500,
            id="after-300-ms-of-pause-speech-begins-anew",
        ),
        pytest.param(
            [Heard(2_500, 4_000), *work(3_000, 4_900), Heard(5_000, 6_000)],
            SETTLED,
            7_500,
            id="after-a-longer-pause-too",
        ),
        pytest.param(
            [Heard(2_500, 4_701), *work(3_000, 4_900), Heard(5_000, 6_000)],
            SETTLED,
            10_000,
            id="after-299-ms-of-pause-it-goes-on",
        ),
        pytest.param(
            [*work(3_000, 5_000), Heard(5_200, 6_000), *work(6_100, 7_000, "2")],
            TIMED_OUT,
            TIMEOUT_AT_MS,
            id="the-last-result-is-the-one-that-counts",
        ),
        pytest.param(
            [*work(3_000, 5_000), *work(6_100, 7_000, "2"), Heard(7_300, 8_000)],
            SETTLED,
            9_500,
            id="an-answer-after-the-last-of-two-results",
        ),
        pytest.param(
            [
                *(delegated(3_000), delegated(3_100, "2"), ended(4_000), ended(5_000, "2")),
                Heard(4_500, 5_500),
            ],
            SETTLED,
            9_500,
            id="side-by-side-the-result-is-when-all-is-done",
        ),
        pytest.param(
            [*work(500, 1_000), Heard(2_500, 3_500)],
            SETTLED,
            5_000,
            id="work-that-was-done-before-the-request-ended",
        ),
        pytest.param(
            [delegated(3_000), ended(5_000, status=ResponseStatus.FAILED), Heard(5_500, 6_000)],
            SETTLED,
            7_500,
            id="a-failure-is-a-result-too",
        ),
        pytest.param(
            [delegated(3_000), text(4_000), Heard(4_000, 4_900), ended(5_000)],
            SETTLED,
            6_400,
            id="the-result-was-known-with-the-text-and-not-with-the-end",
        ),
        pytest.param(
            [delegated(3_000), text(4_001), Heard(4_000, 4_900), ended(5_000)],
            SETTLED,
            8_900,
            id="speech-began-1-ms-before-the-text",
        ),
        pytest.param(
            [
                *(delegated(3_000), delegated(3_100, "2"), text(4_000), ended(4_100)),
                *(Heard(4_000, 5_500), ended(5_000, "2")),
            ],
            SETTLED,
            9_500,
            id="the-text-of-other-work-is-no-result-of-this",
        ),
        pytest.param(
            [
                *(delegated(3_000), delegated(3_100, "2"), text(4_000, "2"), ended(4_100, "2")),
                *(Heard(4_000, 5_500), ended(5_000)),
            ],
            SETTLED,
            9_500,
            id="whichever-of-the-two-ends-last",
        ),
        pytest.param(
            [*work(3_000, 5_000), ended(6_500), Heard(5_200, 6_000)],
            SETTLED,
            7_500,
            id="a-repeated-end-is-no-new-result",
        ),
    ],
)
def test_an_answer_ends(story: Sequence[Step], ending: Ending, at_ms: int) -> None:
    watch = a_watch(*story)
    assert watch.ending(at_ms - 1) is None
    assert watch.ending(at_ms) is ending


@pytest.mark.parametrize(
    ("story", "caller_audio_ms", "ending"),
    [
        pytest.param([Heard(2_500, 3_500)], 9_000, SETTLED, id="a-settled-answer-waits"),
        pytest.param([], 40_000, TIMED_OUT, id="even-the-timeout-waits"),
    ],
)
def test_nothing_ends_before_the_callers_audio_has(
    story: Sequence[Step], caller_audio_ms: int, ending: Ending
) -> None:
    watch = a_watch(*story, caller_audio_ms=caller_audio_ms)
    assert watch.ending(caller_audio_ms - 1) is None
    assert watch.ending(caller_audio_ms) is ending


def test_the_timeout_counts_from_the_last_voiced_instant_and_not_from_the_end_of_the_audio() -> (
    None
):
    watch = a_watch(request_end_ms=1_000, caller_audio_ms=3_000, timeout_ms=5_000)
    assert watch.ending(5_999) is None
    assert watch.ending(6_000) is TIMED_OUT


def test_pieces_of_one_stretch_extend_it_and_never_shorten_it() -> None:
    watch = a_watch(Heard(2_500, 2_600), Heard(2_600, 2_700), Heard(2_650, 2_680))
    assert watch.ending(4_199) is None
    assert watch.ending(4_200) is SETTLED


def test_an_answer_that_goes_on_is_not_over_for_having_been_over() -> None:
    watch = a_watch(Heard(2_500, 3_500))
    assert watch.ending(5_000) is SETTLED
    watch.heard(5_000, 5_200)
    assert watch.ending(5_020) is None


@pytest.mark.parametrize(
    ("received_until_ms", "ending"),
    [
        pytest.param(4_399, None, id="a-quiet-that-nobody-heard-settles-nothing"),
        pytest.param(4_400, SETTLED, id="the-last-600-ms-of-it-may-still-be-under-way"),
    ],
)
def test_quiet_is_silence_that_came_in(received_until_ms: int, ending: Ending | None) -> None:
    watch = a_watch(Heard(2_500, 3_500), received_until_ms=received_until_ms)
    assert watch.ending(5_000) is ending


SPANS = st.lists(
    st.tuples(st.integers(0, 20_000), st.integers(1, 2_000)).map(lambda s: (s[0], s[0] + s[1])),
    max_size=6,
).map(sorted)


@given(SPANS, SPANS, st.integers(1, 500).map(lambda steps: steps * 20), st.integers(0, 45_000))
def test_a_shift_of_everything_shifts_the_ending(
    heard: list[tuple[int, int]], worked: list[tuple[int, int]], shift_ms: int, now_ms: int
) -> None:
    def ending(by_ms: int) -> Ending | None:
        watch = a_watch(
            *_merged(heard, worked, by_ms),
            request_end_ms=REQUEST_END_MS + by_ms,
            caller_audio_ms=CALLER_AUDIO_MS + by_ms,
        )
        return watch.ending(now_ms + by_ms)

    assert ending(0) is ending(shift_ms)


@given(SPANS, SPANS)
def test_every_story_ends_at_the_timeout_at_the_latest(
    heard: list[tuple[int, int]], worked: list[tuple[int, int]]
) -> None:
    assert a_watch(*_merged(heard, worked, 0)).ending(TIMEOUT_AT_MS) is not None


def _merged(heard: list[tuple[int, int]], worked: list[tuple[int, int]], by_ms: int) -> list[Step]:
    """All in order of time, as a session would show it."""
    timed: list[tuple[int, Step]] = [
        (start_ms, Heard(start_ms + by_ms, end_ms + by_ms)) for start_ms, end_ms in heard
    ]
    for number, (start_ms, end_ms) in enumerate(worked):
        timed.append((start_ms, delegated(start_ms + by_ms, str(number))))
        timed.append((end_ms, ended(end_ms + by_ms, str(number))))
    return [step for _, step in sorted(timed, key=lambda pair: pair[0])]

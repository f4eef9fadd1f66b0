"""When a conversation is over, told as stories of 20 ms frames.

A story speaks, waits and lets the observer answer; what it leaves is a list of what happened when.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from run_harness.simulation.completion import (
    Completion,
    CompletionPolicy,
    Party,
    Phase,
    Settled,
    Signal,
    Snapshot,
    Step,
)
from run_harness.simulation.observer import Answer, Reading, Unread
from shared.intervals import Interval
from shared.observability.evidence import (
    Closing,
    DecisionStatus,
    Ending,
    Resolution,
    Termination,
)

FRAME_MS = 20
OBSERVED = CompletionPolicy(is_observed=True)
ALONE = CompletionPolicy(is_observed=False)


def a_reading(outcome: Resolution = Resolution.RESOLVED, *, drains: bool = True) -> Reading:
    closing = Closing(Interval(0, 1), carries_request=False) if drains else None
    return Reading(drains, outcome, "Because.", closing, (), is_caller_in_role=True)


RESOLVED = a_reading()
REFUSED = a_reading(Resolution.REFUSED)
UNRESOLVED = a_reading(Resolution.UNRESOLVED, drains=False)
FAILED = Unread("no reply within 8 s")


def nothing(now: Snapshot) -> Snapshot:
    return now


@dataclass
class Story:
    """One conversation, frame by frame. The observer answers ``answer`` after ``answers_after_ms``.

    Both sides begin with one turn each behind them, the caller with two, all at 0 ms.
    """

    policy: CompletionPolicy = OBSERVED
    answer: Answer = UNRESOLVED
    answers_after_ms: int | None = 100
    now: Snapshot = field(
        default_factory=lambda: Snapshot(
            now_ms=0,
            wall_ms=0,
            started_ms=0,
            revision=1,
            caller=Party(turns=2),
            assistant=Party(turns=1),
            is_verified=True,
        )
    )
    asked_ms: list[int] = field(default_factory=list)
    happened: list[tuple[int, object]] = field(default_factory=list)
    settled: list[Settled] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.machine = Completion(self.policy)

    def frame(self, edit: Callable[[Snapshot], Snapshot] = nothing) -> Step:
        now = replace(
            self.now, now_ms=self.now.now_ms + FRAME_MS, wall_ms=self.now.wall_ms + FRAME_MS
        )
        self.now = now = edit(now)
        if self._is_due():
            self.asked_ms.append(-self.asked_ms.pop())
            self.settled.append(self.machine.settle(self.answer, now))
        step = self.machine.advance(now)
        if step.asks:
            # Negative while it is under way.
            self.asked_ms.append(-now.now_ms)
        for what in (step.revoked and f"revoked {step.revoked}", step.began, step.ending):
            if what and (not self.happened or self.happened[-1][1] is not what):
                self.happened.append((now.now_ms, what))
        return step

    def _is_due(self) -> bool:
        if not self.asked_ms or self.asked_ms[-1] >= 0 or self.answers_after_ms is None:
            return False
        return self.now.now_ms + self.asked_ms[-1] >= self.answers_after_ms

    def quiet(self, duration_ms: int) -> Story:
        for _ in range(duration_ms // FRAME_MS):
            self.frame()
        return self

    def changes(self, **fields: object) -> Story:
        """One frame in which something about the evidence has become otherwise."""
        self.frame(lambda now: replace(now, revision=now.revision + 1, **fields))  # type: ignore[arg-type]
        return self

    def caller(self, **fields: object) -> Story:
        self.now = replace(self.now, caller=replace(self.now.caller, **fields))  # type: ignore[arg-type]
        return self

    def assistant(self, **fields: object) -> Story:
        self.now = replace(self.now, assistant=replace(self.now.assistant, **fields))  # type: ignore[arg-type]
        return self

    def speaks(self, who: str, duration_ms: int, *, is_captioned: bool = True) -> Story:
        """Somebody is heard so long; the words are known at once, or not at all."""

        def heard(now: Snapshot) -> Snapshot:
            side: Party = getattr(now, who)
            known_ms = now.now_ms if is_captioned else side.captioned_ms
            said = replace(side, last_speech_ms=now.now_ms, captioned_ms=known_ms)
            return replace(now, revision=now.revision + is_captioned, **{who: said})  # type: ignore[arg-type]

        for _ in range(duration_ms // FRAME_MS):
            self.frame(heard)
        return self

    @property
    def phase(self) -> Phase:
        return self.machine.phase

    @property
    def asks(self) -> list[int]:
        return [abs(at) for at in self.asked_ms]


# The course of one whole ending.


def test_the_declared_waits() -> None:
    assert asdict(OBSERVED) == {
        "is_observed": True,
        "duration_ms": 90_000,
        "drain_ms": 1_500,
        "quiet_ms": 600,
        "caption_slack_ms": 800,
        "ask_every_ms": 500,
        "recheck_after_ms": 5_000,
        "quiet_line_ms": 8_000,
        "failures_max": 3,
        "first_wait_ms": 500,
        "caller_turns_min": 2,
        "assistant_turns_min": 1,
    }


def test_of_a_line_on_which_nothing_happened_nothing_is_known() -> None:
    silent = Snapshot(0, 0, None, 0, Party(), Party())

    assert silent.caller.turns == silent.finishes == 0
    assert not silent.is_verified


def test_a_conversation_ends_as_in_the_book() -> None:
    story = Story(answer=UNRESOLVED)
    story.speaks("assistant", 1_000).quiet(800)
    assert story.asks == [1_600], "as soon as the assistant has settled"

    story.answer = RESOLVED
    story.speaks("caller", 600).quiet(600)
    story.speaks("assistant", 400).quiet(2_600)

    assert story.asks == [1_600, 3_000, 4_000]
    assert story.happened == [
        (4_100, Signal.RESOLVED),
        (5_600, Ending.CONVERSATION_COMPLETED),
    ]
    assert [one.status for one in story.settled] == [
        DecisionStatus.ANSWERED,
        DecisionStatus.STALE,
        DecisionStatus.ANSWERED,
    ]


# Asking.


@pytest.mark.parametrize(
    ("edit", "asks"),
    [
        pytest.param(nothing, True, id="when-both-are-at-rest"),
        pytest.param(
            lambda now: replace(now, started_ms=None), False, id="not-before-the-conversation-began"
        ),
        pytest.param(
            lambda now: replace(now, caller=replace(now.caller, turns=1)),
            False,
            id="not-after-one-turn-of-the-caller",
        ),
        pytest.param(
            lambda now: replace(now, assistant=replace(now.assistant, turns=0)),
            False,
            id="not-before-the-assistant-spoke",
        ),
        pytest.param(
            lambda now: replace(now, caller=Party(turns=3), assistant=Party(turns=2)),
            True,
            id="after-more-turns-than-that",
        ),
        pytest.param(
            lambda now: replace(now, caller=replace(now.caller, is_working=True)),
            False,
            id="not-while-the-callers-backend-works",
        ),
        pytest.param(
            lambda now: replace(now, assistant=replace(now.assistant, is_working=True)),
            True,
            id="also-while-the-assistants-backend-works",
        ),
        pytest.param(
            lambda now: replace(now, is_verified=False), True, id="also-while-the-state-is-wrong"
        ),
    ],
)
def test_the_observer_is_asked(edit: Callable[[Snapshot], Snapshot], asks: bool) -> None:
    assert Story().frame(edit).asks is asks


@pytest.mark.parametrize("who", ["caller", "assistant"])
@pytest.mark.parametrize(
    ("side", "asks"),
    [
        pytest.param(
            {"has_buffered_speech": True}, False, id="not-while-speech-waits-to-be-played"
        ),
        pytest.param({"has_pending_caption": True}, False, id="not-while-a-caption-waits"),
        pytest.param({"last_speech_ms": 1_000}, False, id="not-while-speech-has-no-words"),
        pytest.param(
            {"last_speech_ms": 1_100, "captioned_ms": 299},
            False,
            id="not-while-words-are-801-ms-short",
        ),
        pytest.param(
            {"last_speech_ms": 1_100, "captioned_ms": 300}, True, id="when-they-are-800-ms-short"
        ),
        pytest.param(
            {"last_speech_ms": 1_400, "captioned_ms": 1_400}, True, id="600-ms-after-a-word"
        ),
        pytest.param(
            {"last_speech_ms": 1_401, "captioned_ms": 1_401}, False, id="not-599-ms-after-a-word"
        ),
    ],
)
def test_about_either_side_it_is_asked(who: str, side: dict[str, int], asks: bool) -> None:
    story = Story()
    story.now = replace(story.now, now_ms=1_980)
    story.now = replace(story.now, **{who: replace(getattr(story.now, who), **side)})  # type: ignore[arg-type]

    assert story.frame().asks is asks


def test_a_machine_without_an_observer_asks_nobody() -> None:
    assert Story(ALONE).quiet(6_000).asks == []


def test_silent_frames_start_no_call_before_five_seconds() -> None:
    story = Story().quiet(5_000)
    assert story.asks == [20]

    assert story.quiet(20).asks == [20, 5_020]
    assert story.quiet(5_000).asks == [20, 5_020, 10_020]


def test_what_could_not_be_asked_after_five_seconds_is_asked_as_soon_as_it_can_be() -> None:
    story = Story().quiet(200).caller(has_pending_caption=True).quiet(5_800)
    assert story.asks == [20]

    assert story.caller(has_pending_caption=False).quiet(20).asks == [20, 6_020]


@pytest.mark.parametrize("step", [1, -1])
def test_any_other_revision_is_news(step: int) -> None:
    story = Story()
    story.now = replace(story.now, revision=5)
    story.quiet(200)
    story.now = replace(story.now, revision=5 + step)

    assert story.quiet(400).asks == [20, 520]


def test_news_start_a_call_but_not_within_half_a_second() -> None:
    story = Story(answers_after_ms=20).quiet(40)
    for _ in range(30):
        story.changes()

    assert story.asks == [20, 520]


def test_no_two_calls_run_at_once() -> None:
    story = Story(answers_after_ms=None).quiet(40)
    for _ in range(200):
        story.changes()

    assert story.asks == [20]


def test_the_pace_of_calls_is_real_time_even_when_media_time_runs_ahead() -> None:
    def fast(now: Snapshot) -> Snapshot:
        return replace(now, wall_ms=now.wall_ms - FRAME_MS + 1, revision=now.revision + 1)

    story = Story(answers_after_ms=20)
    for _ in range(502):
        story.frame(fast)

    assert story.asks == [20, 10_020], "500 frames of 1 ms of real time each"


def test_nothing_is_asked_while_it_drains_or_once_it_is_closed() -> None:
    story = Story(answer=RESOLVED).quiet(120)
    assert story.phase is Phase.DRAINING

    story.quiet(1_500)
    assert story.phase is Phase.CLOSED
    assert story.changes().quiet(6_000).asks == [20]


def test_it_does_not_settle_what_was_not_asked() -> None:
    story = Story(ALONE)

    with pytest.raises(RuntimeError, match="no question"):
        story.machine.settle(RESOLVED, story.now)


# Answers.


@pytest.mark.parametrize(
    ("change", "status"),
    [
        pytest.param(nothing, DecisionStatus.ANSWERED, id="the-same-evidence"),
        pytest.param(
            lambda now: replace(now, revision=now.revision + 1),
            DecisionStatus.STALE,
            id="another-revision",
        ),
        pytest.param(
            lambda now: replace(now, caller=replace(now.caller, last_speech_ms=1)),
            DecisionStatus.STALE,
            id="a-caller-who-has-spoken",
        ),
        pytest.param(
            lambda now: replace(now, assistant=replace(now.assistant, last_speech_ms=1)),
            DecisionStatus.STALE,
            id="an-assistant-that-has-spoken",
        ),
    ],
)
def test_an_answer_counts_for(
    change: Callable[[Snapshot], Snapshot], status: DecisionStatus
) -> None:
    story = Story(answer=RESOLVED, answers_after_ms=20)
    story.frame()
    story.frame(change)

    assert [one.status for one in story.settled] == [status]
    assert (story.phase is Phase.DRAINING) == (status is DecisionStatus.ANSWERED)


def test_after_a_stale_answer_it_is_asked_again_as_soon_as_it_may_be() -> None:
    story = Story(answers_after_ms=200).quiet(60).changes()

    assert story.quiet(600).asks == [20, 520]


def test_speech_alone_makes_an_answer_stale_and_is_reason_to_ask_again() -> None:
    story = Story(answers_after_ms=200).quiet(60)
    story.assistant(last_speech_ms=60, captioned_ms=60).quiet(900)

    assert story.asks == [20, 660]


@pytest.mark.parametrize(
    ("answer", "edit", "accepted", "because"),
    [
        pytest.param(RESOLVED, {}, Signal.RESOLVED, None, id="resolved"),
        pytest.param(REFUSED, {}, Signal.REFUSED, None, id="refused"),
        pytest.param(UNRESOLVED, {}, None, None, id="unresolved"),
        pytest.param(
            RESOLVED,
            {"is_verified": False},
            None,
            "the application is not in the expected state",
            id="resolved-in-a-wrong-state",
        ),
        pytest.param(
            REFUSED, {"is_verified": False}, Signal.REFUSED, None, id="refused-in-any-state"
        ),
        pytest.param(
            RESOLVED,
            {"assistant": Party(turns=1, is_working=True)},
            None,
            "the assistant's work is not done",
            id="while-work-is-pending",
        ),
        pytest.param(
            REFUSED,
            {"caller": Party(turns=2, has_pending_caption=True)},
            None,
            "not all that was said is known yet",
            id="while-a-caption-is-pending",
        ),
        pytest.param(
            RESOLVED,
            {"caller": Party(turns=2, is_working=True)},
            None,
            "not all that was said is known yet",
            id="while-the-caller-thinks",
        ),
    ],
)
def test_an_answer_is_accepted(
    answer: Answer, edit: dict[str, object], accepted: Signal | None, because: str | None
) -> None:
    story = Story(answer=answer, answers_after_ms=20)
    story.frame()
    story.frame(lambda now: replace(now, **edit))  # type: ignore[arg-type]

    assert story.settled == [Settled(DecisionStatus.ANSWERED, accepted, because)]
    assert story.machine.signal is accepted


def test_pending_work_that_is_done_can_end_it_without_another_word() -> None:
    story = Story(answer=RESOLVED).assistant(is_working=True).quiet(200)
    assert (story.phase, story.settled[0].accepted) == (Phase.OPEN, None)

    story.assistant(is_working=False).changes().quiet(600)
    assert story.machine.signal is Signal.RESOLVED


# Draining.


def drained(policy: CompletionPolicy = OBSERVED) -> Story:
    """A story that drains since 120 ms."""
    story = Story(policy, answer=RESOLVED).quiet(120)
    assert story.happened == [(120, Signal.RESOLVED)]
    story.answer = UNRESOLVED
    return story


def test_it_closes_when_the_drain_is_over_and_not_a_frame_earlier() -> None:
    story = drained().quiet(1_480)
    assert story.phase is Phase.DRAINING

    assert story.frame().ending is Ending.CONVERSATION_COMPLETED
    assert story.now.now_ms == 1_620


def test_closed_is_closed() -> None:
    story = drained().quiet(1_500)
    story.speaks("caller", 400)

    assert story.frame() == Step(Phase.CLOSED, ending=Ending.CONVERSATION_COMPLETED)


def test_a_drain_without_duration_still_has_its_quiet_tail() -> None:
    policy = replace(OBSERVED, drain_ms=0, quiet_ms=600)
    story = Story(policy, answer=RESOLVED)
    story.speaks("assistant", 20).quiet(580)
    assert story.asks == []

    story.quiet(120)
    assert story.happened == [
        (720, Signal.RESOLVED),
        (720, Ending.CONVERSATION_COMPLETED),
    ]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda story: story.speaks("caller", 20), id="new-audio-of-the-caller"),
        pytest.param(lambda story: story.speaks("assistant", 20), id="new-audio-of-the-assistant"),
        pytest.param(
            lambda story: story.speaks("assistant", 20, is_captioned=False),
            id="late-audio-without-words",
        ),
        pytest.param(
            lambda story: story.caller(has_pending_caption=True).quiet(20),
            id="a-pending-turn-of-the-caller",
        ),
        pytest.param(
            lambda story: story.assistant(has_pending_caption=True).quiet(20),
            id="a-pending-transcript-of-the-assistant",
        ),
        pytest.param(
            lambda story: story.caller(has_buffered_speech=True).quiet(20), id="speech-on-its-way"
        ),
        pytest.param(
            lambda story: story.caller(is_working=True).quiet(20), id="the-callers-backend-at-work"
        ),
        pytest.param(lambda story: story.changes(), id="a-correction-or-any-other-revision"),
    ],
)
def test_a_drain_is_revoked_by(change: Callable[[Story], Story]) -> None:
    story = change(drained())

    assert story.happened[1:] == [(140, f"revoked {Signal.RESOLVED}")]
    assert (story.phase, story.machine.signal) == (Phase.OPEN, None)


def test_a_revoked_drain_needs_a_new_answer() -> None:
    story = drained().speaks("assistant", 400).quiet(3_000)
    assert story.phase is Phase.OPEN

    story.answer = RESOLVED
    story.changes().quiet(2_000)
    assert story.happened[-1][1] is Ending.CONVERSATION_COMPLETED


def test_pending_work_of_the_assistant_holds_a_drain_open() -> None:
    story = drained().assistant(is_working=True).quiet(4_000)
    assert story.phase is Phase.DRAINING

    assert story.assistant(is_working=False).frame().ending is Ending.CONVERSATION_COMPLETED


# The limit.


def test_the_limit_counts_from_the_conversations_start() -> None:
    story = Story(replace(OBSERVED, duration_ms=2_000))
    story.now = replace(story.now, started_ms=1_000)
    story.quiet(2_980)
    assert story.phase is Phase.OPEN

    assert story.frame().ending is Ending.DURATION_LIMIT
    assert story.now.now_ms == 3_000


def test_a_limit_between_two_frames_is_kept_at_the_later_one() -> None:
    story = Story(replace(OBSERVED, duration_ms=2_000))
    story.now = replace(story.now, started_ms=1_010)

    assert story.quiet(4_000).happened == [(3_020, Ending.DURATION_LIMIT)]


def test_there_is_no_limit_before_the_start() -> None:
    story = Story(replace(OBSERVED, duration_ms=20))
    story.now = replace(story.now, started_ms=None)

    assert story.quiet(1_000).phase is Phase.OPEN


@pytest.mark.parametrize(
    ("duration_ms", "ending"),
    [
        pytest.param(1_620, Ending.CONVERSATION_COMPLETED, id="that-is-over-at-the-limit-is-over"),
        pytest.param(1_600, Ending.DURATION_LIMIT, id="that-would-be-over-later-is-cut"),
    ],
)
def test_a_drain(duration_ms: int, ending: Ending) -> None:
    story = drained(replace(OBSERVED, duration_ms=duration_ms)).quiet(1_600)

    assert story.happened[-1] == (duration_ms, ending)


def test_a_final_caption_that_never_comes_leaves_the_limit() -> None:
    story = Story(replace(OBSERVED, duration_ms=20_000), answer=RESOLVED)
    story.speaks("assistant", 400, is_captioned=False)
    story.now = replace(story.now, finishes=1)
    story.quiet(19_600)

    assert story.happened == [(20_000, Ending.DURATION_LIMIT)]
    assert story.asks == []


# An observer that fails.


def test_one_failure_is_tried_again_after_a_wait_and_forgotten() -> None:
    story = Story(answer=FAILED, answers_after_ms=1_000).quiet(1_020)
    assert story.settled == [Settled(DecisionStatus.FAILED, because="no reply within 8 s")]

    story.answer = RESOLVED
    story.quiet(1_500)
    assert story.asks == [20, 1_520]
    assert story.machine.signal is Signal.RESOLVED
    assert story.machine.termination.gave_up is None


def test_the_wait_doubles_until_it_is_given_up() -> None:
    policy = replace(OBSERVED, failures_max=4, duration_ms=60_000)
    story = Story(policy, answer=FAILED, answers_after_ms=1_000)
    story.now = replace(story.now, is_verified=False)
    story.quiet(30_000)

    # Each fails 1,000 ms later; then come 500, 1,000 and 2,000 ms.
    assert story.asks == [20, 1_520, 3_520, 6_520]
    assert story.machine.termination.gave_up == "no reply within 8 s"
    assert story.machine.policy == "verified_state_and_quiet_line"
    assert story.happened == []


def test_a_failure_is_no_reason_to_ask_more_often_than_twice_a_second() -> None:
    policy = replace(OBSERVED, first_wait_ms=0)

    assert Story(policy, answer=FAILED, answers_after_ms=20).quiet(1_100).asks == [20, 520, 1_020]


def test_only_failures_in_a_row_give_it_up() -> None:
    story = Story(replace(OBSERVED, failures_max=2), answer=FAILED)
    for _ in range(5):
        story.answer = FAILED
        story.changes().quiet(600)
        story.answer = UNRESOLVED
        story.changes().quiet(1_200)

    assert story.machine.termination.gave_up is None
    assert {one.status for one in story.settled} >= {
        DecisionStatus.FAILED,
        DecisionStatus.ANSWERED,
    }


def test_an_answer_counts_for_no_failure_to_come() -> None:
    story = Story(replace(OBSERVED, failures_max=2), answer=UNRESOLVED).quiet(600)
    story.answer = FAILED
    story.changes().quiet(6_000)

    assert [one.status for one in story.settled] == [
        DecisionStatus.ANSWERED,
        DecisionStatus.FAILED,
        DecisionStatus.FAILED,
    ]
    assert story.machine.termination.gave_up is not None


def test_a_single_failure_may_be_one_too_many() -> None:
    story = Story(replace(OBSERVED, failures_max=1), answer=FAILED).quiet(6_000)

    assert story.asks == [20]
    assert story.machine.termination.gave_up is not None


# Without an observer.


def test_a_right_state_and_a_quiet_line_end_it() -> None:
    story = Story(ALONE)
    story.speaks("assistant", 1_000).quiet(7_980)
    assert story.happened == []

    story.quiet(1_600)
    assert story.happened == [
        (9_000, Signal.QUIET_LINE),
        (10_500, Ending.CONVERSATION_COMPLETED),
    ]


@pytest.mark.parametrize(
    ("started_ms", "first_ms", "signalled_ms"),
    [
        pytest.param(1_000, 0, 9_000, id="from-its-start"),
        pytest.param(0, 19, 8_019, id="and-not-a-millisecond-earlier"),
    ],
)
def test_a_line_on_which_nobody_spoke_is_quiet(
    started_ms: int, first_ms: int, signalled_ms: int
) -> None:
    story = Story(ALONE)
    story.now = replace(story.now, started_ms=started_ms, now_ms=first_ms)

    assert story.quiet(9_200).happened == [(signalled_ms, Signal.QUIET_LINE)]


def test_a_state_that_comes_right_on_a_line_long_quiet_ends_it_at_once() -> None:
    story = Story(ALONE)
    story.now = replace(story.now, is_verified=False)
    story.quiet(9_000)
    story.now = replace(story.now, is_verified=True)

    assert story.quiet(20).happened == [(9_020, Signal.QUIET_LINE)]


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param({"is_verified": False}, id="a-wrong-state"),
        pytest.param({"caller": Party(turns=1)}, id="too-few-turns-of-the-caller"),
        pytest.param({"assistant": Party(turns=0)}, id="an-assistant-that-never-spoke"),
        pytest.param({"assistant": Party(turns=1, is_working=True)}, id="work-under-way"),
        pytest.param({"caller": Party(turns=2, is_working=True)}, id="a-caller-who-thinks"),
        pytest.param(
            {"caller": Party(turns=2, last_speech_ms=10)}, id="words-that-are-not-known-yet"
        ),
    ],
)
def test_a_quiet_line_ends_nothing_with(spoil: dict[str, object]) -> None:
    story = Story(ALONE)
    story.now = replace(story.now, **spoil)  # type: ignore[arg-type]

    assert story.quiet(20_000).happened == []


def test_a_quiet_line_ends_nothing_while_there_is_an_observer() -> None:
    assert Story(OBSERVED).quiet(20_000).happened == []


def test_a_given_up_observer_leaves_the_quiet_line() -> None:
    story = Story(replace(OBSERVED, failures_max=1), answer=FAILED).quiet(8_000)

    assert story.happened == [(8_000, Signal.QUIET_LINE)]


# A caller who says, not in words, that it is through.


def test_a_caller_that_has_finished_ends_it_whatever_the_state() -> None:
    story = Story(ALONE)
    story.now = replace(story.now, is_verified=False)
    story.speaks("caller", 400)
    story.now = replace(story.now, finishes=1)
    story.quiet(2_100)

    assert story.happened == [
        (1_000, Signal.CALLER_FINISHED),
        (2_500, Ending.CONVERSATION_COMPLETED),
    ]


def test_what_was_finished_before_it_was_played_waits_for_the_sound() -> None:
    story = Story(ALONE).caller(has_buffered_speech=True)
    story.now = replace(story.now, finishes=1)
    assert story.quiet(1_000).happened == []

    story.caller(has_buffered_speech=False).quiet(20)
    assert story.happened == [(1_020, Signal.CALLER_FINISHED)]


def test_the_assistants_goodbye_takes_no_finish_back() -> None:
    story = Story(ALONE)
    story.now = replace(story.now, finishes=1)
    story.quiet(500).speaks("assistant", 500).quiet(2_100)

    assert story.happened == [
        (20, Signal.CALLER_FINISHED),
        (520, f"revoked {Signal.CALLER_FINISHED}"),
        (1_600, Signal.CALLER_FINISHED),
        (3_100, Ending.CONVERSATION_COMPLETED),
    ]


def test_a_caller_who_speaks_on_has_to_finish_anew() -> None:
    story = Story(ALONE)
    story.now = replace(story.now, finishes=1, is_verified=False)
    story.quiet(500).speaks("caller", 500).quiet(4_000)
    assert story.phase is Phase.OPEN

    story.now = replace(story.now, finishes=2)
    assert story.frame().began is Signal.CALLER_FINISHED


@pytest.mark.parametrize("sign", ["has_buffered_speech", "has_pending_caption", "is_working"])
def test_a_caller_who_is_about_to_speak_has_to_finish_anew(sign: str) -> None:
    story = Story(ALONE)
    story.now = replace(story.now, finishes=1, is_verified=False)
    story.quiet(500).caller(**{sign: True}).quiet(20)
    story.caller(**{sign: False}).quiet(4_000)
    assert story.phase is Phase.OPEN

    story.now = replace(story.now, finishes=2)
    assert story.frame().began is Signal.CALLER_FINISHED


def test_a_finish_before_the_start_ends_nothing() -> None:
    story = Story(ALONE)
    story.now = replace(story.now, finishes=1, started_ms=None)

    assert story.quiet(1_000).happened == []


def test_an_answer_that_comes_after_a_finish_is_kept_and_changes_nothing() -> None:
    story = Story(OBSERVED, answer=REFUSED, answers_after_ms=200).quiet(40)
    story.now = replace(story.now, finishes=1)
    story.quiet(400)

    assert story.machine.signal is Signal.CALLER_FINISHED
    assert story.settled == [Settled(DecisionStatus.ANSWERED)]


@pytest.mark.parametrize(
    ("policy", "name"),
    [
        pytest.param(OBSERVED, "semantic_conversation_observer", id="an-observer"),
        pytest.param(ALONE, "caller_finish_or_verified_state", id="none"),
    ],
)
def test_results_name_who_decided(policy: CompletionPolicy, name: str) -> None:
    assert Completion(policy).policy == name


sides = st.builds(
    Party,
    turns=st.integers(0, 3),
    last_speech_ms=st.none() | st.integers(0, 3_000),
    captioned_ms=st.none() | st.integers(0, 3_000),
    has_pending_caption=st.booleans(),
    has_buffered_speech=st.booleans(),
    is_working=st.booleans(),
)
frames = st.lists(
    st.tuples(
        sides,
        sides,
        st.integers(1, 3),
        st.booleans(),
        st.sampled_from([RESOLVED, FAILED, UNRESOLVED]),
    ),
    max_size=200,
)


@given(frames, st.booleans())
def test_whatever_comes_the_rules_hold(
    course: list[tuple[Party, Party, int, bool, Answer]], is_observed: bool
) -> None:
    """Calls keep their distance, one at a time; a close is earned; the limit is kept."""
    policy = CompletionPolicy(is_observed, duration_ms=3_000, drain_ms=100)
    machine, asked, is_asking = Completion(policy), [], False
    for number, (caller, assistant, revision, is_verified, answer) in enumerate(course, 1):
        now_ms = number * FRAME_MS
        seen = Snapshot(now_ms, now_ms, 0, revision, caller, assistant, is_verified)
        if is_asking and number % 3 == 0:
            machine.settle(answer, seen)
            is_asking = False
        was = machine.phase
        step = machine.advance(seen)
        if step.asks:
            assert not is_asking
            assert was is not Phase.CLOSED
            is_asking = True
            asked.append(now_ms)
        if step.ending is Ending.CONVERSATION_COMPLETED and was is not Phase.CLOSED:
            assert machine.is_current(seen)
            assert not assistant.is_working
        assert step.ending is not None or now_ms < policy.duration_ms
    assert all(later - earlier >= 500 for earlier, later in pairwise(asked))
    assert is_observed or not asked


def test_a_signal_is_what_a_completed_conversation_ended_by() -> None:
    story = Story(OBSERVED, answer=RESOLVED).quiet(OBSERVED.drain_ms - 2 * FRAME_MS)
    assert story.machine.signal is Signal.RESOLVED
    assert story.machine.termination == Termination("semantic_conversation_observer")

    story.quiet(4_000)
    assert story.happened[-1][1] is Ending.CONVERSATION_COMPLETED
    assert story.machine.termination == Termination(
        "semantic_conversation_observer", "semantic_conversation_resolved"
    )


def test_time_that_is_up_during_a_drain_leaves_no_signal() -> None:
    policy = replace(OBSERVED, drain_ms=4_000, duration_ms=1_000)
    story = Story(policy, answer=RESOLVED).quiet(2_000)
    assert story.machine.signal is Signal.RESOLVED
    assert story.happened[-1][1] is Ending.DURATION_LIMIT
    assert story.machine.termination.signal is None

"""What is decided about delegations, instant by instant: no clock, no backend, no socket."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assistants.client.desk import MOST_AT_ONCE, Desk, DeskTexts, DeskTiming
from assistants.client.memory import Memory
from assistants.frontend.backend_events import (
    FunctionCall,
    OutputItemDone,
    ResponseCompleted,
    ResponseCreated,
    ResponseSnapshot,
)
from shared.clock import Stamp
from shared.observability.observations import (
    AppendIntent,
    Caption,
    DelegationBegan,
    DelegationEnded,
    DelegationOutcome,
    Faulted,
    HandedOver,
    Observation,
    ResultHeldBack,
    SessionClosed,
    Speaker,
    ToolCalled,
    ToolReturned,
    ToolStatus,
)

QUIET_US, WAIT_US, DEADLINE_US = 300_000, 1_500_000, 60_000_000
COMPLETED, FAILED, SUPERSEDED = DelegationOutcome


type Step = Callable[[Desk], None]


class Story:
    """A desk, and everything it wanted done since."""

    def __init__(self) -> None:
        timing = DeskTiming(QUIET_US, WAIT_US, DEADLINE_US)
        self.desk = Desk(Memory(), DeskTexts("Do it.", "It failed."), timing)
        self.handed: list[str] = []
        self.texts: list[str] = []
        self.cancelled: list[str] = []
        self.calls: list[str] = []
        self.said: list[tuple[AppendIntent, str, str]] = []
        self.continued: list[tuple[str, tuple[str, ...]]] = []
        self.seen: list[Observation] = []

    def play(self, *steps: Step) -> Story:
        for step in steps:
            step(self.desk)
            handed = self.desk.handed_over()
            self.handed += [one.delegation_id for one in handed]
            self.texts += [one.text for one in handed]
            self.cancelled += self.desk.cancelled()
            self.calls += [call.call_id for call in self.desk.calls_to_run()]
            self.said += [(a.intent, a.text, a.delegation_id) for a in self.desk.appends()]
            self.continued += [
                (one.response_id, tuple(str(item.output) for item in one.outputs))
                for one in self.desk.continued()
            ]
            self.seen += self.desk.observed()
        return self

    def of[O: Observation](self, kind: type[O]) -> list[O]:
        return [seen for seen in self.seen if isinstance(seen, kind)]

    @property
    def endings(self) -> list[tuple[str, DelegationOutcome]]:
        return [(one.delegation_id, one.outcome) for one in self.of(DelegationEnded)]


def at(us: int, provider_ms: int | None = None) -> Stamp:
    return Stamp(us // 1_000, us, provider_ms)


def begins(name: str, us: int = 0, offset_ms: int | None = 0, target: str = "client") -> Step:
    return lambda desk: desk.notice(DelegationBegan(at(us, offset_ms), name, target, None))


def caller(us: int, start_ms: int, text: str = "words") -> Step:
    return lambda desk: desk.notice(
        Caption(at(us, start_ms), Speaker.CALLER, text, start_ms, start_ms + 200)
    )


def assistant(us: int, start_ms: int) -> Step:
    return lambda desk: desk.notice(
        Caption(at(us, start_ms), Speaker.ASSISTANT, "one moment", start_ms, start_ms + 200)
    )


def wakes(us: int) -> Step:
    return lambda desk: desk.wake(at(us))


def calls(name: str, call_id: str = "c1", us: int = 400_000) -> Step:
    def step(desk: Desk) -> None:
        desk.called(name, "look_up", "{}", call_id, at(us))

    return step


def finishes(name: str, text: str = "Done.", us: int = 900_000) -> Step:
    return lambda desk: desk.finished(name, text, at(us))


def fails(name: str, us: int = 900_000) -> Step:
    return lambda desk: desk.failed(name, "no luck", at(us))


def hangs_up(desk: Desk) -> None:
    desk.notice(SessionClosed(at(0), "over", None))


RUNNING = [begins("d1"), wakes(QUIET_US)]


# Waiting for what is still being said


@pytest.mark.parametrize(
    ("steps", "due_us"),
    [
        pytest.param([begins("d1")], QUIET_US, id="so long after its notice"),
        pytest.param([begins("d1"), caller(200_000, 0)], 500_000, id="so long after a caption"),
        pytest.param(
            [begins("d1"), *(caller(us, us // 1_000) for us in range(0, 1_400_001, 200_000))],
            WAIT_US,
            id="never longer than the limit",
        ),
        pytest.param(
            [begins("d1"), assistant(200_000, 0)], QUIET_US, id="whatever the assistant says"
        ),
        pytest.param(
            [*RUNNING, caller(400_000, 0)],
            QUIET_US + DEADLINE_US,
            id="and not once it is handed over",
        ),
        pytest.param(
            [begins("d1", target="responses")], None, id="work of the provider's is none of ours"
        ),
    ],
)
def test_a_delegation_is_due(steps: list[Step], due_us: int | None) -> None:
    assert Story().play(*steps).desk.wakes_at() == due_us


@pytest.mark.parametrize(("us", "handed"), [(QUIET_US - 1, []), (QUIET_US, ["d1"])])
def test_it_is_handed_over_when_it_is_due_and_not_before(us: int, handed: list[str]) -> None:
    assert Story().play(begins("d1"), wakes(us)).handed == handed


def test_a_task_holds_the_words_that_came_while_it_waited() -> None:
    story = Story().play(
        caller(0, 0, "A table"), begins("d1"), caller(100_000, 200, " for two"), wakes(400_000)
    )
    assert story.texts == [
        "Do it.\n\n[0.0 s] CALLER (new): A table for two"
        "\n\nThe work was handed over at 0.0 s of the call."
    ]
    assert [one.news for one in story.of(HandedOver)] == ["[0.0 s] CALLER (new): A table for two"]


def test_what_comes_later_amends_it_once() -> None:
    story = Story().play(
        caller(0, 0, "A table."), *RUNNING, caller(800_000, 5_000, "By the window.")
    )
    assert story.desk.amendment("d1") == "[5.0 s] CALLER (new): By the window."
    assert story.desk.amendment("d1") == ""


def test_the_assistant_alone_amends_nothing_and_is_told_with_what_the_caller_says() -> None:
    story = Story().play(*RUNNING, assistant(800_000, 5_000))
    assert story.desk.amendment("d1") == ""
    story.play(caller(1_500_000, 6_000, "For three."))
    assert story.desk.amendment("d1").splitlines() == [
        "[5.0 s] ASSISTANT (new): one moment",
        "[6.0 s] CALLER (new): For three.",
    ]


def test_without_a_word_it_is_said_that_there_is_none() -> None:
    (text,) = Story().play(begins("d1", offset_ms=None), wakes(QUIET_US)).texts
    assert text == "Do it.\n\n(nothing has been transcribed)"


# How one ends


@pytest.mark.parametrize(
    ("step", "said", "outcome"),
    [
        pytest.param(finishes("d1"), "Done.", COMPLETED, id="with its result"),
        pytest.param(
            finishes("d1", " \n"), "It failed.", FAILED, id="with a blank one, which is none"
        ),
        pytest.param(fails("d1"), "It failed.", FAILED, id="in failure, which is told too"),
        pytest.param(wakes(QUIET_US + DEADLINE_US), "It failed.", FAILED, id="at its deadline"),
    ],
)
def test_it_ends(step: Step, said: str, outcome: DelegationOutcome) -> None:
    story = Story().play(*RUNNING, step)
    assert story.said == [(AppendIntent.COMMENTARY, said, "d1")]
    assert story.endings == [("d1", outcome)]
    assert story.desk.wakes_at() is None


def test_one_before_its_deadline_it_runs_on() -> None:
    story = Story().play(*RUNNING, wakes(QUIET_US + DEADLINE_US - 1))
    assert (story.endings, story.cancelled) == ([], [])


def test_at_its_deadline_its_work_is_stopped() -> None:
    story = Story().play(*RUNNING, wakes(QUIET_US + DEADLINE_US), finishes("d1"))
    assert story.cancelled == ["d1"]
    assert story.endings == [("d1", FAILED)]
    assert [one.detail for one in story.of(DelegationEnded)] == ["no result within 60 s"]


@pytest.mark.parametrize(
    "again",
    [
        pytest.param(finishes("d1", "Once more."), id="a second result"),
        pytest.param(fails("d1"), id="a failure"),
        pytest.param(calls("d1"), id="a call"),
        pytest.param(begins("d1"), id="its notice once more"),
        pytest.param(finishes("d2"), id="a result for one nobody knows"),
    ],
)
def test_after_the_end_nothing_counts(again: Step) -> None:
    story = Story().play(*RUNNING, finishes("d1"))
    before = (story.said[:], story.seen[:])
    story.play(again, wakes(5_000_000))
    assert (story.said, story.seen) == before
    assert (story.calls, story.handed) == ([], ["d1"])


def test_a_failure_ends_its_delegation_and_no_other() -> None:
    story = Story().play(
        *RUNNING, assistant(500_000, 1_000), begins("d2", 600_000, 2_000), wakes(900_000),
        fails("d1"), finishes("d2"),
    )  # fmt: skip
    assert story.endings == [("d1", FAILED), ("d2", COMPLETED)]


def test_progress_is_silent_context_while_it_is_wanted() -> None:
    story = Story().play(*RUNNING, lambda desk: desk.progressed("d1", "half way"))
    assert story.said == [(AppendIntent.THINKING, "half way", "d1")]
    story.play(finishes("d1"), lambda desk: desk.progressed("d1", "more"))
    assert len(story.said) == 2


@pytest.mark.parametrize(
    ("others", "is_refused"), [(MOST_AT_ONCE - 1, False), (MOST_AT_ONCE, True)]
)
def test_there_is_room_for_so_many_at_once(others: int, is_refused: bool) -> None:
    story = Story()
    for number in range(others + 1):
        # With an answer between them they are requests of their own.
        story.play(
            assistant(0, 1_000 * number + 500), begins(f"d{number}", 0, 1_000 * (number + 1))
        )
    story.play(wakes(QUIET_US))
    assert ((f"d{others}", FAILED) in story.endings) is is_refused
    assert len(story.handed) == MOST_AT_ONCE


# One that another replaces


@pytest.mark.parametrize(
    ("before", "again", "endings", "cancelled"),
    [
        pytest.param([begins("d1")], [], [("d1", SUPERSEDED)], [], id="one that waited is dropped"),
        pytest.param(RUNNING, [], [("d1", SUPERSEDED)], ["d1"], id="one that ran is stopped"),
        pytest.param([*RUNNING, calls("d1")], [], [], [], id="one that has acted runs on"),
        pytest.param(
            RUNNING,
            [assistant(350_000, 100)],
            [],
            [],
            id="one that was answered is another request",
        ),
        pytest.param(
            [begins("d1", offset_ms=None), wakes(QUIET_US)],
            [],
            [],
            [],
            id="one of no known place too",
        ),
    ],
)
def test_another_about_the_same_words(
    before: list[Step],
    again: list[Step],
    endings: list[tuple[str, DelegationOutcome]],
    cancelled: list[str],
) -> None:
    story = Story().play(*before, *again, begins("d2", 500_000, 200))
    assert story.endings == endings
    assert story.cancelled == cancelled


def test_the_result_of_one_that_was_replaced_is_held_back() -> None:
    story = Story().play(
        *RUNNING, calls("d1"), begins("d2", 500_000, 200), finishes("d1"), wakes(800_000),
        finishes("d2", "The newer."),
    )  # fmt: skip
    assert story.said == [(AppendIntent.COMMENTARY, "The newer.", "d2")]
    assert [(one.text, one.reason) for one in story.of(ResultHeldBack)] == [("Done.", "superseded")]
    assert story.endings == [("d1", SUPERSEDED), ("d2", COMPLETED)]


def test_what_it_was_told_is_news_to_the_one_in_its_place() -> None:
    story = Story().play(
        caller(0, 0, "For two."), *RUNNING, begins("d2", 500_000, 100), wakes(800_000)
    )
    assert [one.news for one in story.of(HandedOver)] == ["[0.0 s] CALLER (new): For two."] * 2


# Calls


def test_a_call_id_stands_for_one_call() -> None:
    story = Story().play(*RUNNING, calls("d1"), calls("d1"), calls("d1", "c2"))
    assert story.calls == ["c1", "c2"]
    assert [one.call_id for one in story.of(ToolCalled)] == ["c1", "c2"]


def response(kind: type[ResponseCreated] | type[ResponseCompleted]) -> Step:
    snapshot = ResponseSnapshot(id="r1", status="completed")
    return lambda desk: desk.emitted("d1", kind(response=snapshot, sequence_number=0), at(400_000))


def item(call_id: str) -> Step:
    call = FunctionCall(
        id=f"i_{call_id}", status="completed", arguments="{}", call_id=call_id, name="t"
    )
    event = OutputItemDone(output_index=0, item=call, sequence_number=0)
    return lambda desk: desk.emitted("d1", event, at(400_000))


def returns(call_id: str) -> Step:
    returned = ToolReturned(at(500_000), call_id, "t", ToolStatus.COMPLETED, {}, {})
    return lambda desk: desk.returned(returned, f"out {call_id}")


def test_a_response_goes_on_once_when_the_last_output_is_there() -> None:
    story = Story().play(*RUNNING, response(ResponseCreated), item("a"), item("b"), returns("b"))
    story.play(response(ResponseCompleted))
    assert (story.calls, story.continued) == (["a", "b"], [])
    assert story.desk.is_asking("r1")
    story.play(returns("a"), returns("a"))
    assert story.continued == [("r1", ("out a", "out b"))]


# The end of the session


@pytest.mark.parametrize(
    ("step", "observed"),
    [
        pytest.param(calls("d1"), [Faulted], id="no call is run"),
        pytest.param(finishes("d1"), [ResultHeldBack, DelegationEnded], id="no result is told"),
        pytest.param(fails("d1"), [DelegationEnded], id="no failure is told"),
        pytest.param(wakes(10**12), [], id="nothing is due"),
    ],
)
def test_once_the_session_is_over(step: Step, observed: list[type[Observation]]) -> None:
    story = Story().play(*RUNNING, hangs_up)
    seen = len(story.seen)
    story.play(step)
    assert (story.calls, story.said, story.desk.wakes_at()) == ([], [], None)
    assert [type(one) for one in story.seen[seen:]] == observed

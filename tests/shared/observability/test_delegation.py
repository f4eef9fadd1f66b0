"""Stories of delegated work: what is done, and when it counts as under way."""

from __future__ import annotations

import time
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.clock import Stamp
from shared.intervals import IntervalSet
from shared.observability.delegation import WorkState, work_intervals
from shared.observability.observations import (
    ConnectionLost,
    ContinuationRefused,
    DelegationBegan,
    DelegationEnded,
    DelegationOutcome,
    Observation,
    ResponseBegan,
    ResponseEnded,
    ResponseStatus,
    SessionClosed,
    ToolCalled,
    ToolReturned,
    ToolStatus,
    UsageReported,
    WorkContinued,
)
from tests.support.builders import at, spans

EXTENT_MS = 10_000


def delegated(ms: int, d: str, r: str | None = None, target: str = "responses") -> Observation:
    return DelegationBegan(at(ms), d, target, r)


def began(ms: int, r: str, d: str | None = None, after: str | None = None) -> Observation:
    return ResponseBegan(at(ms), r, d, after)


def ended(
    ms: int, r: str, d: str | None = None, status: ResponseStatus = ResponseStatus.COMPLETED
) -> Observation:
    return ResponseEnded(at(ms), r, d, status, "model", None)


def failed(ms: int, r: str, d: str | None = None) -> Observation:
    return ended(ms, r, d, ResponseStatus.FAILED)


def incomplete(ms: int, r: str, d: str | None = None) -> Observation:
    return ended(ms, r, d, ResponseStatus.INCOMPLETE)


def called(ms: int, c: str, r: str | None, d: str | None = None) -> Observation:
    return ToolCalled(at(ms), c, "find_table", "{}", {}, r, d)


def returned(ms: int, c: str, status: ToolStatus = ToolStatus.COMPLETED) -> Observation:
    return ToolReturned(at(ms), c, "find_table", status, None, {})


def over(ms: int, d: str) -> Observation:
    return DelegationEnded(at(ms), d, DelegationOutcome.COMPLETED)


def refused(ms: int, r: str, d: str | None = None) -> Observation:
    return ContinuationRefused(at(ms), r, d)


def continued(ms: int, r: str, d: str | None = None) -> Observation:
    return WorkContinued(at(ms), r, d)


TWO_CONTINUED = [
    began(100, "r1", "d1"),
    began(110, "r2", "d1"),
    called(120, "c1", "r1"),
    called(130, "c2", "r2"),
    ended(140, "r1"),
    ended(150, "r2"),
    returned(160, "c1"),
    returned(170, "c2"),
    continued(180, "r1"),
    continued(190, "r2"),
]


def a_round(ms: int, d: str | None, r: str, after: str | None = None) -> list[Observation]:
    """A response that calls one tool, 100 ms a step, up to its continuation at ``ms + 400``."""
    return [
        began(ms, r, d, after),
        called(ms + 100, f"{r}.c", r, d),
        ended(ms + 200, r, d),
        returned(ms + 300, f"{r}.c"),
        continued(ms + 400, r, d),
    ]


@pytest.mark.parametrize(
    ("story", "expected"),
    [
        pytest.param([], spans(), id="nothing-delegated-is-no-work"),
        pytest.param(
            [delegated(100, "d1"), began(150, "r1", "d1"), ended(400, "r1", "d1")],
            spans((100, 400)),
            id="from-the-delegation-to-the-end-of-its-response",
        ),
        pytest.param(
            [delegated(100, "d1", "r1"), ended(400, "r1", "d1")],
            spans((100, 400)),
            id="a-response-its-delegation-names-runs-from-there",
        ),
        pytest.param(
            [began(100, "r1"), ended(400, "r1")],
            spans((100, 400)),
            id="a-response-of-no-delegation-is-work",
        ),
        pytest.param(
            [delegated(100, "d1")],
            spans((100, EXTENT_MS)),
            id="a-delegation-nobody-takes-up-runs-to-the-extent",
        ),
        pytest.param(
            [delegated(100, "d1"), began(200, "r1"), ended(300, "r1")],
            spans((100, EXTENT_MS)),
            id="a-response-without-its-id-does-not-take-up-a-delegation",
        ),
        pytest.param(
            [began(100, "r1", "d1"), delegated(120, "d1"), ended(300, "r1")],
            spans((100, 300)),
            id="a-delegation-announced-after-its-response-is-already-taken-up",
        ),
        pytest.param(
            [delegated(100, "d1"), delegated(200, "d1"), delegated(300, "d1", "r9"),
             began(400, "r1", "d1"), ended(500, "r1", "d1"), delegated(600, "d1")],
            spans((100, 500)),
            id="a-repeated-delegation-counts-once-whatever-it-says-now",
        ),
        pytest.param(
            [delegated(100, "d1", target="client"), began(200, "r1", "d1"), ended(300, "r1", "d1")],
            spans((100, EXTENT_MS)),
            id="a-client-delegation-stays-open",
        ),
        pytest.param(
            [
                delegated(100, "d1", target="client"),
                began(200, "r1", "d1"),
                called(250, "c1", "r1", "d1"),
                called(260, "c2", None, "d1"),
                over(300, "d1"),
            ],
            spans((100, 300)),
            id="its-own-end-takes-responses-and-calls-with-it",
        ),
        pytest.param(
            [
                delegated(100, "d1", target="client"),
                over(300, "d1"),
                began(400, "r1", "d1"),
                called(410, "c1", "r1", "d1"),
                called(420, "c2", None, "d1"),
                delegated(430, "d1", target="client"),
                returned(440, "c1"),
            ],
            spans((100, 300)),
            id="what-names-it-afterwards-is-late",
        ),
        pytest.param(
            [
                delegated(100, "d1", target="client"),
                called(200, "c1", None, "d1"),
                over(300, "d2"),
                over(350, "d2"),
                returned(400, "c1"),
            ],
            spans((100, EXTENT_MS)),
            id="the-end-of-another-ends-nothing-of-it",
        ),
        pytest.param(
            [
                delegated(100, "d1", target="client"),
                delegated(150, "d2", target="client"),
                called(200, "c2", None, "d2"),
                over(300, "d1"),
                over(400, "d2"),
            ],
            spans((100, 400)),
            id="of-two-each-has-an-end-of-its-own",
        ),
        pytest.param(
            [delegated(100, "d1"), over(300, "d1"), began(400, "r1", "d1"), ended(500, "r1", "d1")],
            spans((100, 500)),
            id="managed-work-has-no-end-that-an-application-reports",
        ),
        pytest.param(
            [delegated(100, "d1", target="backend"), began(200, "r1", "d1"), ended(300, "r1")],
            spans((100, 300)),
            id="whatever-its-target-any-other-ends-with-its-response",
        ),
        pytest.param(
            [called(100, "c1", "r1", "d1"), returned(300, "c1"), continued(400, "r1", "d1"),
             began(600, "r2", "d1"), ended(700, "r2")],
            spans((100, 700)),
            id="a-call-of-a-response-not-seen-to-begin-is-work",
        ),
        pytest.param(
            [delegated(100, "d1"), ended(300, "r1", "d1")],
            spans((100, 300)),
            id="a-response-only-seen-to-end-takes-up-its-delegation",
        ),
        pytest.param(
            [delegated(100, "d1", "r1"), ended(200, "r1"), began(300, "r1", "d1")],
            spans((100, 200)),
            id="a-response-that-ended-begins-no-more",
        ),
        pytest.param(
            [began(100, "r1", "d1"), ended(200, "r1"), delegated(300, "d1", "r1")],
            spans((100, 200)),
            id="nor-does-a-delegation-bring-it-back",
        ),
        pytest.param(
            [called(100, "c1", None), returned(200, "c1"), called(300, "c1", None)],
            spans((100, 200)),
            id="a-call-that-returned-is-called-no-more",
        ),
        pytest.param(
            [ended(100, "r1"), began(200, "r1"), ended(300, "r1")],
            spans((200, 300)),
            id="an-ending-before-its-response-is-void",
        ),
        pytest.param(
            [failed(100, "r1"), delegated(200, "d1", "r1"), ended(300, "r1")],
            spans((200, 300)),
            id="a-void-ending-is-forgotten-though-a-delegation-names-its-response-later",
        ),
        pytest.param(
            [returned(100, "c1"), called(200, "c1", None), returned(300, "c1")],
            spans((200, 300)),
            id="a-return-before-its-call-is-void",
        ),
        pytest.param(
            [called(100, "c1", "r1"), returned(200, "c1"), failed(300, "r1")],
            spans((100, 300)),
            id="a-call-makes-its-response-known-and-so-its-ending-counts",
        ),
        pytest.param(
            [began(100, "r1", "d1"), ended(200, "r1"), delegated(300, "d1", "r2"),
             ended(400, "r2")],
            spans((100, 200), (300, 400)),
            id="a-delegation-announced-late-opens-the-response-it-names",
        ),
        pytest.param(
            [began(100, "r1", "d1"), ended(200, "r1"), delegated(300, "d1", target="client")],
            spans((100, 200), (300, EXTENT_MS)),
            id="a-client-delegation-announced-late-is-open-all-the-same",
        ),
        pytest.param(
            [delegated(100, "d1"), continued(200, "r1", "d1")],
            spans((100, 200)),
            id="a-continuation-takes-up-its-delegation-and-opens-nothing",
        ),
        pytest.param(
            [delegated(100, "d1"), began(150, "r1"), ended(200, "r1"), began(300, "r1", "d1"),
             called(300, "c1", None), returned(400, "c1")],
            spans((100, EXTENT_MS)),
            id="what-a-repetition-names-in-addition-counts-for-nothing",
        ),
        pytest.param(
            [delegated(-50, "d1", "r1"), ended(70, "r1")],
            spans((0, 70)),
            id="work-from-before-the-observation-is-work-from-its-start",
        ),
        pytest.param(
            [called(100, "c1", None), returned(300, "c1")],
            spans((100, 300)),
            id="a-call-of-no-response-is-work-until-it-returns",
        ),
    ],
)  # fmt: skip
def test_work_is_under_way(story: list[Observation], expected: IntervalSet) -> None:
    assert work_intervals(story, EXTENT_MS) == expected


@pytest.mark.parametrize(
    ("story", "expected"),
    [
        pytest.param(
            [*a_round(100, "d1", "r1"), began(900, "r2", "d1", "r1"), ended(1_000, "r2", "d1")],
            spans((100, 1_000)),
            id="until-the-response-that-follows-has-ended",
        ),
        pytest.param(
            [*a_round(100, "d1", "r1"), *a_round(600, "d1", "r2", "r1"),
             began(1_200, "r3", "d1", "r2"), ended(1_500, "r3", "d1")],
            spans((100, 1_500)),
            id="over-several-rounds",
        ),
        pytest.param(
            [began(100, "r1"), called(200, "c1", "r1"), ended(300, "r1"), returned(400, "c1")],
            spans((100, EXTENT_MS)),
            id="a-returned-call-without-continuation-is-still-owed-one",
        ),
        pytest.param(
            a_round(100, "d1", "r1"),
            spans((100, EXTENT_MS)),
            id="a-continuation-nobody-follows-runs-to-the-extent",
        ),
        pytest.param(
            [*a_round(100, "d1", "r1"), began(900, "r2", "d1"), ended(1_000, "r2", "d1")],
            spans((100, 1_000)),
            id="settled-by-the-delegation-where-no-previous-response-is-named",
        ),
        pytest.param(
            [*a_round(100, "d1", "r1"), began(900, "r2", "d1", "rX"), ended(1_000, "r2", "d1")],
            spans((100, 1_000)),
            id="settled-by-the-delegation-where-the-previous-response-is-unknown",
        ),
        pytest.param(
            [*TWO_CONTINUED, began(900, "r3", "d1"), ended(1_000, "r3", "d1")],
            spans((100, 1_000)),
            id="the-delegation-settles-all-of-its-continuations",
        ),
        pytest.param(
            [*TWO_CONTINUED, began(900, "r3", "d1", "r1"), ended(1_000, "r3", "d1")],
            spans((100, EXTENT_MS)),
            id="a-named-previous-response-settles-that-one-alone",
        ),
        pytest.param(
            [*a_round(100, "d1", "r1"), began(900, "r2", "d2"), ended(1_000, "r2", "d2")],
            spans((100, EXTENT_MS)),
            id="another-delegation-settles-nothing",
        ),
        pytest.param(
            [*a_round(100, "d2", "r1"), began(900, "r2", "d1"), ended(1_000, "r2", "d1")],
            spans((100, EXTENT_MS)),
            id="nor-does-one-whose-id-comes-before",
        ),
        pytest.param(
            [*a_round(100, "d1", "r2"), began(900, "r1", "d1"), ended(1_000, "r1", "d1")],
            spans((100, 1_000)),
            id="settled-by-a-response-whose-id-comes-before",
        ),
        pytest.param(
            [*a_round(100, "d1", "r2"), began(900, "r1", "d2", "r2"), ended(1_000, "r1", "d2")],
            spans((100, 1_000)),
            id="settled-by-name-though-that-id-comes-before",
        ),
        pytest.param(
            [*a_round(100, "d1", "r1"), began(600, "rX", "d2"), ended(700, "rX", "d2"),
             began(900, "r2", "d1"), ended(1_000, "r2", "d1")],
            spans((100, 1_000)),
            id="settled-by-the-delegation-after-a-response-of-another",
        ),
        pytest.param(
            [*a_round(100, "d1", "r1"), began(900, "r2"), ended(1_000, "r2")],
            spans((100, EXTENT_MS)),
            id="a-response-that-names-neither-settles-nothing",
        ),
        pytest.param(
            [delegated(50, "d1", "r1"), *a_round(100, None, "r1"), began(900, "r2", "d1"),
             ended(1_000, "r2")],
            spans((50, 1_000)),
            id="whose-response-it-is-may-be-learnt-from-the-delegation",
        ),
        pytest.param(
            [called(100, "c1", "r1", "d1"), returned(200, "c1"), continued(300, "r1", "d1"),
             began(400, "r1", "d1"), ended(500, "r1", "d1")],
            spans((100, EXTENT_MS)),
            id="a-response-does-not-follow-itself",
        ),
        pytest.param(
            [began(100, "r1"), called(120, "c1", "r1"), returned(140, "c1"),
             continued(150, "r1", "d1"), ended(200, "r1"), began(300, "r2", "d1"),
             ended(400, "r2")],
            spans((100, 400)),
            id="whose-response-it-is-may-be-learnt-from-the-continuation",
        ),
        pytest.param(
            [*a_round(100, None, "r1"), began(600, "r2", "d1"), ended(700, "r2"),
             called(800, "c2", "r1", "d1"), returned(900, "c2")],
            spans((100, 900)),
            id="whose-response-it-is-may-be-learnt-after-its-successor-began",
        ),
        pytest.param(
            [*a_round(100, "d1", "r1"), called(600, "c2", "r1", "d2"), returned(610, "c2"),
             began(700, "r2", "d2"), ended(800, "r2")],
            spans((100, 800)),
            id="a-response-named-with-two-delegations-belongs-to-both",
        ),
        pytest.param(
            [began(100, "r1", "d1"), called(110, "c1", "r1"), called(120, "c2", "r1"),
             returned(200, "c1"), ended(300, "r1"), began(400, "r2", "d1", "r1"),
             ended(500, "r2"), returned(600, "c2")],
            spans((100, 600)),
            id="what-was-followed-stays-followed-when-another-call-returns",
        ),
        pytest.param(
            [delegated(50, "d1", "r1"), began(100, "r1", "d1", "r1"), called(150, "c1", "r1"),
             ended(200, "r1"), returned(300, "c1")],
            spans((50, EXTENT_MS)),
            id="a-response-that-names-itself-as-previous-is-not-followed",
        ),
        pytest.param(
            [began(100, "r1"), ended(200, "r1"), continued(300, "r1")],
            spans((100, 200)),
            id="only-a-returned-call-asks-for-another-response",
        ),
        pytest.param(
            [*TWO_CONTINUED[:-1], began(185, "r3", "d1"), ended(187, "r3"), continued(190, "r2")],
            spans((100, EXTENT_MS)),
            id="what-is-sent-back-after-a-beginning-waits-for-the-next",
        ),
        pytest.param(
            [*a_round(100, "d1", "r1"), *a_round(600, "d1", "r2", "r1"), began(1_100, "r1", "d1")],
            spans((100, EXTENT_MS)),
            id="a-late-copy-of-an-earlier-response-follows-nothing",
        ),
        pytest.param(
            [began(100, "r1"), called(200, "c1", "r1"), ended(300, "r1"), failed(400, "r1"),
             returned(500, "c1"), continued(510, "r1"), began(600, "r2", None, "r1"),
             ended(700, "r2")],
            spans((100, 700)),
            id="a-second-end-of-a-response-changes-nothing",
        ),
        pytest.param(
            [began(100, "r1", "d1"), called(200, "c1", "r1"), ended(250, "r1"), returned(300, "c1"),
             began(400, "r2", "d1", "r1"), continued(450, "r1", "d1"), ended(500, "r2")],
            spans((100, 500)),
            id="a-continuation-noted-after-its-successor-owes-nothing",
        ),
    ],
)  # fmt: skip
def test_a_tool_round_is_work(story: list[Observation], expected: IntervalSet) -> None:
    assert work_intervals(story, EXTENT_MS) == expected


def test_completing_one_call_clears_no_other_of_the_same_name() -> None:
    story = [
        began(100, "r1", "d1"),
        called(200, "c1", "r1"),
        called(250, "c2", "r1"),
        ended(300, "r1"),
        returned(400, "c1"),
        continued(450, "r1", "d1"),
        began(500, "r2", "d1", "r1"),
        ended(600, "r2"),
        returned(900, "c2"),
    ]
    assert work_intervals(story, EXTENT_MS) == spans((100, 900))


@pytest.mark.parametrize("ends", [failed, incomplete], ids=["failed", "incomplete"])
class TestAResponseThatDoesNotComplete:
    def test_closes_itself(self, ends) -> None:
        story = [delegated(100, "d1"), began(200, "r1", "d1"), ends(400, "r1", "d1")]
        assert work_intervals(story, EXTENT_MS) == spans((100, 400))

    def test_takes_its_open_calls_with_it(self, ends) -> None:
        story = [began(100, "r1"), called(200, "c1", "r1"), ends(400, "r1"), returned(900, "c1")]
        assert work_intervals(story, EXTENT_MS) == spans((100, 400))

    def test_owes_no_continuation(self, ends) -> None:
        story = [began(100, "r1"), called(200, "c1", "r1"), returned(300, "c1"), ends(400, "r1")]
        assert work_intervals(story, EXTENT_MS) == spans((100, 400))

    def test_is_followed_by_nothing_though_it_was_continued(self, ends) -> None:
        story = [began(100, "r1"), called(200, "c1", "r1"), returned(300, "c1"),
                 continued(310, "r1"), ends(400, "r1")]  # fmt: skip
        assert work_intervals(story, EXTENT_MS) == spans((100, 400))

    def test_lets_no_late_return_or_continuation_reopen_it(self, ends) -> None:
        story = [began(100, "r1"), called(200, "c1", "r1"), ends(400, "r1"), returned(500, "c1"),
                 continued(600, "r1"), called(700, "c1", "r1")]  # fmt: skip
        assert work_intervals(story, EXTENT_MS) == spans((100, 400))

    def test_leaves_a_call_open_that_is_first_heard_of_afterwards(self, ends) -> None:
        story = [began(100, "r1"), ends(400, "r1"), called(500, "c1", "r1"), returned(900, "c1")]
        assert work_intervals(story, EXTENT_MS) == spans((100, 400), (500, 900))

    @pytest.mark.parametrize(("one", "other"), [("r1", "r2"), ("r2", "r1")])
    def test_leaves_other_work_alone(self, ends, one: str, other: str) -> None:
        story = [began(100, one, "d1"), began(150, other, "d2"), called(200, "c2", other),
                 ends(400, one, "d1"), ended(500, other), returned(600, "c2"),
                 continued(610, other), began(700, "r3", "d2", other),
                 ended(800, "r3")]  # fmt: skip
        assert work_intervals(story, EXTENT_MS) == spans((100, 800))


@pytest.mark.parametrize(
    ("story", "expected"),
    [
        pytest.param(
            [*a_round(100, "d1", "r1"), refused(900, "r1", "d1")],
            spans((100, 900)),
            id="is-waited-for-no-more",
        ),
        pytest.param(
            [began(100, "r1"), called(150, "c1", "r1"), called(160, "c2", "r1"), ended(200, "r1"),
             returned(300, "c1"), refused(400, "r1"), returned(500, "c2")],
            spans((100, 400)),
            id="takes-the-open-calls-with-it",
        ),
        pytest.param(
            [refused(100, "r1"), *a_round(200, "d1", "r1")],
            spans((200, EXTENT_MS)),
            id="of-a-response-unknown-ends-nothing",
        ),
        pytest.param(
            [*a_round(100, "d1", "r1"), *a_round(150, "d2", "r2"), refused(900, "r1")],
            spans((100, EXTENT_MS)),
            id="ends-nothing-of-another-response",
        ),
        pytest.param(
            [began(100, "r1"), refused(200, "r1"), ended(400, "r1")],
            spans((100, 400)),
            id="leaves-the-response-itself-open-until-it-ends",
        ),
    ],
)  # fmt: skip
def test_a_refused_continuation(story: list[Observation], expected: IntervalSet) -> None:
    assert work_intervals(merged([story]), EXTENT_MS) == expected


@pytest.mark.parametrize(
    "stranger",
    [
        pytest.param(ended(300, "rX"), id="response-completed"),
        pytest.param(failed(300, "rX"), id="response-failed"),
        pytest.param(returned(300, "cX"), id="call-returned"),
        pytest.param(continued(300, "rX"), id="work-continued"),
        pytest.param(UsageReported(at(300), 1.0), id="a-kind-that-is-no-work"),
    ],
)
def test_an_end_of_something_unknown_ends_nothing(stranger: Observation) -> None:
    story = [delegated(100, "d1", "r1"), began(150, "r1", "d1"), stranger, ended(400, "r1", "d1")]
    assert work_intervals(story, EXTENT_MS) == spans((100, 400))
    assert work_intervals([stranger], EXTENT_MS) == spans()


@pytest.mark.parametrize(
    "end", [SessionClosed(at(500), "close_requested", 1.0), ConnectionLost(at(500), 1006, "")],
    ids=["session-closed", "connection-lost"],
)  # fmt: skip
def test_the_end_of_the_session_ends_no_work(end: Observation) -> None:
    assert work_intervals([delegated(100, "d1"), end], EXTENT_MS) == spans((100, EXTENT_MS))


FULL = [
    delegated(100, "d1"),
    *a_round(150, "d1", "r1"),
    began(700, "r2", "d1", "r1"),
    ended(900, "r2", "d1"),
]


@pytest.mark.parametrize("repeated", FULL, ids=lambda seen: type(seen).__name__)
def test_a_late_duplicate_changes_nothing(repeated: Observation) -> None:
    work = WorkState()
    for seen in [*FULL, repeated]:
        work.observe(seen)
    assert not work.is_active


@pytest.mark.parametrize("position", range(len(FULL)))
def test_an_immediate_duplicate_changes_nothing(position: int) -> None:
    story = [*FULL[: position + 1], *FULL[position:]]
    assert work_intervals(story, EXTENT_MS) == spans((100, 900))


@pytest.mark.parametrize(
    ("story", "extent_ms", "expected"),
    [
        pytest.param([began(150, "r1"), ended(450, "r1")], 1_000, spans((150, 450)), id="150-450"),
        pytest.param([began(150, "r1"), ended(190, "r1")], 1_000, spans((150, 190)), id="150-190"),
        pytest.param([began(150, "r1"), ended(150, "r1")], 1_000, spans(), id="zero-length"),
        pytest.param([began(150, "r1"), ended(450, "r1")], 300, spans((150, 300)), id="cut-short"),
        pytest.param([began(300, "r1"), ended(450, "r1")], 300, spans(), id="after-the-extent"),
        pytest.param([began(0, "r1")], 0, spans(), id="nothing-observed"),
        pytest.param(
            [began(0, "r1"), ended(100, "r1"), began(100, "r2"), ended(200, "r2")],
            1_000,
            spans((0, 200)),
            id="touching-work-is-one-span",
        ),
    ],
)
def test_the_spans_of(story: list[Observation], extent_ms: int, expected: IntervalSet) -> None:
    assert work_intervals(story, extent_ms) == expected


def test_a_provider_offset_moves_nothing() -> None:
    story = [DelegationBegan(Stamp(2_000, 0, 150), "d1", "responses", "r1"), ended(2_500, "r1")]
    assert work_intervals(story, EXTENT_MS) == spans((2_000, 2_500))


@st.composite
def stories(draw: st.DrawFn) -> list[list[Observation]]:
    """A few delegations that know nothing of one another, on a coarse clock so that they meet."""
    told = []
    for number in range(draw(st.integers(1, 4))):
        steps = _steps(number)[: draw(st.integers(1, 8))]
        times = sorted(draw(st.lists(st.integers(0, 8), min_size=len(steps), max_size=len(steps))))
        told.append([_at(step, ms * 100) for step, ms in zip(steps, times, strict=True)])
    return told


def _steps(number: int) -> list[Observation]:
    d, r, c = f"d{number}", f"r{number}", f"c{number}"
    return [
        delegated(0, d), began(0, r, d), called(0, c, r, d), ended(0, r, d), returned(0, c),
        continued(0, r, d), began(0, f"{r}b", d, r), failed(0, f"{r}b", d),
    ]  # fmt: skip


def _at(seen: Observation, ms: int) -> Observation:
    return type(seen)(at(ms), *[getattr(seen, name) for name in type(seen).__slots__])


def merged(told: Iterable[list[Observation]]) -> list[Observation]:
    return sorted((seen for story in told for seen in story), key=lambda s: s.stamp.media_ms)


@given(stories())
def test_the_order_of_simultaneous_unrelated_observations_does_not_matter(told) -> None:
    assert work_intervals(merged(told), 1_000) == work_intervals(merged(told[::-1]), 1_000)


@given(stories())
def test_work_is_the_union_of_its_stories(told) -> None:
    union = IntervalSet.of(span for story in told for span in work_intervals(story, 1_000))
    assert work_intervals(merged(told), 1_000) == union


@given(stories())
def test_live_and_replay_agree(told) -> None:
    work = WorkState()
    live = []
    for seen in merged(told):
        work.observe(seen)
        live.append((seen.stamp.media_ms, work.is_active))
    positions = [ms for ms, _ in live]
    replay = work_intervals(merged(told), 1_000)
    for (ms, is_active), until in zip(live, [*positions[1:], 1_000], strict=True):
        assert until == ms or replay.contains(ms) is is_active


@given(stories(), st.integers(0, 5_000))
def test_a_shift_moves_the_spans_and_nothing_else(told, offset_ms: int) -> None:
    moved = [[_at(seen, seen.stamp.media_ms + offset_ms) for seen in story] for story in told]
    straight = work_intervals(merged(told), 1_000)
    assert work_intervals(merged(moved), 1_000 + offset_ms) == straight.shifted(offset_ms)


@pytest.mark.parametrize(
    ("heir", "until_ms"),
    [
        pytest.param(
            [called(450, "c2", "r2", "d1"), began(600, "r2"), failed(700, "r2")],
            700,
            id="though-its-delegation-was-known-before-it-began",
        ),
        pytest.param(
            [began(600, "r2"), continued(700, "r2", "d1"), ended(800, "r2")],
            800,
            id="though-its-delegation-was-learnt-only-afterwards",
        ),
        pytest.param(
            [began(600, "r2", "d1"), called(650, "c", "r1"), ended(700, "r2"), returned(900, "c")],
            900,
            id="though-another-call-of-the-first-returned-later",
        ),
    ],
)
def test_a_response_that_names_none_before_it_follows(
    heir: list[Observation], until_ms: int
) -> None:
    assert work_intervals([*a_round(0, "d1", "r1"), *heir], EXTENT_MS) == spans((0, until_ms))


def test_thousands_of_responses_that_wait_for_another_cost_no_more_than_each_alone() -> None:
    """Asked anew with every event, all of them against all, these would take hours."""
    many = range(3_000)
    story = [delegated(0, "d1", target="client"), began(0, "r", "d1")]
    story += [began(0, f"r{one}", "d1", "r") for one in many]
    story += [called(0, f"c{one}", f"r{one}", "d1") for one in many]
    for one in many:
        story += [returned(0, f"c{one}"), ended(0, f"r{one}"), continued(0, f"r{one}")]
    before_s = time.process_time()
    assert work_intervals([*story, over(500, "d1")], EXTENT_MS) == spans((0, 500))
    assert time.process_time() - before_s < 10

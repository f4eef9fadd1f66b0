"""Delegations of several files are put together by their identities."""

from __future__ import annotations

import pytest

from shared.viewer.history.delegations import Delegated, Telling, delegated
from shared.viewer.history.steps import Step, StepKind
from shared.viewer.history.story import story
from shared.viewer.view import DelegationView

K = StepKind


def began(at_ms: int | None, owner: str | None = "a", target: str | None = "responses") -> Step:
    return Step(K.DELEGATED, at_ms, owner, name=target)


def response(at_ms: int | None, end_ms: int | None, owner: str = "a") -> list[Step]:
    return [
        Step(K.RESPONSE_BEGAN, at_ms, owner, f"{owner}-r"),
        Step(K.RESPONSE_ENDED, end_ms, owner, f"{owner}-r", status="completed"),
    ]


def said(text: str, owner: str = "a") -> Step:
    return Step(K.ITEM, None, owner, text=text, is_item=True)


def log(*steps: Step) -> Telling:
    return Telling(story(steps), is_event_log=True)


def exact(*steps: Step) -> Telling:
    return Telling(story(steps))


def moments(*steps: Step) -> Telling:
    return Telling(story(steps), notes_moments_alone=True)


def put_together(*tellings: Telling) -> Delegated:
    return delegated(tellings, (), 900)


def test_one_file_knows_the_times_and_another_the_words() -> None:
    told = put_together(
        exact(began(100), *response(100, 300)),
        log(began(70), *response(None, None), said("Done."), said("Done."), said("Bye.")),
    )
    assert told.delegations == (
        DelegationView("responses", "completed", 100, ((100, 300),), ("Done.", "Bye."), 1),
    )
    assert told.has_spans


def test_a_log_has_its_own_time_where_nobody_knows_better() -> None:
    (one,) = put_together(log(began(70))).delegations
    assert one.at_ms == 70
    (one,) = put_together(log(began(70)), moments(began(100))).delegations
    assert one.at_ms == 100


def test_the_applications_last_word_goes_before_all_messages() -> None:
    ending = [Step(K.APPLICATION_ENDED, 300, "a", status="completed", text=one) for one in "xy"]
    (one,) = put_together(log(began(100, target="client"), said("Hm."), *ending)).delegations
    assert (one.texts, one.status, one.responses) == (("y",), "completed", None)


@pytest.mark.parametrize(
    ("telling", "how", "is_lonely"),
    [
        pytest.param(moments, "unavailable", True, id="a-list-of-moments-knows-no-more"),
        pytest.param(exact, "recorded", False, id="a-list-of-steps-knows-that-there-was-no-more"),
        pytest.param(log, "recorded", False, id="so-does-a-log"),
    ],
)
def test_a_delegation_of_which_only_the_beginning_is_told(
    telling: type[Telling], how: str, is_lonely: bool
) -> None:
    (one,) = put_together(telling(began(100))).delegations
    assert (one.status, one.is_timeline_only) == (how, is_lonely)
    assert (one.work == ()) is is_lonely


@pytest.mark.parametrize(
    ("marks", "count", "unmarked"),
    [
        pytest.param([began(100, None), began(100, None)], 1, 0, id="a-moment-told-twice"),
        pytest.param([began(100, None), began(200, None)], 2, 0, id="two-moments"),
        pytest.param([began(100, None), began(100, None, "client")], 2, 0, id="two-targets"),
        pytest.param([began(100), began(100, None)], 1, 0, id="the-moment-of-a-known-one"),
        pytest.param([began(100), began(130, None)], 1, 1, id="another-moment-may-be-its-too"),
        pytest.param([began(100), began(130, None, "client")], 2, 0, id="not-with-another-target"),
    ],
)
def test_marks_without_identity(marks: list[Step], count: int, unmarked: int) -> None:
    told = put_together(moments(*marks))
    assert (len(told.delegations), told.unmarked) == (count, unmarked)


def test_a_call_has_the_place_of_its_delegation_in_order_of_time() -> None:
    call = Step(K.CALLED, 210, None, "b-r", call_id="c", name="book")
    told = put_together(exact(began(200, "b"), *response(200, 300, "b"), began(100)), moments(call))
    assert [one.at_ms for one in told.delegations] == [100, 200]
    assert [(one.name, one.delegation) for one in told.tools] == [("book", 1)]


def test_a_call_of_a_response_that_files_give_to_two_delegations_has_no_place() -> None:
    call = Step(K.CALLED, 210, None, "r", call_id="c", name="book")
    one, other = (Step(K.RESPONSE_BEGAN, 100, owner, "r") for owner in "ab")
    told = put_together(exact(one), log(other), moments(call))
    assert [one.delegation for one in told.tools] == [None]


def test_a_delegation_that_is_only_named_has_an_unknown_target() -> None:
    (one,) = put_together(log(*response(100, 300))).delegations
    assert (one.target, one.at_ms, one.status) == ("unknown", None, "completed")

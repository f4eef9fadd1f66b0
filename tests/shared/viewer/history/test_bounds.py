"""A page gets no more of anything than it can serve, and says what it did not get."""

from __future__ import annotations

from shared.viewer.history.bounds import MOST, MOST_TEXTS, bounded
from shared.viewer.view import (
    Course,
    DelegationView,
    Role,
    TimingSource,
    ToolView,
    TrackView,
    TurnView,
)


def course(**parts: object) -> Course:
    return Course(9, TimingSource.NONE, None, TrackView(()), TrackView(()), **parts)  # type: ignore[arg-type]


def test_the_first_so_many_are_kept_and_the_rest_is_named() -> None:
    turn = TurnView(Role.CALLER, 0, 1, "")
    assert bounded(course(turns=(turn,) * MOST)).missing == ()
    cut = bounded(course(turns=(turn,) * (MOST + 1)))
    assert len(cut.turns) == MOST
    assert cut.missing == ("Only the first 20,000 turns are told, of 20,001.",)


def test_a_call_of_a_delegation_that_is_not_told_has_no_place() -> None:
    one = DelegationView("responses", "completed", 0, (), ("Done.",) * (MOST_TEXTS + 1))
    calls = tuple(ToolView("book", "called", 0, delegation=place) for place in (MOST - 1, MOST))
    cut = bounded(course(delegations=(one,) * (MOST + 1), tools=calls))
    assert [call.delegation for call in cut.tools] == [MOST - 1, None]
    assert len(cut.delegations[0].texts) == MOST_TEXTS

"""Delegations apart: ids alone tell what belongs together."""

from __future__ import annotations

import pytest

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
    WorkContinued,
)
from shared.viewer.delegated import delegations, tool_owners
from tests.support.builders import at


def began(at_ms: int, delegation: str, response: str | None = None) -> Observation:
    return DelegationBegan(at(at_ms), delegation, "responses", response)


def response(
    at_ms: int, one: str, delegation: str | None = None, after: str | None = None
) -> Observation:
    return ResponseBegan(at(at_ms), one, delegation, after)


def ended(
    at_ms: int,
    one: str,
    delegation: str | None = None,
    status: ResponseStatus = ResponseStatus.COMPLETED,
) -> Observation:
    return ResponseEnded(at(at_ms), one, delegation, status, None, None)


def text(at_ms: int, words: str, one: str | None, delegation: str | None = None) -> Observation:
    return BackendText(at(at_ms), one, delegation, f"item-{at_ms}", words)


def called(at_ms: int, call: str, one: str | None, delegation: str | None = None) -> Observation:
    return ToolCalled(at(at_ms), call, "book", "{}", {}, one, delegation)


def returned(at_ms: int, call: str) -> Observation:
    return ToolReturned(at(at_ms), call, "book", ToolStatus.COMPLETED, {}, {})


ROUND = (
    began(100, "d1", "r1"),
    response(100, "r1", "d1"),
    called(300, "c1", "r1"),
    returned(400, "c1"),
    ended(420, "r1"),
    WorkContinued(at(420), "r1", "d1"),
    response(500, "r2", None, "r1"),
    text(600, "It is booked.", "r2"),
    ended(700, "r2"),
)


def test_a_round_of_work_is_one_delegation_with_its_answer_and_its_work() -> None:
    (told,) = delegations(ROUND, 10_000)
    assert (told.target, told.status, told.at_ms) == ("responses", "completed", 100)
    assert told.work == ((100, 700),)
    assert told.texts == ("It is booked.",)
    assert told.responses == 2
    assert tool_owners(ROUND) == {"c1": 0}


def test_two_delegations_under_way_at_once_keep_what_is_theirs() -> None:
    other = (
        began(200, "d2", "q1"),
        response(200, "q1", "d2"),
        called(350, "c2", "q1"),
        text(450, "There is no table.", "q1"),
        returned(460, "c2"),
        ended(900, "q1", None, ResponseStatus.FAILED),
    )
    mixed = sorted((*ROUND, *other), key=lambda seen: seen.stamp.media_ms)
    first, second = delegations(mixed, 10_000)
    assert (first.work, first.texts) == (((100, 700),), ("It is booked.",))
    assert (second.work, second.texts) == (((200, 900),), ("There is no table.",))
    assert (first.status, second.status) == ("completed", "failed")
    assert tool_owners(mixed) == {"c1": 0, "c2": 1}


@pytest.mark.parametrize(
    ("seen", "status"),
    [
        pytest.param((began(100, "d1"),), "in_progress", id="nothing answers it"),
        pytest.param(ROUND[:2], "in_progress", id="its response never ends"),
        pytest.param(ROUND[:5], "in_progress", id="no response follows its results"),
        pytest.param(
            (*ROUND[:2], ended(300, "r1", None, ResponseStatus.INCOMPLETE)),
            "incomplete",
            id="its response ends early",
        ),
    ],
)
def test_a_delegation_stands_as_its_last_response_did(
    seen: tuple[Observation, ...], status: str
) -> None:
    (told,) = delegations(seen, 10_000)
    assert told.status == status
    assert not told.work or told.work[-1][1] == (10_000 if status == "in_progress" else 300)


def test_what_names_no_delegation_belongs_to_none() -> None:
    stray = (text(650, "A private thought.", None), called(660, "c9", "r9"), text(670, "?", "r9"))
    (told,) = delegations((*ROUND, *stray), 10_000)
    assert told.texts == ("It is booked.",)
    assert "c9" not in tool_owners((*ROUND, *stray))


def test_a_repeated_delegation_counts_once_and_a_repeated_text_is_told_once() -> None:
    (told,) = delegations((*ROUND, began(800, "d1"), text(810, "It is booked.", "r2")), 10_000)
    assert (told.at_ms, told.texts) == (100, ("It is booked.",))


def test_a_delegation_may_be_named_by_its_ending_alone() -> None:
    seen = (began(100, "d1"), response(150, "r1"), text(200, "Yes.", "r1"), ended(300, "r1", "d1"))
    (told,) = delegations(seen, 10_000)
    assert told.texts == ("Yes.",)
    assert told.status == "completed"

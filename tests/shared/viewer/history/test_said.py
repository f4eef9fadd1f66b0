"""What was said, from lists and from rows."""

from __future__ import annotations

from typing import Any

import pytest

from shared.viewer.history.said import said_in_list, said_in_rows, with_actions
from shared.viewer.history.turn_rows import TurnRow, turn_rows
from shared.viewer.view import Role, TurnView
from tests.support.builders import spans


def entry(**changes: Any) -> dict[str, Any]:
    return {"role": "user", "start_ms": 100, "end_ms": 300, "text": "Hello.", **changes}


def rows(*told: dict[str, Any]) -> tuple[TurnRow, ...]:
    return turn_rows(told).rows


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("user", Role.CALLER),
        ("USER", Role.CALLER),
        ("caller", Role.CALLER),
        ("simulator", Role.CALLER),
        ("assistant", Role.ASSISTANT),
        ("Agent", Role.ASSISTANT),
    ],
)
def test_a_party_has_many_names(name: str, role: Role) -> None:
    (turn,) = said_in_list([entry(role=name)]).turns
    assert turn.role is role


@pytest.mark.parametrize(
    "change",
    [
        {"role": "system"},
        {"role": None},
        {"role": ["user"]},
        {"start_ms": None},
        {"end_ms": 99},
        {"end_ms": "300"},
        {"text": None},
        {"text": 3},
    ],
)
def test_no_turn_is_what_lacks_something(change: dict[str, Any]) -> None:
    told = said_in_list([entry(**change), entry(), entry(), entry(**change)])
    assert (len(told.turns), told.left_out) == (2, 2)


def test_turns_come_in_order_of_onset_the_caller_first() -> None:
    told = said_in_list([entry(role="assistant"), entry(start_ms=200), entry()])
    assert [(one.start_ms, one.role) for one in told.turns] == [
        (100, Role.CALLER),
        (100, Role.ASSISTANT),
        (200, Role.CALLER),
    ]


def test_an_assistant_has_no_action() -> None:
    (turn,) = said_in_list([entry(role="assistant", action="SPEAK")]).turns
    assert turn.action is None


@pytest.mark.parametrize("value", [None, "Hello.", 3, {}])
def test_what_is_no_list_says_nothing(value: Any) -> None:
    assert said_in_list(value).turns == ()


FIRST = {"start_ms": 100, "end_ms": 200, "user_transcript": "A", "assistant_transcript": "one"}
SECOND = {"start_ms": 500, "end_ms": 600, "user_transcript": "B", "assistant_transcript": "two"}


def test_an_answer_lies_where_the_assistant_was_heard_before_the_next_request() -> None:
    heard = spans((250, 300), (350, 400), (700, 750))
    told = said_in_rows(rows(FIRST, SECOND), heard)
    assert [(one.start_ms, one.end_ms, one.text) for one in told.turns] == [
        (100, 200, "A"),
        (250, 400, "one"),
        (500, 600, "B"),
        (700, 750, "two"),
    ]
    assert told.unplaced == 0


def test_an_answer_that_nobody_heard_is_left_out_and_counted() -> None:
    told = said_in_rows(rows(FIRST, SECOND), spans((700, 750)))
    assert [one.text for one in told.turns] == ["A", "B", "two"]
    assert told.unplaced == 1
    assert said_in_rows(rows(FIRST, SECOND), spans()).unplaced == 2


def test_an_answer_ends_where_the_next_request_begins() -> None:
    third = {"start_ms": 800, "end_ms": 850, "user_transcript": "C"}
    told = said_in_rows(rows(FIRST, SECOND, third), spans((250, 900)))
    assert [(one.start_ms, one.end_ms) for one in told.turns if one.role is Role.ASSISTANT] == [
        (250, 500),
        (500, 800),
    ]


def test_a_window_ends_where_its_row_says() -> None:
    told = said_in_rows(rows({**FIRST, "window_end_ms": 240}), spans((250, 300)))
    assert told.unplaced == 1


@pytest.mark.parametrize(
    ("onset_ms", "action"),
    [(99, None), (100, "OPENING"), (299, "OPENING"), (300, None)],
)
def test_a_row_labels_the_turn_in_which_it_begins(onset_ms: int, action: str | None) -> None:
    turn = TurnView(Role.CALLER, 100, 300, "Hello.")
    label = {"start_ms": onset_ms, "end_ms": 400, "action": "OPENING", "action_source": "script"}
    (told,) = with_actions([turn], rows(label))
    assert (told.action, told.action_source) == (action, "script" if action else None)


def test_a_turn_of_no_length_is_labelled_by_the_row_of_its_instant() -> None:
    turn = TurnView(Role.CALLER, 101, 101, "Hello.")
    label = {"end_ms": 400, "action": "SPEAK"}
    told = [with_actions([turn], rows({**label, "start_ms": at_ms}))[0] for at_ms in (101, 102)]
    assert [one.action for one in told] == ["SPEAK", None]


def test_each_turn_is_labelled_by_its_own_row() -> None:
    turns = [TurnView(Role.CALLER, at_ms, at_ms + 50, "Hello.") for at_ms in (100, 200, 300)]
    labels = [
        {"start_ms": at_ms, "end_ms": 999, "action": action}
        for at_ms, action in ((50, "STOP"), (110, "OPENING"), (320, "SPEAK"))
    ]
    told = with_actions(turns, rows(*labels))
    assert [one.action for one in told] == ["OPENING", None, "SPEAK"]


def test_a_turn_keeps_the_action_it_has() -> None:
    turn = TurnView(Role.CALLER, 100, 300, "Hello.", "STOP")
    assert with_actions([turn], rows({"start_ms": 100, "end_ms": 300, "action": "SPEAK"})) == (
        turn,
    )

"""How much may wait for a voice, and what makes room again."""

from __future__ import annotations

import pytest

from assistants.client.backlog import WAITING_MAX, Backlog
from shared.observability.observations import (
    AppendIntent,
    CommandRejected,
    ContextAppended,
    ContextSent,
    Observation,
)
from tests.support.builders import at

TEXT = "It is done."


def sent(number: int, delegation_id: str | None = "d1") -> Observation:
    return ContextSent(at(0), f"append_{number}", AppendIntent.COMMENTARY, TEXT, delegation_id)


def taken(number: int | None) -> Observation:
    return ContextAppended(at(0), None if number is None else f"append_{number}")


def refused(number: int) -> Observation:
    return CommandRejected(at(0), "a_code", "No.", None, f"append_{number}")


def full(*, is_sent: bool = True) -> Backlog:
    backlog = Backlog()
    for number in range(WAITING_MAX):
        assert backlog.takes(TEXT)
        if is_sent:
            backlog.notice(sent(number))
    return backlog


@pytest.mark.parametrize("is_sent", [True, False])
def test_there_is_room_for_so_many_and_for_no_more(is_sent: bool) -> None:
    assert not full(is_sent=is_sent).takes(TEXT)


@pytest.mark.parametrize(
    ("text", "has_room"),
    [
        pytest.param("x" * 500 * WAITING_MAX, True, id="as-many-pieces-as-fit"),
        pytest.param("x" * (500 * WAITING_MAX + 1), False, id="one-piece-more"),
        pytest.param("é" * 250 * WAITING_MAX, True, id="half-as-many-letters-of-twice-the-size"),
        pytest.param("é" * (250 * WAITING_MAX + 1), False, id="and-one-letter-more"),
    ],
)
def test_a_text_counts_as_the_pieces_it_is_cut_to(text: str, has_room: bool) -> None:
    assert Backlog().takes(text) is has_room


@pytest.mark.parametrize(
    ("seen", "has_room"),
    [
        pytest.param(taken(7), True, id="one-was-taken"),
        pytest.param(taken(None), True, id="one-was-taken-and-nobody-says-which"),
        pytest.param(refused(7), True, id="one-was-refused"),
        pytest.param(taken(1_000), False, id="another-was-taken"),
        pytest.param(refused(1_000), False, id="another-was-refused"),
    ],
)
def test_there_is_room_again_once(seen: Observation, has_room: bool) -> None:
    backlog = full()
    backlog.notice(seen)
    assert backlog.takes(TEXT) is has_room
    assert not backlog.takes(TEXT)


def test_what_found_no_room_does_not_wait() -> None:
    backlog = full()
    assert not backlog.takes(TEXT * 1_000)
    backlog.notice(taken(0))
    assert backlog.takes(TEXT)


def test_what_is_said_about_no_delegation_takes_no_room() -> None:
    backlog = Backlog()
    for number in range(WAITING_MAX):
        backlog.notice(sent(number, None))
    assert backlog.takes(TEXT)


def test_an_answer_to_nothing_makes_no_room() -> None:
    backlog = Backlog()
    backlog.notice(taken(None))
    assert backlog.takes("x" * 500 * WAITING_MAX)
    assert not backlog.takes(TEXT)

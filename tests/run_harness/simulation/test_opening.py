"""How a conversation begins: in time, by the right side, and from where its time counts."""

from __future__ import annotations

import pytest

from run_harness.simulation.opening import DEADLINE_MS, Heard, Opening
from shared.errors import Stage
from shared.observability.evidence import Failure
from shared.observability.observations import Speaker

CALLER, ASSISTANT = Speaker.CALLER, Speaker.ASSISTANT
LOST = Failure(Stage.RESPONSE_COLLECTION, "connection lost")


def an_opening(first: Speaker) -> Opening:
    return Opening(first, commanded_ms=3_000)


def stage(failure: Failure | None) -> Stage | None:
    return None if failure is None else failure.stage


@pytest.mark.parametrize(
    ("first", "wall_ms", "heard", "expected"),
    [
        pytest.param(CALLER, 22_999, Heard(), None, id="the-caller-may-wait-for-20-s"),
        pytest.param(
            CALLER, 23_000, Heard(), Stage.CALLER_OPENING, id="the-caller-may-not-wait-any-longer"
        ),
        pytest.param(
            CALLER, 23_000, Heard(400), Stage.CALLER_OPENING, id="heard-at-the-deadline-is-too-late"
        ),
        pytest.param(
            CALLER,
            23_001,
            Heard(400),
            Stage.CALLER_OPENING,
            id="heard-after-it-is-too-late-as-well",
        ),
        pytest.param(
            CALLER, 22_999, Heard(400), None, id="the-caller-is-heard-just-before-the-deadline"
        ),
        pytest.param(
            CALLER,
            23_000,
            Heard(None, 400),
            Stage.CALLER_OPENING,
            id="the-assistant-opens-nothing-for-the-caller",
        ),
        pytest.param(
            ASSISTANT, 23_000, Heard(), Stage.ASSISTANT_OPENING, id="the-assistant-is-due-as-well"
        ),
        pytest.param(ASSISTANT, 22_999, Heard(), None, id="and-has-as-much-time"),
        pytest.param(
            ASSISTANT,
            4_000,
            Heard(300),
            Stage.ASSISTANT_OPENING,
            id="the-caller-speaks-before-any-greeting",
        ),
        pytest.param(
            ASSISTANT,
            4_000,
            Heard(300, 301),
            Stage.ASSISTANT_OPENING,
            id="the-caller-speaks-one-ms-earlier",
        ),
        pytest.param(ASSISTANT, 4_000, Heard(300, 300), None, id="both-begin-together"),
        pytest.param(ASSISTANT, 4_000, Heard(400, 300), None, id="the-caller-speaks-into-it"),
    ],
)
def test_an_opening(first: Speaker, wall_ms: int, heard: Heard, expected: Stage | None) -> None:
    assert stage(an_opening(first).advance(wall_ms, heard)) is expected


def test_a_callers_conversation_starts_at_once() -> None:
    opening = an_opening(CALLER)
    assert (opening.started_ms, opening.is_over) == (0, False)

    opening.advance(4_000, Heard(700))
    assert (opening.started_ms, opening.is_over) == (0, True)


def test_an_assistants_conversation_starts_where_it_is_heard() -> None:
    opening = an_opening(ASSISTANT)
    opening.advance(4_000, Heard())
    assert (opening.started_ms, opening.is_over) == (None, False)

    opening.advance(5_000, Heard(None, 1_840))
    assert (opening.started_ms, opening.is_over) == (1_840, True)


@pytest.mark.parametrize("first", [CALLER, ASSISTANT])
def test_what_is_over_stays_over(first: Speaker) -> None:
    opening = an_opening(first)
    opening.advance(4_000, Heard(200, 100))
    started_ms = opening.started_ms

    assert opening.advance(90_000, Heard(50, 60)) is None
    assert opening.ended() is None
    assert opening.lost(LOST) == LOST
    assert opening.started_ms == started_ms


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        pytest.param(CALLER, Stage.CALLER_OPENING, id="the-caller-never-spoke"),
        pytest.param(ASSISTANT, Stage.ASSISTANT_OPENING, id="the-assistant-never-spoke"),
    ],
)
def test_an_end_before_the_opening_says_that(first: Speaker, expected: Stage) -> None:
    failure = an_opening(first).ended()

    assert stage(failure) is expected
    assert failure is not None
    assert failure.message == f"the {first.value} was never heard"


def test_an_assistant_lost_before_its_greeting_is_the_openings_affair() -> None:
    assert an_opening(ASSISTANT).lost(LOST) == Failure(Stage.ASSISTANT_OPENING, "connection lost")
    assert an_opening(CALLER).lost(LOST) == LOST


def test_the_deadline_is_twenty_seconds_unless_it_is_another() -> None:
    assert DEADLINE_MS == 20_000
    opening = Opening(CALLER, commanded_ms=0, deadline_ms=1_500)

    assert opening.advance(1_499, Heard()) is None
    failure = opening.advance(1_500, Heard())
    assert failure == Failure(Stage.CALLER_OPENING, "the caller was not heard within 1.5 s")

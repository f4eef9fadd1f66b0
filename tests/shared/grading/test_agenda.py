"""How far a caller got: by what an observer said, and by nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from shared.grading.agenda import AgendaProgress, agenda_progress, objectives_of
from shared.intervals import Interval
from shared.observability.evidence import Decision, DecisionStatus, Objective
from shared.scenarios import Scenario
from tests.support.judged import a_conversation, a_scenario
from tests.support.scenario_documents import an_item

NAME, TIME, EXTRA, BYE = "say_name", "say_time", "say_more", "say_bye"
ANSWERED, STALE, FAILED = DecisionStatus.ANSWERED, DecisionStatus.STALE, DecisionStatus.FAILED


def a_caller() -> Scenario:
    """A name, then a time, perhaps something more, and a farewell."""
    agenda: list[dict[str, Any]] = [
        an_item(id=NAME),
        an_item(id=TIME, after=[NAME]),
        an_item(id=EXTRA, required=False),
        an_item(id=BYE, action="finish", required=False, after=[TIME]),
    ]
    return a_conversation(simulation_parameters__agenda=agenda)


def seen(*expressed: str) -> list[Objective]:
    return [Objective(one, one in expressed) for one in (NAME, TIME, EXTRA, BYE)]


@pytest.mark.parametrize(
    ("expressed", "progress"),
    [
        pytest.param((), ((), (EXTRA,), (), (NAME, TIME)), id="nothing-was-said"),
        pytest.param((NAME,), ((NAME,), (EXTRA,), (), (TIME,)), id="the-first-was"),
        pytest.param(
            (TIME,), ((TIME,), (EXTRA,), (NAME,), ()), id="what-the-second-follows-is-bypassed"
        ),
        pytest.param(
            (BYE,), ((BYE,), (EXTRA,), (NAME, TIME), ()), id="a-farewell-bypasses-all-before-it"
        ),
        pytest.param(
            (BYE, TIME, NAME, EXTRA), ((NAME, TIME, EXTRA, BYE), (), (), ()), id="everything-was"
        ),
    ],
)
def test_progress_through_an_agenda(
    expressed: tuple[str, ...], progress: tuple[tuple[str, ...], ...]
) -> None:
    assert agenda_progress(a_caller(), seen(*expressed)) == AgendaProgress(4, *progress)


def test_progress_nobody_observed_is_unknown() -> None:
    assert agenda_progress(a_caller(), ()) is None


def test_a_request_has_no_agenda() -> None:
    assert agenda_progress(a_scenario(), seen(NAME)) is None


def a_decision(status: DecisionStatus, *objectives: Objective) -> Decision:
    return Decision(0, 10, 1, status, objectives=objectives)


EARLY, LATE = Interval(0, 10), Interval(20, 30)


@pytest.mark.parametrize(
    ("decisions", "known"),
    [
        pytest.param([], (), id="nobody-was-asked"),
        pytest.param(
            [(ANSWERED, Objective(NAME, False)), (ANSWERED, Objective(NAME, True, LATE))],
            (Objective(NAME, True, LATE),),
            id="it-came-later",
        ),
        pytest.param(
            [(ANSWERED, Objective(NAME, True, EARLY)), (ANSWERED, Objective(NAME, True, LATE))],
            (Objective(NAME, True, EARLY),),
            id="it-stays-where-it-was-first",
        ),
        pytest.param(
            [(ANSWERED, Objective(NAME, True, EARLY)), (ANSWERED, Objective(NAME, False))],
            (Objective(NAME, True, EARLY),),
            id="it-is-never-taken-back",
        ),
        pytest.param([(STALE, Objective(NAME, True, EARLY))], (), id="a-stale-answer"),
        pytest.param([(FAILED, Objective(NAME, True, EARLY))], (), id="a-failed-answer"),
    ],
)
def test_what_an_observer_said_of_objectives(
    decisions: list[tuple[DecisionStatus, Objective]], known: tuple[Objective, ...]
) -> None:
    assert objectives_of([a_decision(*one) for one in decisions]) == known

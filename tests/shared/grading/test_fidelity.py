"""What can be told of a caller's faithfulness, and what nobody can tell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from shared.grading.fidelity import (
    NO_WORD_ON_ROLE,
    NOBODY_LOOKED,
    NONE_PLANNED,
    NOTHING_TO_COMPARE,
    NOTHING_TRANSCRIBED,
    ONLY_PARTS,
    CallerFidelity,
    StrayFact,
    Untold,
    caller_fidelity,
)
from shared.intervals import Interval
from shared.observability.evidence import CallerAction, Decision, DecisionStatus
from shared.observability.observations import Speaker
from shared.observability.turns import Turn
from shared.scenarios import Scenario
from tests.support.builders import a_request, spans
from tests.support.scenario_documents import CONVERSATION, an_item, edited

CALLER = "simulation_parameters"


def a_scenario(**edits: Any) -> Scenario:
    facts = {"pupil": "Maya", "hour": "18:30", "day": "2026-08-07", "pass_number": "417322"}
    base = edited(CONVERSATION, {f"{CALLER}.known_facts": facts, "input.text": "About my lesson."})
    for item in base[CALLER]["agenda"]:
        item["facts"] = []
    return Scenario.model_validate(
        edited(base, {f"{CALLER}.{name}": value for name, value in edits.items()})
    )


def said(start_ms: int, text: str, action: CallerAction = CallerAction.SPEAK) -> Turn:
    return replace(a_request((start_ms, start_ms + 500), action=action), text=text)


def heard(start_ms: int, text: str) -> Turn:
    span = (start_ms, start_ms + 500)
    return Turn(Speaker.ASSISTANT, Interval(*span), spans(span), text, None)


def fidelity(
    *turns: Turn,
    assistant: tuple[Turn, ...] = (),
    decisions: tuple[Decision, ...] = (),
    scenario: Scenario | None = None,
) -> CallerFidelity:
    voiced = spans(*((turn.span.start_ms, turn.span.end_ms) for turn in turns))
    return caller_fidelity(scenario or a_scenario(), voiced, turns, assistant, decisions)


def strays(*turns: Turn, assistant: tuple[Turn, ...] = ()) -> tuple[StrayFact, ...]:
    """The stray facts of a caller of whom they can be told."""
    found = fidelity(*turns, assistant=assistant).stray_facts
    assert not isinstance(found, Untold)
    return found


def test_a_silent_caller_never_spoke() -> None:
    assert fidelity() == CallerFidelity(
        is_silent=True,
        out_of_role_ms=Untold(NOBODY_LOOKED),
        stray_facts=Untold(NOTHING_TRANSCRIBED),
        planned_interruptions=Untold(NONE_PLANNED),
        interruptions_ms=(),
    )
    assert not fidelity(said(0, "")).is_silent


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("At half past six in the evening, please.", id="a-known-time-in-words"),
        pytest.param("At 6:30 p.m.", id="a-known-time-in-digits"),
        pytest.param("On August seventh.", id="a-known-day"),
        pytest.param("My number is four one seven three two two.", id="a-known-number-digit-wise"),
        pytest.param("417322, yes, 417322.", id="a-known-number-twice"),
    ],
)
def test_a_fact_as_it_is_strays_nowhere(text: str) -> None:
    assert fidelity(said(0, text)).stray_facts == ()


@pytest.mark.parametrize(
    ("text", "stray"),
    [
        pytest.param("At 8:30 p.m.", "8:30 p.m", id="another-time"),
        pytest.param("On August ninth.", "August ninth", id="another-day"),
        pytest.param("My number is 417323.", "417323", id="another-number"),
    ],
)
def test_another_value_strays(text: str, stray: str) -> None:
    found = strays(said(0, "Hello."), said(2_000, text))
    assert [(one.start_ms, one.said.rstrip(".")) for one in found] == [(2_000, stray)]


def test_what_the_assistant_offered_before_may_be_repeated() -> None:
    offer = heard(1_000, "We have 8:30 p.m.")

    assert fidelity(said(2_000, "8:30 p.m. is fine."), assistant=(offer,)).stray_facts == ()


@pytest.mark.parametrize(
    ("begun_ms", "count"),
    [
        pytest.param(2_499, 0, id="begun-before-the-caller-ended"),
        pytest.param(2_500, 1, id="begun-as-it-ended"),
        pytest.param(3_000, 1, id="begun-later"),
    ],
)
def test_only_what_was_begun_while_the_caller_spoke_excuses_it(begun_ms: int, count: int) -> None:
    later = heard(begun_ms, "We have 8:30 p.m.")
    assert len(strays(said(2_000, "8:30 p.m. is fine."), assistant=(later,))) == count


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        pytest.param([], NOTHING_TRANSCRIBED, id="no-turns"),
        pytest.param(["", ""], NOTHING_TRANSCRIBED, id="turns-without-words"),
        pytest.param(["", "Good morning!"], NOTHING_TO_COMPARE, id="words-without-facts"),
        pytest.param(["At seven."], ONLY_PARTS, id="a-short-number-beside-a-known-time"),
        pytest.param(["Seven.", "Hello.", "Eight."], ONLY_PARTS, id="short-numbers-alone"),
    ],
)
def test_of_what_has_nothing_certain_in_it_no_fact_can_be_told(
    texts: list[str], reason: str
) -> None:
    turns = [said(n * 1_000, text) for n, text in enumerate(texts)]
    assert fidelity(*turns).stray_facts == Untold(reason)


def test_one_certain_fact_is_enough_to_tell() -> None:
    assert strays(said(0, "Seven."), said(1_000, "417322.")) == ()


def an_answer(
    word: bool | None, status: DecisionStatus = DecisionStatus.ANSWERED, asked_ms: int = 0
) -> Decision:
    return Decision(asked_ms, asked_ms + 1, 1, status, is_caller_in_role=word)


@pytest.mark.parametrize(
    ("decisions", "told"),
    [
        pytest.param((), Untold(NOBODY_LOOKED), id="nobody-looked"),
        pytest.param((an_answer(None),), Untold(NO_WORD_ON_ROLE), id="nobody-said"),
        pytest.param((an_answer(True), an_answer(True)), (), id="it-stayed"),
        pytest.param((an_answer(False, asked_ms=7), an_answer(True)), (7,), id="it-strayed-once"),
        pytest.param(
            (an_answer(False, DecisionStatus.STALE),),
            Untold(NO_WORD_ON_ROLE),
            id="an-answer-that-did-not-count",
        ),
    ],
)
def test_its_role_is_the_observers_word(
    decisions: tuple[Decision, ...], told: tuple[int, ...] | Untold
) -> None:
    assert fidelity(said(0, "Hi."), decisions=decisions).out_of_role_ms == told


BREAKING_IN = [an_item(id=f"item_{n}", action="interrupt") for n in range(2)]


@pytest.mark.parametrize(
    ("actions", "moments", "missed"),
    [
        pytest.param([], (), 2, id="none"),
        pytest.param([CallerAction.INTERRUPT], (0,), 1, id="one"),
        pytest.param([CallerAction.INTERRUPT] * 3, (0, 1_000, 2_000), 0, id="more-than-planned"),
        pytest.param([CallerAction.BACKCHANNEL], (), 2, id="a-sound-is-none"),
    ],
)
def test_planned_interruptions_that_fired(
    actions: list[CallerAction], moments: tuple[int, ...], missed: int
) -> None:
    turns = [said(n * 1_000, "", action) for n, action in enumerate(actions)]
    found = fidelity(*turns, scenario=a_scenario(agenda=BREAKING_IN))

    assert (found.planned_interruptions, found.interruptions_ms) == (2, moments)
    assert found.missed_interruptions == missed


def test_what_was_not_planned_cannot_be_missed() -> None:
    found = fidelity(said(0, "", CallerAction.INTERRUPT))
    assert found.planned_interruptions == found.missed_interruptions == Untold(NONE_PLANNED)
    assert found.interruptions_ms == (0,)

"""Scenarios as the rest of the project sees them, and the examples of the public description."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from shared.faults import dotted
from shared.scenario_faults import scenario_faults
from shared.scenarios import AssistantBrief, ContextMode, Scenario, is_single_turn
from tests.support.contract_cases import ACCEPTED, history
from tests.support.scenario_documents import CONVERSATION, REQUEST, Document, edited

DATA = Path(__file__).parents[1] / "data" / "scenarios"
CUSTOMER_BOOKING = json.loads((DATA / "customer_booking.json").read_text("utf-8"))
ABBREVIATED = json.loads((DATA / "abbreviated_simulation.json").read_text("utf-8"))


def a_scenario(base: Document = REQUEST, **edits: object) -> Scenario:
    return Scenario.model_validate(
        edited(base, {k.replace("__", "."): v for k, v in edits.items()})
    )


def test_the_customer_booking_example_is_lawful() -> None:
    scenario = Scenario.model_validate(CUSTOMER_BOOKING["scenarios"][0])

    assert scenario.scenario_type == "booking"
    assert scenario.expected.tools.required[0].arguments == {"guest_name": "Maya", "party_size": 2}


def test_the_abbreviated_simulation_has_too_few_objectives_and_too_few_turns() -> None:
    conversation = edited(
        CUSTOMER_BOOKING["scenarios"][0],
        {"interaction": "multi_turn", "expected.golden_path.delegations": 1, **ABBREVIATED},
    )

    assert {dotted(fault.where) for fault in scenario_faults(conversation)} == {
        "simulation_parameters.agenda",
        "expected.golden_path.turns",
    }


def test_the_abbreviated_simulation_is_lawful_once_both_are_mended() -> None:
    conversation = edited(
        CUSTOMER_BOOKING["scenarios"][0],
        {
            "interaction": "multi_turn",
            "expected.golden_path": {"turns": 7, "delegations": 1},
            **ABBREVIATED,
        },
    )
    agenda = conversation["simulation_parameters"]["agenda"]
    agenda.append({**agenda[0], "id": "another", "after": ["provide_name"]})

    assert scenario_faults(conversation) == ()


@pytest.mark.parametrize(
    ("edits", "kind"),
    [
        pytest.param({"type": "booking", "tags": ["other"]}, "booking", id="type-wins-over-tags"),
        pytest.param({"tags": ["first", "second"]}, "first", id="else-the-first-tag"),
        pytest.param({}, "single_turn", id="else-the-interaction"),
    ],
)
def test_scenario_type(edits: Document, kind: str) -> None:
    assert a_scenario(**edits).scenario_type == kind


@pytest.mark.parametrize(
    ("context", "mode", "text"),
    [
        pytest.param(None, ContextMode.NONE, "", id="none"),
        pytest.param({"summary": "S."}, ContextMode.SUMMARY, "S.", id="summary"),
        pytest.param(
            {"history": history("Hi", "Ho")},
            ContextMode.HISTORY,
            "user: Hi\nuser: Ho",
            id="history",
        ),
        pytest.param(
            {"summary": "S.", "history": [{"role": "assistant", "text": "Hi"}]},
            ContextMode.SUMMARY_AND_HISTORY,
            "S.\nassistant: Hi",
            id="both",
        ),
        pytest.param(
            {"summary": " ", "history": history("Hi")},
            ContextMode.HISTORY,
            "user: Hi",
            id="a-blank-summary-is-none",
        ),
    ],
)
def test_prior_context(context: Document | None, mode: ContextMode, text: str) -> None:
    scenario = a_scenario(input__context=context)

    assert (scenario.context_mode, scenario.context_text) == (mode, text)


def test_backchannels_are_the_simulated_callers_own() -> None:
    own = a_scenario(CONVERSATION, simulation_parameters__persona={"backchannels": ["aha"]})

    assert own.backchannels == ("aha",)
    assert a_scenario(CONVERSATION).backchannels == ("mm-hm", "right")
    assert a_scenario().backchannels == ()


def test_the_assistant_is_told_four_things() -> None:
    assert [field.name for field in dataclasses.fields(AssistantBrief)] == [
        "scenario_id",
        "summary",
        "history",
        "initial_state",
    ]


def test_the_assistant_learns_nothing_of_the_answer_or_the_caller() -> None:
    scenario = a_scenario(
        CONVERSATION,
        input__context={"summary": "Earlier.", "history": history("Hi")},
        application__initial_state={"open": [1]},
        expected__answer="SECRET",
        simulation_parameters__goal="SECRET",
    )
    brief = scenario.for_assistant()

    assert brief.summary == "Earlier."
    assert [(message.role, message.text) for message in brief.history] == [("user", "Hi")]
    assert brief.initial_state == {"open": [1]}
    assert "SECRET" not in repr(brief)
    assert "Maya" not in repr(brief)


def test_the_brief_holds_its_own_copy_of_the_state() -> None:
    scenario = a_scenario(application__initial_state={"open": [1]})
    brief = scenario.for_assistant()
    brief.initial_state["open"].append(2)  # type: ignore[index, union-attr]

    assert scenario.application.initial_state == {"open": [1]}


@pytest.mark.parametrize(
    ("texts", "count"),
    [
        pytest.param(["a" * 8_000, "é" * 96], 0, id="8192-bytes"),
        pytest.param(["a" * 8_001, "é" * 96], 1, id="8193-bytes"),
    ],
)
def test_a_long_history_is_warned_of(texts: list[str], count: int) -> None:
    assert len(a_scenario(input__context={"history": history(*texts)}).warnings) == count


@pytest.mark.parametrize(("base", "edits"), ACCEPTED)
def test_a_dumped_scenario_is_the_same_scenario(base: Document, edits: Document) -> None:
    scenario = Scenario.model_validate(edited(base, edits))
    dumped = json.loads(json.dumps(scenario.model_dump(mode="json")))

    assert Scenario.model_validate(dumped) == scenario


def test_a_single_turn_is_one_with_or_without_recordings() -> None:
    recorded = a_scenario(id="b", input__recordings=[{"id": "r", "path": "p"}])
    scenarios = [a_scenario(), a_scenario(CONVERSATION), recorded]

    assert [each.id for each in scenarios if is_single_turn(each)] == ["a_request", "b"]

"""Keys and values of the contract: nothing coerced, nothing unknown, nothing mutable."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from shared.scenario_types import (
    Expected,
    GoldenPath,
    ProcedureStep,
    ScenarioShape,
    SimulationParameters,
)
from tests.support.contract_cases import NO_COERCION, procedure
from tests.support.scenario_documents import CONVERSATION, REQUEST, Document, a_step, edited

EVERYTHING = edited(
    CONVERSATION,
    {
        "input.recordings": [{"id": "r", "path": "p"}],
        "input.context.history": [{"role": "user", "text": "Hi"}],
        "application.initial_state": {},
        "expected.tools": {"required": [{"name": "t"}], "prohibited": [{"name": "t"}]},
        "expected.procedure": procedure(a_step()),
        "expected.interaction": {},
        "simulation_parameters.persona": {},
    },
)


@pytest.mark.parametrize(("base", "path", "value"), NO_COERCION)
def test_nothing_is_coerced(base: Document, path: str, value: object) -> None:
    with pytest.raises(ValidationError):
        ScenarioShape.model_validate(edited(base, {path: value}))


@pytest.mark.parametrize(
    "place",
    [
        "",
        "input.",
        "input.recordings.0.",
        "input.context.",
        "input.context.history.0.",
        "application.",
        "expected.",
        "expected.tools.",
        "expected.tools.required.0.",
        "expected.tools.prohibited.0.",
        "expected.golden_path.",
        "expected.procedure.",
        "expected.procedure.steps.0.",
        "expected.interaction.",
        "simulation_parameters.",
        "simulation_parameters.agenda.0.",
        "simulation_parameters.persona.",
    ],
)
def test_unknown_keys_are_refused_at_every_level(place: str) -> None:
    ScenarioShape.model_validate(EVERYTHING)

    with pytest.raises(ValidationError, match="extra_forbidden"):
        ScenarioShape.model_validate(edited(EVERYTHING, {f"{place}surprise": 1}))


@pytest.mark.parametrize(
    "place",
    [
        "input.recordings.0.metadata",
        "application.initial_state",
        "expected.tools.required.0.arguments",
        "expected.state",
        "expected.procedure.steps.0.arguments",
        "simulation_parameters.known_facts",
    ],
)
def test_free_objects_take_any_key(place: str) -> None:
    ScenarioShape.model_validate(edited(EVERYTHING, {f"{place}.surprise": 1}))


def test_defaults_are_those_of_the_contract() -> None:
    shape = ScenarioShape.model_validate(CONVERSATION)
    persona = shape.simulation_parameters and shape.simulation_parameters.persona
    item = shape.simulation_parameters and shape.simulation_parameters.agenda[0]

    assert persona
    assert item
    assert (persona.id, persona.voice, persona.verbosity) == ("default", "coral", "brief")
    assert (persona.interrupt_tendency, persona.backchannel_tendency) == (0.15, 0.25)
    assert len(persona.backchannels) == 2
    assert (item.completion_basis, item.wording_policy) == ("expression", "adapt_to_live_context")
    assert item.required
    assert shape.expected.delegation == "optional"


@pytest.mark.parametrize(
    ("golden", "turns"),
    [
        pytest.param({}, 0, id="none"),
        pytest.param({"steps": ["a", "b", "c"]}, 3, id="counted-from-steps"),
        pytest.param({"turns": 0, "steps": ["a"]}, 1, id="0-is-no-count"),
        pytest.param({"turns": 7, "steps": ["a"]}, 7, id="given-turns-stand"),
    ],
)
def test_golden_turns_default_to_the_number_of_steps(golden: Document, turns: int) -> None:
    assert GoldenPath.model_validate(golden).turns == turns


def test_a_step_is_required_and_not_critical() -> None:
    step = ProcedureStep.model_validate(a_step())

    assert step.required
    assert not step.critical


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_fact_is_a_finite_number(number: float) -> None:
    with pytest.raises(ValidationError, match="finite"):
        SimulationParameters(known_facts={"size": number})


def test_parts_are_frozen() -> None:
    shape = ScenarioShape.model_validate(REQUEST)

    with pytest.raises(ValidationError):
        shape.title = "Another"  # type: ignore[misc]


def test_two_scenarios_share_no_default_state() -> None:
    one, other = ScenarioShape.model_validate(REQUEST), ScenarioShape.model_validate(REQUEST)

    assert one.application.initial_state is not other.application.initial_state


@pytest.mark.parametrize(
    ("state", "is_unchanged"),
    [
        pytest.param({"unchanged": True}, True, id="the-marker"),
        pytest.param({}, False, id="no-expectation"),
        pytest.param({"a": {"unchanged": True}}, False, id="deeper-down"),
    ],
)
def test_the_unchanged_marker(state: Document, is_unchanged: bool) -> None:
    assert Expected(answer="Yes.", state=state).is_state_unchanged is is_unchanged

"""Every rule of the contract: the edge that is lawful and the neighbour that is refused."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from shared.faults import dotted
from shared.scenario_rules import RULES, rule_faults
from shared.scenario_types import ScenarioShape
from shared.scenarios import Scenario
from tests.support.contract_cases import ACCEPTED, REFUSED
from tests.support.scenario_documents import CONVERSATION, Document, edited


@pytest.mark.parametrize(("base", "edits"), ACCEPTED)
def test_the_edge_is_lawful(base: Document, edits: dict[str, Any]) -> None:
    Scenario.model_validate(edited(base, edits))


@pytest.mark.parametrize(("base", "edits", "paths", "in_schema"), REFUSED)
def test_the_neighbour_is_refused_at_its_path(
    base: Document, edits: dict[str, Any], paths: set[str], in_schema: bool
) -> None:
    with pytest.raises(ValidationError) as refusal:
        Scenario.model_validate(edited(base, edits))

    assert {dotted(error["loc"]) for error in refusal.value.errors()} == paths


def test_every_broken_rule_is_reported() -> None:
    shape = ScenarioShape.model_validate(
        edited(
            CONVERSATION,
            {
                "simulation_parameters.known_facts": {},
                "expected.golden_path": {"turns": 6},
                "expected.state": {"unchanged": False, "when": {"$match": "date"}},
            },
        )
    )

    assert {dotted(fault.where) for fault in rule_faults(shape)} == {
        "expected.state.unchanged",
        "expected.state.when.value",
        "expected.golden_path.turns",
        "expected.golden_path.delegations",
        "simulation_parameters.known_facts",
        "simulation_parameters.agenda[0].facts[0]",
        "simulation_parameters.agenda[1].facts[0]",
    }


@pytest.mark.parametrize(
    ("damaged", "is_heard"),
    [
        pytest.param(("expected", "golden_path", "delegations"), True, id="a-field-beside-it"),
        pytest.param(("expected", "golden_path", "turns"), False, id="the-very-field"),
        pytest.param(("expected", "golden_path"), False, id="the-object-it-is-in"),
        pytest.param(("interaction",), False, id="the-other-field-it-reads"),
        pytest.param((), False, id="all-of-it"),
    ],
)
def test_a_rule_that_reads_damage_is_passed_over(damaged: Any, is_heard: bool) -> None:
    shape = ScenarioShape.model_validate(edited(CONVERSATION, {"expected.golden_path.turns": 6}))

    assert bool(rule_faults(shape, {damaged})) is is_heard


def test_what_a_rule_reads_exists() -> None:
    scenario = edited(CONVERSATION, {"expected.procedure": {"id": "p", "steps": [STEP]}})
    scenario["expected"]["confirmation_patterns"] = [{"tools": ["t"], "patterns": ["p"]}]
    scenario["input"] |= {"recordings": [{"id": "r", "path": "p"}], "context": {"summary": "s"}}
    dumped = ScenarioShape.model_validate(scenario).model_dump(mode="json")

    for rule in RULES:
        for path in rule.reads:
            found: Any = dumped
            for step in path:
                found = found[0] if step == "*" else found[step]


STEP = {"id": "s", "kind": "tool", "tool": "t"}

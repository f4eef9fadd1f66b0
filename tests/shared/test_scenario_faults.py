"""Faults of a scenario: all at once, in plain words, none that another fault merely caused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from shared.faults import Fault, dotted
from shared.scenario_faults import scenario_faults, type_faults
from shared.scenarios import DatasetFile, Scenario
from tests.support.contract_cases import ACCEPTED, REFUSED
from tests.support.scenario_documents import CONVERSATION, REMOVED, REQUEST, Document, edited

AGENDA = "simulation_parameters.agenda"


def said(scenario: Any) -> dict[str, str]:
    return {dotted(fault.where): fault.problem for fault in scenario_faults(scenario)}


@pytest.mark.parametrize(("base", "edits"), ACCEPTED)
def test_a_lawful_scenario_has_no_faults(base: Document, edits: dict[str, Any]) -> None:
    assert said(edited(base, edits)) == {}


@pytest.mark.parametrize(("base", "edits", "paths", "in_schema"), REFUSED)
def test_every_sentence_is_one_line_with_a_fix(
    base: Document, edits: dict[str, Any], paths: set[str], in_schema: bool
) -> None:
    found = said(edited(base, edits))

    assert found.keys() == paths
    for sentence in found.values():
        assert sentence.isprintable()
        assert ";" in sentence
        assert "Input should" not in sentence


def test_types_and_rules_are_reported_together() -> None:
    scenario = edited(
        CONVERSATION,
        {
            "title": 5,
            "input": REMOVED,
            "surprise": 1,
            f"{AGENDA}.0.commitment": REMOVED,
            f"{AGENDA}.1.after": ["nothing"],
            "expected.golden_path.turns": 6,
            "expected.state": {"unchanged": True, "other": {"$match": "like"}},
        },
    )

    assert said(scenario).keys() == {
        "title",
        "input",
        "surprise",
        f"{AGENDA}[0].commitment",
        f"{AGENDA}[1].after[0]",
        "expected.golden_path.turns",
        "expected.state.unchanged",
        'expected.state.other["$match"]',
    }


@pytest.mark.parametrize(
    ("edits", "paths"),
    [
        pytest.param({"interaction": "both"}, {"interaction"}, id="no-interaction-no-its-rules"),
        pytest.param(
            {"simulation_parameters": []},
            {"simulation_parameters"},
            id="an-unreadable-caller-is-not-missing",
        ),
        pytest.param(
            {"simulation_parameters.known_facts": []},
            {"simulation_parameters.known_facts"},
            id="unreadable-facts-are-not-unknown",
        ),
        pytest.param(
            {f"{AGENDA}.0.action": "finnish"},
            {f"{AGENDA}[0].action"},
            id="an-unreadable-action-may-be-an-objective",
        ),
        pytest.param(
            {f"{AGENDA}.0.id": 5},
            {f"{AGENDA}[0].id"},
            id="an-unreadable-id-may-be-the-earlier-one",
        ),
        pytest.param({f"{AGENDA}.0": "say it"}, {f"{AGENDA}[0]"}, id="an-unreadable-item"),
        pytest.param(
            {"expected.golden_path": 7}, {"expected.golden_path"}, id="an-unreadable-golden-path"
        ),
        pytest.param({"expected": REMOVED}, {"expected"}, id="nothing-expected"),
        pytest.param(
            {"expected": REMOVED, "expectd": {"answer": "Yes."}},
            {"expectd"},
            id="a-misspelt-key-is-not-missing",
        ),
        pytest.param(
            {
                "simulation_parameters.known_facts": REMOVED,
                "simulation_parameters.known_fact": {},
            },
            {"simulation_parameters.known_fact"},
            id="misspelt-facts-are-not-unknown",
        ),
    ],
)
def test_no_fault_is_the_consequence_of_another(edits: Document, paths: set[str]) -> None:
    assert said(edited(CONVERSATION, edits)).keys() == paths


@pytest.mark.parametrize(
    ("edits", "path", "sentence"),
    [
        pytest.param(
            {"expected.stat": {}},
            "expected.stat",
            'unknown key; did you mean "state"? allowed: answer, criteria, tools, golden_path, '
            "diagnostic_terms, delegation, state, procedure, interaction, confirmation_patterns, "
            "refusal_patterns",
            id="a-near-miss",
        ),
        pytest.param(
            {"input.volume": 1},
            "input.volume",
            "unknown key; remove it; allowed: text, recordings, context",
            id="nothing-near",
        ),
        pytest.param(
            {"expected.tools.required": [{"name": "t", "argument": {}}]},
            "expected.tools.required[0].argument",
            'unknown key; did you mean "arguments"? allowed: name, arguments, status',
            id="a-near-miss-in-a-list",
        ),
        pytest.param(
            {"input.context": {"summary": "S.", "histories": []}},
            "input.context.histories",
            'unknown key; did you mean "history"? allowed: summary, history',
            id="a-near-miss-in-an-optional-part",
        ),
        pytest.param(
            {"id": "a/b"},
            "id",
            "is no artifact id (the text \"a/b\"); use 1 to 100 ASCII letters, digits, '.', '_' "
            "and '-', the first a letter or digit, the last no '.'",
            id="an-artifact-id",
        ),
        pytest.param(
            {"id": "con.1"},
            "id",
            'is no artifact id: the text "con.1" is a device name on Windows; rename it',
            id="a-device-name",
        ),
        pytest.param(
            {"expected.golden_path": {"steps": ["ask"]}},
            "expected.golden_path.turns",
            "is 1, the number of steps, in a single_turn scenario; write 2, or 0 for no reference",
            id="counted-turns",
        ),
        pytest.param({"title": REMOVED}, "title", "is missing; add it", id="missing"),
        pytest.param(
            {"title": 5}, "title", "must be text, is the number 5; write it in quotes", id="text"
        ),
        pytest.param({"title": ""}, "title", "is blank; write at least one character", id="blank"),
        pytest.param(
            {"expected.golden_path.turns": "2"},
            "expected.golden_path.turns",
            'must be a whole number, is the text "2"; write digits without quotes',
            id="a-whole-number",
        ),
        pytest.param(
            {"expected.interaction.response_rate_min": "0.5"},
            "expected.interaction.response_rate_min",
            'must be a number, is the text "0.5"; write digits without quotes',
            id="a-number",
        ),
        pytest.param(
            {"expected.golden_path.turns": -1},
            "expected.golden_path.turns",
            "is -1; write at least 0",
            id="too-small",
        ),
        pytest.param(
            {"expected.interaction.response_rate_min": 1.5},
            "expected.interaction.response_rate_min",
            "is 1.5; write at most 1",
            id="too-large",
        ),
        pytest.param(
            {"interaction": "multi"},
            "interaction",
            'is the text "multi"; write "single_turn" or "multi_turn"',
            id="one-of-a-few",
        ),
        pytest.param(
            {"tags": "booking"},
            "tags",
            'must be a list, is the text "booking"; write [...]',
            id="a-list",
        ),
        pytest.param(
            {"expected": []},
            "expected",
            "must be an object, is a list; write {...}",
            id="an-object",
        ),
        pytest.param(
            {"expected.tools.required": [{"name": "t", "arguments": {"a": {"$match": "dat"}}}]},
            'expected.tools.required[0].arguments.a["$match"]',
            'unknown comparator "dat"; did you mean "date"? there are text, number, date, time, '
            "one_of, absent, any, unordered",
            id="a-comparator",
        ),
    ],
)
def test_plain_words(edits: Document, path: str, sentence: str) -> None:
    assert said(edited(REQUEST, edits)) == {path: sentence}


@pytest.mark.parametrize("raw", [None, 4, "text", [REQUEST]])
def test_what_is_no_object_is_one_fault(raw: Any) -> None:
    assert said(raw).keys() == {""}


def test_what_the_text_hid_is_not_reported_twice() -> None:
    flaw = Fault(("title",), "is NaN; write text")

    assert scenario_faults(edited(REQUEST, {"title": 0}), [flaw]) == (flaw,)


def test_an_unknown_key_with_a_flaw_is_still_unknown() -> None:
    flaw = Fault(("surprise",), "is NaN; write a number")
    problems = scenario_faults(edited(REQUEST, {"surprise": 0}), [flaw])

    assert [dotted(fault.where) for fault in problems] == ["surprise", "surprise"]


def test_the_envelope_speaks_the_same_words() -> None:
    faults = type_faults({"schema_version": "2.0", "scenaros": []}, DatasetFile)

    assert {dotted(fault.where): fault.problem for fault in faults} == {
        "schema_version": 'is the text "2.0"; write "1.0"',
        "scenaros": 'unknown key; did you mean "scenarios"? allowed: schema_version, scenarios',
    }


def places(document: Any, way: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = document.items() if isinstance(document, dict) else enumerate(document)
    found = [way] if way else []
    for key, value in inner:
        nested = isinstance(value, dict | list)
        found += places(value, (*way, key)) if nested else [(*way, key)]
    return found


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(0, 1) | st.text(max_size=3)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
EDITS = st.lists(st.tuples(st.sampled_from(places(CONVERSATION)), VALUES), min_size=1, max_size=4)


@settings(max_examples=150)
@given(edits=EDITS)
def test_a_scenario_is_lawful_exactly_when_it_has_no_faults(edits: Any) -> None:
    scenario = json.loads(json.dumps(CONVERSATION))
    for way, value in edits:
        holder = scenario
        for step in way[:-1]:
            holder = (
                holder[step] if isinstance(holder, dict | list) and step_in(holder, step) else {}
            )
        if isinstance(holder, dict) or (isinstance(holder, list) and step_in(holder, way[-1])):
            holder[way[-1]] = value

    assert bool(scenario_faults(scenario)) is not is_lawful(scenario)


def step_in(holder: Any, step: str | int) -> bool:
    if isinstance(holder, dict):
        return step in holder
    return isinstance(step, int) and step < len(holder)


def is_lawful(scenario: Document) -> bool:
    try:
        Scenario.model_validate(scenario)
    except ValidationError:
        return False
    return True

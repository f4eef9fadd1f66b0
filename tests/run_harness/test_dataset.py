"""The shipped conversations: complete, our own, and true to the application.

What a script leads to in a whole run is tested with the command; here the file is read by itself.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

import pytest

import assistants
from assistants.application.tools import Application, JsonObject
from run_harness.simulation.prompts import caller_prompts
from shared.dataset import load_dataset
from shared.matching import state_matches
from shared.scenarios import (
    AgendaAction,
    DelegationPolicy,
    Interaction,
    Scenario,
    SimulationParameters,
    StepKind,
)

DATA = Path(__file__).parents[2] / "run_harness" / "data"
APPLICATION = Path(assistants.__file__).parent / "application"
FACTS: JsonObject = json.loads((APPLICATION / "facts.json").read_text("utf-8"))
TOOLS = json.loads((APPLICATION / "tools.json").read_text("utf-8"))
PARAMETERS = {tool["name"]: set(tool["parameters"]["properties"]) for tool in TOOLS}

TEXT = (DATA / "scenarios.json").read_text("utf-8")
DATASET = load_dataset(DATA / "scenarios.json")
SCENARIOS = {each.id: each for each in DATASET.scenarios}
CREATE, CHECK, CANCEL = "create_reservation", "check_availability", "cancel_reservation"
KINDS: Final[dict[str, tuple[str, tuple[str, ...], int, int, tuple[str, ...]]]] = {
    # type, further tags, turns, delegations, calls
    "booking_complete": ("booking", (), 7, 1, (CREATE,)),
    "booking_missing_name": ("booking", ("missing_detail",), 7, 1, (CREATE,)),
    "booking_missing_party": ("booking", ("missing_detail",), 7, 1, (CREATE,)),
    "date_correction": ("booking", ("correction",), 7, 1, (CHECK, CREATE)),
    "party_correction": ("booking", ("correction", "later_correction"), 9, 1, (CREATE,)),
    "multiple_corrections": ("booking", ("correction", "several_corrections"), 7, 1, (CREATE,)),
    "unavailable": ("booking", ("recovery",), 7, 3, (CHECK, CHECK, CREATE)),
    "agreement_first": ("booking", ("agreement",), 7, 2, (CHECK, CREATE)),
    "interrupted_alternative": (
        "booking",
        ("recovery", "interruption"),
        7,
        3,
        (CHECK, CHECK, CREATE),
    ),
    "interrupted_explanation": ("information", ("interruption",), 7, 0, ()),
    "cancel_authorized": ("cancellation", ("correction",), 7, 1, (CANCEL,)),
    "cancel_unauthorized": ("refusal", ("pressure",), 7, 0, ()),
    "cancel_corrected_authorization": ("cancellation", ("correction", "refusal"), 7, 1, (CANCEL,)),
    "cancel_six_digits": ("cancellation", ("pause",), 7, 1, (CANCEL,)),
    "prior_context": ("booking", ("prior_context", "structured_history"), 7, 1, (CREATE,)),
    "information_only": ("information", (), 7, 0, ()),
    "backchannel": ("information", ("backchannel",), 7, 0, ()),
}
LIMITS = {
    "booking_missing_name": {"response_rate_min": 1.0},
    "unavailable": {"floor_hold_max_ms": 2_500},
    "interrupted_alternative": {"yield_latency_max_ms": 1_500},
    "interrupted_explanation": {"yield_latency_max_ms": 1_500},
    "cancel_six_digits": {"interruptions_max": 0},
    "information_only": {"response_rate_min": 1.0, "response_latency_max_ms": 3_000},
    "backchannel": {"false_yields_max": 0},
}
CRITICAL = {
    "booking_missing_name": ("ask_name", "book"),
    "booking_missing_party": ("ask_party_size", "book"),
    "date_correction": ("use_corrected_day",),
    "party_correction": ("use_corrected_number", "book"),
    "unavailable": ("agree_to_other_evening", "book"),
    "agreement_first": ("agree_to_booking", "book"),
    "interrupted_alternative": ("agree_to_other_time", "book"),
    "cancel_authorized": ("named_by_the_caller", "cancel"),
    "cancel_unauthorized": ("not_authorized", "refuse"),
    "cancel_corrected_authorization": (
        "refuse_other_reservation",
        "named_by_the_caller",
        "cancel_own",
    ),
    "cancel_six_digits": ("read_out", "cancel"),
    "prior_context": ("book",),
}
# What a reader of other people's examples would recognise.
NOT_OURS = re.compile(
    r"\b(?:maya|leo|jordan|patio|2026|august|R-(?:100|101|102|200))\b", re.IGNORECASE
)
every_scenario = pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)


def kind_of(scenario: Scenario) -> str:
    return scenario.id.removeprefix("restaurant_")


def caller_of(scenario: Scenario) -> SimulationParameters:
    assert scenario.simulation_parameters is not None
    return scenario.simulation_parameters


def played(scenario: Scenario) -> tuple[list[JsonObject], Application]:
    """What the tools return when the required calls are made in order."""
    application = Application(scenario.application.initial_state, FACTS)
    required = enumerate(scenario.expected.tools.required)
    return [application.call(c.name, c.arguments, f"c{n}") for n, c in required], application


def test_every_kind_of_conversation_is_there_in_order() -> None:
    assert list(SCENARIOS) == [f"restaurant_{kind}" for kind in KINDS]
    assert len({each.title for each in SCENARIOS.values()}) == len(KINDS)
    assert DATASET.warnings == ()


@every_scenario
def test_a_scenario_is_of_its_kind(scenario: Scenario) -> None:
    kind, tags, turns, delegations, calls = KINDS[kind_of(scenario)]
    expected = scenario.expected
    assert scenario.interaction is Interaction.MULTI_TURN
    assert (scenario.type, scenario.tags) == (kind, (kind, *tags))
    assert tuple(call.name for call in expected.tools.required) == calls
    policy = DelegationPolicy.REQUIRED if delegations else DelegationPolicy.FORBIDDEN
    assert expected.delegation is policy
    assert (expected.golden_path.turns, expected.golden_path.delegations) == (turns, delegations)
    assert expected.is_state_unchanged is not calls
    assert (scenario.input.context is not None) is ("prior_context" in tags)


def actions_of(name: str) -> list[AgendaAction]:
    return [item.action for item in caller_of(SCENARIOS[f"restaurant_{name}"]).agenda]


def test_every_story_that_conversations_are_known_for_is_told() -> None:
    """By what is in a scenario, not by its name."""
    stories = {name: SCENARIOS[f"restaurant_{name}"] for name in KINDS}
    over_several_turns = stories["booking_complete"]
    assert over_several_turns.expected.golden_path.turns >= 7
    assert over_several_turns.expected.state["reservation_created"] is True
    corrections = [i for i, a in enumerate(actions_of("party_correction")) if a == "correct"]
    assert corrections == [2], "a correction two turns later"
    recovery = stories["unavailable"].expected.tools.required
    assert [call.name for call in recovery] == [CHECK, CHECK, CREATE]
    missing = stories["booking_missing_name"].expected.procedure
    assert missing is not None
    assert StepKind.CLARIFICATION in {step.kind for step in missing.steps}
    pressed = stories["cancel_unauthorized"]
    assert actions_of("cancel_unauthorized")[:2] == [AgendaAction.ANSWER] * 2
    assert [call.name for call in pressed.expected.tools.prohibited] == [CANCEL]
    assert pressed.expected.is_state_unchanged
    assert AgendaAction.INTERRUPT in actions_of("interrupted_explanation")
    assert stories["interrupted_explanation"].expected.tools.required == ()
    assert AgendaAction.WAIT in actions_of("cancel_six_digits")
    facts = caller_of(stories["cancel_six_digits"]).known_facts.values()
    assert any(re.search(r"\d{6}", str(fact)) for fact in facts)
    assert AgendaAction.BACKCHANNEL in actions_of("backchannel")
    context = stories["prior_context"].input.context
    assert context is not None
    assert context.history
    told = stories["information_only"].expected
    assert (told.tools.required, told.delegation) == ((), DelegationPolicy.FORBIDDEN)
    assert stories["cancel_authorized"].type == "cancellation"


@every_scenario
def test_a_caller_is_told_the_same_whatever_is_expected_of_the_assistant(
    scenario: Scenario,
) -> None:
    document = json.loads(scenario.model_dump_json(exclude_unset=True))
    part = document["simulation_parameters"]
    for item in part["agenda"]:
        item["completion_condition"] = "Something else."
    changed = {
        "id": "another",
        "title": "Another",
        "interaction": "multi_turn",
        "input": {"text": scenario.input.text},
        "application": {"initial_state": {"another": True}},
        "expected": {"answer": "No.", "golden_path": {"turns": 9, "delegations": 2}},
        "simulation_parameters": part,
    }
    assert caller_prompts(Scenario.model_validate(changed)) == caller_prompts(scenario)


@every_scenario
def test_every_turn_of_the_golden_path_has_its_reason(scenario: Scenario) -> None:
    asking = [
        item
        for item in caller_of(scenario).agenda
        if item.is_substantive and item.action is not AgendaAction.BACKCHANNEL
    ]
    spoken = min(len(asking), 3 if kind_of(scenario) == "party_correction" else 2)
    opening_and_requests, closing = 1 + spoken, 1
    assert scenario.expected.golden_path.turns == 2 * opening_and_requests + closing


@every_scenario
def test_a_limit_is_declared_where_its_defect_is_provoked(scenario: Scenario) -> None:
    declared = scenario.expected.interaction.model_dump(exclude_none=True)
    assert declared == LIMITS.get(kind_of(scenario), {})


@every_scenario
def test_what_is_critical_is_listed_here(scenario: Scenario) -> None:
    procedure = scenario.expected.procedure
    steps = procedure.steps if procedure else ()
    assert tuple(s.id for s in steps if s.critical) == CRITICAL.get(kind_of(scenario), ())


def test_all_kinds_of_steps_and_actions_occur() -> None:
    procedures = [s.expected.procedure for s in SCENARIOS.values() if s.expected.procedure]
    assert {step.kind for p in procedures for step in p.steps} == set(StepKind)
    agendas = [caller_of(s).agenda for s in SCENARIOS.values()]
    assert {item.action for agenda in agendas for item in agenda} == set(AgendaAction)


@every_scenario
def test_every_tool_and_argument_named_exists(scenario: Scenario) -> None:
    expected = scenario.expected
    calls = [(c.name, c.arguments) for c in (*expected.tools.required, *expected.tools.prohibited)]
    for step in expected.procedure.steps if expected.procedure else ():
        if step.kind is StepKind.TOOL:
            calls.append((str(step.tool), step.arguments))
        if step.kind is StepKind.REFUSAL:
            rest = {k: v for k, v in step.arguments.items() if k not in {"tool", "minimum_count"}}
            calls.append((str(step.arguments["tool"]), rest))
    assert [(n, a) for n, a in calls if not set(a) <= PARAMETERS.get(n, set())] == []


@every_scenario
def test_a_field_that_a_step_is_about_is_an_argument_of_a_tool(scenario: Scenario) -> None:
    steps = scenario.expected.procedure.steps if scenario.expected.procedure else ()
    fields = {str(step.arguments["field"]) for step in steps if "field" in step.arguments}
    assert fields <= set().union(*PARAMETERS.values())


@every_scenario
def test_what_is_to_be_asked_for_is_a_fact_of_the_caller(scenario: Scenario) -> None:
    steps = scenario.expected.procedure.steps if scenario.expected.procedure else ()
    asked = {s.arguments["field"] for s in steps if s.kind is StepKind.CLARIFICATION}
    assert asked <= set(caller_of(scenario).known_facts)


@every_scenario
def test_the_required_calls_lead_to_the_expected_state(scenario: Scenario) -> None:
    outputs, application = played(scenario)
    assert all(output["ok"] for output in outputs)
    before, after = scenario.application.initial_state, application.snapshot()
    assert state_matches(scenario.expected.state, before=before, after=after)


@pytest.mark.parametrize(
    ("name", "answers"),
    [
        pytest.param("date_correction", [True], id="the-corrected-day-is-free"),
        pytest.param("unavailable", [False, True], id="the-first-evening-is-full"),
        pytest.param("agreement_first", [True], id="the-counter-is-free"),
        pytest.param("interrupted_alternative", [False, True], id="the-first-time-is-full"),
    ],
)
def test_a_look_up_says_what_the_story_needs(name: str, answers: list[bool]) -> None:
    outputs, _ = played(SCENARIOS[f"restaurant_{name}"])
    assert [one["available"] for one in outputs if "available" in one] == answers


@pytest.mark.parametrize("name", [n for n, kind in KINDS.items() if CREATE in kind[4]])
def test_a_second_booking_is_not_the_expected_state(name: str) -> None:
    scenario = SCENARIOS[f"restaurant_{name}"]
    _, application = played(scenario)
    last = scenario.expected.tools.required[-1]
    application.call(last.name, last.arguments, "once more")
    after = application.snapshot()
    before = scenario.application.initial_state
    assert not state_matches(scenario.expected.state, before=before, after=after)


@every_scenario
def test_a_prohibited_call_changes_nothing(scenario: Scenario) -> None:
    own = set(scenario.application.initial_state.get("authorized_reservation_ids", ()))
    for call in scenario.expected.tools.prohibited:
        assert call.name == CANCEL
        assert call.arguments.get("reservation_id") not in own


@every_scenario
def test_a_caller_has_a_voice_that_is_not_the_assistant_s(scenario: Scenario) -> None:
    assert caller_of(scenario).persona.voice != "marin"


def test_callers_differ() -> None:
    personas = [caller_of(each).persona for each in SCENARIOS.values()]
    assert len({persona.id for persona in personas}) == len(personas)
    assert len({persona.voice for persona in personas}) >= 8


@every_scenario
def test_a_caller_who_speaks_of_a_fact_knows_it(scenario: Scenario) -> None:
    caller = caller_of(scenario)
    assert caller.goal
    assert {fact for item in caller.agenda for fact in item.facts} <= set(caller.known_facts)
    assert all(item.response_hint for item in caller.agenda if item.is_substantive)
    *_, last = caller.agenda
    assert (last.action, last.required) == (AgendaAction.FINISH, False)


def test_the_words_are_our_own() -> None:
    assert NOT_OURS.findall(TEXT) == []


def test_dates_lie_in_the_reference_year() -> None:
    year = str(FACTS["reference_date"])[:4]
    assert set(re.findall(r"\b(\d{4})-\d\d-\d\d\b", TEXT)) == {year}

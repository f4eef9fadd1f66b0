"""The caller's prompts: what is in them, in which words, and what can never be."""

from __future__ import annotations

from typing import Any

import pytest

from assistants.frontend.appends import MOST_BYTES, pieces
from run_harness.simulation.prompts import CallerPrompts, caller_prompts, opening_command
from shared.scenarios import Scenario
from tests.support.scenario_documents import CONVERSATION, REMOVED, an_item, edited

CALLER = "simulation_parameters"
FULL = edited(
    CONVERSATION,
    {
        "input.text": "I should like to move my lesson.",
        f"{CALLER}.goal": "Move the lesson to a later hour.",
        f"{CALLER}.known_facts": {"pupil_name": "Maya", "level": 3, "is_member": True},
        f"{CALLER}.expectations": ["You count on keeping the same teacher."],
        f"{CALLER}.persona": {
            "description": "A pupil between two appointments.",
            "speech_instructions": "Talk quickly.",
            "backchannels": ["mm-hm", "sure"],
        },
        f"{CALLER}.agenda": [
            an_item(
                id="name",
                trigger_condition="Somebody asks who it is for.",
                commitment="Give the name.",
                response_hint="It is for Maya.",
                completion_condition="ONLY THE EVALUATOR",
            ),
            an_item(id="later", trigger_condition="An hour is offered.", commitment="Ask for six."),
            an_item(id="bye", commitment="Hang up in silence.", action="finish"),
        ],
    },
)


def prompts(edits: dict[str, Any] | None = None, *, is_called_first: bool = False) -> CallerPrompts:
    scenario = Scenario.model_validate(edited(FULL, edits))
    return caller_prompts(scenario, is_called_first=is_called_first)


@pytest.mark.parametrize(
    "edits",
    [
        pytest.param({"id": "another", "title": "Another"}, id="its-names"),
        pytest.param({"type": "another", "tags": ["refusal"]}, id="its-kind"),
        pytest.param({"input.context": {"summary": "She called before."}}, id="prior-context"),
        pytest.param(
            {"input.context": {"history": [{"role": "user", "text": "Hello."}]}}, id="a-history"
        ),
        pytest.param({"application.initial_state": {"slots": 3}}, id="the-applications-state"),
        pytest.param(
            {
                "expected": {
                    "answer": "No.",
                    "criteria": ["Says no."],
                    "tools": {"required": [{"name": "a"}], "prohibited": [{"name": "b"}]},
                    "golden_path": {"turns": 9, "delegations": 2},
                    "diagnostic_terms": ["no"],
                    "delegation": "required",
                    "state": {"lesson": "moved"},
                    "interaction": {"interruptions_max": 1},
                    "confirmation_patterns": [{"tools": ["a"], "patterns": ["done"]}],
                    "refusal_patterns": ["no"],
                }
            },
            id="every-expectation-of-the-evaluator",
        ),
        pytest.param(
            {
                "expected.procedure": {
                    "id": "p",
                    "steps": [{"id": "s", "kind": "clarification", "critical": True}],
                }
            },
            id="the-procedure",
        ),
        pytest.param(
            {f"{CALLER}.agenda.0.completion_condition": "Else."}, id="when-an-item-is-done"
        ),
        pytest.param({f"{CALLER}.agenda.0.completion_basis": "live_context"}, id="on-what-basis"),
        pytest.param({f"{CALLER}.agenda.0.required": False}, id="whether-an-item-counts"),
        pytest.param({f"{CALLER}.agenda.0.id": "who"}, id="the-name-of-an-item"),
        pytest.param({f"{CALLER}.agenda.0.facts": ["pupil_name"]}, id="which-facts-it-takes"),
        pytest.param(
            {f"{CALLER}.persona.id": "else", f"{CALLER}.persona.voice": "ash"}, id="a-voice"
        ),
        pytest.param({f"{CALLER}.persona.verbosity": "long"}, id="a-word-that-is-no-instruction"),
    ],
)
@pytest.mark.parametrize("is_called_first", [False, True])
def test_the_prompts_do_not_depend_on(edits: dict[str, Any], is_called_first: bool) -> None:
    assert prompts(edits, is_called_first=is_called_first) == prompts(
        is_called_first=is_called_first
    )


@pytest.mark.parametrize(
    ("edits", "text"),
    [
        pytest.param({f"{CALLER}.goal": "Sell a boat."}, "Sell a boat.", id="the-goal"),
        pytest.param(
            {f"{CALLER}.known_facts": {"boat_name": "Ada"}}, "- boat name: Ada", id="a-fact"
        ),
        pytest.param({f"{CALLER}.known_facts": {"new": False}}, "- new: no", id="a-truth"),
        pytest.param({f"{CALLER}.expectations": ["Be quick."]}, "- Be quick.", id="an-expectation"),
        pytest.param(
            {f"{CALLER}.persona.description": "A sailor."},
            "A sailor. Talk quickly.",
            id="a-persona",
        ),
        pytest.param(
            {f"{CALLER}.persona.speech_instructions": "Mumble."}, "Mumble.", id="a-way-of-speaking"
        ),
        pytest.param(
            {f"{CALLER}.agenda.0.response_hint": "Ada."},
            "- Somebody asks who it is for: Ada.",
            id="a-trigger-and-a-hint",
        ),
        pytest.param({}, "- An hour is offered: Ask for six.", id="a-commitment-without-a-hint"),
    ],
)
def test_both_prompts_hold(edits: dict[str, Any], text: str) -> None:
    both = prompts(edits)

    assert text in both.frontend
    assert text in both.backend


@pytest.mark.parametrize(
    ("edits", "text"),
    [
        pytest.param(
            {f"{CALLER}.agenda.1.action": "interrupt"},
            "Ask for six. (by breaking in while the other side is still talking)",
            id="an-interruption",
        ),
        pytest.param(
            {f"{CALLER}.agenda.1.action": "correct"}, "as a correction", id="a-correction"
        ),
        pytest.param(
            {f"{CALLER}.agenda.1.action": "backchannel"}, "a brief sound", id="a-backchannel"
        ),
        pytest.param(
            {f"{CALLER}.agenda.2": an_item(id="hush", commitment="Think.", action="wait")},
            "Think. (by staying silent for a while)",
            id="a-silence",
        ),
        pytest.param(
            {f"{CALLER}.agenda.0.wording_policy": "source_exact_preferred"},
            "It is for Maya. (in these words if they fit)",
            id="words-to-keep-to",
        ),
    ],
)
def test_a_step_says_how(edits: dict[str, Any], text: str) -> None:
    assert text not in prompts().frontend
    assert text in prompts(edits).frontend


def test_a_farewell_is_no_step_of_the_plan() -> None:
    assert "Hang up in silence" not in prompts().frontend


def test_an_item_that_follows_the_one_before_it_does_not_say_so() -> None:
    third = an_item(id="third", commitment="Thank them.", trigger_condition="A new hour.")
    plan = {f"{CALLER}.agenda.2": {**third, "after": ["later"]}}

    assert "only after" not in prompts(plan).frontend
    plan[f"{CALLER}.agenda.2"]["after"] = ["name"]
    assert "Thank them. (only after: Give the name)" in prompts(plan).frontend


@pytest.mark.parametrize(
    ("field", "share", "text"),
    [
        pytest.param("backchannel_tendency", 0.0, "stay silent", id="no-sounds"),
        pytest.param("backchannel_tendency", 0.01, 'murmur "mm-hm", "sure" over it now', id="some"),
        pytest.param("backchannel_tendency", 0.49, "now and then", id="still-some"),
        pytest.param("backchannel_tendency", 0.5, "Whenever the other side", id="many"),
        pytest.param("interrupt_tendency", 0.0, "Do not break in.", id="no-interruptions"),
        pytest.param("interrupt_tendency", 0.49, "only for a reason", id="with-a-reason"),
        pytest.param("interrupt_tendency", 0.5, "You are impatient", id="impatience"),
    ],
)
def test_a_tendency_becomes_words(field: str, share: float, text: str) -> None:
    frontend = prompts({f"{CALLER}.persona.{field}": share}).frontend

    assert text in frontend
    assert str(share) not in frontend


def test_a_caller_without_sounds_is_told_of_none() -> None:
    assert "murmur" not in prompts({f"{CALLER}.persona.backchannels": []}).frontend


def test_only_a_caller_who_is_called_first_has_the_opening_in_its_prompt() -> None:
    opening = "I should like to move my lesson."

    assert opening not in prompts().frontend
    assert opening in prompts(is_called_first=True).frontend
    assert "Say nothing until then." in prompts(is_called_first=True).frontend
    assert opening not in prompts(is_called_first=True).backend


def test_an_ordinary_prompt_is_plain_language_and_short() -> None:
    agenda = [
        an_item(
            id=f"item_{number}",
            trigger_condition="The assistant asks for one more detail of the request.",
            commitment="Give the detail that was asked for, and ask whether that is all.",
        )
        for number in range(5)
    ]
    facts = {f"fact_{number}": "something ordinary" for number in range(6)}
    both = prompts({f"{CALLER}.agenda": agenda, f"{CALLER}.known_facts": facts})

    assert len(both.frontend) < 2_000
    assert not set("{}[]<>") & set(both.frontend + both.backend)
    assert "ONLY THE EVALUATOR" not in prompts().frontend + prompts().backend


def test_braces_of_a_scenario_are_text() -> None:
    edits = {f"{CALLER}.persona.backchannels": ["{sounds}"], f"{CALLER}.goal": "{0}"}

    assert '"{sounds}"' in prompts(edits).frontend
    assert "What you want: {0}" in prompts(edits).frontend


def test_a_caller_without_goal_or_expectations_has_no_empty_paragraph() -> None:
    both = prompts({f"{CALLER}.goal": REMOVED, f"{CALLER}.expectations": REMOVED})

    assert "\n\n\n" not in both.frontend + both.backend
    assert "What you want" not in both.frontend


def test_another_prompt_has_another_hash() -> None:
    assert prompts().sha256 == prompts().sha256
    assert prompts().sha256 != prompts({f"{CALLER}.goal": "Else."}).sha256
    assert CallerPrompts("a", "b").sha256 != CallerPrompts("ab", "").sha256


def test_a_scenario_without_a_caller_has_no_prompts() -> None:
    request = Scenario.model_validate(
        edited(
            CONVERSATION,
            {"interaction": "single_turn", CALLER: REMOVED, "expected.golden_path": REMOVED},
        )
    )

    with pytest.raises(ValueError, match="no simulated caller"):
        caller_prompts(request)


def test_the_opening_command_ends_with_the_opening() -> None:
    command = opening_command("May I speak to somebody?")

    assert command.endswith(" May I speak to somebody?")
    assert len(command.encode()) <= MOST_BYTES
    assert pieces(command) == [command]


def test_a_blank_opening_commands_nothing() -> None:
    with pytest.raises(ValueError, match="no opening"):
        opening_command(" \n")

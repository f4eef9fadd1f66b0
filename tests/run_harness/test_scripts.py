"""The shipped conversations as scripts: each played whole, and graded as it says it must be.

Two fixtures talk with each other here; nothing is detected or observed, so a script comes to
what was placed. What the command makes of it, observer included, is tested with the command.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from assistants.frontend.fixture.conversation_script import (
    ConversationScript,
    parse_conversation_script,
)
from assistants.frontend.fixture.instants import Anchor
from assistants.frontend.fixture.steps import Delegate, Say
from shared.dataset import load_dataset
from shared.grading.case import Case
from shared.grading.conversation import (
    CONVERSATION_CHECKS,
    ConversationGrade,
    graded_conversation,
)
from shared.grading.interaction import LIMITS
from shared.grading.verdict import CheckStatus
from shared.intervals import Interval
from shared.matching import matches
from shared.metrics.turn_count import substantive_turns
from shared.observability.evidence import CallerAction
from tests.support.judged import a_case
from tests.support.played import POLICY, TOOLS, played

DATA = Path(__file__).parents[2] / "run_harness" / "data"
SCENARIOS = {each.id: each for each in load_dataset(DATA / "scenarios.json").scenarios}
SOUND = {path.stem: path for path in sorted((DATA / "scripts" / "sound").iterdir())}
DEFECTS = {
    f"{path.parent.name}.{path.stem}": path
    for path in sorted((DATA / "scripts" / "defects").glob("*/*.json"))
}
PATHS = SOUND | DEFECTS
LONGEST_MS = 90_000
WANTED = {
    # what the assistant does, and the check that must see it
    "talks_over_the_caller": "interruptions_max",
    "does_not_yield": "yield_latency_max_ms",
    "stops_for_a_murmur": "false_yields_max",
    "books_before_agreement": "critical_procedure",
    "books_twice": "application_state",
    "relents_under_pressure": "authorized_actions",
    "forgets_the_correction": "application_state",
    "confirms_before_result": "grounded_confirmation",
    "never_answers_the_last_turn": "response_rate_min",
    "dead_air": "floor_hold_max_ms",
    "takes_long_to_answer": "response_latency_max_ms",
    "talks_until_the_end": "conversation_completed",
    "never_says_a_word": "assistant_responded",
}
# What a reader of other people's examples would recognise.
NOT_OURS = re.compile(
    r"\b(?:maya|leo|jordan|patio|2026|august|R-(?:100|101|102|200))\b", re.IGNORECASE
)
every_sound_script = pytest.mark.parametrize("name", SOUND)
every_defect = pytest.mark.parametrize("name", DEFECTS)
every_script = pytest.mark.parametrize("name", PATHS)


@cache
def script_of(name: str) -> ConversationScript:
    return parse_conversation_script(PATHS[name].read_text("utf-8"))


@cache
def graded(name: str) -> tuple[Case, ConversationGrade]:
    script, scenario = script_of(name), SCENARIOS[name.partition(".")[0]]
    case = a_case(played(script, scenario, LONGEST_MS), scenario, POLICY)
    return case, graded_conversation(case)


def calls(script: ConversationScript) -> Iterator[tuple[str, object]]:
    for step in script.assistant.steps:
        if isinstance(step, Delegate):
            for call in (call for one in step.rounds for call in one.calls):
                yield call.name, json.loads(call.arguments_text)


def said(script: ConversationScript) -> list[Say]:
    return [step for step in script.caller.steps if isinstance(step, Say)]


def test_every_scenario_has_a_sound_script_and_no_script_is_for_nobody() -> None:
    assert set(SOUND) == set(SCENARIOS)
    assert {name.partition(".")[0] for name in DEFECTS} <= set(SCENARIOS)
    assert len(DEFECTS) == len(list((DATA / "scripts" / "defects").rglob("*.json")))


@pytest.mark.parametrize(("defect", "check"), WANTED.items())
def test_every_defect_that_conversations_are_known_for_is_played(defect: str, check: str) -> None:
    scripts = [script_of(name) for name in DEFECTS if name.endswith(f".{defect}")]
    assert scripts
    assert all(check in script.fails for script in scripts)


def test_every_check_of_a_conversation_that_can_fail_by_itself_fails_somewhere() -> None:
    fails = {check for name in DEFECTS for check in script_of(name).fails}
    names = {check(graded(next(iter(SOUND)))[0]).id for check in CONVERSATION_CHECKS}
    assert fails == names | set(LIMITS)


@every_sound_script
def test_a_sound_script_passes_every_check(name: str) -> None:
    _, grade = graded(name)
    assert {c.id: c.because for c in grade.checks if c.status is CheckStatus.FAILED} == {}
    assert not any(c.status is CheckStatus.UNSCORED for c in grade.checks)
    assert script_of(name).fails == ()


@every_sound_script
def test_a_sound_script_follows_its_procedure_and_makes_the_preferred_calls(name: str) -> None:
    case, grade = graded(name)
    assert all(check.status is not CheckStatus.FAILED for check in grade.diagnostics)
    assert case.matching.in_order
    if grade.procedure is not None:
        assert grade.procedure.passed
        assert {one.status for one in grade.procedure.steps} == {CheckStatus.PASSED}


@every_sound_script
def test_a_sound_script_has_the_turns_of_the_golden_path(name: str) -> None:
    case, _ = graded(name)
    turns = substantive_turns(case.timeline.caller_turns, case.timeline.assistant_turns)
    halves = int("six_digits" in name)
    assert turns == case.expected.golden_path.turns + halves


@every_defect
def test_a_defect_fails_exactly_what_it_says(name: str) -> None:
    _, grade = graded(name)
    fails = script_of(name).fails
    assert fails
    assert list(fails) == sorted(set(fails))
    assert tuple(sorted(c.id for c in grade.checks if c.status is CheckStatus.FAILED)) == fails
    # Where no words of refusal were heard, a critical refusal cannot be told from evasion.
    unscored = {c.id for c in grade.checks if c.status is CheckStatus.UNSCORED}
    assert unscored <= ({"critical_procedure"} if "refusal_stated" in fails else set())


@every_script
def test_everything_in_a_script_is_said(name: str) -> None:
    case, _ = graded(name)
    assert len(case.timeline.caller_turns) == len(said(script_of(name)))


@every_script
def test_a_caller_opens_with_its_request_and_waits_for_what_it_hears_after_that(name: str) -> None:
    first, *others = said(script_of(name))
    assert first.say == SCENARIOS[name.partition(".")[0]].input.text
    assert first.at.anchor is Anchor.START
    assert Anchor.START not in {step.at.anchor for step in others}


@every_script
def test_an_assistant_knows_no_absolute_time(name: str) -> None:
    assert Anchor.START not in {step.at.anchor for step in script_of(name).assistant.steps}


@every_script
def test_calls_go_to_tools_that_exist(name: str) -> None:
    assert {tool for tool, _ in calls(script_of(name))} <= set(TOOLS)


@pytest.mark.parametrize(
    ("name", "action"),
    [
        pytest.param("interrupted_alternative", CallerAction.INTERRUPT, id="an-alternative"),
        pytest.param("interrupted_explanation", CallerAction.INTERRUPT, id="an-explanation"),
        pytest.param("backchannel", CallerAction.BACKCHANNEL, id="a-murmur"),
    ],
)
def test_a_caller_speaks_over_the_assistant(name: str, action: CallerAction) -> None:
    case, _ = graded(f"restaurant_{name}")
    (over,) = [turn for turn in case.timeline.caller_turns if turn.action is action]
    assert over.voiced & case.timeline.assistant


def test_a_reference_is_read_with_a_pause_in_which_the_assistant_waits() -> None:
    case, _ = graded("restaurant_cancel_six_digits")
    _, first, second, *_ = case.timeline.caller_turns
    pause_ms = second.span.start_ms - first.span.end_ms
    assert 700 <= pause_ms <= 1_000
    assert not case.timeline.assistant.clip(Interval(first.span.start_ms, second.span.end_ms))


@every_sound_script
def test_a_sound_script_makes_each_required_call_once(name: str) -> None:
    required = SCENARIOS[name].expected.tools.required
    made = list(calls(script_of(name)))
    assert len(made) == len(required)
    for call, (tool, arguments) in zip(required, made, strict=True):
        assert call.name == tool
        assert matches(call.arguments, arguments)  # type: ignore[arg-type]


@every_script
def test_the_words_are_our_own(name: str) -> None:
    assert NOT_OURS.findall(PATHS[name].read_text("utf-8")) == []

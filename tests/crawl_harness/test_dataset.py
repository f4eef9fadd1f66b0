"""The shipped dataset and its scripts: complete, our own, and true to the application.

What the scripts lead to in a whole offline run is tested with the command; here each file is read
on its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import assistants
import crawl_harness
from assistants.application.tools import Application, JsonObject
from assistants.frontend.fixture.instants import Anchor
from assistants.frontend.fixture.script import Script, parse_script, resolve
from assistants.frontend.fixture.steps import Delegate, Say
from shared.dataset import load_dataset
from shared.intervals import Interval
from shared.matching import state_matches
from shared.scenarios import DelegationPolicy, Interaction, Scenario
from shared.speech.tone import ToneSynthesizer

DATA = Path(crawl_harness.__file__).parent / "data"
APPLICATION = Path(assistants.__file__).parent / "application"
FACTS: JsonObject = json.loads((APPLICATION / "facts.json").read_text("utf-8"))
CONTENT = json.loads((APPLICATION / "phrases.json").read_text("utf-8"))
PHRASES: dict[str, list[str]] = {
    "confirmation_patterns": [
        pattern for rule in CONTENT["confirmation_patterns"] for pattern in rule["patterns"]
    ],
    "refusal_patterns": CONTENT["refusal_patterns"],
}

TEXT = (DATA / "scenarios.json").read_text("utf-8")
DATASET = load_dataset(DATA / "scenarios.json")
SCENARIOS = {each.id: each for each in DATASET.scenarios}
CHECKS = {
    "conversation_completed",
    "assistant_responded",
    "application_state",
    "delegation_policy",
    "authorized_actions",
    "tool_contract",
    "grounded_response",
    "grounded_confirmation",
    "refusal_stated",
    "response_rate_min",
    "response_latency_max_ms",
    "interruptions_max",
    "floor_hold_max_ms",
}
CREATE, CHECK, CANCEL = "create_reservation", "check_availability", "cancel_reservation"
KINDS: dict[str, tuple[str, str | None, tuple[str, ...]]] = {
    "001": ("booking", CREATE, ()),
    "002": ("booking", CREATE, ()),
    "003": ("booking", CREATE, ("correction",)),
    "004": ("booking", CREATE, ("correction",)),
    "005": ("availability", CHECK, ()),
    "006": ("availability", CHECK, ()),
    "007": ("availability", CHECK, ()),
    "008": ("availability", CHECK, ()),
    "009": ("cancellation", CANCEL, ()),
    "010": ("cancellation", CANCEL, ()),
    "011": ("cancellation", CANCEL, ()),
    "012": ("clarification", None, ()),
    "013": ("clarification", None, ()),
    "014": ("clarification", None, ()),
    "015": ("booking", CREATE, ("hydrated_booking", "prior_context")),
    "016": ("booking", CREATE, ("hydrated_correction", "correction", "prior_context")),
    "017": ("booking", CREATE, ("hydrated_booking", "prior_context")),
    "018": ("information", None, ()),
    "019": ("information", None, ()),
    "020": ("refusal", None, ()),
    "021": ("booking", CREATE, ("hydrated_booking", "prior_context", "structured_history")),
}
# What a reader of other people's examples would recognise.
NOT_OURS = re.compile(
    r"\b(?:maya|leo|jordan|patio|2026|august|R-(?:100|101|102|200))\b", re.IGNORECASE
)


def sound(scenario_id: str) -> Script:
    path = DATA / "scripts" / "sound" / f"{scenario_id}.json"
    return parse_script(path.read_text("utf-8"))


DEFECTS = {
    f"{path.parent.name}.{path.stem}": parse_script(path.read_text("utf-8"))
    for path in sorted((DATA / "scripts" / "defects").glob("*/*.json"))
}
SCRIPTS = {f"{name}:sound": sound(name) for name in SCENARIOS} | DEFECTS


def calls(script: Script) -> Iterator[tuple[str, JsonObject]]:
    for step in script.steps:
        if isinstance(step, Delegate):
            for call in (call for round_ in step.rounds for call in round_.calls):
                yield call.name, json.loads(call.arguments_text)


def sentences(script: Script) -> Iterator[Say]:
    return (step for step in script.steps if isinstance(step, Say))


def says(kind: str, text: str) -> bool:
    return any(re.search(pattern, text, re.IGNORECASE) for pattern in PHRASES[kind])


def played(scenario: Scenario) -> tuple[list[JsonObject], Application]:
    """What the tools return when the sound script's calls are made."""
    application = Application(scenario.application.initial_state, FACTS)
    made = enumerate(calls(sound(scenario.id)))
    return [application.call(name, args, f"c{n}") for n, (name, args) in made], application


every_scenario = pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
every_script = pytest.mark.parametrize("name", SCRIPTS)


def test_there_are_twenty_one_scenarios_in_order() -> None:
    assert list(SCENARIOS) == [f"restaurant_{number}" for number in KINDS]
    assert len({each.title for each in SCENARIOS.values()}) == len(KINDS)


@every_scenario
def test_a_scenario_is_of_its_kind(scenario: Scenario) -> None:
    kind, tool, tags = KINDS[scenario.id.removeprefix("restaurant_")]
    expected = scenario.expected
    assert scenario.interaction is Interaction.SINGLE_TURN
    assert (scenario.type, scenario.tags) == (kind, (kind, *tags))
    assert [call.name for call in expected.tools.required] == ([tool] if tool else [])
    policy = DelegationPolicy.REQUIRED if tool else DelegationPolicy.FORBIDDEN
    assert expected.delegation is policy
    assert (expected.golden_path.turns, expected.golden_path.delegations) == (2, int(bool(tool)))
    assert expected.is_state_unchanged is (tool in {None, CHECK})
    assert 1 <= len(expected.criteria) <= 2
    assert (scenario.input.context is not None) is ("prior_context" in tags)


def test_nothing_in_the_dataset_is_warned_about() -> None:
    assert DATASET.warnings == ()


def test_only_the_refusal_prohibits_a_tool() -> None:
    prohibited = {name: s.expected.tools.prohibited for name, s in SCENARIOS.items()}
    assert [call.name for call in prohibited.pop("restaurant_020")] == [CANCEL]
    assert not any(prohibited.values())


def test_the_words_are_our_own() -> None:
    everything = [TEXT, *(path.read_text("utf-8") for path in (DATA / "scripts").rglob("*.json"))]
    assert [found for text in everything for found in NOT_OURS.findall(text)] == []


def test_dates_lie_in_the_reference_year() -> None:
    year = str(FACTS["reference_date"])[:4]
    assert set(re.findall(r'"date": "(\d{4})-', TEXT)) == {year}


@every_scenario
def test_a_request_lasts_two_and_a_half_to_seven_seconds(scenario: Scenario) -> None:
    voiced = ToneSynthesizer().speak(scenario.input.text).voiced
    assert voiced is not None
    assert 2_500 <= voiced.spans[-1].end_ms <= 7_000


@every_scenario
def test_a_sound_script_does_what_is_expected(scenario: Scenario) -> None:
    required = scenario.expected.tools.required
    assert list(calls(sound(scenario.id))) == [(c.name, c.arguments) for c in required]
    outputs, application = played(scenario)
    assert all(output["ok"] for output in outputs)
    before, after = scenario.application.initial_state, application.snapshot()
    assert state_matches(scenario.expected.state, before=before, after=after)


def test_one_question_is_about_a_full_night() -> None:
    answers = {
        name: played(SCENARIOS[name])[0][0]["available"]
        for name in (f"restaurant_{number}" for number, kind in KINDS.items() if kind[1] == CHECK)
    }
    assert [name for name, available in answers.items() if not available] == ["restaurant_007"]


@every_scenario
def test_a_sound_script_claims_success_only_at_the_end(scenario: Scenario) -> None:
    *before, last = [sentence.say for sentence in sentences(sound(scenario.id))]
    assert not any(says("confirmation_patterns", text) for text in before)
    _, tool, _ = KINDS[scenario.id.removeprefix("restaurant_")]
    assert says("confirmation_patterns", last) is (tool in {CREATE, CANCEL})
    assert says("refusal_patterns", last) is (scenario.type == "refusal")


@every_scenario
def test_sentences_said_one_after_the_other_make_no_other_claim(scenario: Scenario) -> None:
    *before, last = [sentence.say for sentence in sentences(sound(scenario.id))]
    whole = " ".join([*before, last])
    claims = [
        found.start()
        for pattern in PHRASES["confirmation_patterns"]
        for found in re.finditer(pattern, whole, re.IGNORECASE)
    ]
    assert all(start >= len(whole) - len(last) for start in claims)


@every_scenario
def test_a_sound_script_speaks_before_and_after_its_work(scenario: Scenario) -> None:
    script = sound(scenario.id)
    anchors = [sentence.at.anchor for sentence in sentences(script)]
    has_work = bool(scenario.expected.tools.required)
    assert anchors == [Anchor.CALLER_END, *([Anchor.DONE] if has_work else [])]
    assert script.fails == ()


@every_scenario
def test_a_scenario_has_a_sound_and_a_defect_script(scenario: Scenario) -> None:
    assert (DATA / "scripts" / "sound" / f"{scenario.id}.json").is_file()
    assert any(name.startswith(f"{scenario.id}.") for name in DEFECTS)


def test_no_script_is_for_nobody() -> None:
    assert {path.stem for path in (DATA / "scripts" / "sound").iterdir()} == set(SCENARIOS)
    assert {name.partition(".")[0] for name in DEFECTS} == set(SCENARIOS)
    assert len(DEFECTS) == len(list((DATA / "scripts" / "defects").rglob("*.json")))


@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_declares_which_checks_fail(name: str) -> None:
    fails = DEFECTS[name].fails
    limits = SCENARIOS[name.partition(".")[0]].expected.interaction.model_dump(exclude_none=True)
    assert fails
    assert list(fails) == sorted(set(fails))
    assert set(fails) <= CHECKS
    assert {check for check in fails if "_min" in check or "_max" in check} <= set(limits)


def test_every_check_fails_somewhere() -> None:
    assert {check for script in DEFECTS.values() for check in script.fails} == CHECKS


@every_script
def test_a_script_knows_no_absolute_time(name: str) -> None:
    assert Anchor.START not in {step.at.anchor for step in SCRIPTS[name].steps}


@every_script
def test_a_script_can_be_put_on_a_short_request(name: str) -> None:
    assert resolve(SCRIPTS[name], Interval(1_000, 3_500), "Hello there.").steps is not None


def test_neighbouring_scenarios_never_want_the_same_call() -> None:
    ordered = list(SCENARIOS.values())
    for one, other in zip(ordered, [*ordered[1:], ordered[0]], strict=True):
        required = one.expected.tools.required
        assert not required or required != other.expected.tools.required

"""Which caller an attempt had: who is simulated, who plays a script, and what makes another one."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from assistants.frontend.fixture.conversation_script import (
    ConversationScript,
    parse_conversation_script,
)
from assistants.suite.suite import Rendition
from run_harness.scripted_caller import scripted_identity
from run_harness.settings import ROWS
from run_harness.suite import RUN, SimulatedCaller
from shared.attempts.identity import caller_report
from shared.scenarios import Scenario
from shared.settings import Value, resolve
from shared.speech.tone import ToneSynthesizer
from tests.support.runs import evaluate_here
from tests.support.scenario_documents import CONVERSATION, edited

BOOKING = "restaurant_booking_complete"
SOUND = RUN.folder / "data" / "scripts" / "sound" / f"{BOOKING}.json"


def a_script(**changes: Any) -> ConversationScript:
    return parse_conversation_script(
        json.dumps({**json.loads(SOUND.read_text("utf-8")), **changes})
    )


def simulated(scenario: Scenario, **flags: Value) -> object:
    settings = resolve(ROWS, flags=flags, environment={}, env_file={}, toml={})
    caller = SimulatedCaller(settings)
    (rendition,) = caller.renditions([scenario])
    return caller.identity(rendition, None)


def a_scenario(**edits: Any) -> Scenario:
    paths = {path.replace("__", "."): value for path, value in edits.items()}
    return Scenario.model_validate(edited(CONVERSATION, paths))


@pytest.mark.parametrize(
    ("edits", "flags"),
    [
        pytest.param({"simulation_parameters__goal": "Another goal."}, {}, id="another-goal"),
        pytest.param({"input__text": "Another opening."}, {}, id="another-opening"),
        pytest.param({}, {"simulator_model": "m"}, id="another-model"),
        pytest.param({}, {"assistant_opening_prompt": "a-file"}, id="being-called-first"),
    ],
)
def test_a_simulated_caller_becomes_another_by(
    edits: dict[str, Any], flags: dict[str, Value]
) -> None:
    assert simulated(a_scenario(**edits), **flags) != simulated(a_scenario())


@pytest.mark.parametrize(
    "flags",
    [
        pytest.param({"model": "another"}, id="the-assistant-s-model"),
        pytest.param({"seed": 9}, id="a-seed"),
    ],
)
def test_a_simulated_caller_stays_the_same_whatever(flags: dict[str, Value]) -> None:
    assert simulated(a_scenario(), **flags) == simulated(a_scenario())


def test_what_is_expected_of_the_assistant_makes_no_other_caller() -> None:
    assert simulated(a_scenario(title="Another title")) == simulated(a_scenario())


def test_a_scripted_caller_is_its_side_of_the_script_and_its_voice() -> None:
    content = json.loads(SOUND.read_text("utf-8"))
    steps = [dict(step) for step in content["caller"]["steps"]]
    says = next(step for step in steps if "say" in step)
    says["say"] = "Something else."
    other = a_script(caller={**content["caller"], "steps": steps})
    same = scripted_identity(a_script(), ToneSynthesizer())

    assert scripted_identity(a_script(title="Else", observer=[]), ToneSynthesizer()) == same
    assert scripted_identity(other, ToneSynthesizer()) != same
    assert scripted_identity(a_script(), ToneSynthesizer(pitch_hz=99)) != same
    assert scripted_identity(None, ToneSynthesizer()) != same


def test_offline_the_caller_is_its_script() -> None:
    settings = resolve(ROWS, flags={"offline": True}, environment={}, env_file={}, toml={})
    caller = SimulatedCaller(settings, ToneSynthesizer())
    script = a_script()
    identity = caller.identity(Rendition(a_scenario()), script)
    assert identity == scripted_identity(script, ToneSynthesizer())


def test_every_row_and_every_stored_attempt_says_who_called(tmp_path: Path) -> None:
    run, _ = evaluate_here(tmp_path / "results", RUN, example=BOOKING, repeats=2)
    expected = caller_report(scripted_identity(a_script(), ToneSynthesizer())).model_dump()
    assert len(run.rows) == 2
    whole = scripted_identity(a_script(), ToneSynthesizer())
    assert run.report["run"]["configuration"]["callers"] == {expected["sha256"]: whole}
    for key, row in run.rows.items():
        assert row["attempt"]["caller"] == expected
        assert json.loads(run.details(key))["attempt"]["caller"] == expected


def test_the_hash_of_a_caller_can_be_computed_from_the_head_of_a_report(tmp_path: Path) -> None:
    run, _ = evaluate_here(tmp_path / "results", example="restaurant_001")
    (row,) = run.rows.values()
    caller, callers = row["attempt"]["caller"], run.report["run"]["configuration"]["callers"]
    canonical = json.dumps(callers[caller["sha256"]], sort_keys=True, separators=(",", ":"))
    assert hashlib.sha256(canonical.encode()).hexdigest() == caller["sha256"]
    assert callers[caller["sha256"]]["kind"] == caller["kind"] == "synthesized"

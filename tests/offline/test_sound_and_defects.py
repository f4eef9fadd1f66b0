"""The instrument tells sound from defective: all that is right passes, all that is wrong fails.

Every defect script fails exactly the checks it says it fails; that a check never fires by accident
is the same claim, read from the other side.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistants.frontend.fixture.library import DEFECTS, ScriptLibrary
from shared.attempts.assess import SINGLE_TURN_CHECKS
from shared.dataset import load_dataset
from shared.grading.interaction import LIMITS
from shared.scenarios import Scenario
from tests.support.runs import (
    DATA,
    FinishedRun,
    a_copy_of_the_data,
    checks_with,
    evaluate_here,
    failed_checks,
)

SCENARIOS = load_dataset(DATA / "scenarios.json").scenarios
NAMES = [scenario.id for scenario in SCENARIOS]
DECLARED = {
    f"{scenario.id}@{named.name}": set(named.script.fails)
    for scenario in SCENARIOS
    for named in ScriptLibrary(DATA).chosen(scenario.id, DEFECTS)
    if named.script is not None
}
# A caller with one request never interrupts and never murmurs: the contract refuses these limits.
NOT_OF_ONE_TURN = {"yield_latency_max_ms", "false_yields_max"}
APPLICABLE = {check.__name__ for check in SINGLE_TURN_CHECKS} | set(LIMITS) - NOT_OF_ONE_TURN


def test_twenty_one_of_twenty_one_sound_scripts_pass(sound_run: FinishedRun) -> None:
    assert sound_run.report["summary"] == {
        "total": 21,
        "passed": 21,
        "failed": 0,
        "infrastructure_errors": 0,
    }
    assert list(sound_run.rows) == NAMES
    assert sound_run.status == 0
    assert "21 of 21 passed" in sound_run.stdout


def test_it_is_said_that_a_fixture_answered(sound_run: FinishedRun) -> None:
    assert "A scripted fixture answered" in sound_run.stdout
    assert sound_run.report["run"]["configuration"]["is_scripted_fixture"] is True


def test_every_scenario_has_a_defect() -> None:
    assert {key.partition("@")[0] for key in DECLARED} == set(NAMES)


def test_every_defect_script_runs(defects_run: FinishedRun) -> None:
    assert set(defects_run.rows) == set(DECLARED)
    assert defects_run.status == 0


@pytest.mark.parametrize("key", DECLARED)
def test_a_defect_fails_exactly_the_checks_it_declares(key: str, defects_run: FinishedRun) -> None:
    row = defects_run.rows[key]
    assert (row["status"], failed_checks(row)) == ("failed", DECLARED[key])


def test_every_check_passes_in_some_sound_script(sound_run: FinishedRun) -> None:
    assert checks_with(list(sound_run.rows.values()), "passed") == APPLICABLE


def test_every_check_fails_in_some_defect(defects_run: FinishedRun) -> None:
    assert checks_with(list(defects_run.rows.values()), "failed") == APPLICABLE


@pytest.fixture(scope="module")
def shifted_run(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    """Every scenario with the sound script of the one after it, the last with the first's."""
    folder = tmp_path_factory.mktemp("shifted")
    data = a_copy_of_the_data(folder / "data")
    sound = {name: (DATA / "scripts/sound" / f"{name}.json").read_bytes() for name in NAMES}
    for name, after in zip(NAMES, [*NAMES[1:], NAMES[0]], strict=True):
        (data / "scripts/sound" / f"{name}.json").write_bytes(sound[after])
    run, _ = evaluate_here(folder / "results", data=str(data / "scenarios.json"))
    return run


def _wanted(name: str) -> str:
    """The calls a scenario requires, as text to compare."""
    (scenario,) = (each for each in SCENARIOS if each.id == name)
    required = scenario.expected.tools.required
    return json.dumps([[call.name, call.arguments] for call in required], sort_keys=True)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, after in zip(NAMES, [*NAMES[1:], NAMES[0]], strict=True)
        if _wanted(name) != _wanted(after)
    ],
)
def test_another_scenarios_calls_fail(name: str, shifted_run: FinishedRun) -> None:
    row = shifted_run.rows[name]
    assert row["status"] == "failed"
    assert "tool_contract" in failed_checks(row)


def test_most_neighbours_want_other_calls() -> None:
    """So that the test above is about nearly every scenario."""
    pairs = zip(NAMES, [*NAMES[1:], NAMES[0]], strict=True)
    assert sum(_wanted(name) != _wanted(after) for name, after in pairs) >= 15


def test_data_without_scripts_gets_an_assistant_that_only_acknowledges(tmp_path: Path) -> None:
    data = tmp_path / "scenarios.json"
    data.write_bytes((DATA / "scenarios.json").read_bytes())
    run, _ = evaluate_here(tmp_path / "results", data=str(data))
    assert {key: row["status"] for key, row in run.rows.items()} == {
        f"{one.id}@acknowledge": "failed" if _needs_more_than_a_word(one) else "passed"
        for one in SCENARIOS
    }


def _needs_more_than_a_word(scenario: Scenario) -> bool:
    return bool(scenario.expected.tools.required) or scenario.type == "refusal"

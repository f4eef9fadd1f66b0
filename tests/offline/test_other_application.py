"""A second application, about something else altogether, is a folder and two flags.

Its tools, phrases, facts, prompts, scenarios and scripts are its own; nothing outside its folder
was written for it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from assistants.frontend.fixture.library import DEFECTS, ScriptLibrary
from shared.dataset import load_dataset
from tests.support.domain_words import domain_words
from tests.support.runs import (
    FinishedRun,
    Lines,
    crawl_eval,
    evaluate_here,
    failed_checks,
)

WORKSHOP = Path(__file__).parent.parent / "applications" / "bicycle_workshop"
DATA = WORKSHOP / "data"
SCENARIOS = load_dataset(DATA / "scenarios.json").scenarios
DECLARED = {
    f"{scenario.id}@{named.name}": set(named.script.fails)
    for scenario in SCENARIOS
    for named in ScriptLibrary(DATA).chosen(scenario.id, DEFECTS)
    if named.script is not None
}
FLAGS = ("--offline", "--application", WORKSHOP, "--data", DATA / "scenarios.json")


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    return crawl_eval(tmp_path_factory.mktemp("workshop") / "sound", *FLAGS)


@pytest.fixture(scope="module")
def broken_workshop(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[FinishedRun, Lines]:
    results = tmp_path_factory.mktemp("workshop") / "defects"
    flags = {"application": str(WORKSHOP), "data": str(DATA / "scenarios.json")}
    return evaluate_here(results, offline_script="defects", **flags)


def test_its_sound_scripts_pass(workshop: FinishedRun) -> None:
    assert {key: row["status"] for key, row in workshop.rows.items()} == {
        scenario.id: "passed" for scenario in SCENARIOS
    }
    assert workshop.report["run"]["configuration"]["application"] == "bicycle_workshop"


def test_its_checks_do_apply(workshop: FinishedRun) -> None:
    passed = {
        check["id"]
        for row in workshop.rows.values()
        for check in row["assessment"]["checks"]
        if check["status"] == "passed"
    }
    assert passed >= {"application_state", "tool_contract", "refusal_stated"}
    assert {"grounded_response", "grounded_confirmation", "interruptions_max"} <= passed


def test_every_scenario_has_a_defect() -> None:
    assert {key.partition("@")[0] for key in DECLARED} == {scenario.id for scenario in SCENARIOS}


@pytest.mark.parametrize("key", DECLARED)
def test_a_defect_of_its_own_fails_exactly_the_checks_it_declares(
    key: str, broken_workshop: tuple[FinishedRun, Lines]
) -> None:
    row = broken_workshop[0].rows[key]
    assert (row["status"], failed_checks(row)) == ("failed", DECLARED[key])


def test_the_assistant_hears_nothing_of_the_bundled_application(
    broken_workshop: tuple[FinishedRun, Lines],
) -> None:
    """What every application's assistant is told knows of none."""
    words = domain_words()
    said = {
        one.text
        for line in broken_workshop[1].values()
        for one in line
        if one.direction == "sent" and not one.is_audio
    }
    assert any("Freewheel Yard" in text for text in said)
    assert [found.group() for text in said if (found := words.search(text))] == []

"""What the README shows can be done: its conversation is held, its answers and figures are true."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import run_harness
from assistants.frontend.fixture.http_script import parse_http_script
from run_harness.suite import RUN
from shared.dataset import load_dataset
from shared.metrics.extended import EXTENDED_VERSION
from shared.reporting.console import Console
from shared.reporting.schema import Report
from shared.scenario_rules import MIN_CONVERSATION_TURNS
from tests.support.runs import evaluate_here

ROOT = Path(run_harness.__file__).parents[1]
README = ROOT / "run_harness" / "README.md"
TEXT = README.read_text("utf-8")
ASSISTANTS = (ROOT / "assistants" / "README.md").read_text("utf-8")
ANSWERS = ROOT / "docs" / "examples" / "answers.json"


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def the_library(folder: Path) -> Path:
    """The application that the page of assistants spells out."""
    folder.mkdir()
    (folder / "prompts").mkdir()
    for name in ("scope.txt", "backend.txt"):
        (folder / "prompts" / name).write_text("Renew loans.", "utf-8")
    for name in ("tools.json", "tools.py", "facts.json", "phrases.json"):
        section = ASSISTANTS.partition(f"### {name}\n")[2]
        language = "python" if name.endswith(".py") else "json"
        (folder / name).write_text(blocks(section, language)[0], "utf-8")
    return folder


def test_its_conversation_is_held_and_passes(tmp_path: Path) -> None:
    dataset, script = blocks(TEXT, "json")
    data = tmp_path / "mine" / "scenarios.json"
    sound = data.parent / "scripts" / "sound" / "renew_by_phone.json"
    sound.parent.mkdir(parents=True)
    data.write_text(dataset, "utf-8")
    sound.write_text(script, "utf-8")
    application = str(the_library(tmp_path / "library"))

    run, _ = evaluate_here(tmp_path / "runs", RUN, data=str(data), application=application)

    row = run.rows["renew_by_phone"]
    assert row["status"] == "passed"
    assert row["metrics"]["task"]["turns"] == {"actual": 7, "expected": 7}
    assert MIN_CONVERSATION_TURNS == 7


@pytest.mark.parametrize("name", ["restaurant_date_correction", "restaurant_cancel_six_digits"])
def test_the_figures_it_shows_are_those_of_a_run(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, _ = evaluate_here(tmp_path, RUN, example=name)
    capsys.readouterr()
    Console(is_verbose=False, is_json=False).end(Report.model_validate(run.report), "")

    told = capsys.readouterr().out.splitlines()[0].split("\t")
    (shown,) = re.findall(rf"^{name} .*$", TEXT, re.MULTILINE)
    headings = ("length", "answered", "latency", "interrupted", "tools")
    figures = [one.removeprefix(f"{name} ") for one, name in zip(told[2:], headings, strict=True)]
    assert re.split(r" {2,}", shown.strip()) == [name, "passed", *figures]


def test_the_answers_it_names_settle_that_conversation() -> None:
    parse_http_script(ANSWERS.read_text("utf-8"))
    resolved, unresolved, _ = (one["json"] for one in json.loads(ANSWERS.read_bytes())["answers"])
    (scenario,) = (
        one
        for one in load_dataset(RUN.bundled_data).scenarios
        if one.id == "restaurant_backchannel"
    )
    assert scenario.simulation_parameters is not None
    required = {
        one.id
        for one in scenario.simulation_parameters.agenda
        if one.required and one.is_substantive
    }
    for answer, is_over in ((resolved, True), (unresolved, False)):
        assert {one["id"] for one in answer["objectives"]} == required
        assert {one["expressed"] for one in answer["objectives"]} == {is_over}
        assert answer["should_drain"] is is_over


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)#:]+)", TEXT))))
def test_a_file_it_points_at_exists(target: str) -> None:
    assert (README.parent / target).exists()


def test_the_contract_names_the_version_of_the_extended_block_that_reports_have() -> None:
    contract = (ROOT / "docs" / "metrics-contract.md").read_text("utf-8")
    assert f'| extended block | `"{EXTENDED_VERSION}"` |' in contract
    assert f'with `version` `"{EXTENDED_VERSION}"`' in contract

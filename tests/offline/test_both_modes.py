"""Both ways to manage delegation, on the same scripts: the same verdicts, and the same record.

What the provider's backend does under one mode the application's does under the other. Times are
not compared: a client waits for captions before it hands over, and is acknowledged afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from assistants.suite.suite import Suite
from crawl_harness.suite import CRAWL
from run_harness.suite import RUN
from shared.settings import Value
from tests.support.beside import checks
from tests.support.runs import FinishedRun, evaluate_here, failed_checks
from walk_harness.suite import WALK

SUITES: Mapping[str, Suite] = {"crawl": CRAWL, "walk": WALK, "run": RUN}
SOUND = {"crawl": 21, "walk": 26, "run": 17}
MODES = ("responses", "client")
A_FEW = 6
"""How many are held under managed delegation as well, which has tests of its own."""
BOTH_KINDS = ("crawl", "run")
"""A single turn and a conversation; a recorded turn differs by its audio alone."""
WORK = {
    "DelegationBegan",
    "ResponseBegan",
    "ToolCalled",
    "ToolReturned",
    "WorkContinued",
    "BackendText",
    "ResponseEnded",
}
OF_THE_CLIENT = {"HandedOver", "ContextSent", "ContextAppended", "DelegationEnded"}
PER_MODE = {"stamp", "delegation_id", "response_id", "previous_response_id", "call_id", "item_id"}
"""Instants, and the ids that each side gives by itself."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("modes")

    @cache
    def run(suite: str, script: str, mode: str) -> FinishedRun:
        place = folder / f"{suite}-{script}-{mode}"
        flags: dict[str, Value] = {"assistant_mode": mode, "offline_script": script}
        if mode == "responses":
            flags["max_examples"] = A_FEW
        return evaluate_here(place, SUITES[suite], **flags)[0]

    return run


@pytest.mark.parametrize("suite", SUITES)
def test_every_sound_script_passes_under_client_delegation(runs: Any, suite: str) -> None:
    rows = runs(suite, "sound", "client").rows
    assert len(rows) == SOUND[suite]
    assert {key: checks(row) for key, row in rows.items() if row["status"] != "passed"} == {}
    assert [row["warnings"] for row in rows.values() if row["warnings"]] == []


@pytest.mark.parametrize("suite", SUITES)
def test_every_defect_fails_as_it_does_under_managed_delegation(runs: Any, suite: str) -> None:
    """What a script says it fails is what it fails there; that has tests of its own."""
    run = runs(suite, "defects", "client")
    declared = {key: _declared(SUITES[suite], key) for key in run.rows}
    assert {key: failed_checks(row) for key, row in run.rows.items()} == declared
    assert {row["status"] for row in run.rows.values()} == {"failed"}


@pytest.mark.parametrize("suite", BOTH_KINDS)
def test_the_evidence_of_delegated_work_has_one_shape(runs: Any, suite: str) -> None:
    managed, own = (runs(suite, "sound", mode) for mode in MODES)
    for key in managed.rows:
        assert _work(own, key) == _work(managed, key), key


@pytest.mark.parametrize("suite", BOTH_KINDS)
def test_all_that_a_client_adds_is_its_own_side_of_a_delegation(runs: Any, suite: str) -> None:
    managed, own = (runs(suite, "sound", mode) for mode in MODES)
    met = set[str]()
    for key in managed.rows:
        ours, theirs = (_kinds(run, key) for run in (own, managed))
        assert ours - theirs <= OF_THE_CLIENT, key
        assert theirs <= ours, key
        met |= ours
    assert met >= OF_THE_CLIENT | WORK


@pytest.mark.parametrize("suite", BOTH_KINDS)
def test_the_application_comes_to_the_same_state(runs: Any, suite: str) -> None:
    managed, own = (runs(suite, "sound", mode) for mode in MODES)
    for key in managed.rows:
        states = [json.loads(run.details(key))["evidence"]["state_after"] for run in (managed, own)]
        assert states[0] == states[1], key


def _declared(suite: Suite, key: str) -> set[str]:
    """What a defect's script says it fails; a scenario made from another one plays the other's."""
    scenario, name = key.split("@")
    paths = (suite.bundled_data.parent / "scripts" / "defects").glob(f"*/{name}.json")
    (path,) = (one for one in paths if scenario.startswith(one.parent.name))
    return set(json.loads(path.read_bytes())["fails"])


def _observed(run: FinishedRun, key: str) -> list[dict[str, Any]]:
    observed: list[dict[str, Any]] = json.loads(run.details(key))["evidence"]["observations"]
    return observed


def _kinds(run: FinishedRun, key: str) -> set[str]:
    # Usage is told every so often, and a call may last a little longer.
    return {seen["observation"] for seen in _observed(run, key)} - {"UsageReported"}


def _work(run: FinishedRun, key: str) -> list[dict[str, Any]]:
    """What was done, in order, with all that either mode could have done otherwise."""
    return [
        {name: value for name, value in seen.items() if name not in PER_MODE and name != "target"}
        for seen in _observed(run, key)
        if seen["observation"] in WORK
    ]

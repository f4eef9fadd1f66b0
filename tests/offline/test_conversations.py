"""``run-eval --offline`` tells sound from defective and faulty, and nothing else moves a figure.

Every script is a caller and an assistant of its own, so what is held here is what comes of two
sessions on a relay: detected in sound, ended by completion, judged by evidence.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from assistants.frontend.fixture.conversation_script import parse_conversation_script
from run_harness.suite import RUN
from shared.attempts.bench import judge_again
from shared.attempts.details import decode_details, result_json
from shared.observability.delegation import work_intervals
from shared.reporting.lifecycle import lifecycle_events
from shared.scenario_types import AcousticCondition
from tests.support.faults import expected_of, outcome_of, warnings_are_of
from tests.support.lifecycle import observation_of
from tests.support.runs import (
    FinishedRun,
    Row,
    checks_with,
    differing,
    failed_checks,
    installed,
)

DATA = RUN.bundled_data.parent
SCRIPTS = DATA / "scripts"
SCENARIOS = [one["id"] for one in json.loads(RUN.bundled_data.read_bytes())["scenarios"]]
PER_ATTEMPT = ("audio", "events", "transcripts", "scripts")
CONDITIONS = [one.value for one in AcousticCondition if one is not AcousticCondition.CLEAN]


def paths(kind: str) -> dict[str, Path]:
    return {
        f"{path.parent.name}@{path.stem}": path
        for path in sorted((SCRIPTS / kind).glob("*/*.json"))
    }


DEFECTS = {
    key: set(parse_conversation_script(path.read_text("utf-8")).fails)
    for key, path in paths("defects").items()
}
FAULTS = {key: json.loads(path.read_bytes())["expects"] for key, path in paths("faults").items()}
A_FEW = 3
FEW = ("--max-examples", str(A_FEW))
ARGUMENTS = {
    "sound": (),
    "defects": ("--offline-script", "defects"),
    "faults": ("--offline-script", "faults"),
    "again": FEW,
    **{condition: ("--condition", condition, *FEW) for condition in CONDITIONS},
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[FinishedRun]]]:
    """Every run of the module, one after the other; what no test asked for at the end is dropped.

    One at a time, because other tests count on time meanwhile.
    """
    folder = tmp_path_factory.mktemp("conversations")
    pool = ThreadPoolExecutor(1)
    try:
        yield {
            name: pool.submit(installed, "run-eval", folder / name, "--offline", *arguments)
            for name, arguments in ARGUMENTS.items()
        }
    finally:
        pool.shutdown(cancel_futures=True)


@pytest.fixture(scope="module")
def sound(runs: dict[str, Future[FinishedRun]]) -> FinishedRun:
    return runs["sound"].result()


@pytest.fixture(scope="module")
def defects(runs: dict[str, Future[FinishedRun]]) -> FinishedRun:
    return runs["defects"].result()


@pytest.fixture(scope="module")
def faults(runs: dict[str, Future[FinishedRun]]) -> FinishedRun:
    return runs["faults"].result()


def as_text(rows: dict[str, Row]) -> dict[str, str]:
    return {key: json.dumps(row) for key, row in rows.items()}


def test_seventeen_of_seventeen_sound_scripts_pass(sound: FinishedRun) -> None:
    assert list(sound.rows) == SCENARIOS
    assert {key for key, row in sound.rows.items() if row["status"] != "passed"} == set()
    assert not any(row["warnings"] for row in sound.rows.values())
    assert "17 of 17 passed" in sound.stdout


def test_every_sound_conversation_is_ended_by_its_callers_farewell(sound: FinishedRun) -> None:
    for key in SCENARIOS:
        evidence = json.loads(sound.details(key))["evidence"]
        last = evidence["cues"][-1]
        assert last["action"] == "STOP"
        assert evidence["extent_ms"] - last["end_ms"] < 4_000


def test_every_scenario_has_a_defect() -> None:
    assert {key.partition("@")[0] for key in DEFECTS} == set(SCENARIOS)


def test_every_defect_runs(defects: FinishedRun) -> None:
    assert set(defects.rows) == set(DEFECTS)


@pytest.mark.parametrize("key", DEFECTS)
def test_a_defect_fails_exactly_the_checks_it_declares(key: str, defects: FinishedRun) -> None:
    row = defects.rows[key]
    assert (row["status"], failed_checks(row)) == ("failed", DEFECTS[key])


def test_every_fault_runs_and_none_ends_the_batch(faults: FinishedRun) -> None:
    assert faults.status == 0
    assert set(faults.rows) == set(FAULTS)


@pytest.mark.parametrize("key", FAULTS)
def test_a_fault_comes_to_exactly_its_outcome(key: str, faults: FinishedRun) -> None:
    expects, row = FAULTS[key], faults.rows[key]
    assert outcome_of(faults, key) == expected_of(expects)
    assert expects.get("says", "") in ((row["error"] or {}).get("message") or "")
    assert warnings_are_of(faults, row, expects.get("warns")), row["warnings"]


def test_every_check_that_passes_somewhere_fails_somewhere(
    sound: FinishedRun, defects: FinishedRun, faults: FinishedRun
) -> None:
    wrong = [*defects.rows.values(), *(row for row in faults.rows.values() if row["assessment"])]
    assert checks_with(list(sound.rows.values()), "passed") == checks_with(wrong, "failed")


def test_two_identical_runs_leave_the_same_bytes(
    sound: FinishedRun, runs: dict[str, Future[FinishedRun]]
) -> None:
    again = runs["again"].result()
    files, rows = sound.files(*PER_ATTEMPT), as_text(sound.rows)
    repeated = again.files(*PER_ATTEMPT)
    assert len(again.rows) == A_FEW
    assert differing({name: files[name] for name in repeated}, repeated) == []
    assert differing({key: rows[key] for key in again.rows}, as_text(again.rows)) == []


@pytest.mark.parametrize("kind", ["sound", "defects", "faults"])
def test_judging_again_gives_every_row_byte_for_byte(
    kind: str, runs: dict[str, Future[FinishedRun]]
) -> None:
    run = runs[kind].result()
    again = {key: result_json(judge_again(decode_details(run.details(key)))) for key in run.rows}
    assert differing(as_text(run.rows), as_text(again)) == []


@pytest.mark.parametrize("kind", ["sound", "defects", "faults"])
def test_a_published_list_of_events_alone_tells_when_work_was_under_way(
    kind: str, runs: dict[str, Future[FinishedRun]]
) -> None:
    run, told = runs[kind].result(), {}
    for key in run.rows:
        evidence = decode_details(run.details(key)).evidence
        events = json.loads(json.dumps(lifecycle_events(evidence.observations)))
        again = work_intervals(map(observation_of, events), evidence.extent_ms)
        told[key] = work_intervals(evidence.observations, evidence.extent_ms), again
    assert any(straight for straight, _ in told.values())
    assert [key for key, (straight, again) in told.items() if straight != again] == []


@pytest.mark.parametrize("condition", CONDITIONS)
def test_sound_scripts_pass_in_every_condition(
    condition: str, runs: dict[str, Future[FinishedRun]]
) -> None:
    rows = runs[condition].result().rows
    assert {key: failed_checks(row) for key, row in rows.items() if row["status"] != "passed"} == {}
    assert list(rows) == SCENARIOS[:A_FEW]

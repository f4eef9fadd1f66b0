"""``--assistant both``: two runs of one comparison, alike in everything but who does the work."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import soundfile

from assistants.config import MODES
from tests.support.runs import PROGRAMS, FinishedRun, bare_environment

OPENING_BYTES = 5 * 24_000 * 2
A_FEW = ("--offline", "--assistant", "both", "--max-examples", "2")


@dataclass(frozen=True)
class Compared:
    """What a command left: its runs by mode, what it said, and its status."""

    runs: Mapping[str, FinishedRun]
    stdout: str
    status: int

    @property
    def is_single_turn(self) -> bool:
        return {run.report["run"]["interaction"] for run in self.runs.values()} == {"single_turn"}


def compared(command: str, folder: Path, *arguments: str) -> Compared:
    results = folder / "results"
    done = subprocess.run(
        [PROGRAMS / command, "--results-dir", results, *arguments],
        cwd=folder,
        env=bare_environment(results),
        capture_output=True,
        text=True,
        check=False,
    )
    runs = [
        FinishedRun(path, done.returncode, done.stdout, done.stderr)
        for path in (results.iterdir() if results.is_dir() else ())
    ]
    by_mode = {run.report["run"]["configuration"]["assistant_mode"]: run for run in runs}
    assert len(by_mode) == len(runs)
    return Compared(by_mode, done.stdout, done.returncode)


@pytest.fixture(scope="module", params=["crawl-eval", "run-eval"])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Compared:
    return compared(request.param, tmp_path_factory.mktemp("both"), *A_FEW)


def test_each_mode_has_a_run_and_they_share_a_comparison(both: Compared) -> None:
    heads = {mode: run.report["run"] for mode, run in both.runs.items()}
    assert set(heads) == set(MODES)
    assert {mode: head["comparison"]["side"] for mode, head in heads.items()} == {
        mode: mode for mode in MODES
    }
    assert len({head["comparison"]["id"] for head in heads.values()}) == 1
    assert all(f"_{mode}_" in head["id"] for mode, head in heads.items())
    assert both.status == 0


def test_the_terminal_tells_of_each_and_of_both(both: Compared) -> None:
    lines = both.stdout.splitlines()
    assert [line for line in lines if line.startswith("--assistant")] == [
        f"--assistant {mode}" for mode in MODES
    ]
    assert lines[-2:] == [
        f"{mode}: 2 of 2 passed, 0 failed, 0 infrastructure errors" for mode in MODES
    ]


def test_callers_are_the_same_on_either_side(both: Compared) -> None:
    ours, theirs = (
        {key: row["attempt"]["caller"] for key, row in run.rows.items()}
        for run in both.runs.values()
    )
    assert ours == theirs
    for key in ours:
        heard = [
            soundfile.read(run.folder / "audio" / key / "input.wav", dtype="int16")[0].tobytes()
            for run in both.runs.values()
        ]
        shorter, longer = sorted(heard, key=len)
        # A conversation's caller hangs on what the assistant does, so only its opening is the same.
        same = len(shorter) if both.is_single_turn else OPENING_BYTES
        assert shorter[:same] == longer[:same]


def test_what_differs_is_on_record(both: Compared) -> None:
    configurations = {mode: run.report["run"]["configuration"] for mode, run in both.runs.items()}
    ours, theirs = configurations["responses"], configurations["client"]
    assert {name for name in ours if ours[name] != theirs[name]} == {
        "assistant_mode", "client_delegation",
    }  # fmt: skip
    assert ours["client_delegation"] is None


def test_a_script_reads_one_object(tmp_path: Path) -> None:
    told: dict[str, Any] = json.loads(
        compared("crawl-eval", tmp_path, *A_FEW[:3], "--example", "restaurant_001", "--json").stdout
    )
    assert set(told) == {"comparison", "runs"}
    assert [run["summary"]["passed"] for run in told["runs"]] == [1, 1]


def test_each_side_has_its_own_junit_file(tmp_path: Path) -> None:
    compared("crawl-eval", tmp_path, *A_FEW[:3], "--example", "restaurant_001", "--junit", "a.xml")
    assert sorted(path.name for path in tmp_path.glob("*.xml")) == [
        f"a_{mode}.xml" for mode in sorted(MODES)
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["--example", "nobody"], id="an unknown scenario"),
        pytest.param(["--client-backend", "nowhere.py"], id="no backend of one side"),
    ],
)
def test_a_mistake_of_either_side_leaves_no_run(tmp_path: Path, arguments: list[str]) -> None:
    done = compared("crawl-eval", tmp_path, *A_FEW[:3], *arguments)
    assert (done.status, done.runs, done.stdout) == (2, {}, "")

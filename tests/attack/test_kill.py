"""Fifty runs are killed at random instants: what is on the disk is whole, and all that finished."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.planted import a_dataset, a_script, an_echo
from tests.support.runs import bare_environment
from tests.support.strict_files import files_of, journal_keys, result_keys, unreadable

KILLS = 50
ATTEMPTS = 6
AT_ONCE = 2
PROGRAM = Path(__file__).with_name("killed_runs.py")
ROOT = Path(__file__).parents[2]

type Files = dict[str, bytes]


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> list[Files]:
    """The files of each killed run that had come so far as to have a folder."""
    folder = tmp_path_factory.mktemp("killed")
    script = a_script({"arguments": {"value": "x"}}, said="Done.")
    scenarios = {f"request_{n}": ({"input": {"text": "Do it."}}, script) for n in range(ATTEMPTS)}
    data = a_dataset(folder / "data", scenarios)
    chance = random.Random(9)
    shares = [str(chance.uniform(0.05, 1.0)) for _ in range(KILLS)]
    subprocess.run(
        [sys.executable, PROGRAM, folder, data, an_echo(folder / "app"), *shares],
        cwd=folder,
        env=bare_environment(folder / "any") | {"PYTHONPATH": str(ROOT)},
        check=True,
        timeout=300,
    )
    return [files_of(run) for run in sorted(folder.glob("killed_*/*"))]


def test_most_runs_were_killed_in_the_middle(killed: list[Files]) -> None:
    finished = [len(journal_keys(files)) for files in killed]

    assert len(killed) >= KILLS / 2
    assert sum(0 < count < ATTEMPTS for count in finished) >= KILLS / 5


def test_every_file_is_whole(killed: list[Files]) -> None:
    assert [problem for files in killed for problem in unreadable(files)] == []


def test_the_report_holds_nothing_that_the_journal_has_not(killed: list[Files]) -> None:
    for files in killed:
        journal, report = journal_keys(files), result_keys(files)
        assert len(set(journal)) == len(journal)
        assert set(report) <= set(journal)
        assert len(journal) - len(report) <= 1


def test_only_attempts_in_flight_are_lost(killed: list[Files]) -> None:
    for files in killed:
        begun = {name.split("/")[1] for name in files if name.startswith("audio/")}
        assert len(begun - set(journal_keys(files))) <= AT_ONCE


def test_what_a_row_names_is_there(killed: list[Files]) -> None:
    for files in killed:
        for key in journal_keys(files):
            assert f"transcripts/{key}.json" in files
            assert f"audio/{key}/output.wav" in files

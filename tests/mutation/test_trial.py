"""Trials, in a process of their own, because they forget what was imported and fork."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.mutation.trial import unaffected

ROOT = Path(__file__).parents[2]

STORY = """
from dataclasses import dataclass
from pathlib import Path
from tests.mutation.trial import TrialError, Trials

FILE, TESTS = "shared/metrics/floor.py", ["tests/shared/metrics/test_floor.py"]
SOURCE = Path(FILE).read_text("utf-8")

@dataclass(frozen=True)
class Written:
    text: str
    file: str = FILE
    def code(self):
        return self.text

trials = Trials(FILE, TESTS, jobs=2)
same, other = Written(SOURCE), Written(SOURCE.replace("work - (", "work | ("))
outcomes = dict(trials.outcomes([same, other]))
print(outcomes[same], outcomes[other], sep=", ")
trials.limit_s = 1.0
print(*dict(trials.outcomes([Written(SOURCE + "while True: pass")])).values())
try:
    Trials(FILE, ["tests/shared/metrics/test_none.py"], jobs=1)
except TrialError as error:
    print(error)
"""


def test_a_trial_tells_what_became_of_a_mutant() -> None:
    run = [sys.executable, "-c", STORY]
    told = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True).stdout

    assert told.splitlines() == [
        "survived, killed",
        "timed out",
        "shared/metrics/floor.py: its own tests fail: tests/shared/metrics/test_none.py",
    ]


def test_what_may_import_the_mutant_is_imported_anew(monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    names = [
        "numpy",
        "shared.values",
        "shared.intervals",
        "shared.metrics.floor",
        "tests.support.builders",
        "tests.support.programs",
        "tests.shared.test_intervals",
    ]

    kept = ["numpy", "shared.values", "tests.support.programs"]
    assert unaffected("shared/intervals.py", names) == kept

"""Runs that several modules read: each is made once, whichever worker asks for it first."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.once import made_once
from tests.support.runs import FinishedRun, Lines, crawl_eval, evaluate_here

DEFECTS = ("--offline-script", "defects")


@pytest.fixture(scope="session")
def sound_run(of_all_workers: Path) -> FinishedRun:
    """``sound``, as a person at a terminal runs it."""
    return made_once(
        of_all_workers / "sound", lambda folder: crawl_eval(folder / "results", "--offline")
    )


@pytest.fixture(scope="session")
def defects_run(of_all_workers: Path) -> FinishedRun:
    """``defects``, in the same way."""
    return made_once(
        of_all_workers / "defects",
        lambda folder: crawl_eval(folder / "results", "--offline", *DEFECTS),
    )


@pytest.fixture(scope="session")
def sound_lines(of_all_workers: Path) -> Lines:
    """Every message of every sound attempt."""
    return made_once(
        of_all_workers / "sound-lines", lambda folder: evaluate_here(folder / "results")[1]
    )


@pytest.fixture(scope="session")
def defect_lines(of_all_workers: Path) -> Lines:
    """Every message of every defective attempt."""
    return made_once(
        of_all_workers / "defect-lines",
        lambda folder: evaluate_here(folder / "results", offline_script="defects")[1],
    )

"""Runs that several modules read: each is made once, and those of the command two at a time."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from tests.support.runs import FinishedRun, Lines, crawl_eval, evaluate_here

type Pending = Future[FinishedRun]


@pytest.fixture(scope="session")
def command_runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Pending]]:
    """``sound`` and ``defects``, as a person at a terminal runs them."""
    folder = tmp_path_factory.mktemp("command")
    with ThreadPoolExecutor(2) as pool:
        yield {
            "sound": pool.submit(crawl_eval, folder / "sound", "--offline"),
            "defects": pool.submit(
                crawl_eval, folder / "defects", "--offline", "--offline-script", "defects"
            ),
        }


@pytest.fixture(scope="session")
def sound_run(command_runs: dict[str, Pending]) -> FinishedRun:
    return command_runs["sound"].result()


@pytest.fixture(scope="session")
def defects_run(command_runs: dict[str, Pending]) -> FinishedRun:
    return command_runs["defects"].result()


@pytest.fixture(scope="session")
def sound_lines(tmp_path_factory: pytest.TempPathFactory) -> Lines:
    """Every message of every sound attempt."""
    _, lines = evaluate_here(tmp_path_factory.mktemp("lines") / "sound")
    return lines


@pytest.fixture(scope="session")
def defect_lines(tmp_path_factory: pytest.TempPathFactory) -> Lines:
    """Every message of every defective attempt."""
    _, lines = evaluate_here(tmp_path_factory.mktemp("lines") / "defects", offline_script="defects")
    return lines

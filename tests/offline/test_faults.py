"""Every fault gives exactly the outcome its script names: in memory, and over a real socket.

A script's ``expects`` lists status, stage, failing checks, everything odd that is on record, any
warning, and what of the session is kept. Nothing more may be there and nothing less.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from assistants.frontend.fixture.script import ResolvedScript, parse_script
from tests.support.faults import expected_of, outcome_of, warnings_are_of
from tests.support.runs import DATA, FinishedRun, crawl_eval
from tests.support.services import LIVE, Services, on_the_track_of, quick_settings

FOLDER = DATA / "scripts" / "faults"
PATHS = {f"{path.parent.name}@{path.stem}": path for path in sorted(FOLDER.glob("*/*.json"))}
SCRIPTS = {key: json.loads(path.read_text("utf-8")) for key, path in PATHS.items()}
IN_MEMORY = [
    key for key, path in PATHS.items() if not parse_script(path.read_text()).needs_a_socket
]
AT_ONCE = 8
OVER_A_SOCKET = "test_over_a_socket_a_fault_comes_to_the_same_outcome"

SHORTER = {
    "assistant_silent": {"execution.response_timeout_seconds": 1},
    "output_stops": {"execution.response_timeout_seconds": 3},
}
"""What only saves time: they come to the same with the default, after it."""


def says_so(run: FinishedRun, key: str) -> None:
    """The row has the outcome of its script, and the words that go with it."""
    expects = SCRIPTS[key]["expects"]
    row = run.rows[key if key in run.rows else key.partition("@")[0]]
    assert outcome_of(run, row["attempt"]["key"]) == expected_of(expects)
    assert expects.get("says", "") in ((row["error"] or {}).get("message") or "")
    assert warnings_are_of(run, row, expects.get("warns")), row["warnings"]


# in memory


@pytest.fixture(scope="module")
def offline_run(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    return crawl_eval(
        tmp_path_factory.mktemp("faults") / "results", "--offline", "--offline-script", "faults"
    )


@pytest.mark.parametrize("key", IN_MEMORY)
def test_in_memory_a_fault_comes_to_its_outcome(offline_run: FinishedRun, key: str) -> None:
    says_so(offline_run, key)


def test_no_fault_ends_the_batch(offline_run: FinishedRun) -> None:
    assert offline_run.status == 0
    assert list(offline_run.rows) == IN_MEMORY
    assert len(offline_run.journal) == len(IN_MEMORY)


# over a socket


def resolved(key: str) -> ResolvedScript:
    """The script on the track of the caller's request, as a run of its own would put it."""
    scenario_id = key.partition("@")[0]
    scenarios = json.loads((DATA / "scenarios.json").read_text("utf-8"))["scenarios"]
    text = next(one["input"]["text"] for one in scenarios if one["id"] == scenario_id)
    return on_the_track_of(text, PATHS[key].read_text("utf-8"))


def over_a_socket(services: Services, key: str, folder: Path) -> FinishedRun:
    scenario_id, _, name = key.partition("@")
    config = folder / f"{name}.toml"
    wanted = {**SCRIPTS[key].get("settings", {}), **SHORTER.get(name, {})}
    settings = quick_settings(
        response_timeout_s=wanted.pop("execution.response_timeout_seconds", 15),
        assistant={row.removeprefix("assistant."): value for row, value in wanted.items()},
    )
    config.write_text(settings, "utf-8")
    with services.playing(resolved(key)) as url:
        return crawl_eval(
            *(folder / name, "--config", config, "--synthesizer", "tone"),
            *("--endpoint", url),
            *("--example", scenario_id),
            environment=LIVE,
        )


@pytest.fixture(scope="module")
def live_runs(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Future[FinishedRun]]]:
    """The runs of all selected tests, some at a time: each lasts as long as its conversation."""
    folder, services = tmp_path_factory.mktemp("faults-live"), Services()
    selected = {item.name for item in request.session.items}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {
            key: pool.submit(over_a_socket, services, key, folder)
            for key in PATHS
            if f"{OVER_A_SOCKET}[{key}]" in selected
        }
    services.stop()


@pytest.mark.parametrize("key", PATHS)
def test_over_a_socket_a_fault_comes_to_the_same_outcome(
    live_runs: dict[str, Future[FinishedRun]], key: str
) -> None:
    run = live_runs[key].result()
    assert run.status == 0, run.stderr
    says_so(run, key)


def test_every_kind_of_outcome_is_among_them() -> None:
    outcomes = {(one["expects"]["status"], one["expects"].get("stage")) for one in SCRIPTS.values()}
    assert outcomes == {
        ("passed", None),
        ("failed", None),
        ("infrastructure_error", "session_start"),
        ("infrastructure_error", "response_collection"),
    }


def test_a_name_says_something_to_a_reader() -> None:
    titles: list[Any] = [one["title"] for one in SCRIPTS.values()]
    assert all(title.endswith(".") for title in titles)
    assert len(set(titles)) == len(titles)

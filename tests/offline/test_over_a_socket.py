"""The command against ``live-fixture`` in another process comes to what the offline run came to.

Each attempt plays the script that the offline run stored, in real time over a socket, so it lasts
as long as what is said in it. Five of the scenarios run by default. All of them run with

    LIVE_FIXTURE_SCENARIOS=all uv run pytest -q tests/offline/test_over_a_socket.py

``LIVE_FIXTURE_AT_ONCE`` says how many attempts run side by side (default 2). An attempt in which
this computer kept no pace is no measurement and is made again while no other test runs, and so is
one whose times lie farther off than allowed. What lies off every time fails, and the summary of the
tests says how often that was.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest

from tests.support.beside import WITHIN_MS, apart, checks, evidence, flat, measured, work
from tests.support.live_fixtures import a_live_fixture
from tests.support.runs import FinishedRun, Row, crawl_eval
from tests.support.services import LIVE

A_FEW = {
    "restaurant_001": "a booking with a tool",
    "restaurant_005": "a question about availability",
    "restaurant_009": "a cancellation",
    "restaurant_012": "a clarification",
    "restaurant_020": "a refusal",
}
ALL = [f"restaurant_{number:03}" for number in range(1, 22)]
CHOSEN = ALL if os.environ.get("LIVE_FIXTURE_SCENARIOS") == "all" else list(A_FEW)
AT_ONCE = int(os.environ.get("LIVE_FIXTURE_AT_ONCE", "2"))

type Pair = tuple[str, FinishedRun, FinishedRun]
type Tried = tuple[Pair, list[str]]
"""With a run that is a measurement, and why each try before it was none."""


def over_a_socket(key: str, offline: FinishedRun, folder: Path) -> FinishedRun:
    """Make one attempt."""
    script = offline.folder / "scripts" / f"{key}.json"
    record = folder.with_suffix(".jsonl")
    fixture = a_live_fixture(folder.with_suffix(".end"), "--script", script, "--record", record)
    with fixture as (url, _):
        return crawl_eval(
            folder,
            *("--synthesizer", "tone", "--no-judge", "--endpoint", url),
            *("--concurrency", "1", "--example", key),
            environment=LIVE,
        )


@pytest.fixture(scope="module")
def live_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("socket")


@pytest.fixture(scope="module")
def first_tries(
    sound_run: FinishedRun, live_folder: Path
) -> Iterator[dict[str, Future[FinishedRun]]]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {
            key: pool.submit(over_a_socket, key, sound_run, live_folder / f"{key}-0")
            for key in CHOSEN
        }


@pytest.fixture(scope="module", params=CHOSEN)
def tried(
    request: pytest.FixtureRequest,
    sound_run: FinishedRun,
    live_folder: Path,
    first_tries: dict[str, Future[FinishedRun]],
) -> Tried:
    key = request.param
    wait(first_tries.values())
    live, reasons = measured(
        key,
        sound_run,
        first_tries[key].result(),
        lambda number: over_a_socket(key, sound_run, live_folder / f"{key}-{number}"),
    )
    return (key, sound_run, live), reasons


@pytest.fixture
def pair(tried: Tried, record_property: Callable[[str, object], None]) -> Pair:
    """A scenario, offline and over the socket."""
    pair, reasons = tried
    for reason in reasons:
        record_property("repeated", reason)
    return pair


def counts(row: Row) -> dict[str, Any]:
    """Everything that is counted; what is timed has a tolerance of its own."""
    task, audio = row["metrics"]["task"], row["metrics"]["audio"]
    extended = audio["extended"]
    return {
        "task": task,
        "opportunities": audio["response_opportunities"],
        "exclusions": audio["response_exclusion_reasons"],
        "response_rate": audio["response_rate"],
        "interruptions": audio["interruption_count"],
        "late": len(audio["late_response_latencies_ms"]),
        "latencies": extended["response_latency_ms"]["count"],
        "spoken_through": extended["requests_spoken_through"],
        "backend": row["metrics"]["consumption"]["backend"],
        "turns": row["observability"]["interaction"],
        "unavailable": row["metrics"]["unavailable"],
    }


def test_our_own_client_keeps_the_protocol(pair: Pair, live_folder: Path) -> None:
    key, *_ = pair
    record = max(live_folder.glob(f"{key}-*.jsonl"))
    ended = json.loads(record.read_text("utf-8").splitlines()[-1])
    assert (ended["type"], ended["verdict"], ended["mistakes"]) == ("ended", "kept", {})


def test_the_verdict_and_every_count_are_the_same(pair: Pair) -> None:
    key, offline, live = pair
    ours, theirs = offline.rows[key], live.rows[key]
    assert (theirs["status"], theirs["error"]) == (ours["status"], ours["error"])
    assert checks(theirs) == checks(ours)
    assert counts(theirs) == counts(ours)
    assert live.report["run"]["execution_mode"] == "live"


def test_every_voiced_edge_is_where_it_was(pair: Pair) -> None:
    key, offline, live = pair
    ours, theirs = evidence(offline, key), evidence(live, key)
    assert theirs["caller"]["voiced"] == ours["caller"]["voiced"]
    assert (
        apart(flat(theirs["assistant"]["voiced"]), flat(ours["assistant"]["voiced"])) <= WITHIN_MS
    )


def test_the_latency_is_what_it_was(pair: Pair) -> None:
    key, offline, live = pair
    ours, theirs = (run.rows[key]["metrics"]["audio"] for run in (offline, live))
    assert apart([theirs["response_latency_ms"]], [ours["response_latency_ms"]]) <= WITHIN_MS


def test_delegations_and_tools_come_when_they_came(pair: Pair) -> None:
    key, offline, live = pair
    ours, theirs = work(evidence(offline, key)), work(evidence(live, key))
    assert [kind for kind, _ in theirs] == [kind for kind, _ in ours]
    assert apart([at_ms for _, at_ms in theirs], [at_ms for _, at_ms in ours]) <= WITHIN_MS


def test_there_is_work_to_compare(sound_run: FinishedRun) -> None:
    assert sum(bool(work(evidence(sound_run, key))) for key in CHOSEN) >= 3

"""Case 24: who is counted as what, when most of a run was no measurement."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from assistants.resources import BUNDLED_APPLICATION
from tests.support.conversations import (
    BOOKS,
    REQUEST,
    SCENARIO,
    Conversation,
    Held,
    a_dataset,
    delegates,
    says,
)
from tests.support.runs import FinishedRun, Row, crawl_eval
from tests.support.services import LIVE, Services, on_the_track_of, quick_settings

ATTEMPTS = 10
TOO_MANY = {"status": 429, "headers": {"Retry-After": "2"}}
LIMITED = {"code": "rate_limit_exceeded", "message": "Rate limit reached."}
IS_CALLED = {"delegation": "required", "tools": {"required": [BOOKS]}}


def one_served_of_ten(services: Services, folder: Path) -> FinishedRun:
    """Ten attempts; all but the first are turned away at the handshake."""
    folder.mkdir()
    config = folder / "settings.toml"
    config.write_text(quick_settings(), "utf-8")
    served = {"format": "gpt-live-script/1", "steps": [says("Done.")]}
    refused = {"format": "gpt-live-script/1", "steps": [], "door": TOO_MANY}
    scripts = [served] + [refused] * (ATTEMPTS - 1)
    with services.playing(*(on_the_track_of(REQUEST, json.dumps(one)) for one in scripts)) as url:
        return crawl_eval(
            folder / "results",
            *("--data", a_dataset(folder / "data.json", SCENARIO), "--config", config),
            *("--synthesizer", "tone", "--endpoint", url, "--repeats", str(ATTEMPTS)),
            environment=LIVE,
        )


LIMITED_IN_THE_SESSION = Conversation(
    steps=[
        delegates(fails="failed"),
        says("I am sorry, I cannot do that now.", "d1.done+1000"),
    ],
    mishaps={
        "tampering": [
            {"on": "response.failed", "change": {"event": {"response": {"error": LIMITED}}}}
        ]
    },
    expected=IS_CALLED,
)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[Any]]]:
    folder, services = tmp_path_factory.mktemp("accounts"), Services()
    with ThreadPoolExecutor(2) as pool:
        yield {
            "ten": pool.submit(one_served_of_ten, services, folder / "ten"),
            "limited": pool.submit(LIMITED_IN_THE_SESSION.hold, services, folder / "limited"),
        }
    services.stop()


def test_case_24_one_pass_and_nine_refusals_are_ten_one_none_and_nine(
    runs: dict[str, Future[FinishedRun]],
) -> None:
    """E7, E8. Counts stand beside each other, and no rate hides the nine."""
    ten = runs["ten"].result()
    errors = [row["error"] for row in ten.rows.values() if row["error"]]

    assert ten.report["summary"] == {
        "total": ATTEMPTS,
        "passed": 1,
        "failed": 0,
        "infrastructure_errors": ATTEMPTS - 1,
    }
    assert len(ten.rows) == len(ten.journal) == ATTEMPTS, "none has vanished"
    assert f"1 of {ATTEMPTS} passed, 0 failed, 9 infrastructure errors" in ten.stdout
    assert "100" not in ten.stdout
    assert {(one["stage"], one["message"]) for one in errors} == {
        ("session_start", "HTTP 429: refused; retry after 2 s")
    }


def test_case_24_what_was_not_served_has_no_numbers(runs: dict[str, Future[FinishedRun]]) -> None:
    """E7. Unknown is not zero, so no mean over the rows can be pulled by them."""
    refused = [row for row in runs["ten"].result().rows.values() if row["error"]]

    for row in refused:
        audio = row["metrics"]["audio"]
        assert audio["response_rate"] is audio["response_latency_ms"] is None
        assert audio["interruption_rate"] is audio["speaking_duration_ms"] is None
        assert row["metrics"]["task"]["tool_accuracy"] is None
        assert "audio" in row["metrics"]["unavailable"]


def test_case_24_a_limit_inside_the_session_is_no_failure(runs: dict[str, Future[Held]]) -> None:
    """E8. The checks that did not hold are shown all the same."""
    row = runs["limited"].result().row

    assert (row["status"], row["error"]["stage"]) == (
        "infrastructure_error",
        "response_collection",
    )
    assert row["error"]["message"].endswith("rate_limit_exceeded: Rate limit reached.")
    assert "output_audio" in row["artifacts"]
    assert runs["limited"].result().run.report["summary"]["failed"] == 0


def test_case_24_without_a_judge_the_semantic_score_is_null(
    runs: dict[str, Future[FinishedRun]],
) -> None:
    """E13. And the rule that decided is named."""
    row: Row = next(row for row in runs["ten"].result().rows.values() if row["error"] is None)

    assert row["metrics"]["task"]["semantic_quality"]["score"] is None
    assert row["metrics"]["unavailable"]["task.semantic_quality.score"] == "no judge was asked"
    assert row["assessment"]["source"] == "deterministic"
    assert [check["id"] for check in row["assessment"]["checks"] if check["status"] == "passed"]


RAISES = """

class Application(Application):
    def __init__(self, initial_state, facts):
        if initial_state.get("raises"):
            raise RuntimeError("this scenario cannot even begin")
        super().__init__(initial_state, facts)
"""


def test_case_24_one_that_raises_cancels_none_of_the_other_three(tmp_path: Path) -> None:
    """G13."""
    application = shutil.copytree(BUNDLED_APPLICATION, tmp_path / "application")
    with (application / "tools.py").open("a", encoding="utf-8") as tools:
        tools.write(RAISES)
    scenarios = [{**SCENARIO, "id": f"request_{number}"} for number in range(4)]
    scenarios[1] = {**scenarios[1], "application": {"initial_state": {"raises": True}}}
    run = crawl_eval(
        tmp_path / "results",
        *("--offline", "--data", a_dataset(tmp_path / "data.json", *scenarios)),
        *("--application", application, "--concurrency", "4", "--fail-on", "any"),
    )

    rows = {row["scenario_id"]: row for row in run.rows.values()}
    assert {name: row["status"] for name, row in rows.items()} == {
        "request_0": "passed",
        "request_1": "infrastructure_error",
        "request_2": "passed",
        "request_3": "passed",
    }
    error = rows["request_1"]["error"]
    assert error["stage"] == "attempt_execution"
    assert "RuntimeError" in error["message"]
    assert run.status == 3
    assert "Traceback" not in run.stdout + run.stderr

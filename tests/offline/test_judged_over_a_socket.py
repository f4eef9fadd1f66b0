"""The command with a judge: both of the service's ends on sockets, sessions and models.

A run takes as long as what is said in it, so there are few of them, made side by side.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assistants.frontend.fixture.http import HttpEnd, http_end
from assistants.frontend.fixture.http_script import HttpScript, parse_http_script
from shared.attempts.bench import judge_again
from shared.attempts.cancellation import Cancellation
from shared.attempts.details import decode_details, result_json
from shared.attempts.judging import judged_anew
from shared.grading.rubric import RUBRIC_VERSION
from shared.observability.redaction import Masker
from tests.support.judges import BAD, GOOD, ScriptedJudge, a_reply
from tests.support.live_fixtures import a_live_fixture
from tests.support.runs import COMMAND, FinishedRun, Row, bare_environment, crawl_eval
from tests.support.services import patient

KEY = "sk-a-key-that-nobody-may-see"
EXAMPLE = "restaurant_003"
"""A correction with a tool: judged on the task, on context and on what it reports."""
DIMENSIONS = ["task_understanding", "context_fidelity", "grounded_communication"]


def a_script(*answers: dict[str, Any]) -> HttpScript:
    rules = [{"to": "responses", **answer} for answer in answers]
    return parse_http_script(json.dumps({"format": "live-fixture-http/1", "answers": rules}))


def about(dimension: str) -> str:
    return f"Judge {dimension} of this record"


def arguments(session_url: str, cache: Path, *more: str) -> list[str]:
    return [
        "--synthesizer", "tone", "--endpoint", session_url, "--example", EXAMPLE,
        "--judge-cache-dir", str(cache), *more,
    ]  # fmt: skip


def environment(models: HttpEnd) -> dict[str, str]:
    return {
        "OPENAI_API_KEY": KEY,
        "OPENAI_LIVE_ALLOW_INSECURE_LOOPBACK": "true",
        "OPENAI_BASE_URL": models.url,
    }


@dataclass(frozen=True, slots=True)
class Judged:
    """A run, and what its judge was sent."""

    run: FinishedRun
    asked: list[dict[str, Any]]

    @property
    def row(self) -> Row:
        return self.run.rows[EXAMPLE]


def judged(offline: FinishedRun, folder: Path, script: HttpScript, *more: str) -> Judged:
    """Make one attempt."""
    folder.mkdir(exist_ok=True)
    scripted = offline.folder / "scripts" / f"{EXAMPLE}.json"
    end = a_live_fixture(folder / "end", "--script", scripted)
    with end as (url, _), http_end(script) as models:
        run = crawl_eval(
            folder / "results",
            *arguments(url, folder / "cache", *more),
            *("--config", patient(folder)),
            environment=environment(models),
        )
        asked = [json.loads(request.text) for request in models.requests]
    return Judged(run, asked)


BUSY = {"status": 429, "headers": {"retry-after": "0"}}
SCRIPTS = {
    "content": a_script(
        {"when": about("context_fidelity"), "json": {**GOOD, "score": 1}}, {"json": GOOD}
    ),
    "strict": a_script({"when": about("task_understanding"), "json": BAD}, {"json": GOOD}),
    "busy": a_script(BUSY),
    "unasked": a_script({"json": GOOD}),
    "repeated": a_script(
        {"when": about("task_understanding"), "times": 1, "json": {**GOOD, "score": 1}},
        {"when": about("task_understanding"), "times": 1, "json": BAD},
        {"when": about("context_fidelity"), "times": 1, "text": "I would rather not say."},
        {"json": GOOD},
    ),
}
MORE = {"unasked": ["--no-judge"], "repeated": ["--judge-repetitions", "3"]}


@pytest.fixture(scope="module")
def runs(
    sound_run: FinishedRun, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Future[Judged]]]:
    folder = tmp_path_factory.mktemp("judged")
    with ThreadPoolExecutor(2) as pool:
        yield {
            name: pool.submit(
                judged,
                sound_run,
                folder / name,
                script,
                *MORE.get(name, []),
            )
            for name, script in SCRIPTS.items()
        }


@pytest.fixture
def content(runs: dict[str, Future[Judged]]) -> Judged:
    return runs["content"].result()


def test_a_judged_run_has_its_scores(content: Judged) -> None:
    row = content.row

    assert row["status"] == "passed"
    assert row["metrics"]["task"]["semantic_quality"] == {
        "score": 0.8333,
        "dimensions": dict(zip(DIMENSIONS, [0.75, 1.0, 0.75], strict=True)),
    }
    assert row["assessment"]["source"] == "semantic_judge"
    assert "Semantic score 0.8333: 3 of 3 dimensions scored" in content.run.stdout


def test_every_dimension_was_asked_once_and_strictly(content: Judged) -> None:
    assert len(content.asked) == 3
    for body in content.asked:
        assert body["store"] is False
        assert body["model"] == "gpt-5.6-terra"
        assert body["reasoning"] == {"effort": "medium"}
        assert body["text"]["format"]["strict"] is True
        data = json.loads(body["input"][1]["content"].split("\n")[2])
        assert data["expected"]["criteria"]
        assert data["observed"]["tool_executions"][0]["output"]
        assert data["observed"]["dialogue"][0]["recognized"]
        assert data["public_facts"]
        assert "hidden" not in data["public_facts"]


def test_the_run_says_who_judged_and_by_what(content: Judged) -> None:
    configuration = content.run.report["run"]["configuration"]
    judge = configuration["semantic_judge"]

    assert judge["rubric_version"] == RUBRIC_VERSION
    assert (judge["model"], judge["reasoning_effort"]) == ("gpt-5.6-terra", "medium")
    assert (judge["timeout_seconds"], judge["retries"]) == (120, 2)
    for name in DIMENSIONS:
        evidence = content.row["assessment"]["semantic"][name]["evidence"]
        assert evidence["prompt_sha256"] == judge["prompt_sha256"][name]
        assert evidence["rubric_version"] == RUBRIC_VERSION


def test_the_judges_tokens_are_no_consumption_of_the_assistant(
    content: Judged, runs: dict[str, Future[Judged]]
) -> None:
    usage = [one["usage"] for one in content.row["assessment"]["semantic"].values()]

    assert [one["source"] for one in usage] == ["evaluation_judge"] * 3
    assert [one["total_tokens"] for one in usage] == [440] * 3
    unasked = runs["unasked"].result().row["metrics"]["consumption"]["backend"]
    assert content.row["metrics"]["consumption"]["backend"] == unasked


def test_a_failed_task_fails_and_nothing_else_changes(
    content: Judged, runs: dict[str, Future[Judged]]
) -> None:
    strict = runs["strict"].result().row

    assert strict["status"] == "failed"
    assert statuses(strict) == statuses(content.row)
    assert strict["assessment"]["rationale"] == BAD["rationale"]


def test_a_judge_that_is_too_busy_is_no_failure_of_the_assistant(
    content: Judged, runs: dict[str, Future[Judged]]
) -> None:
    busy = runs["busy"].result()

    assert len(busy.asked) == 9, "three dimensions, each with two retries"
    assert busy.row["status"] == "infrastructure_error"
    assert busy.row["error"]["stage"] == "semantic_judge"
    assert "HTTP 429" in busy.row["error"]["message"]
    assert busy.row["metrics"]["task"]["semantic_quality"]["score"] is None
    assert statuses(busy.row) == statuses(content.row)
    assert busy.run.report["summary"]["failed"] == 0


def test_without_a_judge_nobody_is_asked_and_the_row_says_so(
    runs: dict[str, Future[Judged]],
) -> None:
    unasked = runs["unasked"].result()

    assert unasked.asked == []
    assert unasked.row["status"] == "passed"
    assert unasked.row["metrics"]["task"]["semantic_quality"] == {"score": None, "dimensions": {}}
    reasons = unasked.row["metrics"]["unavailable"]
    assert reasons["task.semantic_quality.score"] == "no judge was asked"
    assert unasked.run.report["run"]["configuration"]["semantic_judge"] is None
    assert "Semantic" not in unasked.run.stdout


@pytest.fixture
def repeated(runs: dict[str, Future[Judged]]) -> Judged:
    return runs["repeated"].result()


def test_opinions_that_differ_are_all_kept_and_most_decide(repeated: Judged) -> None:
    judged = repeated.row["assessment"]["semantic"]["task_understanding"]

    assert len(repeated.asked) == 9, "three dimensions, three times each"
    assert repeated.row["status"] == "passed"
    assert (judged["status"], judged["score"]) == ("passed", 0.6667)
    assert [one["score"] for one in judged["samples"]] == [1, 0.25, 0.75]
    assert judged["spread"] == {"lowest": 0.25, "highest": 1, "scored": 3}
    assert judged["usage"]["total_tokens"] == 3 * 440
    assert "repetitions at most 0.75 apart" in repeated.run.stdout


def test_an_opinion_that_was_lost_is_unscored_and_no_zero(repeated: Judged) -> None:
    judged = repeated.row["assessment"]["semantic"]["context_fidelity"]

    assert [one["status"] for one in judged["samples"]] == ["unscored", "passed", "passed"]
    assert (judged["status"], judged["score"]) == ("passed", 0.75)
    assert judged["spread"]["scored"] == 2


def test_the_run_says_how_often_its_judge_was_asked(content: Judged, repeated: Judged) -> None:
    asked = [
        one.run.report["run"]["configuration"]["semantic_judge"]["repetitions"]
        for one in (content, repeated)
    ]
    assert asked == [1, 3]


def test_each_opinion_is_cached_by_itself(
    repeated: Judged, sound_run: FinishedRun, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """All but the lost one: a run that asks as often asks for that one alone."""
    folder = tmp_path_factory.mktemp("again")
    cache = repeated.run.folder.parents[1] / "cache"
    shutil.copytree(cache, folder / "cache")
    kept = len(list(cache.glob("*.json")))
    more = MORE["repeated"]
    again = judged(sound_run, folder, a_script({"json": {**GOOD, "score": 1}}), *more)
    scores = again.row["metrics"]["task"]["semantic_quality"]["dimensions"]

    assert kept == 8
    assert len(again.asked) == 1
    assert scores == dict(zip(DIMENSIONS, [0.6667, 0.8333, 0.75], strict=True))


def statuses(row: Row) -> dict[str, str]:
    """Every deterministic check."""
    found: dict[str, str] = row["observability"]["grading"]["deterministic"]
    return found


@pytest.mark.parametrize("name", SCRIPTS)
def test_judging_again_from_disk_gives_the_row_byte_for_byte(
    name: str, runs: dict[str, Future[Judged]]
) -> None:
    one = runs[name].result()
    row = judge_again(decode_details(one.run.details(EXAMPLE)))

    assert json.dumps(result_json(row)) == json.dumps(one.row)
    assert row.model_dump_json() in one.run.journal


@pytest.mark.parametrize(
    ("name", "answer", "status"),
    [
        pytest.param("busy", a_reply(), "passed", id="a-lost-judge-is-made-good"),
        pytest.param("unasked", a_reply(**BAD), "failed", id="a-run-without-one-gets-one"),
        pytest.param("strict", a_reply(), "passed", id="another-judge-is-content"),
    ],
)
def test_a_finished_run_is_judged_by_another_judge(
    name: str, answer: Any, status: str, runs: dict[str, Future[Judged]]
) -> None:
    one = runs[name].result()
    stored = decode_details(one.run.details(EXAMPLE))
    row = judge_again(judged_anew(stored, ScriptedJudge(answer), Masker(), Cancellation()))

    assert row.status == status
    assert statuses(result_json(row)) == statuses(one.row)  # type: ignore[arg-type]


def test_the_key_stands_nowhere(runs: dict[str, Future[Judged]]) -> None:
    for one in runs.values():
        run = one.result().run
        assert KEY.encode() not in b"".join(run.files().values())
        assert KEY not in run.stdout + run.stderr
        assert all(KEY not in json.dumps(body) for body in one.result().asked)


def test_an_interrupt_during_judging_ends_the_run_at_once(
    sound_run: FinishedRun, tmp_path: Path
) -> None:
    scripted = sound_run.folder / "scripts" / f"{EXAMPLE}.json"
    results = tmp_path / "results"
    stalling = a_script({"stall_ms": 600_000})
    end = a_live_fixture(tmp_path / "end", "--script", scripted)
    with end as (url, _), http_end(stalling) as models:
        process = subprocess.Popen(
            [
                *(COMMAND, "--results-dir", results, "--config", patient(tmp_path)),
                *arguments(url, tmp_path / "cache"),
            ],
            env=bare_environment(results) | environment(models),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        until_s = time.monotonic() + 120
        while len(models.requests) < 3 and time.monotonic() < until_s:
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        sent_s = time.monotonic()
        out, err = process.communicate(timeout=60)
        took_s = time.monotonic() - sent_s

    assert process.returncode == 130
    assert "Interrupted: 0 of 1 attempts finished" in out
    assert "Traceback" not in err
    assert took_s < 3, "a second, and what this machine needs to end a process"

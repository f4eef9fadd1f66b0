"""Applications that misbehave in every place where their code runs: one row each, no batch lost."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.planted import a_dataset, a_script, an_echo
from tests.support.runs import COMMAND, FinishedRun, crawl_eval, evaluate_here, failed_checks
from tests.support.strict_files import unreadable

# What each request's application does is its initial state's "mood": a place, then a deed.
MOODY = """
import asyncio
import sys

class Rude(BaseException):
    pass

class Mute(ValueError):
    def __str__(self):
        raise KeyboardInterrupt

def deep(levels):
    value = "bottom"
    for _ in range(levels):
        value = {"in": value}
    return value

def endless():
    return endless()

def ring():
    value = {}
    value["again"] = value
    return value

def thrown(error):
    raise error

DEEDS = {
    "error": lambda: thrown(RuntimeError("x")),
    "exit": lambda: sys.exit(7),
    "interrupt": lambda: thrown(KeyboardInterrupt()),
    "cancel": lambda: thrown(asyncio.CancelledError()),
    "generator": lambda: thrown(GeneratorExit()),
    "rude": lambda: thrown(Rude()),
    "mute": lambda: thrown(Mute()),
    "memory": lambda: thrown(MemoryError()),
    "recursion": endless,
    "deep": lambda: deep(300),
    "deeper": lambda: deep(100_000),
    "ring": ring,
    "list": lambda: [1],
    "text": lambda: "text",
    "nothing": lambda: None,
    "set": lambda: {"a": {1}},
    "nan": lambda: {"a": float("nan")},
    "long number": lambda: {"a": 10 ** 5_000},
    "half": lambda: {"a": "\\ud800"},
    "half words": lambda: thrown(ValueError("\\ud800 bad")),
}

class Application:
    def __init__(self, initial_state, facts):
        self.place, _, self.deed = initial_state.get("mood", "").partition(" at ")[::-1]
        self.calls = 0
        self.does("the start")

    def does(self, place):
        return DEEDS[self.deed]() if place == self.place else {"fine": True}

    def snapshot(self):
        return self.does("the state after" if self.calls else "the state before")

    def call(self, name, arguments, call_id):
        self.calls += 1
        return self.does("the call")
"""
DEEDS = [
    "error", "exit", "interrupt", "cancel", "generator", "rude", "mute", "memory", "recursion",
    "deep", "deeper", "ring", "list", "text", "nothing", "set", "nan", "long number", "half",
    "half words",
]  # fmt: skip
RAISING = DEEDS[:9]
PLACES = ["the start", "the state before", "the state after", "the call"]
MOODS = [
    f"{deed} at {place}" for place in PLACES for deed in (RAISING if "start" in place else DEEDS)
]


def key(mood: str) -> str:
    return mood.replace(" ", "_")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> FinishedRun:
    folder = tmp_path_factory.mktemp("moods")
    script = a_script({"arguments": {"value": "x"}}, said="Done.")
    scenarios = {
        key(mood): (
            {"input": {"text": "Do it."}, "application": {"initial_state": {"mood": mood}}},
            script,
        )
        for mood in [*MOODS, "a good one"]
    }
    run, _ = evaluate_here(
        folder / "results",
        data=str(a_dataset(folder / "data", scenarios)),
        application=str(an_echo(folder / "app", MOODY)),
        concurrency=2,
    )
    return run


def test_every_attempt_has_its_row(finished: FinishedRun) -> None:
    assert finished.status == 0
    assert list(finished.rows) == [key(mood) for mood in [*MOODS, "a good one"]]
    assert finished.rows["a_good_one"]["error"] is None


@pytest.mark.parametrize("mood", [mood for mood in MOODS if not mood.endswith("the call")])
def test_an_application_without_a_state_makes_no_measurement(
    mood: str, finished: FinishedRun
) -> None:
    row = finished.rows[key(mood)]

    assert row["status"] == "infrastructure_error"
    assert row["error"]["stage"] == "attempt_execution"
    assert row["error"]["message"].startswith("the application")


@pytest.mark.parametrize("mood", [mood for mood in MOODS if mood.endswith("the call")])
def test_a_broken_tool_is_a_failed_call_of_a_measurement(mood: str, finished: FinishedRun) -> None:
    row = finished.rows[key(mood)]
    (call,) = row["observability"]["tools"]["executed"]

    assert row["error"] is None
    assert call["status"] == "failed"


def test_every_file_can_be_read_strictly(finished: FinishedRun) -> None:
    assert unreadable(finished.files()) == []


def test_no_details_of_an_exception_get_out(finished: FinishedRun) -> None:
    assert json.dumps(finished.report).count("Traceback") == 0


def test_loading_an_application_leaves_nothing_in_its_folder(tmp_path: Path) -> None:
    application = an_echo(tmp_path / "app")
    data = a_dataset(tmp_path / "data", {"one": ({}, a_script())})
    evaluate_here(tmp_path / "results", data=str(data), application=str(application))

    assert [path for path in application.rglob("*") if path.name == "__pycache__"] == []


BLOCKING = """
import threading

class Application:
    def __init__(self, initial_state, facts):
        self._state = {"calls": 0}

    def snapshot(self):
        return dict(self._state)

    def call(self, name, arguments, call_id):
        self._state["calls"] += 1
        threading.Event().wait()
"""


def test_a_tool_that_never_returns_ends_with_its_attempt_and_not_with_the_batch(
    tmp_path: Path,
) -> None:
    stuck = a_script({"arguments": {"value": "x"}}, said="Done.")
    scenario = {
        "input": {"text": "Do it."},
        "expected": {"answer": "It is done.", "delegation": "required"},
    }
    data = a_dataset(tmp_path / "data", {"one": (scenario, stuck), "two": (scenario, stuck)})

    began_s = time.monotonic()
    run = crawl_eval(
        tmp_path / "results",
        *("--offline", "--real-time", "--concurrency", "2", "--response-timeout-seconds", "3"),
        *("--data", data, "--application", an_echo(tmp_path / "app", BLOCKING)),
    )

    assert run.status == 0
    assert time.monotonic() - began_s < 60
    for row in run.rows.values():
        assert (row["status"], row["error"]) == ("failed", None)
        assert "conversation_completed" in failed_checks(row)
        assert row["warnings"] == ["echo had not returned; the state is the one before it"]
        (call,) = row["observability"]["tools"]["executed"]
        assert call["status"] == "unanswered"
    assert json.loads(run.details("one"))["evidence"]["state_after"] == {"calls": 0}


WANDERING = """
import os

class Application:
    def __init__(self, initial_state, facts): ...
    def snapshot(self):
        return {}
    def call(self, name, arguments, call_id):
        os.chdir("/")
        return {}
"""


def test_both_sides_of_a_comparison_lie_where_they_were_asked_for_wherever_a_tool_goes(
    tmp_path: Path,
) -> None:
    run = {"input": {"text": "Do it."}}, a_script({"arguments": {"value": "x"}}, said="Done.")
    a_dataset(tmp_path / "data", {"request": run})
    an_echo(tmp_path / "app", WANDERING)
    asked = ("--offline", "--assistant", "both", "--json", "--results-dir", "results")
    ended = subprocess.run(
        [COMMAND, *asked, "--data", "data/scenarios.json", "--application", "app"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    told = json.loads(ended.stdout)["runs"]
    assert len(told) == 2
    assert all((tmp_path / one["results"]).is_file() for one in told)

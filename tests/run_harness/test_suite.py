"""What the head of a report says of conversations, so that unequal runs do not pass for equal."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assistants.suite.header import run_header
from assistants.suite.plan import plan_run
from run_harness.settings import ROWS
from run_harness.simulation.observer import prompt_sha256
from run_harness.suite import RUN
from shared.settings import Value, resolve

OPENING = "assistant_opening_prompt"
KEY = "not-a-key-that-opens-anything"


def configuration(**flags: Value) -> dict[str, Any]:
    settings = resolve(ROWS, flags=flags, environment={"OPENAI_API_KEY": KEY}, env_file={}, toml={})
    return run_header(plan_run(RUN, settings), "a_run", datetime.now(UTC)).configuration


def opened_by(path: Path, text: str) -> dict[str, Any]:
    path.write_text(text, "utf-8")
    return configuration(offline=True, **{OPENING: str(path)})


def test_runs_opened_by_other_words_in_files_of_one_name_differ(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    greeted = opened_by(one / "first.txt", "Greet the caller.")
    asked = opened_by(other / "first.txt", "Ask what it is about.")
    hashed = f"{OPENING}_sha256"

    assert greeted[OPENING] == asked[OPENING] == "first.txt"
    assert greeted[hashed] == hashlib.sha256(b"Greet the caller.").hexdigest()
    assert {name for name in greeted if greeted[name] != asked[name]} == {hashed}


def test_equal_words_are_equal_wherever_they_lie(tmp_path: Path) -> None:
    one = opened_by(tmp_path / "one.txt", "Greet the caller.")
    other = opened_by(tmp_path / "other.txt", "Greet the caller.")
    assert {name for name in one if one[name] != other[name]} == {OPENING}


def test_a_call_that_the_caller_opens_has_no_words_to_open_it() -> None:
    assert configuration(offline=True)[f"{OPENING}_sha256"] is None


@pytest.mark.parametrize(
    ("flags", "is_asked"),
    [
        pytest.param({}, True, id="a-live-run"),
        pytest.param({"semantic_drain": False}, False, id="a-live-run-without-observer"),
        pytest.param({"offline": True}, False, id="an-offline-run"),
    ],
)
def test_who_says_that_a_conversation_is_over(flags: dict[str, Value], *, is_asked: bool) -> None:
    observer = configuration(completion_model="some-model", judge=False, **flags)
    told = {"model": "some-model", "reasoning_effort": "none", "prompt_sha256": prompt_sha256()}
    assert observer["completion_observer"] == (told if is_asked else None)

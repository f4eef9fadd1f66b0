"""Judgments on disk: asked once, found by all they depend on, and never trusted unread."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from shared.grading.dossier import Dossier
from shared.grading.judge import Judgment, Question, Reply, question_about, read_reply
from shared.grading.judge_cache import CachedJudge
from shared.grading.rubric import DIMENSIONS
from shared.observability.redaction import Masker
from tests.support.judges import GOOD, USAGE, ScriptedJudge, a_reply, said

SECRET = "a-secret-of-ours"
DOSSIER = Dossier({"said": "done"})
QUESTION = question_about(DIMENSIONS[0], DOSSIER)


def a_cached(judge: ScriptedJudge, folder: Path, *, refresh: bool = False) -> CachedJudge:
    return CachedJudge(judge, folder / "kept", Masker([SECRET]).machine_text, refresh)


def ask(judge: CachedJudge, question: Question = QUESTION) -> Reply:
    return asyncio.run(judge.ask(question))


def test_a_judgment_is_asked_for_once(tmp_path: Path) -> None:
    judge = ScriptedJudge()
    first, second = (ask(a_cached(judge, tmp_path)) for _ in range(2))

    assert len(judge.asked) == 1
    assert read_reply(second) == read_reply(first)
    assert (first.is_cached, first.usage, first.original_usage) == (False, USAGE, None)
    assert (second.is_cached, second.usage, second.original_usage) == (True, None, USAGE)
    assert (second.calls, second.latency_ms) == (0, 0)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(question_about(DIMENSIONS[1], DOSSIER), id="another-dimension"),
        pytest.param(question_about(DIMENSIONS[0], Dossier({"said": "x"})), id="another-dossier"),
        pytest.param(replace(QUESTION, prompt_sha256="0"), id="another-prompt"),
    ],
)
def test_it_is_asked_anew_for(other: Question, tmp_path: Path) -> None:
    judge = ScriptedJudge()
    ask(a_cached(judge, tmp_path))

    assert not ask(a_cached(judge, tmp_path), other).is_cached


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(ScriptedJudge(model="another"), id="another-model"),
        pytest.param(ScriptedJudge(reasoning_effort="high"), id="another-effort"),
    ],
)
def test_it_is_asked_anew_by(other: ScriptedJudge, tmp_path: Path) -> None:
    ask(a_cached(ScriptedJudge(), tmp_path))

    assert not ask(a_cached(other, tmp_path)).is_cached


def test_a_judge_on_this_machine_is_never_taken_for_another(tmp_path: Path) -> None:
    ask(replace(a_cached(ScriptedJudge(), tmp_path), is_loopback=True))

    assert not ask(a_cached(ScriptedJudge(), tmp_path)).is_cached


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(a_reply(score=0.6), id="a-score-that-is-none"),
        pytest.param(a_reply(passed=False, score=1), id="one-that-contradicts-itself"),
        pytest.param(said("well done"), id="prose"),
        pytest.param(Reply(problem="HTTP 429: slow down", calls=1), id="a-problem"),
    ],
)
def test_what_is_no_judgment_is_not_kept(reply: Reply, tmp_path: Path) -> None:
    judge = ScriptedJudge(reply)
    ask(a_cached(judge, tmp_path))
    ask(a_cached(judge, tmp_path))

    assert len(judge.asked) == 2
    assert list(tmp_path.rglob("*.json")) == []


def test_nothing_is_asked_anew_unless_that_is_wanted(tmp_path: Path) -> None:
    judge = ScriptedJudge()
    cached = CachedJudge(judge, tmp_path / "kept", Masker().machine_text)

    assert [ask(cached).is_cached, ask(cached).is_cached] == [False, True]
    assert not cached.is_loopback


def test_refreshing_asks_again_and_keeps_the_new_one(tmp_path: Path) -> None:
    ask(a_cached(ScriptedJudge(), tmp_path))
    fresh = ask(a_cached(ScriptedJudge(a_reply(score=1)), tmp_path, refresh=True))
    outcome = read_reply(ask(a_cached(ScriptedJudge(), tmp_path)))

    assert not fresh.is_cached
    assert isinstance(outcome, Judgment)
    assert outcome.score == 1


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b'{"text": ', id="half"),
        pytest.param(b"\xff", id="no-text"),
        pytest.param(b"[]", id="a-list"),
        pytest.param(json.dumps({"text": '{"score": 0.6}'}).encode(), id="no-judgment"),
        pytest.param(json.dumps({"text": 1}).encode(), id="of-another-type"),
        pytest.param(
            json.dumps({"text": json.dumps(GOOD), "calls": "1"}).encode(),
            id="with-a-figure-in-text",
        ),
    ],
)
def test_an_entry_that_was_damaged_is_as_good_as_none(content: bytes, tmp_path: Path) -> None:
    judge = ScriptedJudge()
    cached = a_cached(judge, tmp_path)
    ask(cached)
    cached.entry(QUESTION).write_bytes(content)

    assert not ask(cached).is_cached
    assert ask(cached).is_cached, "and it is mended"


def test_entries_are_private_and_hold_no_secret(tmp_path: Path) -> None:
    cached = a_cached(ScriptedJudge(a_reply(rationale=f"It said {SECRET}.")), tmp_path)
    ask(cached)
    entry = cached.entry(QUESTION)

    assert SECRET not in entry.read_text("utf-8")
    assert ask(cached).is_cached
    assert [path.name for path in entry.parent.iterdir()] == [entry.name]
    if os.name == "posix":
        assert (entry.stat().st_mode & 0o777, entry.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_folder_that_cannot_be_had_costs_no_judgment(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("a file")

    assert isinstance(read_reply(ask(a_cached(ScriptedJudge(), tmp_path))), Judgment)

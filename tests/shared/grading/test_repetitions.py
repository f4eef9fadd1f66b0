"""Several judgments of one dimension: who is believed, and what is kept of each."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import TypeAdapter

from shared.grading.asking import ask
from shared.grading.dossier import Dossier
from shared.grading.judge import (
    JudgeCall,
    JudgedDimension,
    Judgment,
    Judgments,
    Pooled,
    Question,
    Reply,
    Undecided,
    Unscored,
)
from shared.grading.judge_cache import CachedJudge
from shared.grading.repetitions import pooled
from shared.grading.rubric import DIMENSIONS
from shared.grading.semantic import quality, task_understanding
from shared.grading.verdict import CheckStatus
from shared.observability.observations import TokenUsage
from tests.support.judges import BAD, ScriptedJudge, a_judgment, a_reply

LOST = Unscored("no reply")
ADAPTER = TypeAdapter(Judgments)
TASK = DIMENSIONS[0]


def a_call(*, is_cached: bool = False, tokens: int | None = 10) -> JudgeCall:
    usage = None if tokens is None else TokenUsage(1, 2, tokens)
    return JudgeCall(
        model="a-judge",
        reasoning_effort="low",
        prompt_sha256="0" * 64,
        latency_ms=5,
        calls=0 if is_cached else 1,
        is_cached=is_cached,
        usage=None if is_cached else usage,
        original_usage=usage if is_cached else None,
    )


def judged(outcome: float | Unscored, call: JudgeCall | None = None) -> JudgedDimension:
    """A score from 0.5 on passes."""
    said = outcome if isinstance(outcome, Unscored) else a_judgment(outcome)
    return JudgedDimension(TASK.name, said, call or a_call())


@pytest.mark.parametrize(
    ("outcomes", "passed", "score"),
    [
        pytest.param([1.0, 0.75, 0.0], True, 0.5833, id="two-of-three-pass"),
        pytest.param([1.0, 0.25, 0.0], False, 0.4167, id="two-of-three-fail"),
        pytest.param([1.0, 0.25], False, 0.625, id="half-of-them-is-no-majority"),
        pytest.param([1.0, 1.0, LOST], True, 1.0, id="a-lost-one-could-change-nothing"),
        pytest.param([0.25, LOST], False, 0.25, id="half-of-them-fail"),
        pytest.param([1.0, LOST], None, None, id="a-lost-one-could-change-it"),
        pytest.param([1.0, 0.0, LOST, LOST], None, None, id="nobody-has-most"),
        pytest.param([LOST, LOST], None, None, id="all-lost"),
    ],
)
def test_most_of_all_repetitions_are_believed(
    outcomes: list[float | Unscored], passed: bool | None, score: float | None
) -> None:
    outcome = pooled([judged(one) for one in outcomes]).outcome
    if passed is None:
        assert isinstance(outcome, Undecided)
        assert "no reply" in outcome.reason
    else:
        assert isinstance(outcome, Pooled)
        assert (outcome.passed, round(outcome.score, 4)) == (passed, score)
    assert isinstance(outcome, Pooled | Undecided)
    assert len(outcome.samples) == len(outcomes)


def test_one_repetition_is_the_judgment_itself() -> None:
    one = judged(0.75)
    assert pooled([one]) is one


def test_what_was_spent_is_added_up() -> None:
    call = pooled([judged(1.0), judged(1.0), judged(1.0, a_call(is_cached=True))]).call
    assert (call.calls, call.latency_ms, call.is_cached) == (2, 15, False)
    assert call.usage == TokenUsage(2, 4, 20)
    assert call.original_usage == TokenUsage(1, 2, 10)


def test_what_one_of_them_spent_is_unknown_so_is_the_sum() -> None:
    call = pooled([judged(1.0), judged(1.0, a_call(tokens=None))]).call
    assert call.usage == TokenUsage()


@pytest.mark.parametrize(
    "outcomes",
    [
        pytest.param([1.0, 0.25, 0.5], id="a-mean-that-is-no-quarter"),
        pytest.param([0.75, 0.75], id="a-mean-that-is-a-quarter"),
        pytest.param([1.0, LOST], id="an-undecided-one"),
        pytest.param([0.75], id="a-single-one"),
        pytest.param([LOST], id="a-single-lost-one"),
    ],
)
def test_judgments_are_read_back_as_they_were(outcomes: list[float | Unscored]) -> None:
    told = Judgments("r", (pooled([judged(one) for one in outcomes]),))
    assert ADAPTER.validate_json(ADAPTER.dump_json(told), strict=True) == told


def test_a_single_judgment_is_written_as_before_there_were_repetitions() -> None:
    (written,) = ADAPTER.dump_python(Judgments("r", (judged(0.75),)))["dimensions"]
    assert set(written["outcome"]) == {"passed", "score", "rationale", "support", "support_found"}


def asked(judge: ScriptedJudge | CachedJudge, repetitions: int) -> Judgments:
    dossier = Dossier({"said": "yes"})
    return asyncio.run(ask(judge, dossier, DIMENSIONS, lambda text: text, repetitions))


def test_every_dimension_is_asked_as_often_and_rounds_follow_one_another() -> None:
    judge = ScriptedJudge()
    asked(judge, 2)
    assert [(q.repetition, q.dimension) for q in judge.asked] == [
        (again, one.name) for again in range(2) for one in DIMENSIONS
    ]


def test_a_cache_answers_no_second_repetition_with_the_first(tmp_path: object) -> None:
    from pathlib import Path

    def answer(question: Question) -> Reply:
        return a_reply(**BAD) if question.repetition else a_reply()

    judge = CachedJudge(ScriptedJudge(answer), Path(str(tmp_path)), lambda text: text)
    for _ in range(2):
        (first, *_) = asked(judge, 2).dimensions
        assert isinstance(first.outcome, Pooled)
        assert [s.outcome.passed for s in first.outcome.samples if isinstance(s.outcome, Judgment)]
        assert first.outcome.score == 0.5


@pytest.mark.parametrize("repetitions", [0, -1])
def test_a_judge_is_asked_at_least_once(repetitions: int) -> None:
    with pytest.raises(ValueError, match="at least once"):
        asked(ScriptedJudge(), repetitions)


def test_a_pooled_judgment_decides_like_a_single_one() -> None:
    told = Judgments("r", (pooled([judged(one) for one in (1.0, 0.75, 0.0)]),))
    assert task_understanding(told).status is CheckStatus.PASSED
    assert quality(told) == pytest.approx(0.5833, abs=1e-4)


@pytest.mark.parametrize("score", [-0.01, 1.01])
def test_a_mean_lies_between_the_least_and_the_best(score: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        Pooled(passed=True, score=score, rationale="x", support=(), samples=())

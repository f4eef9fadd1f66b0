"""Judges without a model: one reply for all, one for each dimension, or whatever goes wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from shared.grading.judge import (
    JudgeCall,
    JudgedDimension,
    Judgment,
    Judgments,
    Question,
    Reply,
    Unscored,
)
from shared.grading.repetitions import pooled
from shared.grading.rubric import RUBRIC_VERSION
from shared.observability.observations import TokenUsage

USAGE = TokenUsage(
    input_tokens=100,
    output_tokens=20,
    total_tokens=120,
    cached_input_tokens=50,
    reasoning_tokens=5,
)
GOOD: dict[str, Any] = {
    "rationale": "It did what was asked.",
    "evidence": ["done"],
    "passed": True,
    "score": 0.75,
}
BAD: dict[str, Any] = {
    **GOOD,
    "rationale": "It did something else.",
    "passed": False,
    "score": 0.25,
}

type Answer = Reply | BaseException | Callable[[Question], Reply]


def a_reply(**edits: Any) -> Reply:
    return Reply(text=json.dumps({**GOOD, **edits}), latency_ms=12, calls=1, usage=USAGE)


def said(text: str) -> Reply:
    """A reply of these words, whatever they are."""
    return Reply(text=text, latency_ms=12, calls=1, usage=USAGE)


@dataclass
class ScriptedJudge:
    """Answers every question with ``answer``, but for the dimensions that have their own."""

    answer: Answer = field(default_factory=a_reply)
    by_dimension: Mapping[str, Answer] = field(default_factory=dict)
    model: str = "a-judge"
    reasoning_effort: str = "medium"
    asked: list[Question] = field(default_factory=list)

    async def ask(self, question: Question) -> Reply:
        self.asked.append(question)
        answer = self.by_dimension.get(question.dimension, self.answer)
        if isinstance(answer, BaseException):
            raise answer
        return answer if isinstance(answer, Reply) else answer(question)


def a_judgment(score: float = 0.75, *, passed: bool | None = None) -> Judgment:
    """A judgment that passes from 0.5 on, unless it is told otherwise."""
    return Judgment(score >= 0.5 if passed is None else passed, score, "Because.", ("done",), 1)


def judgments(*, is_cached: bool = False, **outcomes: Judgment | Unscored | float) -> Judgments:
    """Outcomes by dimension; a number stands for a judgment with that score."""
    call = JudgeCall(
        model="a-judge",
        reasoning_effort="medium",
        prompt_sha256="0" * 64,
        latency_ms=0 if is_cached else 12,
        calls=0 if is_cached else 1,
        is_cached=is_cached,
        usage=None if is_cached else USAGE,
        original_usage=USAGE if is_cached else None,
    )
    made = {
        name: a_judgment(one) if isinstance(one, int | float) else one
        for name, one in outcomes.items()
    }
    return Judgments(
        RUBRIC_VERSION,
        tuple(JudgedDimension(name, outcome, call) for name, outcome in made.items()),
    )


def repeatedly(*rounds: Judgments) -> Judgments:
    """Judgments of one dossier as they are when it was judged so often."""
    dimensions = zip(*(one.dimensions for one in rounds), strict=True)
    return Judgments(RUBRIC_VERSION, tuple(pooled(one) for one in dimensions))

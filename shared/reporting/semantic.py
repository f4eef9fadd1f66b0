"""Judgments in a report: the mean and its dimensions, and each dimension with its receipt."""

from __future__ import annotations

from shared.grading.judge import (
    JudgedDimension,
    Judgment,
    Judgments,
    Pooled,
    Undecided,
    Unscored,
)
from shared.grading.rubric import DIMENSIONS
from shared.grading.semantic import NO_JUDGE, NONE_SCORED, quality, scores
from shared.observability.observations import TokenUsage
from shared.reporting.schema import (
    JudgeUsage,
    ScoreSpread,
    SemanticDimension,
    SemanticEvidence,
    SemanticQuality,
    SemanticSample,
)

SCORE = "task.semantic_quality.score"
DIMENSION = "task.semantic_quality.dimensions"


def semantic_quality(judgments: Judgments | None) -> SemanticQuality:
    mean = quality(judgments)
    return SemanticQuality(
        score=None if mean is None else round(mean, 4),
        dimensions={name: round(one, 4) for name, one in scores(judgments).items()},
    )


def unscored(judgments: Judgments | None) -> dict[str, str]:
    """Why there is no mean, and why a dimension that applies is not in it."""
    if judgments is None:
        return {SCORE: NO_JUDGE}
    lost = {
        f"{DIMENSION}.{one.dimension}": one.outcome.reason
        for one in judgments.dimensions
        if not isinstance(one.outcome, Judgment)
    }
    return lost if scores(judgments) else {SCORE: NONE_SCORED, **lost}


def semantic_dimensions(judgments: Judgments | None) -> dict[str, SemanticDimension]:
    asked = judgments.dimensions if judgments is not None else ()
    version = judgments.rubric_version if judgments is not None else ""
    return {one.dimension: _dimension(one, version) for one in asked}


def statuses(judgments: Judgments | None) -> dict[str, str]:
    """What became of each dimension of the rubric; nothing when no judge was asked."""
    if judgments is None:
        return {}
    asked = {one.dimension: _status(one) for one in judgments.dimensions}
    return {one.name: asked.get(one.name, "not_applicable") for one in DIMENSIONS}


def _status(judged: JudgedDimension) -> str:
    match judged.outcome:
        case Judgment(passed=True):
            return "passed"
        case Judgment():
            return "failed"
        case _:
            return "unscored"


def _dimension(judged: JudgedDimension, rubric_version: str) -> SemanticDimension:
    outcome, call = judged.outcome, judged.call
    judgment = outcome if isinstance(outcome, Judgment) else None
    evidence = SemanticEvidence(
        support=[] if judgment is None else list(judgment.support),
        support_found=0 if judgment is None else judgment.support_found,
        rubric_version=rubric_version,
        judge_model=call.model,
        reasoning_effort=call.reasoning_effort,
        prompt_sha256=call.prompt_sha256,
        latency_ms=call.latency_ms,
        calls=call.calls,
        is_cached=call.is_cached,
    )
    usage, original = _usage(call.usage), _usage(call.original_usage)
    if not isinstance(outcome, Judgment):
        return SemanticDimension(
            status="unscored",
            reason=outcome.reason,
            evidence=evidence,
            usage=usage,
            samples=_samples(outcome),
            spread=_spread(outcome),
        )
    return SemanticDimension(
        status="passed" if outcome.passed else "failed",
        passed=outcome.passed,
        score=round(outcome.score, 4),
        rationale=outcome.rationale,
        evidence=evidence,
        usage=NO_TOKENS if call.is_cached else usage,
        original_usage=original,
        samples=_samples(outcome),
        spread=_spread(outcome),
    )


def _samples(outcome: Judgment | Unscored) -> list[SemanticSample] | None:
    if not isinstance(outcome, Pooled | Undecided):
        return None
    return [_sample(one.outcome) for one in outcome.samples]


def _spread(outcome: Judgment | Unscored) -> ScoreSpread | None:
    """Absent where nothing was repeated, or no repetition gave a score."""
    samples = outcome.samples if isinstance(outcome, Pooled | Undecided) else ()
    given = [one.outcome.score for one in samples if isinstance(one.outcome, Judgment)]
    if not given:
        return None
    return ScoreSpread(lowest=min(given), highest=max(given), scored=len(given))


def _sample(outcome: Judgment | Unscored) -> SemanticSample:
    if isinstance(outcome, Unscored):
        return SemanticSample(status="unscored", reason=outcome.reason)
    return SemanticSample(
        status="passed" if outcome.passed else "failed",
        score=outcome.score,
        rationale=outcome.rationale,
    )


NO_TOKENS = JudgeUsage(
    total_tokens=0, input_tokens=0, cached_input_tokens=0, output_tokens=0, reasoning_tokens=0
)


def _usage(usage: TokenUsage | None) -> JudgeUsage | None:
    if usage is None:
        return None
    return JudgeUsage(
        total_tokens=usage.total_tokens,
        input_tokens=usage.input_tokens,
        cached_input_tokens=usage.cached_input_tokens,
        output_tokens=usage.output_tokens,
        reasoning_tokens=usage.reasoning_tokens,
    )

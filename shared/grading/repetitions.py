"""One judgment out of several about the same dimension of the same dossier.

The dimension passes where more than half of all repetitions passed it, and fails where at least
half failed it, whatever the rest would have said; what neither holds of is undecided. The score is
the mean of those that were given.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from shared.grading.judge import (
    JudgeCall,
    JudgedDimension,
    Judgment,
    Pooled,
    Sample,
    Undecided,
    Unscored,
)
from shared.metrics.consumption import total_usage
from shared.observability.observations import TokenUsage


def pooled(repetitions: Sequence[JudgedDimension]) -> JudgedDimension:
    """All repetitions of one dimension as one; a single one as it is."""
    first, *others = repetitions
    if not others:
        return first
    samples = tuple(Sample(_single(one.outcome), one.call) for one in repetitions)
    call = _call([sample.call for sample in samples])
    return JudgedDimension(first.dimension, _outcome(samples), call)


def _single(outcome: Judgment | Unscored) -> Judgment | Unscored:
    if isinstance(outcome, Pooled | Undecided):
        raise TypeError("what is pooled already cannot be pooled again")
    return outcome


def _outcome(samples: tuple[Sample, ...]) -> Pooled | Undecided:
    scored = [one.outcome for one in samples if isinstance(one.outcome, Judgment)]
    passes = [one for one in scored if one.passed]
    fails = [one for one in scored if not one.passed]
    if 2 * len(passes) > len(samples):
        spokesman = passes[0]
    elif fails and 2 * len(fails) >= len(samples):
        spokesman = fails[0]
    else:
        lost = next(one.outcome for one in samples if isinstance(one.outcome, Unscored))
        reason = f"{len(scored)} of {len(samples)} repetitions were scored: {lost.reason}"
        return Undecided(reason, samples=samples)
    return Pooled(
        passed=spokesman.passed,
        score=fmean(one.score for one in scored),
        rationale=spokesman.rationale,
        support=spokesman.support,
        support_found=spokesman.support_found,
        samples=samples,
    )


def _call(calls: Sequence[JudgeCall]) -> JudgeCall:
    """How all of them were come by: what was spent is added up."""
    first = calls[0]
    return JudgeCall(
        model=first.model,
        reasoning_effort=first.reasoning_effort,
        prompt_sha256=first.prompt_sha256,
        latency_ms=sum(call.latency_ms for call in calls),
        calls=sum(call.calls for call in calls),
        is_cached=all(call.is_cached for call in calls),
        usage=_spent([call.usage for call in calls if not call.is_cached]),
        original_usage=_spent([call.original_usage for call in calls if call.is_cached]),
    )


def _spent(usages: Sequence[TokenUsage | None]) -> TokenUsage | None:
    return total_usage(usages) if any(usage is not None for usage in usages) else None

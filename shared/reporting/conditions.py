"""Attempts pooled by the acoustic condition of their recordings. Counts are added, never rates.

Contract: ``docs/metrics-contract.md``, "Conditions".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from shared.errors import Stage
from shared.metrics.percentiles import Spread
from shared.metrics.transcription.word_error import WordErrors
from shared.reporting.recognized import counted
from shared.reporting.rounding import percentiles, rounded_rate
from shared.reporting.schema import (
    AttemptResult,
    ConditionSummary,
    EntityCounts,
    ResponseCounts,
    WordErrorCounts,
)
from shared.scenarios import AcousticCondition
from shared.values import Rate

_ORDER: Final = {one.value: position for position, one in enumerate(AcousticCondition)}


def condition_summaries(rows: Sequence[AttemptResult]) -> list[ConditionSummary] | None:
    """One entry for each condition some row names, clean first; nothing where none does."""
    by_condition: dict[str, list[AttemptResult]] = {}
    for row in rows:
        if row.recording is not None:
            by_condition.setdefault(row.recording.condition, []).append(row)
    ordered = sorted(by_condition, key=lambda name: (_ORDER.get(name, len(_ORDER)), name))
    return [condition_summary(name, by_condition[name]) for name in ordered] or None


def condition_summary(condition: str, rows: Sequence[AttemptResult]) -> ConditionSummary:
    """These rows pooled, under a name."""
    statuses = [row.status for row in rows]
    passed, failed = statuses.count("passed"), statuses.count("failed")
    measured = [row for row in rows if _has_measured(row)]
    blocks = [block for row in measured if (block := row.metrics.audio.extended) is not None]
    words = [block.word_error for block in blocks if block.word_error is not None]
    entities = [block.entities for block in blocks if block.entities is not None]
    return ConditionSummary(
        condition=condition,
        total=len(rows),
        passed=passed,
        failed=failed,
        infrastructure_errors=statuses.count("infrastructure_error"),
        pass_rate=rounded_rate(Rate(passed, passed + failed).value),
        measured=len(measured),
        responses=_responses(measured),
        response_latency_ms=percentiles(
            Spread.of(ms for row in measured for ms in row.metrics.audio.response_latencies_ms)
        ),
        transcribed=len(words),
        word_error=_pooled(words),
        entities=_heard([one.heard for several in entities for one in several])
        if entities
        else None,
    )


def _has_measured(row: AttemptResult) -> bool:
    """Whether the line was measured: a judge that was lost takes nothing from that."""
    is_valid = row.error is None or row.error.stage == Stage.SEMANTIC_JUDGE.value
    return is_valid and row.metrics.audio.response_opportunities is not None


def _responses(rows: Sequence[AttemptResult]) -> ResponseCounts:
    known = [one for row in rows if (one := row.metrics.audio.response_opportunities) is not None]
    rate = Rate(sum(one.response_count for one in known), sum(one.response_total for one in known))
    return ResponseCounts(
        response_count=rate.count,
        response_total=rate.total,
        response_rate=rounded_rate(rate.value),
    )


def _pooled(words: Sequence[WordErrorCounts]) -> WordErrorCounts | None:
    if not words:
        return None
    return counted(
        WordErrors.pooled(
            WordErrors(one.hits, one.substitutions, one.deletions, one.insertions) for one in words
        )
    )


def _heard(heard: Sequence[bool]) -> EntityCounts:
    rate = Rate(sum(heard), len(heard))
    return EntityCounts(heard=rate.count, total=rate.total, share=rounded_rate(rate.value))

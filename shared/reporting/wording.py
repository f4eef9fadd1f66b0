"""How a report's figures and outcomes are said, in the terminal and in files for people alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import override

from shared.reporting.schema import (
    AttemptResult,
    CheckReport,
    ConditionSummary,
    EntityCounts,
    Report,
)

SCRIPTED_NOTE = "A scripted fixture answered: this checks the harness, not a live model."
SCRIPTED = "scripted"
"""In place of what a fixture is said to have understood: its script repeats the reference."""
OFFLINE = "offline_fixture"
NONE = "-"
"""A figure that does not exist."""
CONVERSING = frozenset({"simulated", "scripted"})
"""Kinds of callers that go on speaking."""


def key_figures(row: AttemptResult) -> dict[str, str]:
    """The key figures by their headings, in order: of a conversation more than of one request."""
    told = {"latency": _latency(row), "tools": _tools(row)}
    caller, audio = row.attempt.caller, row.metrics.audio
    if caller is None or caller.kind not in CONVERSING:
        return told
    counts, extended = audio.response_opportunities, audio.extended
    return {
        "length": NONE if extended is None else f"{extended.observed_ms / 1_000:.1f} s",
        "answered": NONE if counts is None else f"{counts.response_count}/{counts.response_total}",
        "latency": told["latency"],
        "interrupted": NONE if audio.interruption_count is None else str(audio.interruption_count),
        "tools": told["tools"],
    }


def condition_columns(one: ConditionSummary, *, is_scripted: bool) -> dict[str, str]:
    """Each figure by its heading, in order; what has no population is a dash."""
    latency, entities = one.response_latency_ms, one.entities
    return {
        "passed": f"{one.passed}/{one.passed + one.failed}",
        "invalid": str(one.infrastructure_errors),
        "answered": f"{one.responses.response_count}/{one.responses.response_total}",
        "latency P50": _ms(latency.p50),
        "P90": _ms(latency.p90),
        "word error": _unscripted(_word_error(one), is_scripted=is_scripted),
        "entities": _unscripted(_entities(entities), is_scripted=is_scripted),
    }


def _unscripted(figure: str, *, is_scripted: bool) -> str:
    return SCRIPTED if is_scripted and figure != NONE else figure


def _entities(entities: EntityCounts | None) -> str:
    return NONE if entities is None else f"{entities.heard}/{entities.total}"


def _word_error(one: ConditionSummary) -> str:
    words = one.word_error
    if words is None:
        return NONE
    errors = words.substitutions + words.deletions + words.insertions
    rate = "-" if words.rate is None else f"{words.rate:g}"
    return f"{rate} ({errors}/{words.reference_words})"


def _ms(value_ms: float | None) -> str:
    """Whole milliseconds: a mean's thousandths are in the report."""
    return NONE if value_ms is None else f"{value_ms:.0f} ms"


def _latency(row: AttemptResult) -> str:
    return _ms(row.metrics.audio.response_latency_ms)


def _tools(row: AttemptResult) -> str:
    pair = row.metrics.task.tool_calls
    return "-" if pair is None else f"{pair.actual}/{pair.expected}"


@dataclass(frozen=True, slots=True)
class SemanticScores:
    """Scores of the dimensions that were scored, of all that were put to the judge."""

    scores: tuple[float, ...]
    applicable: int
    spreads: tuple[float, ...] = ()

    @property
    def mean(self) -> float | None:
        return round(fmean(self.scores), 4) if self.scores else None

    @override
    def __str__(self) -> str:
        if not self.applicable:
            return "-"
        return f"{self.shown_mean} ({len(self.scores)}/{self.applicable})"

    @property
    def shown_mean(self) -> str:
        return "-" if self.mean is None else f"{self.mean:g}"

    @property
    def shown_spread(self) -> str:
        """By how much repetitions differed; nothing where nobody was asked twice."""
        return f", repetitions at most {max(self.spreads):g} apart" if self.spreads else ""


def semantic_scores(rows: Sequence[AttemptResult]) -> SemanticScores:
    asked = [
        one
        for row in rows
        if row.assessment is not None
        for one in row.assessment.semantic.values()
    ]
    return SemanticScores(
        tuple(one.score for one in asked if one.score is not None),
        len(asked),
        tuple(one.spread.highest - one.spread.lowest for one in asked if one.spread is not None),
    )


def why(row: AttemptResult) -> str:
    if row.error is not None:
        return f"{row.error.stage}: {row.error.message}"
    return "; ".join(f"{check.id}: {check.reason}" for check in failed_checks(row))


def totals(report: Report) -> str:
    summary = report.summary
    return (
        f"{summary.passed} of {summary.total} passed, {summary.failed} failed,"
        f" {summary.infrastructure_errors} infrastructure errors"
    )


def failed_checks(row: AttemptResult) -> list[CheckReport]:
    """What decided against it; what is only diagnostic would say the same again."""
    checks = row.assessment.checks if row.assessment is not None else []
    return [check for check in checks if check.status == "failed" and check.required]


def semantic_line(report: Report) -> str | None:
    """What a judge made of it all; nothing where nobody was asked."""
    semantic = semantic_scores(report.results)
    if not semantic.applicable:
        return None
    counts = f"{len(semantic.scores)} of {semantic.applicable} dimensions scored"
    return f"Semantic score {semantic.shown_mean}: {counts}{semantic.shown_spread}"


def interruption(report: Report) -> str | None:
    """That attempts are missing; nothing where none is."""
    total, planned = report.summary.total, report.run.attempts_planned
    if total >= planned:
        return None
    return f"Interrupted: {total} of {planned} attempts finished and are kept."


def instant(at_ms: int) -> str:
    """An instant of media time as people seek it in a recording: ``mm:ss.mmm``."""
    minutes, rest_ms = divmod(at_ms, 60_000)
    return f"{minutes:02}:{rest_ms // 1_000:02}.{rest_ms % 1_000:03}"


def gap(row: AttemptResult, *figures: str) -> str:
    """Why figures of a row are unknown, by the first of their keys that has a reason."""
    reasons = row.metrics.unavailable
    return next((reasons[key] for key in figures if key in reasons), "no reason was given")

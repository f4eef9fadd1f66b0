"""What judgments come to: one check, and a mean that decides nothing."""

from __future__ import annotations

from statistics import fmean
from typing import Final

from shared.grading.fitting import cut
from shared.grading.judge import Judgment, Judgments, Unscored
from shared.grading.rubric import TASK_UNDERSTANDING
from shared.grading.verdict import Check, CheckStatus

JUDGE_ASKED: Final = "evaluation.semantic_judge.asked"
JUDGE_COMPLETED: Final = "evaluation.semantic_judge.completed"
"""How a trace names that a judge is at work, and what it said."""

NO_JUDGE: Final = "no judge was asked"
NONE_SCORED: Final = "the judge scored no dimension"
LONGEST_REASON: Final = 300


def task_understanding(judgments: Judgments | None) -> Check:
    """The judge's own pass or fail on the task: the one thing a judge decides, and no score does.

    Unscored where the judge was asked and gave none; not applicable where nobody was asked.
    """
    judged = None if judgments is None else judgments.on(TASK_UNDERSTANDING)
    if judged is None:
        return _check(CheckStatus.NOT_APPLICABLE, NO_JUDGE)
    outcome = judged.outcome
    if isinstance(outcome, Unscored):
        return _check(CheckStatus.UNSCORED, outcome.reason)
    return _check(CheckStatus.PASSED if outcome.passed else CheckStatus.FAILED, outcome.rationale)


def _check(status: CheckStatus, because: str) -> Check:
    return Check(TASK_UNDERSTANDING, status, cut(because, LONGEST_REASON))


def scores(judgments: Judgments | None) -> dict[str, float]:
    """The score of every dimension that has one, in the rubric's order."""
    return {
        one.dimension: one.outcome.score
        for one in (judgments.dimensions if judgments is not None else ())
        if isinstance(one.outcome, Judgment)
    }


def quality(judgments: Judgments | None) -> float | None:
    """The mean over the dimensions that were scored; absent where none was."""
    scored = scores(judgments).values()
    return fmean(scored) if scored else None

"""Have a judge look at an attempt, fresh or stored. Only what is a measurement is judged.

The judge's work runs on an event loop of its own in the attempt's thread, so that an interrupt ends
it at once, and its dimensions are asked all at the same time.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from shared.attempts.assess import assess
from shared.attempts.cancellation import Cancellation
from shared.attempts.details import Judgeable
from shared.grading.asking import ask
from shared.grading.assessment import Assessment
from shared.grading.dossier import Dossier, dossier_of
from shared.grading.judge import Judge, JudgedDimension, Judgment, Judgments
from shared.grading.rubric import applicable
from shared.grading.semantic import JUDGE_ASKED, JUDGE_COMPLETED
from shared.observability.evidence import Evidence
from shared.observability.redaction import Masker
from shared.observability.trace import Trace
from shared.scenarios import Scenario
from shared.values import JsonObject
from shared.wall_time import wall_loop


def dossier_for(
    evidence: Evidence, scenario: Scenario, assessment: Assessment, public_facts: JsonObject
) -> Dossier | None:
    """The dossier of a sealed attempt; none when nothing was observed."""
    if assessment.observed is None:
        return None
    observed = assessment.observed
    return dossier_of(evidence, observed.timeline, scenario, public_facts, observed.procedure)


def may_be_judged(assessment: Assessment) -> bool:
    """Whether an attempt is a measurement as far as can be said without a judge."""
    return assessment.observed is not None and assessment.verdict.failure is None


def judge_dossier(
    judge: Judge,
    dossier: Dossier,
    scenario: Scenario,
    masker: Masker,
    cancellation: Cancellation,
    repetitions: int = 1,
) -> Judgments:
    """Ask about every dimension that applies. Raises ``CancelledError`` on an interrupt."""

    async def asked() -> Judgments:
        task = asyncio.current_task()
        if task is not None:
            cancellation.watch(task)
        try:
            mask = masker.machine_text
            return await ask(judge, dossier, applicable(scenario), mask, repetitions)
        finally:
            if task is not None:
                cancellation.forget(task)

    with asyncio.Runner(loop_factory=wall_loop) as runner:
        return runner.run(asked())


def judged_anew(
    stored: Judgeable,
    judge: Judge,
    masker: Masker,
    cancellation: Cancellation,
    repetitions: int = 1,
) -> Judgeable:
    """A stored attempt with the judgments of another judge on its stored dossier.

    An attempt that is no measurement, or has no dossier, comes back as it was.
    """
    without = assess(stored.evidence, stored.scenario, stored.policy)
    if stored.dossier is None or not may_be_judged(without):
        return stored
    judgments = judge_dossier(
        judge, stored.dossier, stored.scenario, masker, cancellation, repetitions
    )
    return replace(stored, judgments=judgments)


def note_asked(trace: Trace, at_us: int, scenario: Scenario, judge: Judge) -> None:
    dimensions = [dimension.name for dimension in applicable(scenario)]
    event: JsonObject = {"model": judge.model, "dimensions": dimensions}
    trace.internal(JUDGE_ASKED, "evaluator", at_us, event)


def note_judgments(trace: Trace, at_us: int, judgments: Judgments) -> None:
    event: JsonObject = {one.dimension: _noted(one) for one in judgments.dimensions}
    trace.internal(JUDGE_COMPLETED, "evaluator", at_us, event)


def _noted(judged: JudgedDimension) -> JsonObject:
    outcome = judged.outcome
    if not isinstance(outcome, Judgment):
        return {"status": "unscored", "reason": outcome.reason}
    status = "passed" if outcome.passed else "failed"
    return {"status": status, "score": outcome.score, "rationale": outcome.rationale}

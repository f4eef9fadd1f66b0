"""A conversation's procedure and agenda in a report."""

from __future__ import annotations

from collections.abc import Iterable

from shared.grading.agenda import AgendaProgress
from shared.grading.procedure import ProcedureGrade, StepGrade
from shared.grading.verdict import CheckStatus, Ref
from shared.plain_text import shortened
from shared.reporting.rounding import rounded_rate
from shared.reporting.schema import Moment, ProcedureReport, ProcedureStepReport
from shared.scenarios import Scenario
from shared.values import JsonObject

NOT_OBSERVED = "no observer said what the caller had brought up"
LONGEST_REASON = 500
"""Characters of a reason in a row; the evidence has the whole."""


def procedure_report(grade: ProcedureGrade | None) -> ProcedureReport | None:
    if grade is None:
        return None
    violations = grade.critical(CheckStatus.FAILED)
    return ProcedureReport(
        id=grade.id,
        passed=grade.passed,
        adherence=rounded_rate(grade.adherence.value),
        critical_passed=_critical_passed(grade),
        critical_violations=[one.step.id for one in violations],
        steps=[_step(one) for one in grade.steps],
    )


def agenda_block(scenario: Scenario, progress: AgendaProgress | None) -> JsonObject:
    """``observability.agenda``; how far the caller got is unknown where nobody observed it."""
    caller = scenario.simulation_parameters
    total = len(caller.agenda) if caller else 0
    if progress is None:
        unknown = dict.fromkeys(("completed", "skipped", "bypassed", "pending_required"))
        return {"total": total, **unknown, "unavailable": NOT_OBSERVED}
    return {
        "total": total,
        "completed": list(progress.completed),
        "skipped": list(progress.skipped),
        "bypassed": list(progress.bypassed),
        "pending_required": list(progress.pending_required),
    }


def moments(refs: Iterable[Ref]) -> list[Moment]:
    return [Moment(at_ms=ref.at_ms, what=shortened(ref.what, LONGEST_REASON)) for ref in refs]


def _critical_passed(grade: ProcedureGrade) -> bool | None:
    """Unknown without a critical step that applies, and while one is unscored."""
    if grade.critical(CheckStatus.FAILED):
        return False
    if grade.critical(CheckStatus.UNSCORED) or not grade.critical(CheckStatus.PASSED):
        return None
    return True


def _step(grade: StepGrade) -> ProcedureStepReport:
    step = grade.step
    return ProcedureStepReport(
        id=step.id,
        kind=step.kind.value,
        status=grade.status.value,
        required=step.required,
        critical=step.critical,
        critical_status=None if grade.critical is None else grade.critical.value,
        reason=shortened(grade.because, LONGEST_REASON),
        at_ms=grade.at_ms,
        unmet_dependencies=list(grade.unmet),
        out_of_order_dependencies=list(grade.out_of_order),
        evidence=moments(grade.refs),
    )

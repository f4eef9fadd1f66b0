"""Whether a conversation went as its procedure has it, step by step and with the moments to show.

What a step looks like comes with the scenario: calls by the one matcher, the caller's words by the
step's patterns, by what an observer said of an objective, or by the value itself; a refusal or a
claim of success by the application's patterns. No word stands here. Words nobody recognized prove
nothing: such a step is unscored, and only what was done, or said at a wrong time, fails one.
Contract: ``docs/metrics-contract.md``, "Procedures".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from shared.grading.case import Case
from shared.grading.steps import FINDERS, Finding, Moment
from shared.grading.verdict import Check, CheckStatus, Ref
from shared.scenarios import ProcedureStep, StepKind
from shared.values import Rate

PASSED, FAILED, NOT_APPLICABLE, UNSCORED = CheckStatus

_DONE_ONCE: Final = frozenset({StepKind.TOOL, StepKind.CORRECTION})
"""What counts where it was first done; other steps may be taken again at the right time."""


@dataclass(frozen=True, slots=True)
class StepGrade:
    """One step. ``at_ms`` is when it was taken, where that is one moment.

    ``unmet`` are steps it depends on that failed, ``out_of_order`` those that were taken later than
    it. ``critical`` is the step's part in the verdict, for which only critical dependencies count;
    other steps have none.
    """

    step: ProcedureStep
    status: CheckStatus
    because: str
    critical: CheckStatus | None = None
    at_ms: int | None = None
    refs: tuple[Ref, ...] = ()
    unmet: tuple[str, ...] = ()
    out_of_order: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProcedureGrade:
    """All steps of a procedure in its order. Only critical ones can decide a verdict."""

    id: str
    steps: tuple[StepGrade, ...]

    @property
    def adherence(self) -> Rate:
        """The share of required steps that passed among those that passed or failed."""
        decided = [
            one.status is PASSED
            for one in self.steps
            if one.step.required and one.status in {PASSED, FAILED}
        ]
        return Rate(sum(decided), len(decided))

    @property
    def passed(self) -> bool | None:
        """Whether every required step that applies passed; unknown while one is unscored."""
        statuses = {one.status for one in self.steps if one.step.required}
        if FAILED in statuses:
            return False
        return None if UNSCORED in statuses else True

    def critical(self, status: CheckStatus) -> tuple[StepGrade, ...]:
        return tuple(one for one in self.steps if one.critical is status)


def graded_procedure(case: Case) -> ProcedureGrade | None:
    """The grade of the scenario's procedure, if it has one."""
    procedure = case.expected.procedure
    if procedure is None:
        return None
    known: dict[str, StepGrade] = {}
    for step in procedure.steps:
        earlier = [known[one] for one in step.after]
        known[step.id] = _graded(step, FINDERS[step.kind](case, step), earlier)
    return ProcedureGrade(procedure.id, tuple(known.values()))


def critical_procedure(case: Case) -> Check:
    """No critical step was missed, and none was taken before a critical one it depends on."""
    name = "critical_procedure"
    grade = graded_procedure(case)
    if grade is None or all(one.critical is None for one in grade.steps):
        return Check(name, NOT_APPLICABLE, "no step is critical")
    for status in (FAILED, UNSCORED):
        those = grade.critical(status)
        if those:
            because = "; ".join(f"{one.step.id}: {one.because}" for one in those)
            return Check(name, status, because, tuple(ref for one in those for ref in one.refs))
    passed = grade.critical(PASSED)
    if not passed:
        return Check(name, NOT_APPLICABLE, "no critical step applies to what happened")
    because = f"{len(passed)} critical step(s), in order"
    return Check(name, PASSED, because, tuple(ref for one in passed for ref in one.refs))


def _graded(step: ProcedureStep, found: Finding, earlier: list[StepGrade]) -> StepGrade:
    moment = _chosen(step, found, earlier)
    unmet = tuple(one.step.id for one in earlier if one.status is FAILED)
    late = tuple(one.step.id for one in earlier if _is_before(moment, one))
    status, because = found.status, found.because
    if status is PASSED and (unmet or late):
        status = FAILED
        because = "; ".join(
            [*(f"{one} was taken later" for one in late), *(f"{one} failed" for one in unmet)]
        )
    if status is FAILED and not step.required:
        status = NOT_APPLICABLE
    refs = found.refs if moment is None else (moment.ref, *found.refs)
    return StepGrade(
        step=step,
        status=status,
        because=because,
        critical=_critical(step, found, moment, earlier),
        at_ms=None if moment is None else moment.start_ms,
        refs=tuple(dict.fromkeys(refs)),
        unmet=unmet,
        out_of_order=late,
    )


def _critical(
    step: ProcedureStep, found: Finding, moment: Moment | None, earlier: list[StepGrade]
) -> CheckStatus | None:
    """The step by itself and by its critical dependencies; what others came to does not count."""
    if not step.critical:
        return None
    if found.status is not PASSED:
        return found.status
    chain = [one for one in earlier if one.critical is not None]
    is_broken = any(one.critical is FAILED or _is_before(moment, one) for one in chain)
    return FAILED if is_broken else PASSED


def _chosen(step: ProcedureStep, found: Finding, earlier: list[StepGrade]) -> Moment | None:
    """The first moment not before what the step depends on, else the first of all."""
    if not found.moments:
        return None
    first = found.moments[0]
    if step.kind in _DONE_ONCE:
        return first
    positions = [one.at_ms for one in earlier if one.at_ms is not None]
    from_ms = max(positions, default=first.start_ms)
    return next((one for one in found.moments if one.start_ms >= from_ms), first)


def _is_before(moment: Moment | None, earlier: StepGrade) -> bool:
    """Whether a step came before one it depends on; what has no moment is in any order."""
    return moment is not None and earlier.at_ms is not None and moment.start_ms < earlier.at_ms

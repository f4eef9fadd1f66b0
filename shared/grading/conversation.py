"""What decides a conversation, and what is only reported beside it.

A conversation is judged by its outcome: the order of calls and the steps of a procedure are told
and decide nothing, unless a step is declared critical.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from shared.grading import checks
from shared.grading.agenda import AgendaProgress, agenda_progress
from shared.grading.case import Case
from shared.grading.interaction import limit_checks
from shared.grading.judge import Judgments
from shared.grading.procedure import ProcedureGrade, critical_procedure, graded_procedure
from shared.grading.semantic import task_understanding
from shared.grading.verdict import Check, CheckStatus, Ref
from shared.observability.evidence import Ending
from shared.observability.turns import is_answer


@dataclass(frozen=True, slots=True)
class ConversationGrade:
    """``checks`` decide; ``diagnostics`` have the form of checks and decide nothing."""

    checks: tuple[Check, ...]
    diagnostics: tuple[Check, ...]
    procedure: ProcedureGrade | None
    agenda: AgendaProgress | None


def graded_conversation(case: Case, judgments: Judgments | None = None) -> ConversationGrade:
    """Everything that grading a conversation comes to, of which ``checks`` are the verdict's."""
    return ConversationGrade(
        checks=(
            *(check(case) for check in CONVERSATION_CHECKS),
            *limit_checks(case),
            task_understanding(judgments),
        ),
        diagnostics=tuple(check(case) for check in DIAGNOSTICS),
        procedure=graded_procedure(case),
        agenda=agenda_progress(case.scenario, case.objectives),
    )


def conversation_completed(case: Case) -> Check:
    """The conversation came to its end before its time was up."""
    name = "conversation_completed"
    end = (Ref(case.evidence.extent_ms, "end of observation"),)
    match case.evidence.ending:
        case Ending.CONVERSATION_COMPLETED:
            return Check(name, CheckStatus.PASSED, "the conversation came to its end", end)
        case Ending.FAILED:
            because = "the session broke, so nobody can tell"
            return Check(name, CheckStatus.UNSCORED, because, end)
        case Ending.CALLER_UNFIT:
            because = "it was ended for its caller, so nobody can tell"
            return Check(name, CheckStatus.UNSCORED, because, end)
        case _:
            because = "the time was up before the conversation was over"
            return Check(name, CheckStatus.FAILED, because, end)


def assistant_responded(case: Case) -> Check:
    """The assistant was heard after the caller had spoken for the first time."""
    name = "assistant_responded"
    turns = case.timeline.caller_turns
    if not turns:
        return Check(
            name, CheckStatus.NOT_APPLICABLE, "no caller speech was detected, so nothing was asked"
        )
    asked_ms = turns[0].span.end_ms
    for span in case.timeline.assistant:
        if is_answer(span, asked_ms):
            ref = Ref(max(span.start_ms, asked_ms), "assistant speech")
            return Check(name, CheckStatus.PASSED, "the assistant was heard", (ref,))
    end = (Ref(case.evidence.extent_ms, "end of observation"),)
    because = "the assistant was never heard after the caller had spoken"
    return Check(name, CheckStatus.FAILED, because, end)


CONVERSATION_CHECKS: Final[tuple[Callable[[Case], Check], ...]] = (
    conversation_completed,
    assistant_responded,
    checks.application_state,
    checks.delegation_policy,
    checks.authorized_actions,
    critical_procedure,
    checks.grounded_response,
    checks.grounded_confirmation,
    checks.refusal_stated,
)

DIAGNOSTICS: Final[tuple[Callable[[Case], Check], ...]] = (checks.tool_contract,)

"""How far the caller got with its agenda, by what an observer said of each objective.

The caller's progress is the caller's: it decides nothing about the assistant. Without an observer
nobody knows it, and then there is no progress to report instead of one in which all is open.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shared.observability.evidence import Decision, DecisionStatus, Objective
from shared.scenarios import AgendaItem, Scenario


@dataclass(frozen=True, slots=True)
class AgendaProgress:
    """Ids in order of the agenda.

    ``skipped`` are optional objectives nobody brought up, endings and waits aside; ``bypassed`` are
    required ones that a later objective which follows them left behind; ``pending_required`` are
    the other required ones that were not brought up.
    """

    total: int
    completed: tuple[str, ...]
    skipped: tuple[str, ...]
    bypassed: tuple[str, ...]
    pending_required: tuple[str, ...]


def objectives_of(decisions: Sequence[Decision]) -> tuple[Objective, ...]:
    """The observer's word on each objective. What was expressed once stays so, where it was first.

    A stale answer says nothing.
    """
    known: dict[str, Objective] = {}
    for decision in decisions:
        if decision.status is not DecisionStatus.ANSWERED:
            continue
        for objective in decision.objectives:
            before = known.get(objective.id)
            if before is None or not before.is_expressed:
                known[objective.id] = objective
    return tuple(known.values())


def agenda_progress(scenario: Scenario, objectives: Iterable[Objective]) -> AgendaProgress | None:
    """The progress, as far as anybody observed it; nothing where nobody did."""
    told = tuple(objectives)
    caller = scenario.simulation_parameters
    if caller is None or not told:
        return None
    expressed = {one.id for one in told if one.is_expressed}
    open_items = [item for item in caller.agenda if item.id not in expressed]
    passed_over = _before(caller.agenda, expressed)
    required = [item.id for item in open_items if item.required]
    return AgendaProgress(
        total=len(caller.agenda),
        completed=tuple(item.id for item in caller.agenda if item.id in expressed),
        skipped=tuple(i.id for i in open_items if i.is_substantive and not i.required),
        bypassed=tuple(one for one in required if one in passed_over),
        pending_required=tuple(one for one in required if one not in passed_over),
    )


def _before(agenda: Sequence[AgendaItem], expressed: Iterable[str]) -> set[str]:
    """Everything that an expressed objective follows, however far back."""
    after = {item.id: item.after for item in agenda}
    reached: set[str] = set()
    ahead = [earlier for one in expressed for earlier in after.get(one, ())]
    while ahead:
        one = ahead.pop()
        if one not in reached:
            reached.add(one)
            ahead += after[one]
    return reached

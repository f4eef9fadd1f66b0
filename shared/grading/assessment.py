"""An attempt judged: what was measured, what was checked, what was decided."""

from __future__ import annotations

from dataclasses import dataclass

from shared.grading.agenda import AgendaProgress
from shared.grading.case import ToolUse
from shared.grading.judge import Judgments
from shared.grading.procedure import ProcedureGrade
from shared.grading.sensitivity import Sensitivity
from shared.grading.verdict import Check, Verdict
from shared.matching import CallMatching
from shared.metrics.consumption import Consumption
from shared.metrics.extended import ExtendedMeasurements
from shared.metrics.interaction import InteractionMeasurements
from shared.observability.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Observed:
    """What could be measured of an attempt that was observed at all.

    ``procedure`` and ``agenda`` are a conversation's, where it has them.
    """

    timeline: Timeline
    interaction: InteractionMeasurements
    extended: ExtendedMeasurements
    tools: tuple[ToolUse, ...]
    matching: CallMatching
    procedure: ProcedureGrade | None = None
    agenda: AgendaProgress | None = None


@dataclass(frozen=True, slots=True)
class Assessment:
    """``observed`` is absent when no session began, ``judgments`` when no judge was asked.

    ``sensitivity`` is absent when no second detector listened. ``diagnostics`` have the form of
    checks and decide nothing.
    """

    verdict: Verdict
    consumption: Consumption
    observed: Observed | None
    judgments: Judgments | None = None
    sensitivity: Sensitivity | None = None
    diagnostics: tuple[Check, ...] = ()

"""Scenarios: the one portable contract of every tier, format 1.0.

A :class:`Scenario` that exists keeps every rule of the contract. What a participant may know of it
is a brief; ``expected`` and ``simulation_parameters`` never reach the assistant.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Literal, Self

from pydantic import model_validator
from pydantic_core import InitErrorDetails, ValidationError

from shared.matching import CallStatus
from shared.scenario_rules import long_history_warning, rule_faults
from shared.scenario_types import (
    AcousticCondition,
    AgendaAction,
    AgendaItem,
    Application,
    CompletionBasis,
    ConfirmationPhrases,
    Context,
    ContextMode,
    DelegationPolicy,
    Expected,
    ExpectedToolCall,
    ExpectedTools,
    GoldenPath,
    HistoryMessage,
    Interaction,
    InteractionLimits,
    Listed,
    Part,
    Persona,
    Procedure,
    ProcedureStep,
    Recording,
    Role,
    ScenarioInput,
    ScenarioShape,
    SimulationParameters,
    StepKind,
    WordingPolicy,
    is_artifact_id,
    rule_error,
)
from shared.values import JsonObject

__all__ = [
    "AcousticCondition",
    "AgendaAction",
    "AgendaItem",
    "Application",
    "AssistantBrief",
    "CallStatus",
    "CompletionBasis",
    "ConfirmationPhrases",
    "Context",
    "ContextMode",
    "DatasetFile",
    "DelegationPolicy",
    "Expected",
    "ExpectedToolCall",
    "ExpectedTools",
    "GoldenPath",
    "HistoryMessage",
    "Interaction",
    "InteractionLimits",
    "Persona",
    "Procedure",
    "ProcedureStep",
    "Recording",
    "Role",
    "Scenario",
    "ScenarioInput",
    "SimulationParameters",
    "StepKind",
    "WordingPolicy",
    "is_artifact_id",
    "is_single_turn",
]


@dataclass(frozen=True, slots=True)
class AssistantBrief:
    """All that the assistant's side may know of a scenario. The state is its own copy."""

    scenario_id: str
    summary: str
    history: tuple[HistoryMessage, ...]
    initial_state: JsonObject


class Scenario(ScenarioShape):
    """One task with its fixture and its expectations. Names are the keys of the contract."""

    @model_validator(mode="after")
    def _keeps_every_rule(self) -> Self:
        faults = rule_faults(self)
        if faults:
            errors = [
                InitErrorDetails(type=rule_error(f.problem), loc=f.where, input=None)
                for f in faults
            ]
            raise ValidationError.from_exception_data("Scenario", errors)
        return self

    @property
    def scenario_type(self) -> str:
        """The business task: ``type``, else the first tag, else the interaction."""
        return self.type or next(iter(self.tags), self.interaction.value)

    @property
    def context_mode(self) -> ContextMode:
        """What the prior context consists of. A blank summary is none."""
        context = self.input.context or Context()
        match context.has_summary, bool(context.history):
            case (True, True):
                return ContextMode.SUMMARY_AND_HISTORY
            case (True, False):
                return ContextMode.SUMMARY
            case (False, True):
                return ContextMode.HISTORY
            case _:
                return ContextMode.NONE

    @property
    def context_text(self) -> str:
        """The prior context as lines: the summary, then ``role: text`` for each message."""
        context = self.input.context or Context()
        summary = [context.summary] if context.has_summary else []
        return "\n".join([*summary, *(f"{item.role}: {item.text}" for item in context.history)])

    @property
    def backchannels(self) -> tuple[str, ...]:
        """The simulated caller's own signs of listening; none where no caller is simulated."""
        caller = self.simulation_parameters
        return () if caller is None else caller.persona.backchannels

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is within the contract and may still go wrong, each in one line with its path."""
        warning = long_history_warning(self)
        return () if warning is None else (warning,)

    def for_assistant(self) -> AssistantBrief:
        """What the assistant's side may know; nothing of ``expected`` or of the caller."""
        context = self.input.context or Context()
        return AssistantBrief(
            scenario_id=self.id,
            summary=context.summary if context.has_summary else "",
            history=context.history,
            initial_state=deepcopy(self.application.initial_state),
        )


class DatasetFile(Part):
    """A scenario file: several kinds of scenarios may share one."""

    schema_version: Literal["1.0"] = "1.0"
    scenarios: Listed[Scenario] = ()


def is_single_turn(scenario: Scenario) -> bool:
    """Whether one request is all of it, with or without recordings."""
    return scenario.interaction is Interaction.SINGLE_TURN

"""The dossier: exactly what a judge may see of an attempt, listed here field by field.

It is built from sealed evidence, so credentials are masked already, and it is stored with the
attempt, so that the same question can be asked again later. What is not named here does not leave.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from shared.grading.case import ToolUse, tool_uses
from shared.grading.fitting import compact, fitted
from shared.grading.procedure import ProcedureGrade
from shared.grading.rubric import TASK_UNDERSTANDING
from shared.observability.evidence import Evidence
from shared.observability.observations import (
    BackendText,
    Caption,
    DelegationBegan,
    DelegationEnded,
    Speaker,
)
from shared.observability.timeline import Timeline
from shared.observability.turns import Turn
from shared.scenarios import Context, Interaction, Scenario
from shared.values import JsonObject, JsonValue

PROCEDURE: Final = "procedure"
LONGEST_DOSSIER: Final = 120_000
"""Characters of JSON, some 30,000 tokens; what is longest is cut first."""


@dataclass(frozen=True, slots=True)
class Dossier:
    """What a judge may see, as plain JSON of bounded size."""

    content: JsonObject

    @property
    def text(self) -> str:
        """One line of JSON, keys sorted: the same content is always the same text."""
        return compact(self.content)

    @property
    def is_conversation(self) -> bool:
        """Whether it is about a conversation of several turns."""
        scenario = self.content.get("scenario")
        kind = scenario.get("interaction") if isinstance(scenario, Mapping) else None
        return kind == Interaction.MULTI_TURN

    def shown_for(self, dimension: str) -> Dossier:
        """As much of it as a judge of that dimension sees.

        Whether the task was understood is judged without the procedure: another way is as good.
        """
        if dimension != TASK_UNDERSTANDING or PROCEDURE not in self.content:
            return self
        return Dossier({key: value for key, value in self.content.items() if key != PROCEDURE})

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def mark(self) -> str:
        """A word that stands nowhere in the text, to say where it begins and ends.

        It is made from a hash of the whole text, so nobody can put it into a part of it.
        """
        mark = self.sha256
        while mark in self.text:
            mark = hashlib.sha256(mark.encode()).hexdigest()
        return mark


def dossier_of(
    evidence: Evidence,
    timeline: Timeline,
    scenario: Scenario,
    public_facts: JsonObject,
    procedure: ProcedureGrade | None = None,
) -> Dossier:
    """The dossier of one attempt that was observed. Instants are media time in ms.

    ``public_facts`` are what the application lets its assistant know; they must be masked already.
    """
    is_conversation = scenario.interaction is Interaction.MULTI_TURN
    content: JsonObject = {
        "scenario": {**_scenario(scenario), **(_goal(scenario) if is_conversation else {})},
        "expected": _expected(scenario),
        "public_facts": public_facts,
        "observed": {
            "dialogue": _dialogue(evidence, timeline, has_actions=is_conversation),
            "delegations": _delegations(evidence),
            "backend_messages": [
                {"at_ms": one.stamp.media_ms, "text": one.text} for one in evidence.of(BackendText)
            ],
            "tool_executions": [_execution(use) for use in tool_uses(evidence)],
            "state_before": evidence.state_before,
            "state_after": evidence.state_after,
        },
        **({} if procedure is None else {PROCEDURE: _procedure(procedure)}),
    }
    return Dossier(fitted(content, LONGEST_DOSSIER))


def _delegations(evidence: Evidence) -> list[JsonObject]:
    """What was handed over, and how the application said that it ended, where it says so."""
    ended = {one.delegation_id: one.outcome.value for one in evidence.of(DelegationEnded)}
    return [
        {
            "at_ms": one.stamp.media_ms,
            "to": one.target,
            **({"outcome": ended[one.delegation_id]} if one.delegation_id in ended else {}),
        }
        for one in evidence.of(DelegationBegan)
    ]


def _scenario(scenario: Scenario) -> JsonObject:
    context = scenario.input.context or Context()
    return {
        "type": scenario.scenario_type,
        "interaction": scenario.interaction.value,
        "request": scenario.input.text,
        "context_summary": context.summary,
        "context_history": [{"role": one.role.value, "text": one.text} for one in context.history],
    }


def _goal(scenario: Scenario) -> JsonObject:
    """What the simulated caller was after; of the rest of its part nothing is shown."""
    caller = scenario.simulation_parameters
    return {"goal": (caller.goal if caller else "") or scenario.expected.answer}


def _procedure(grade: ProcedureGrade) -> JsonObject:
    return {
        "id": grade.id,
        "steps": [
            {
                "id": one.step.id,
                "kind": one.step.kind.value,
                "is_critical": one.step.critical,
                "status": one.status.value,
                "reason": one.because,
                "at_ms": one.at_ms,
            }
            for one in grade.steps
        ],
    }


def _expected(scenario: Scenario) -> JsonObject:
    """The evaluator's side: what would have been right. A conversation has many right ways."""
    expected = scenario.expected
    is_conversation = scenario.interaction is Interaction.MULTI_TURN
    calls = "preferred_tool_calls" if is_conversation else "required_tool_calls"
    return {
        "answer": expected.answer,
        "criteria": list(expected.criteria),
        "delegation": expected.delegation.value,
        calls: [
            {"name": call.name, "arguments": call.arguments} for call in expected.tools.required
        ],
        "prohibited_tool_calls": [
            {"name": call.name, "arguments": call.arguments} for call in expected.tools.prohibited
        ],
        "state": expected.state,
    }


def _dialogue(evidence: Evidence, timeline: Timeline, *, has_actions: bool) -> list[JsonValue]:
    """Both parties' turns in order of onset. Words nobody voiced were not said."""
    recognized = _recognized(evidence, timeline.caller_turns)
    words: list[tuple[Turn, JsonObject]] = [
        (turn, {"said": turn.text, "recognized": heard, **_action(turn, has_actions=has_actions)})
        for turn, heard in zip(timeline.caller_turns, recognized, strict=True)
    ]
    words += [(turn, {"said": turn.text}) for turn in timeline.assistant_turns]
    return [
        {
            "speaker": turn.speaker.value,
            "start_ms": turn.span.start_ms,
            "end_ms": turn.span.end_ms,
            **said,
        }
        for turn, said in sorted(words, key=lambda one: one[0].span)
    ]


def _action(turn: Turn, *, has_actions: bool) -> JsonObject:
    if not has_actions:
        return {}
    return {"action": None if turn.action is None else turn.action.value}


def _recognized(evidence: Evidence, turns: Sequence[Turn]) -> list[str]:
    """What the service made of each caller turn: the captions since the turn began."""
    words = ["" for _ in turns]
    for caption in evidence.of(Caption):
        if caption.speaker is Speaker.CALLER and turns:
            begun = sum(turn.span.start_ms < caption.end_ms for turn in turns)
            words[max(0, begun - 1)] += caption.text
    return words


def _execution(use: ToolUse) -> JsonObject:
    call, returned = use.call, use.returned
    return {
        "at_ms": call.stamp.media_ms,
        "name": call.name,
        "arguments": call.arguments,
        # Arguments that are no JSON are shown as they were written.
        "raw_arguments": call.raw_arguments if call.arguments is None else None,
        "status": "unanswered" if returned is None else returned.status.value,
        "output": None if returned is None else returned.output,
        "returned_at_ms": None if returned is None else returned.stamp.media_ms,
    }

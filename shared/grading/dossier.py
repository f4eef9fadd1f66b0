"""The dossier: exactly what a judge may see of an attempt, listed here field by field.

It is built from sealed evidence, so credentials are masked already, and it is stored with the
attempt, so that the same question can be asked again later. What is not named here does not leave.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shared.grading.case import ToolUse, tool_uses
from shared.grading.fitting import compact, fitted
from shared.observability.evidence import Evidence
from shared.observability.observations import BackendText, Caption, DelegationBegan, Speaker
from shared.observability.timeline import Timeline
from shared.observability.turns import Turn
from shared.scenarios import Context, Scenario
from shared.values import JsonObject, JsonValue

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
    evidence: Evidence, timeline: Timeline, scenario: Scenario, public_facts: JsonObject
) -> Dossier:
    """The dossier of one attempt that was observed. Instants are media time in ms.

    ``public_facts`` are what the application lets its assistant know; they must be masked already.
    """
    content: JsonObject = {
        "scenario": _scenario(scenario),
        "expected": _expected(scenario),
        "public_facts": public_facts,
        "observed": {
            "dialogue": _dialogue(evidence, timeline),
            "delegations": [
                {"at_ms": one.stamp.media_ms, "to": one.target}
                for one in evidence.of(DelegationBegan)
            ],
            "backend_messages": [
                {"at_ms": one.stamp.media_ms, "text": one.text} for one in evidence.of(BackendText)
            ],
            "tool_executions": [_execution(use) for use in tool_uses(evidence)],
            "state_before": evidence.state_before,
            "state_after": evidence.state_after,
        },
    }
    return Dossier(fitted(content, LONGEST_DOSSIER))


def _scenario(scenario: Scenario) -> JsonObject:
    context = scenario.input.context or Context()
    return {
        "type": scenario.scenario_type,
        "interaction": scenario.interaction.value,
        "request": scenario.input.text,
        "context_summary": context.summary,
        "context_history": [{"role": one.role.value, "text": one.text} for one in context.history],
    }


def _expected(scenario: Scenario) -> JsonObject:
    """The evaluator's side: what would have been right."""
    expected = scenario.expected
    return {
        "answer": expected.answer,
        "criteria": list(expected.criteria),
        "delegation": expected.delegation.value,
        "required_tool_calls": [
            {"name": call.name, "arguments": call.arguments} for call in expected.tools.required
        ],
        "prohibited_tool_calls": [
            {"name": call.name, "arguments": call.arguments} for call in expected.tools.prohibited
        ],
        "state": expected.state,
    }


def _dialogue(evidence: Evidence, timeline: Timeline) -> list[JsonValue]:
    """Both parties' turns in order of onset. Words nobody voiced were not said."""
    recognized = _recognized(evidence, timeline.caller_turns)
    turns = [
        *(
            (turn, {"said": turn.text, "recognized": words})
            for turn, words in zip(timeline.caller_turns, recognized, strict=True)
        ),
        *((turn, {"said": turn.text}) for turn in timeline.assistant_turns),
    ]
    return [
        {
            "speaker": turn.speaker.value,
            "start_ms": turn.span.start_ms,
            "end_ms": turn.span.end_ms,
            **words,
        }
        for turn, words in sorted(turns, key=lambda one: one[0].span)
    ]


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

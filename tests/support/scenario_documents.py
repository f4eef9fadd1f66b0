"""Scenario documents for tests: a lawful request, a lawful conversation, and edits of them."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final

type Document = dict[str, Any]

REMOVED: Final = object()
"""An edit that takes a key away."""

REQUEST: Final[Document] = {
    "id": "a_request",
    "title": "One request",
    "interaction": "single_turn",
    "input": {"text": "Is there a table?"},
    "expected": {"answer": "Yes."},
}

CONVERSATION: Final[Document] = {
    "id": "a_conversation",
    "title": "A conversation",
    "interaction": "multi_turn",
    "input": {"text": "A table, please."},
    "expected": {"answer": "Booked.", "golden_path": {"turns": 7, "delegations": 1}},
    "simulation_parameters": {
        "known_facts": {"name": "Maya", "time": "19:00"},
        "agenda": [
            {
                "id": "say_name",
                "commitment": "Say the name.",
                "trigger_condition": "Asked for it.",
                "completion_condition": "Said.",
                "action": "answer",
                "facts": ["name"],
            },
            {
                "id": "say_time",
                "commitment": "Say the time.",
                "trigger_condition": "Asked for it.",
                "completion_condition": "Said.",
                "action": "correct",
                "facts": ["time"],
                "after": ["say_name"],
            },
        ],
    },
}


def edited(document: Mapping[str, Any], edits: Mapping[str, Any] | None = None) -> Document:
    """A copy with the values at dotted paths replaced; missing objects on the way are made."""
    copy = deepcopy(dict(document))
    for path, value in (edits or {}).items():
        *way, last = path.split(".")
        holder: Any = copy
        for step in way:
            holder = holder[int(step)] if isinstance(holder, list) else holder.setdefault(step, {})
        if value is REMOVED:
            del holder[last]
        elif isinstance(holder, list):
            holder[int(last)] = value
        else:
            holder[last] = value
    return copy


def a_request(**edits: Any) -> Document:
    """The lawful request, with top-level keys replaced."""
    return edited(REQUEST, edits)


def a_step(**fields: Any) -> Document:
    return {"id": "step", "kind": "clarification", **fields}


def an_item(**fields: Any) -> Document:
    return {**CONVERSATION["simulation_parameters"]["agenda"][0], "facts": [], **fields}


def a_dataset(*scenarios: Any, **keys: Any) -> Document:
    return {"schema_version": "1.0", "scenarios": list(scenarios), **keys}

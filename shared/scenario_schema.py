"""The JSON Schema of scenario files, made from the types, for editors and other languages.

``python -m shared.scenario_schema`` writes it beside this module. It states the types and the rules
that compare fixed fields. Beyond JSON Schema, hence only in ``scenario_rules``, are rules about ids
(unique, earlier, known), real dates, regular expressions and the size of a history.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, override

from pydantic.json_schema import GenerateJsonSchema

from shared.scenario_rules import (
    MAX_HISTORY_MESSAGES,
    MAX_SINGLE_TURN_STEPS,
    MIN_CONVERSATION_TURNS,
    MIN_OBJECTIVES,
    SINGLE_TURN_TURNS,
)
from shared.scenarios import DatasetFile

SCHEMA_FILE: Final = Path(__file__).with_name("scenarios.schema.json")

type Schema = dict[str, Any]


def scenario_schema() -> Schema:
    """The schema of a whole file, as JSON."""
    schema = DatasetFile.model_json_schema(schema_generator=_Untitled)
    parts: Schema = schema.pop("$defs")
    parts["Scenario"]["allOf"] = [_single_turn(), _multi_turn()]
    parts["Expected"]["allOf"] = [_tools_need_delegation()]
    parts["Expected"]["properties"]["state"] |= _expected_object() | _unchanged_stands_alone()
    parts["ExpectedToolCall"]["properties"]["arguments"] |= _expected_object()
    parts["ProcedureStep"]["properties"]["arguments"] |= _expected_object()
    parts["ProcedureStep"]["allOf"] = [_tool_steps_name_their_tool(), _critical_is_required()]
    parts["Context"]["anyOf"] = [
        _where(_given("summary", {"pattern": r"\S"})),
        _where(_given("history", {"minItems": 1})),
    ]
    parts["Context"]["properties"]["history"]["maxItems"] = MAX_HISTORY_MESSAGES
    parts["ExpectedValue"] = _expected_value()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Voice-agent evaluation scenarios, format 1.0",
        **{key: value for key, value in schema.items() if key != "title"},
        "$defs": dict(sorted(parts.items())),
    }


class _Untitled(GenerateJsonSchema):
    """Fields speak for themselves; a title for each would only repeat its key."""

    @override
    def field_title_should_be_set(self, schema: object) -> bool:
        return False


def rendered_schema() -> str:
    """The schema as the text of its file."""
    return json.dumps(scenario_schema(), indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    SCHEMA_FILE.write_text(rendered_schema(), encoding="utf-8")


def _given(key: str, schema: Schema) -> Schema:
    return {"properties": {key: schema}, "required": [key]}


def _where(*conditions: Schema) -> Schema:
    return conditions[0] if len(conditions) == 1 else {"allOf": list(conditions)}


def _inside(keys: str, schema: Schema) -> Schema:
    """A demand on a nested field, where its objects are there."""
    for key in reversed(keys.split(".")):
        schema = {"properties": {key: schema}}
    return schema


def _required_inside(keys: str, schema: Schema) -> Schema:
    """A demand on a nested field that must be there."""
    for key in reversed(keys.split(".")):
        schema = _given(key, schema)
    return schema


def _if(condition: Schema, *demands: Schema) -> Schema:
    return {"if": condition, "then": _where(*demands)}


def _single_turn() -> Schema:
    has_no_turns = {"not": _given("turns", {"not": {"const": 0}})}
    # Without turns each step is one, so a lone step would make one turn.
    lone_step = _given("steps", {"minItems": 1, "maxItems": 1})
    return _if(
        _given("interaction", {"const": "single_turn"}),
        _inside("simulation_parameters", {"type": "null"}),
        _inside("expected.procedure", {"type": "null"}),
        _inside("expected.interaction.yield_latency_max_ms", {"type": "null"}),
        _inside("expected.interaction.false_yields_max", {"type": "null"}),
        _inside("expected.golden_path.turns", {"enum": list(SINGLE_TURN_TURNS)}),
        _inside("expected.golden_path.steps", {"maxItems": MAX_SINGLE_TURN_STEPS}),
        _inside("expected.golden_path", {"not": _where(has_no_turns, lone_step)}),
    )


def _multi_turn() -> Schema:
    substantive = _given("action", {"not": {"enum": ["finish", "wait"]}})
    enough_steps = _where(
        _given("steps", {"minItems": MIN_CONVERSATION_TURNS}), _inside("turns", {"const": 0})
    )
    enough_turns = _given("turns", {"minimum": MIN_CONVERSATION_TURNS})
    return _if(
        _given("interaction", {"const": "multi_turn"}),
        _inside("input.recordings", {"maxItems": 0}),
        _required_inside("simulation_parameters.known_facts", {"minProperties": 1}),
        _required_inside(
            "simulation_parameters.agenda",
            {"contains": substantive, "minContains": MIN_OBJECTIVES},
        ),
        _required_inside("expected.golden_path", {"anyOf": [enough_turns, enough_steps]}),
        _required_inside("expected.golden_path.delegations", {"type": "integer"}),
        _inside("expected", _delegations_fit("required", {"minimum": 1})),
        _inside("expected", _delegations_fit("forbidden", {"maximum": 0})),
    )


def _delegations_fit(policy: str, count: Schema) -> Schema:
    return _if(_given("delegation", {"const": policy}), _inside("golden_path.delegations", count))


def _tools_need_delegation() -> Schema:
    return _if(
        _given("delegation", {"const": "forbidden"}),
        _inside("tools.required", {"maxItems": 0}),
    )


def _unchanged_stands_alone() -> Schema:
    return {
        "if": {"required": ["unchanged"]},
        "then": {"properties": {"unchanged": {"const": True}}, "maxProperties": 1},
    }


def _tool_steps_name_their_tool() -> Schema:
    return _if(_given("kind", {"const": "tool"}), _given("tool", {"type": "string"}))


def _critical_is_required() -> Schema:
    return _if(_given("critical", {"const": True}), _inside("required", {"const": True}))


_EXPECTED_VALUE: Final = {"$ref": "#/$defs/ExpectedValue"}


def _expected_object() -> Schema:
    return {"additionalProperties": _EXPECTED_VALUE, "not": {"required": ["$match"]}}


def _expected_value() -> Schema:
    return {
        "description": "A value to be matched: a JSON value, or a comparator in its place.",
        "if": {"type": "object", "required": ["$match"]},
        "then": {"oneOf": _comparators()},
        "else": {"additionalProperties": _EXPECTED_VALUE, "items": _EXPECTED_VALUE},
    }


def _comparators() -> list[Schema]:
    values = {"type": "array", "items": _EXPECTED_VALUE}
    return [
        _comparator("text", value={"type": "string"}),
        _comparator("number", value={"type": "number"}),
        _comparator("date", value={"type": "string"}),
        _comparator("time", value={"type": "string"}),
        _comparator("one_of", values={**values, "minItems": 1}),
        _comparator("unordered", items=values),
        _comparator("absent"),
        _comparator("any"),
    ]


def _comparator(name: str, **fields: Schema) -> Schema:
    return {
        "properties": {"$match": {"const": name}, **fields},
        "required": ["$match", *fields],
        "additionalProperties": False,
    }


if __name__ == "__main__":
    main()

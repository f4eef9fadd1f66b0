"""A tool's parameters as a backend with strict schemas takes them, and its arguments taken back.

A strict schema has every property required and no other allowed, at every level. What an
application leaves optional is therefore made nullable, and a null given for it means that nothing
was given.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence

from shared.values import JsonObject, JsonValue


def strict_schema(schema: JsonValue) -> JsonValue:
    """The schema with every object in it strict. References are not followed: there are none."""
    if not isinstance(schema, Mapping):
        return schema
    strict: dict[str, JsonValue] = dict(schema)
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        needed = _required(schema)
        strict["properties"] = {
            name: strict_schema(inner) if name in needed else _nullable(strict_schema(inner))
            for name, inner in properties.items()
        }
        strict["required"] = list(properties)
        strict["additionalProperties"] = False
    if "items" in schema:
        strict["items"] = strict_schema(schema["items"])
    alternatives = schema.get("anyOf")
    if isinstance(alternatives, Sequence) and not isinstance(alternatives, str):
        strict["anyOf"] = [strict_schema(one) for one in alternatives]
    return strict


def given(value: JsonValue, schema: JsonValue) -> JsonValue:
    """A copy of the value without nulls for what is not required, at every level."""
    if not isinstance(schema, Mapping):
        return copy.deepcopy(value)
    properties = schema.get("properties")
    if isinstance(value, Mapping) and isinstance(properties, Mapping):
        needed = _required(schema)
        return {
            name: given(inner, properties.get(name))
            for name, inner in value.items()
            if inner is not None or name in needed
        }
    if isinstance(value, Sequence) and not isinstance(value, str) and "items" in schema:
        return [given(inner, schema["items"]) for inner in value]
    return copy.deepcopy(value)


def _required(schema: Mapping[str, JsonValue]) -> set[JsonValue]:
    required = schema.get("required", ())
    is_list = isinstance(required, Sequence) and not isinstance(required, str)
    return set(required) if is_list else set()  # type: ignore[arg-type]


def _nullable(schema: JsonValue) -> JsonValue:
    if isinstance(schema, Mapping):
        kinds = schema.get("type")
        if isinstance(kinds, Sequence) and not isinstance(kinds, str) and "null" in kinds:
            return schema
    return {"anyOf": [schema, {"type": "null"}]}


def strict_tool(tool: JsonObject) -> JsonObject:
    """The tool with its parameters as a strict schema."""
    return {**tool, "parameters": strict_schema(tool["parameters"]), "strict": True}

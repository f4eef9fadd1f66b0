"""A strict schema asks for everything, and what was left out comes back as left out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given as holds
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from assistants.tool_schema import given, strict_schema

TEXT = {"type": "string"}
NULL = {"type": "null"}


def an_object(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def strict(**properties: Any) -> dict[str, Any]:
    return an_object(*properties, **properties) | {"additionalProperties": False}


def maybe(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, NULL]}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param(an_object("a", a=TEXT), strict(a=TEXT), id="required-stays-as-it-is"),
        pytest.param(an_object(a=TEXT), strict(a=maybe(TEXT)), id="optional-becomes-nullable"),
        pytest.param(
            an_object(a={"type": ["string", "null"]}),
            strict(a={"type": ["string", "null"]}),
            id="what-may-be-null-already-stays",
        ),
        pytest.param(
            an_object("in", **{"in": an_object(a=TEXT)}),
            strict(**{"in": strict(a=maybe(TEXT))}),
            id="an-object-inside-is-strict-too",
        ),
        pytest.param(
            an_object("all", all={"type": "array", "items": an_object(a=TEXT)}),
            strict(all={"type": "array", "items": strict(a=maybe(TEXT))}),
            id="and-in-a-list",
        ),
        pytest.param(
            an_object("one", one={"anyOf": [an_object(a=TEXT), TEXT]}),
            strict(one={"anyOf": [strict(a=maybe(TEXT)), TEXT]}),
            id="and-among-alternatives",
        ),
        pytest.param(TEXT, TEXT, id="no-object-no-change"),
    ],
)
def test_a_strict_schema_is(schema: dict[str, Any], expected: dict[str, Any]) -> None:
    assert strict_schema(schema) == expected


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        pytest.param({"a": None, "b": None}, {"a": None}, id="a-null-for-optional-was-not-given"),
        pytest.param({"a": 1, "in": {"x": None}}, {"a": 1, "in": {}}, id="inside-an-object"),
        pytest.param(
            {"a": 1, "all": [{"x": None}, {"x": "y"}]},
            {"a": 1, "all": [{}, {"x": "y"}]},
            id="inside-a-list",
        ),
        pytest.param(
            {"a": 1, "stranger": {"x": None}},
            {"a": 1, "stranger": {"x": None}},
            id="not-where-no-schema-says-what-is-required",
        ),
        pytest.param({"a": {"x": None}}, {"a": {"x": None}}, id="not-in-what-is-no-object-to-it"),
    ],
)
def test_given_is(value: dict[str, Any], kept: dict[str, Any]) -> None:
    schema = an_object(
        "a",
        a={},
        b=TEXT,
        all={"type": "array", "items": an_object(x=TEXT)},
        **{"in": an_object(x=TEXT)},
    )
    assert given(value, schema) == kept


def test_what_is_given_is_a_copy() -> None:
    value = {"a": [1], "in": {"x": ["y"]}}
    copied = given(value, an_object("a", a={}, **{"in": an_object("x", x={})}))
    assert copied == value
    assert isinstance(copied, dict)
    copied["a"].append(2)
    copied["in"]["x"].append("z")
    assert value == {"a": [1], "in": {"x": ["y"]}}


@holds(st.dictionaries(st.sampled_from("abc"), st.none() | st.text(max_size=3), max_size=3))
def test_what_the_application_takes_the_strict_schema_takes_with_nulls(
    value: dict[str, Any],
) -> None:
    schema = an_object("a", a=TEXT, b=TEXT, c=TEXT)
    whole = {name: value.get(name) for name in "abc"}
    is_taken = Draft202012Validator(schema).is_valid(given(whole, schema))
    assert Draft202012Validator(strict_schema(schema)).is_valid(whole) is is_taken

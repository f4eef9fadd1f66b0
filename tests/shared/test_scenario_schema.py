"""The shipped JSON Schema: made from the types, and of one mind with the rules it can state."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from shared.scenario_schema import SCHEMA_FILE, rendered_schema
from tests.support.contract_cases import ACCEPTED, NO_COERCION, REFUSED
from tests.support.scenario_documents import Document, a_dataset, edited

SCHEMA = json.loads(SCHEMA_FILE.read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
DATA = Path(__file__).parents[1] / "data" / "scenarios"
CUSTOMER_BOOKING = json.loads((DATA / "customer_booking.json").read_text("utf-8"))
ABBREVIATED = json.loads((DATA / "abbreviated_simulation.json").read_text("utf-8"))

# JSON Schema has one kind of number, so 2.0 is an integer to it.
WHOLE_FLOATS = (2.0, 1.0, 0.0)


def test_the_shipped_file_is_what_the_types_say() -> None:
    assert SCHEMA_FILE.read_text("utf-8") == rendered_schema(), (
        "run: uv run python -m shared.scenario_schema"
    )


def test_it_is_a_valid_schema_without_an_identity() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)

    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "$id" not in SCHEMA
    assert SCHEMA["title"]
    assert SCHEMA["description"]


def test_the_customer_booking_example_is_valid() -> None:
    assert VALIDATOR.is_valid(CUSTOMER_BOOKING)


def test_the_abbreviated_simulation_lacks_objectives_and_turns() -> None:
    scenario = edited(
        CUSTOMER_BOOKING["scenarios"][0],
        {"interaction": "multi_turn", "expected.golden_path.delegations": 1, **ABBREVIATED},
    )
    places = {error.json_path for error in VALIDATOR.iter_errors(a_dataset(scenario))}

    assert places == {
        "$.scenarios[0].simulation_parameters.agenda",
        "$.scenarios[0].expected.golden_path",
    }


@pytest.mark.parametrize(("base", "edits"), ACCEPTED)
def test_what_is_lawful_is_valid(base: Document, edits: dict[str, Any]) -> None:
    assert VALIDATOR.is_valid(a_dataset(edited(base, edits)))


@pytest.mark.parametrize(("base", "edits", "paths", "in_schema"), REFUSED)
def test_what_is_refused_is_invalid_where_a_schema_can_say_so(
    base: Document, edits: dict[str, Any], paths: set[str], in_schema: bool
) -> None:
    assert VALIDATOR.is_valid(a_dataset(edited(base, edits))) is not in_schema


@pytest.mark.parametrize(("base", "path", "value"), NO_COERCION)
def test_what_would_need_coercion_is_invalid(base: Document, path: str, value: object) -> None:
    is_whole_float = isinstance(value, float) and value in WHOLE_FLOATS

    assert VALIDATOR.is_valid(a_dataset(edited(base, {path: value}))) is is_whole_float


@pytest.mark.parametrize(
    "keys",
    [
        pytest.param({"schema_version": "1.1"}, id="another-version"),
        pytest.param({"schema_version": 1.0}, id="a-number-for-a-version"),
        pytest.param({"scenarios": {}}, id="no-list"),
        pytest.param({"surprise": 1}, id="an-unknown-key"),
    ],
)
def test_the_envelope_is_closed(keys: Document) -> None:
    assert not VALIDATOR.is_valid({**a_dataset(), **keys})


def test_an_empty_object_is_a_dataset() -> None:
    assert VALIDATOR.is_valid({})

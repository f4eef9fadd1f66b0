"""The shipped JSON Schema of results: current, and true of what is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from shared.reporting.report_schema import SCHEMA_FILE, rendered_schema
from shared.reporting.schema import ConsumptionMetrics, Report, Summary
from tests.support.judged import a_row, a_run, an_attempt
from tests.support.runs import evaluate_here

SCHEMA = json.loads(SCHEMA_FILE.read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def test_the_shipped_file_is_what_the_types_say() -> None:
    assert SCHEMA_FILE.read_text("utf-8") == rendered_schema(), (
        "run: uv run python -m shared.reporting.report_schema"
    )


def test_it_is_a_valid_schema_without_an_identity() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)

    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "$id" not in SCHEMA
    assert SCHEMA["title"]


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A real report: one scenario, offline."""
    finished, _ = evaluate_here(tmp_path_factory.mktemp("run") / "r", example="restaurant_001")
    return finished.report


def test_a_real_report_is_valid(real: dict[str, Any]) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(real)] == []


def written(*rows: Any) -> dict[str, Any]:
    summary = Summary(total=len(rows), passed=0, failed=0, infrastructure_errors=0)
    report = Report(run=a_run(), summary=summary, results=list(rows))
    content: dict[str, Any] = json.loads(report.model_dump_json())
    return content


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(a_row(), id="a-judged-attempt"),
        pytest.param(a_row(an_attempt(extent_ms=0)), id="an-attempt-that-never-began"),
        pytest.param(a_row(an_attempt(caller=None, utterances=[])), id="an-attempt-without-turns"),
    ],
)
def test_a_row_is_valid(row: Any) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(written(row))] == []


@pytest.mark.parametrize(
    "path",
    [
        "schema_version",
        "summary.failed",
        "run.ended_at",
        "results.0.error",
        "results.0.metrics.audio.response_rate",
        "results.0.metrics.task.turns",
        "results.0.attempt.recording",
        "results.0.metrics.consumption.frontend",
    ],
)
def test_a_key_that_is_always_written_is_required(path: str) -> None:
    content = written(a_row())
    *way, last = path.split(".")
    holder: Any = content
    for step in way:
        holder = holder[int(step)] if isinstance(holder, list) else holder[step]
    del holder[last]

    assert not VALIDATOR.is_valid(content)


def test_what_consumption_leaves_out_is_not_required() -> None:
    consumption = VALIDATOR.evolve(
        schema={"$ref": "#/$defs/ConsumptionMetrics", "$defs": SCHEMA["$defs"]}
    )

    assert consumption.is_valid(json.loads(ConsumptionMetrics().model_dump_json()))


def test_unknown_keys_are_none_of_ours(real: dict[str, Any]) -> None:
    assert not VALIDATOR.is_valid({**real, "surprise": 1})


def test_the_schema_lies_beside_its_module_for_the_package_to_ship() -> None:
    assert Path(rendered_schema.__code__.co_filename).parent == SCHEMA_FILE.parent

"""The report's types: unknown is null; only consumption leaves out what is unavailable."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from shared.reporting.schema import (
    SCHEMA_VERSION,
    AttemptReport,
    BackendConsumption,
    ConsumptionMetrics,
    FrontendConsumption,
    InputTokens,
    Report,
    Summary,
    TaskMetrics,
    Tokens,
)
from tests.support.judged import a_row, a_run


def written(part: Any) -> Any:
    return json.loads(part.model_dump_json())


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        pytest.param(ConsumptionMetrics(), {"frontend": {}, "backend": {}}, id="nothing"),
        pytest.param(
            FrontendConsumption(audio_duration_ms=0),
            {"audio_duration_ms": 0},
            id="an-observed-nought",
        ),
        pytest.param(
            BackendConsumption(total_tokens=72, input=InputTokens(cached_tokens=0)),
            {"total_tokens": 72, "input": {"cached_tokens": 0}},
            id="what-was-given",
        ),
        pytest.param(
            BackendConsumption(models={"a": Tokens(total_tokens=1)}),
            {"models": {"a": {"total_tokens": 1}}},
            id="each-model",
        ),
    ],
)
def test_consumption_holds_only(part: Any, expected: Any) -> None:
    assert written(part) == expected


def test_everywhere_else_unknown_is_null() -> None:
    assert written(TaskMetrics(task_completed=False)) == {
        "task_completed": False,
        "semantic_quality": {"score": None, "dimensions": {}},
        "tool_accuracy": None,
        "tool_calls": None,
        "delegation_accuracy": None,
        "delegations": None,
        "turns": None,
    }


def a_report() -> Report:
    summary = Summary(total=1, passed=1, failed=0, infrastructure_errors=0)
    return Report(run=a_run(), summary=summary, results=[a_row()])


def test_a_report_comes_back_from_json_as_it_went() -> None:
    report = a_report()

    assert Report.model_validate_json(report.model_dump_json()) == report
    assert written(report)["schema_version"] == SCHEMA_VERSION == "2.0"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        pytest.param("surprise", 1, id="an-unknown-key"),
        pytest.param("schema_version", "1.0", id="another-version"),
        pytest.param("run.module", "fly", id="an-unknown-module"),
        pytest.param("results.0.status", "maybe", id="an-unknown-status"),
        pytest.param("results.0.metrics.audio.response_rate", "NaN", id="a-rate-that-is-no-number"),
        pytest.param("results.0.metrics.task.task_completed", None, id="no-outcome"),
    ],
)
def test_a_report_is_refused_with(path: str, value: object) -> None:
    content = written(a_report())
    *way, last = path.split(".")
    holder: Any = content
    for step in way:
        holder = holder[int(step)] if isinstance(holder, list) else holder[step]
    holder[last] = value

    with pytest.raises(ValidationError):
        Report.model_validate_json(json.dumps(content))


def test_a_part_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        AttemptReport(key="a", repeat=1).key = "b"  # type: ignore[misc]

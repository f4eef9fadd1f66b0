"""Judgments in a row: scores in the metrics, receipts in the assessment, reasons for every gap."""

from __future__ import annotations

from typing import Any

from shared.grading.judge import Judgments, Unscored
from shared.grading.rubric import RUBRIC_VERSION
from shared.reporting.schema import AttemptResult
from tests.support.builders import spans
from tests.support.judged import a_row, a_scenario, an_attempt
from tests.support.judges import a_judgment, judgments

LOST = Unscored("HTTP 429: slow down")
SCENARIO = a_scenario(
    type="correction",
    expected__tools__required=[],
    input__context={"summary": "They spoke."},
)


def row(said: Judgments | None) -> AttemptResult:
    return a_row(an_attempt(assistant=spans((1_400, 2_000))), SCENARIO, judgments=said)


def semantic(said: Judgments | None) -> Any:
    assessment = row(said).assessment
    assert assessment is not None
    return {name: one.model_dump() for name, one in assessment.semantic.items()}


def test_scores_and_their_mean_stand_in_the_metrics() -> None:
    metrics = row(judgments(task_understanding=0.75, context_fidelity=1)).metrics

    assert metrics.task.semantic_quality.model_dump() == {
        "score": 0.875,
        "dimensions": {"task_understanding": 0.75, "context_fidelity": 1.0},
    }
    assert metrics.unavailable == {
        key: reason
        for key, reason in row(None).metrics.unavailable.items()
        if "semantic" not in key
    }


def test_a_dimension_that_was_lost_is_left_out_with_its_reason() -> None:
    metrics = row(judgments(task_understanding=0.5, context_fidelity=LOST)).metrics

    assert metrics.task.semantic_quality.score == 0.5
    key = "task.semantic_quality.dimensions.context_fidelity"
    assert metrics.unavailable[key] == LOST.reason
    assert "task.semantic_quality.score" not in metrics.unavailable


def test_where_nothing_was_scored_there_is_no_mean_and_a_reason() -> None:
    metrics = row(judgments(task_understanding=LOST)).metrics

    assert metrics.task.semantic_quality.score is None
    assert metrics.unavailable["task.semantic_quality.score"] == "the judge scored no dimension"


def test_without_a_judge_the_row_says_so() -> None:
    one = row(None)

    assert one.metrics.task.semantic_quality.model_dump() == {"score": None, "dimensions": {}}
    assert one.metrics.unavailable["task.semantic_quality.score"] == "no judge was asked"
    assert semantic(None) == {}
    assert one.assessment is not None
    assert one.assessment.source == "deterministic"


def test_a_judgment_has_its_receipt() -> None:
    shown = semantic(judgments(task_understanding=0.75))["task_understanding"]

    assert shown == {
        "status": "passed",
        "passed": True,
        "score": 0.75,
        "rationale": "Because.",
        "reason": None,
        "evidence": {
            "support": ["done"],
            "support_found": 1,
            "rubric_version": RUBRIC_VERSION,
            "judge_model": "a-judge",
            "reasoning_effort": "medium",
            "prompt_sha256": "0" * 64,
            "latency_ms": 12,
            "calls": 1,
            "is_cached": False,
        },
        "usage": {
            "source": "evaluation_judge",
            "total_tokens": 120,
            "input_tokens": 100,
            "cached_input_tokens": 50,
            "output_tokens": 20,
            "reasoning_tokens": 5,
        },
        "original_usage": None,
    }


def test_a_judgment_from_the_cache_cost_nothing_now_and_says_what_it_had_cost() -> None:
    shown = semantic(judgments(is_cached=True, task_understanding=1))["task_understanding"]

    assert shown["evidence"]["is_cached"]
    assert {v for k, v in shown["usage"].items() if k != "source"} == {0}
    assert shown["original_usage"]["total_tokens"] == 120


def test_a_lost_dimension_has_a_reason_and_neither_score_nor_pass() -> None:
    shown = semantic(judgments(task_understanding=LOST))["task_understanding"]

    assert (shown["status"], shown["reason"]) == ("unscored", LOST.reason)
    assert (shown["score"], shown["passed"], shown["rationale"]) == (None, None, None)
    assert shown["evidence"]["rubric_version"] == RUBRIC_VERSION
    assert shown["usage"]["total_tokens"] == 120, "what a lost one cost is a cost"


def test_what_the_judge_used_is_no_consumption_of_the_assistant() -> None:
    assert row(judgments(task_understanding=1)).metrics.consumption == row(None).metrics.consumption


def test_observability_has_every_dimension() -> None:
    said = judgments(task_understanding=a_judgment(0.5, passed=False), context_fidelity=LOST)
    observability: Any = row(said).observability

    assert observability["grading"]["semantic"] == {
        "task_understanding": "failed",
        "context_fidelity": "unscored",
        "clarification_quality": "not_applicable",
        "grounded_communication": "not_applicable",
        "conversational_coherence": "not_applicable",
    }
    assert observability["grading"]["semantic_scores"] == {"task_understanding": 0.5}
    assert "task_understanding" not in observability["grading"]["deterministic"]


def test_a_verdict_in_which_a_judge_had_a_part_says_so() -> None:
    judged, lost = row(judgments(task_understanding=1)), row(judgments(task_understanding=LOST))
    assert judged.assessment is not None
    assert lost.assessment is not None
    observability: Any = judged.observability

    assert judged.assessment.source == "semantic_judge"
    assert observability["completion"]["source"] == "semantic_judge"
    assert lost.assessment.source == "deterministic"

"""Cases 22 and 24, the judge's part: replies that are no judgments, and a judge too busy."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from tests.support.conversations import BOOKS, Conversation, Held, delegates, says
from tests.support.judges import GOOD
from tests.support.runs import Row, failed_checks
from tests.support.services import Services

ON_THE_TASK, ON_CONTEXT, ON_THE_REPORT = (
    {"when": f"Judge {dimension} of this record"}
    for dimension in ("task_understanding", "context_fidelity", "grounded_communication")
)
CUT = json.dumps(GOOD)[:40]
WITHOUT_A_SCORE = {key: value for key, value in GOOD.items() if key != "score"}
BOOKED = Conversation(
    steps=[delegates(BOOKS), says("You are booked for half past six.", "d1.done+1000")],
    expected={"delegation": "required", "tools": {"required": [BOOKS]}},
    tags=["correction"],
)
UNBOOKED = replace(BOOKED, steps=[says("You are booked for half past six.")])
CONVERSATIONS = {
    "two_are_none": replace(
        BOOKED,
        judge=[
            {**ON_CONTEXT, "text": CUT},
            {**ON_THE_REPORT, "json": [GOOD]},
            {"json": GOOD},
        ],
    ),
    "the_first_is_none": replace(
        BOOKED, judge=[{**ON_THE_TASK, "json": WITHOUT_A_SCORE}, {"json": GOOD}]
    ),
    "busy": replace(BOOKED, judge=[{"status": 429, "headers": {"retry-after": "0"}}]),
    "busy_about_a_failure": replace(
        UNBOOKED, judge=[{"status": 429, "headers": {"retry-after": "0"}}]
    ),
}


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[Held]]]:
    folder, services = tmp_path_factory.mktemp("judged"), Services()
    with ThreadPoolExecutor(4) as pool:
        yield {
            name: pool.submit(conversation.hold, services, folder / name)
            for name, conversation in CONVERSATIONS.items()
        }
    services.stop()


def semantic(row: Row) -> dict[str, Any]:
    scores: dict[str, Any] = row["metrics"]["task"]["semantic_quality"]
    return scores


def test_case_22_one_bad_reply_harms_one_dimension(judged: dict[str, Future[Held]]) -> None:
    """F1. Cut in the middle, and an array; what was judged counts and decides."""
    row = judged["two_are_none"].result().row

    assert (row["status"], row["error"]) == ("passed", None)
    assert semantic(row) == {
        "score": GOOD["score"],
        "dimensions": {"task_understanding": GOOD["score"]},
    }
    reasons = row["metrics"]["unavailable"]
    cut = reasons["task.semantic_quality.dimensions.context_fidelity"]
    array = reasons["task.semantic_quality.dimensions.grounded_communication"]
    assert "no JSON" in cut
    assert "has not the form asked for" in array


def test_case_22_without_a_judgment_of_the_task_the_judge_is_what_is_missing(
    judged: dict[str, Future[Held]],
) -> None:
    """F1. A key is missing: never a zero, and never a failure of the assistant."""
    held = judged["the_first_is_none"].result()
    row = held.row

    assert (row["status"], row["error"]["stage"]) == ("infrastructure_error", "semantic_judge")
    assert "score" in row["error"]["message"]
    assert "task_understanding" not in semantic(row)["dimensions"]
    assert failed_checks(row) == set()
    assert held.run.report["summary"]["failed"] == 0
    assert len(held.run.journal) == 1


def test_case_24_a_judge_over_its_limit_leaves_a_null(judged: dict[str, Future[Held]]) -> None:
    """E8."""
    held = judged["busy"].result()

    assert held.row["status"] == "infrastructure_error"
    assert held.row["error"]["stage"] == "semantic_judge"
    assert "HTTP 429" in held.row["error"]["message"]
    assert semantic(held.row)["score"] is None
    assert held.run.report["summary"]["failed"] == 0


def test_case_24_nor_does_it_hide_a_failure(judged: dict[str, Future[Held]]) -> None:
    """E8. What the checks found does not hang on the judge."""
    held = judged["busy_about_a_failure"].result()

    assert (held.row["status"], held.row["error"]) == ("failed", None)
    assert failed_checks(held.row) == {
        "delegation_policy",
        "tool_contract",
        "grounded_confirmation",
    }
    assert semantic(held.row)["score"] is None

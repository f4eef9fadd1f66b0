"""What a response consumed, as a provider writes it: every figure it gives, and no other."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from shared.observability.observations import TokenUsage
from shared.observability.reported_usage import ReportedUsage


@pytest.mark.parametrize(
    ("written", "tokens"),
    [
        pytest.param({}, TokenUsage(), id="an-empty-one-is-all-unknown"),
        pytest.param(
            {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0},
            TokenUsage(input_tokens=0, output_tokens=0, total_tokens=0),
            id="zero-is-not-unknown",
        ),
        pytest.param(
            {
                "input_tokens": 400,
                "input_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 7},
                "output_tokens": 30,
                "output_tokens_details": {"reasoning_tokens": 20},
                "total_tokens": 430,
            },
            TokenUsage(
                input_tokens=400,
                output_tokens=30,
                total_tokens=430,
                cached_input_tokens=100,
                cache_write_tokens=7,
                reasoning_tokens=20,
            ),
            id="every-figure",
        ),
        pytest.param(
            {"input_tokens": 4, "input_tokens_details": None, "output_tokens": None},
            TokenUsage(input_tokens=4),
            id="null-is-unknown",
        ),
        pytest.param(
            {"input_tokens": 1, "output_tokens": -1},
            TokenUsage(input_tokens=1),
            id="less-than-nothing-is-unknown",
        ),
        pytest.param({"audio_tokens": 5}, TokenUsage(), id="figures-we-do-not-know-are-dropped"),
    ],
)
def test_a_usage_says(written: dict[str, Any], tokens: TokenUsage) -> None:
    assert ReportedUsage.model_validate_json(json.dumps(written)).tokens() == tokens


@pytest.mark.parametrize(
    "written",
    [
        pytest.param({"input_tokens": "400"}, id="a-text"),
        pytest.param({"input_tokens": True}, id="a-bool"),
        pytest.param({"input_tokens": 0.5}, id="half-a-token"),
        pytest.param({"input_tokens_details": []}, id="a-list-of-details"),
        pytest.param([], id="a-list"),
    ],
)
def test_nothing_is_made_a_figure_of(written: Any) -> None:
    with pytest.raises(ValidationError):
        ReportedUsage.model_validate_json(json.dumps(written))


def test_a_usage_does_not_change() -> None:
    usage = ReportedUsage(input_tokens=1)
    with pytest.raises(ValidationError):
        usage.input_tokens = 2  # type: ignore[misc]

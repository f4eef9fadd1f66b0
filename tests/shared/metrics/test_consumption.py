from __future__ import annotations

import pytest

from shared.metrics.consumption import (
    Consumption,
    ToldUsage,
    backend_usage,
    consumption,
    frontend_audio_ms,
    observer_usage,
)
from shared.observability.evidence import Decision, DecisionStatus
from shared.observability.observations import (
    Observation,
    ResponseEnded,
    ResponseStatus,
    SessionClosed,
    TokenUsage,
    UsageReported,
)
from tests.support.builders import at


def response(
    response_id: str,
    usage: TokenUsage | None,
    model: str | None = "small",
    status: ResponseStatus = ResponseStatus.COMPLETED,
) -> Observation:
    return ResponseEnded(at(0), response_id, "d1", status, model, usage)


def closed(seconds: float | None) -> Observation:
    return SessionClosed(at(0), "close_requested", seconds)


TEN = TokenUsage(input_tokens=7, output_tokens=3, total_tokens=10, cached_input_tokens=2)


@pytest.mark.parametrize(
    ("observations", "expected"),
    [
        pytest.param([], None, id="no-closing-no-figure"),
        pytest.param([UsageReported(at(0), 12.0)], None, id="a-running-figure-is-not-final"),
        pytest.param([closed(None)], None, id="a-closing-without-figure"),
        pytest.param([UsageReported(at(0), 12.0), closed(16.8)], 16_800, id="the-final-figure"),
        pytest.param([closed(16.8), closed(17.0)], 17_000, id="the-last-of-two-final-figures"),
        pytest.param([closed(0.0)], 0, id="an-observed-zero"),
        pytest.param([closed(1.2345)], 1_234, id="to-the-nearest-ms"),
    ],
)
def test_frontend_audio(observations, expected: int | None) -> None:
    assert consumption(observations).frontend_audio_ms == expected
    assert frontend_audio_ms(observations) == expected


@pytest.mark.parametrize(
    ("observations", "expected"),
    [
        pytest.param([], None, id="no-response"),
        pytest.param([response("r1", TEN, status=ResponseStatus.FAILED)], None, id="only-a-failed"),
        pytest.param(
            [response("r1", TEN), response("r2", TEN, status=ResponseStatus.INCOMPLETE)],
            TEN,
            id="only-completed-responses",
        ),
        pytest.param([response("r1", TEN), response("r1", TEN)], TEN, id="each-response-once"),
        pytest.param(
            [response("r1", TEN), response("r2", TEN)],
            TokenUsage(14, 6, 20, 4),
            id="summed-figure-by-figure",
        ),
        pytest.param(
            [response("r1", TEN), response("r2", TokenUsage(3, 2))],
            TokenUsage(10, 5, 15),
            id="a-missing-total-is-made-up-and-a-missing-part-leaves-the-sum-unknown",
        ),
        pytest.param(
            [response("r1", TEN), response("r2", None)], TokenUsage(), id="a-response-without-usage"
        ),
        pytest.param(
            [response("r1", TokenUsage(7, 3, 11))], TokenUsage(7, 3, 11), id="a-given-total-stands"
        ),
        pytest.param([response("r1", TokenUsage(1))], TokenUsage(1), id="half-a-total-is-none"),
    ],
)
def test_backend_tokens(observations, expected: TokenUsage | None) -> None:
    assert consumption(observations).backend == expected


def test_one_model_needs_no_breakdown() -> None:
    assert consumption([response("r1", TEN), response("r2", TEN)]).models == {}


def test_several_models_are_shown_apart() -> None:
    observations = [response("r1", TEN, "small"), response("r2", TEN, "large"), closed(1.0)]
    assert consumption(observations) == Consumption(
        frontend_audio_ms=1_000,
        backend=TokenUsage(14, 6, 20, 4),
        models={"large": TEN, "small": TEN},
    )


@pytest.mark.parametrize(
    ("usages", "expected"),
    [
        pytest.param([], None, id="nobody-asked"),
        pytest.param([None], ToldUsage(1, 0, TokenUsage()), id="told-by-none"),
        pytest.param([TokenUsage()], ToldUsage(1, 0, TokenUsage()), id="told-without-a-figure"),
        pytest.param([TEN, TEN], ToldUsage(2, 2, TokenUsage(14, 6, 20, 4)), id="told-by-all"),
        pytest.param([TEN, None, TEN], ToldUsage(3, 2, TokenUsage(14, 6, 20, 4)), id="told-by-two"),
        pytest.param(
            [TokenUsage(0, 0, 0)], ToldUsage(1, 1, TokenUsage(0, 0, 0)), id="told-to-be-nothing"
        ),
        pytest.param(
            [TEN, TokenUsage(3, 2), None],
            ToldUsage(3, 2, TokenUsage(10, 5, 15)),
            id="a-figure-that-one-of-the-told-lacks-is-unknown",
        ),
    ],
)
def test_what_was_told_is_summed_and_counted(
    usages: list[TokenUsage | None], expected: ToldUsage | None
) -> None:
    asked = [Decision(1, 2, 1, DecisionStatus.ANSWERED, usage=usage) for usage in usages]
    answered = [response(f"r{n}", usage) for n, usage in enumerate(usages)]
    assert observer_usage(asked) == backend_usage(answered) == expected


@pytest.mark.parametrize("status", DecisionStatus)
def test_a_question_costs_whatever_became_of_it(status: DecisionStatus) -> None:
    assert observer_usage([Decision(1, 2, 1, status, usage=TEN)]) == ToldUsage(1, 1, TEN)


def test_only_completed_responses_and_each_once_are_calls_of_a_backend() -> None:
    failed = response("r2", TEN, status=ResponseStatus.FAILED)
    answered = [response("r1", TEN), failed, response("r1", TEN)]
    assert backend_usage(answered) == ToldUsage(1, 1, TEN)

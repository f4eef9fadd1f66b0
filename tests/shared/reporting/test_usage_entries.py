"""What everybody consumed: each source by its name, each response once, nothing made up."""

from __future__ import annotations

import pytest

from shared.observability.evidence import Decision, DecisionStatus, Evidence
from shared.observability.observations import (
    Observation,
    ResponseEnded,
    ResponseStatus,
    SessionClosed,
    TokenUsage,
    UsageReported,
)
from shared.reporting.usage_entries import usage_entries
from shared.values import JsonObject
from tests.support.builders import at
from tests.support.judged import an_attempt

SPENT = TokenUsage(input_tokens=3, output_tokens=2)
ASKED = Decision(900, 1_000, 1, DecisionStatus.ANSWERED, usage=SPENT)


def an_end(response_id: str, usage: TokenUsage | None, model: str | None = "m") -> ResponseEnded:
    return ResponseEnded(at(9), response_id, None, ResponseStatus.COMPLETED, model, usage)


def of_assistant(*seen: Observation) -> Evidence:
    return an_attempt(observations=seen)


def of_caller(*seen: Observation) -> Evidence:
    return an_attempt(caller_observations=seen)


@pytest.mark.parametrize(
    ("evidence", "entries"),
    [
        pytest.param(of_assistant(), [], id="nobody-told-anything"),
        pytest.param(of_assistant(UsageReported(at(5), 1.0)), [], id="a-figure-on-the-way-is-none"),
        pytest.param(
            of_assistant(SessionClosed(at(9), "requested", None)), [], id="no-figure-at-the-end"
        ),
        pytest.param(
            of_assistant(SessionClosed(at(9), "requested", 0.0)),
            [{"source": "live_frontend", "seconds": 0.0}],
            id="zero-is-a-figure",
        ),
        pytest.param(
            of_caller(SessionClosed(at(9), "requested", 2.5)),
            [{"source": "caller_gpt_live", "seconds": 2.5}],
            id="the-caller's-session-apart",
        ),
        pytest.param(
            of_assistant(an_end("r1", SPENT), an_end("r1", TokenUsage(9, 9))),
            [
                {
                    "source": "delegated_response",
                    "response_id": "r1",
                    "status": "completed",
                    "model": "m",
                    "input_tokens": 3,
                    "output_tokens": 2,
                }
            ],
            id="a-response-counts-once-and-what-it-does-not-tell-is-left-out",
        ),
        pytest.param(of_assistant(an_end("r1", None)), [], id="a-response-that-tells-nothing"),
        pytest.param(
            of_caller(an_end("r1", SPENT, model=None)),
            [
                {
                    "source": "caller_response",
                    "response_id": "r1",
                    "status": "completed",
                    "input_tokens": 3,
                    "output_tokens": 2,
                }
            ],
            id="the-caller's-backend-apart",
        ),
        pytest.param(
            an_attempt(decisions=(ASKED, Decision(2_000, None, 2, DecisionStatus.ASKED))),
            [
                {
                    "source": "completion_observer",
                    "asked_ms": 900,
                    "input_tokens": 3,
                    "output_tokens": 2,
                }
            ],
            id="each-question-to-the-observer-that-was-paid-for",
        ),
    ],
)
def test_it_is_told_by_source(evidence: Evidence, entries: list[JsonObject]) -> None:
    assert usage_entries(evidence) == entries

"""What a call of the model came to, and when another is made: bodies, refusals, and waiting."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from shared.grading.judge import Reply
from shared.grading.model_call import ModelCall, Retries, answered, refused
from shared.observability.observations import TokenUsage

NOW = datetime(2026, 8, 7, 12, 0, 0, tzinfo=UTC)


def a_message(*contents: dict[str, Any], kind: str = "message") -> dict[str, Any]:
    return {"type": kind, "content": list(contents)}


def some_text(text: str, kind: str = "output_text") -> dict[str, Any]:
    return {"type": kind, "text": text}


def a_refusal(text: str) -> dict[str, Any]:
    return {"type": "refusal", "refusal": text}


def a_body(*output: dict[str, Any], status: str = "completed", **fields: Any) -> bytes:
    return json.dumps({"status": status, "output": output, **fields}).encode()


@pytest.mark.parametrize(
    ("body", "text"),
    [
        pytest.param(a_body(a_message(some_text("Yes."))), "Yes.", id="its-text"),
        pytest.param(
            a_body(a_message(some_text("Y"), some_text("e")), a_message(some_text("s"))),
            "Yes",
            id="all-of-its-texts-in-order",
        ),
        pytest.param(
            a_body(
                a_message(some_text("x"), kind="function_call"),
                a_message(some_text("Yes.")),
                a_message(some_text("y"), kind="reasoning"),
            ),
            "Yes.",
            id="of-messages-alone",
        ),
        pytest.param(
            a_body(
                a_message(
                    some_text("a", "input_text"), some_text("Yes."), some_text("z", "summary_text")
                )
            ),
            "Yes.",
            id="of-output-alone",
        ),
        pytest.param(
            a_body({"type": "message", "content": None}, {}, a_message({}, some_text("Yes."))),
            "Yes.",
            id="whatever-else-is-empty",
        ),
        pytest.param(
            a_body(a_message(some_text(" Yes.\n")), surplus=[1]), " Yes.\n", id="as-it-was-written"
        ),
        pytest.param(
            a_body(a_message(some_text("Y?s"))).replace(b"?", b"\xff"),
            "Y\N{REPLACEMENT CHARACTER}s",
            id="with-a-sign-for-bytes-that-are-no-text",
        ),
    ],
)
def test_a_completed_response_holds(body: bytes, text: str) -> None:
    assert answered(body) == ModelCall(text=text)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        pytest.param(
            a_body(a_message(some_text("x"), a_refusal("I will"), a_refusal("not."))),
            "the model refused: I will not.",
            id="a-refusal-whatever-else-it-says",
        ),
        pytest.param(
            a_body(a_message(a_refusal(""))), "the model refused: ", id="a-refusal-without-words"
        ),
        pytest.param(a_body(), "the reply is empty", id="one-without-output"),
        pytest.param(b'{"status": "completed"}', "the reply is empty", id="nothing-but-a-status"),
        pytest.param(a_body(a_message(some_text(" \n"))), "the reply is empty", id="a-blank-one"),
        pytest.param(
            a_body(a_message(some_text("whole")), status="incomplete"),
            "the response is incomplete: no reason given",
            id="an-incomplete-one-even-if-its-text-is-whole",
        ),
        pytest.param(
            a_body(status="incomplete", incomplete_details={"reason": "content_filter"}),
            "the response is incomplete: content_filter",
            id="an-incomplete-one-with-its-reason",
        ),
        pytest.param(
            a_body(status="incomplete", incomplete_details={}),
            "the response is incomplete: no reason given",
            id="an-incomplete-one-whose-details-are-none",
        ),
        pytest.param(
            a_body(status="failed"), "the response failed: no reason given", id="a-failed-one"
        ),
        pytest.param(
            a_body(status="failed", error={"message": "It broke."}),
            "the response failed: It broke.",
            id="a-failed-one-with-its-reason",
        ),
        pytest.param(
            a_body(status="failed", error={}),
            "the response failed: no reason given",
            id="a-failed-one-whose-error-says-nothing",
        ),
        pytest.param(
            a_body(a_message(some_text("x")), status="queued"),
            "the response is queued, not completed",
            id="any-other-one",
        ),
    ],
)
def test_a_response_holds_no_text_when_it_is(body: bytes, problem: str) -> None:
    assert answered(body) == ModelCall(problem=problem)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"<html>", id="html"),
        pytest.param(b"", id="nothing"),
        pytest.param(b"[]", id="an-array"),
        pytest.param(b'{"status": "comp', id="half-a-json"),
        pytest.param(b"\xff", id="bytes-that-are-no-text"),
        pytest.param(b'{"output": []}', id="one-without-status"),
        pytest.param(b'{"status": "completed", "output": 1}', id="odd-output"),
    ],
)
def test_what_is_no_response_is_a_problem(body: bytes) -> None:
    problem = "what came back is no response of the Responses API"
    assert answered(body) == ModelCall(problem=problem)


USAGE = {"input_tokens": 300, "input_tokens_details": {"cached_tokens": 100}}
TOKENS = TokenUsage(input_tokens=300, cached_input_tokens=100)


@pytest.mark.parametrize(
    ("body", "tokens"),
    [
        pytest.param(a_body(a_message(some_text("x")), usage=USAGE), TOKENS, id="of-a-text"),
        pytest.param(a_body(status="incomplete", usage=USAGE), TOKENS, id="of-half-a-response"),
        pytest.param(json.dumps({"usage": USAGE}).encode(), TOKENS, id="even-of-no-response"),
        pytest.param(a_body(a_message(some_text("x")), usage=None), None, id="unknown"),
        pytest.param(
            a_body(a_message(some_text("x")), usage={"input_tokens": "many"}),
            None,
            id="unknown-where-it-makes-no-sense",
        ),
    ],
)
def test_the_cost_is_known(body: bytes, tokens: TokenUsage | None) -> None:
    assert answered(body).usage == tokens


def test_usage_that_makes_no_sense_costs_no_text() -> None:
    assert answered(a_body(a_message(some_text("x")), usage=[])).text == "x"


@pytest.mark.parametrize(
    ("status", "may_pass"),
    [
        (400, False), (401, False), (403, False), (404, False), (407, False), (408, True),
        (409, True), (410, False), (422, False), (428, False), (429, True), (430, False),
        (499, False), (500, True), (501, True), (502, True), (503, True), (504, True),
    ],
)  # fmt: skip
def test_a_status_may_pass(status: int, may_pass: bool) -> None:
    call = refused(status, {"message": "No."}, {}, NOW)
    assert call == ModelCall(problem=f"HTTP {status}: No.", may_pass=may_pass)


@pytest.mark.parametrize("status", [429, 500])
def test_money_that_has_run_out_does_not_come_back_by_asking(status: int) -> None:
    out = {"message": "Out of money.", "code": "insufficient_quota"}
    busy = {"message": "Slow down.", "code": "rate_limit_exceeded"}

    assert not refused(status, out, {}, NOW).may_pass
    assert refused(status, busy, {}, NOW).may_pass


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(None, id="none"),
        pytest.param({}, id="an-empty-one"),
        pytest.param("<html>", id="a-text"),
        pytest.param({"message": None}, id="null-for-a-message"),
    ],
)
def test_an_error_that_says_nothing_is_an_error(error: object) -> None:
    assert refused(400, error, {}, NOW).problem == "HTTP 400: no reason given"


@pytest.mark.parametrize(
    ("headers", "asked_s"),
    [
        pytest.param({}, None, id="nothing"),
        pytest.param({"retry-after": "2"}, 2, id="seconds"),
        pytest.param({"retry-after": "0.5"}, 0.5, id="a-part-of-one"),
        pytest.param({"retry-after": "0"}, 0, id="none-at-all"),
        pytest.param({"retry-after-ms": "1500"}, 1.5, id="milliseconds"),
        pytest.param(
            {"retry-after-ms": "1500", "retry-after": "2"}, 1.5, id="the-more-exact-of-both"
        ),
        pytest.param(
            {"retry-after-ms": "soon", "retry-after": "2"}, 2, id="the-other-when-one-is-none"
        ),
        pytest.param({"retry-after": "soon"}, None, id="no-number-is-as-good-as-nothing"),
        pytest.param({"retry-after": "-0.5"}, None, id="nor-is-a-negative-one"),
        pytest.param({"retry-after": "nan"}, None, id="nor-nan"),
        pytest.param({"retry-after": "inf"}, None, id="nor-infinity"),
        pytest.param({"retry-after": "Fri, 07 Aug 2026 12:00:02 GMT"}, 2, id="a-date"),
        pytest.param({"retry-after": "Fri, 07 Aug 2026 14:00:02 +0200"}, 2, id="one-of-a-zone"),
        pytest.param({"retry-after": "Fri, 07 Aug 2026 12:00:02 -0000"}, 2, id="one-of-no-zone"),
        pytest.param({"retry-after": "Fri, 07 Aug 2026 11:59:00 GMT"}, 0, id="one-that-is-over"),
    ],
)
def test_a_service_asks_for_a_wait_of(headers: dict[str, str], asked_s: float | None) -> None:
    assert refused(503, {}, headers, NOW).asked_wait_s == asked_s


BUSY = ModelCall(problem="HTTP 503: busy", may_pass=True)
TWICE = Retries(most=2, longest_wait_s=8)


@pytest.mark.parametrize(
    ("retries", "call", "calls", "wait_s"),
    [
        pytest.param(TWICE, BUSY, 1, 0.5, id="half-a-second-of-our-own"),
        pytest.param(TWICE, BUSY, 2, 1.0, id="twice-as-long-the-next-time"),
        pytest.param(Retries(9, 8), BUSY, 5, 8.0, id="up-to-the-longest-wait"),
        pytest.param(Retries(9, 8), BUSY, 6, None, id="and-no-longer"),
        pytest.param(TWICE, BUSY, 3, None, id="never-after-the-last-retry"),
        pytest.param(Retries(0, 8), BUSY, 1, None, id="never-without-retries"),
        pytest.param(TWICE, ModelCall(problem="x"), 1, None, id="never-where-nothing-may-change"),
        pytest.param(TWICE, ModelCall(text="x"), 1, None, id="never-after-an-answer"),
    ],
)
def test_the_next_call_waits(
    retries: Retries, call: ModelCall, calls: int, wait_s: float | None
) -> None:
    assert retries.wait_s(call, calls) == wait_s


@pytest.mark.parametrize(
    ("asked_s", "wait_s"),
    [
        pytest.param(0, 0, id="not-at-all"),
        pytest.param(0.1, 0.1, id="less-than-we-would"),
        pytest.param(8, 8, id="as-long-as-a-call-may-take"),
        pytest.param(8.001, None, id="not-longer"),
    ],
)
def test_the_next_call_waits_as_the_service_asks(asked_s: float, wait_s: float | None) -> None:
    call = ModelCall(problem="x", may_pass=True, asked_wait_s=asked_s)
    assert TWICE.wait_s(call, 1) == wait_s


def test_the_last_call_makes_the_reply() -> None:
    call = ModelCall("x", None, TOKENS)
    assert call.reply(3, 1_234_567) == Reply("x", None, 1_235, 3, TOKENS)


def test_a_problem_makes_a_reply_as_well() -> None:
    assert BUSY.reply(1, 499) == Reply(None, "HTTP 503: busy", 0, 1, None)

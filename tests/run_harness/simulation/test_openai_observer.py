"""The observer over the Responses API: the official SDK and the fixture's HTTP end, on a socket."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from assistants.frontend.fixture.http import HttpEnd, http_end
from assistants.frontend.fixture.http_script import parse_http_script
from run_harness.simulation.observer import REPLY_SCHEMA, Question, Reading, Unread, read
from run_harness.simulation.openai_observer import OpenAIObserver, observer_at
from shared.grading.judge import Reply
from shared.grading.openai_model import ModelService
from shared.observability.turns import Turn
from tests.support.builders import a_request

KEY = "sk-a-key-that-nobody-may-see"
TURN: Turn = a_request((0, 900))
QUESTION = Question(3, "Watch.", "DATA x\n{}\nDATA x", {"c1": TURN}, (), has_earlier=False)
GOOD: dict[str, Any] = {
    "reason": "All is said.",
    "objectives": [],
    "caller_in_role": True,
    "closing_turn": "c1",
    "closing_turn_carries_request": False,
    "outcome": "resolved",
    "should_drain": True,
}


@contextmanager
def observing(
    *answers: dict[str, Any], timeout_s: float = 20
) -> Iterator[tuple[OpenAIObserver, HttpEnd]]:
    rules = [{"to": "responses", **answer} for answer in answers]
    script = parse_http_script(json.dumps({"format": "live-fixture-http/1", "answers": rules}))
    with http_end(script) as end:
        service = ModelService(end.url, is_loopback=True, timeout_s=timeout_s, api_key=KEY)
        with observer_at(service, "an-observer") as observer:
            yield observer, end


def asked(*answers: dict[str, Any], timeout_s: float = 20) -> Reply:
    with observing(*answers, timeout_s=timeout_s) as (observer, _):
        return asyncio.run(observer.ask(QUESTION))


def test_an_answer_comes_back_with_its_cost() -> None:
    reply = asked({"json": GOOD, "usage": {"input_tokens": 300, "output_tokens": 30}})

    assert isinstance(read(QUESTION, reply), Reading)
    assert reply.usage is not None
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.calls) == (300, 30, 1)


def test_the_request_is_strict_quick_and_not_stored() -> None:
    with observing({"json": GOOD}) as (observer, end):
        asyncio.run(observer.ask(QUESTION))
        (request,) = end.requests
    body = json.loads(request.text)

    assert (body["model"], body["store"]) == ("an-observer", False)
    assert body["reasoning"] == {"effort": "none"}
    assert body["text"]["verbosity"] == "low"
    form = body["text"]["format"]
    assert (form["type"], form["strict"], form["schema"]) == ("json_schema", True, REPLY_SCHEMA)
    assert [one["content"] for one in body["input"]] == [QUESTION.system, QUESTION.user]
    assert body["max_output_tokens"] == 2_000
    assert request.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        pytest.param({"status": 503}, "HTTP 503: The script says so.", id="a-busy-service"),
        pytest.param({"refusal": "No."}, "the model refused: No.", id="a-refusal"),
        pytest.param(
            {"json": GOOD, "cut": True}, "the line to the model broke", id="a-broken-line"
        ),
        pytest.param(
            {"incomplete": "max_output_tokens"}, "the response is incomplete", id="half-an-answer"
        ),
    ],
)
def test_what_goes_wrong_is_asked_once(answer: dict[str, Any], problem: str) -> None:
    reply = asked(answer)
    reading = read(QUESTION, reply)

    assert isinstance(reading, Unread)
    assert reading.reason.startswith(problem)
    assert reply.calls == 1


def test_a_call_has_a_limit() -> None:
    reply = asked({"stall_ms": 60_000}, timeout_s=0.2)

    assert reply.problem == "no reply within 0.2 s"
    assert 200 <= reply.latency_ms < 10_000


def test_another_call_may_follow_one_that_failed() -> None:
    with observing({"times": 1, "status": 500}, {"json": GOOD}) as (observer, _):
        first = asyncio.run(observer.ask(QUESTION))
        second = asyncio.run(observer.ask(QUESTION))

    assert first.problem is not None
    assert isinstance(read(QUESTION, second), Reading)


def test_several_conversations_share_it() -> None:
    async def both(observer: OpenAIObserver) -> list[Reply]:
        return await asyncio.gather(*(observer.ask(QUESTION) for _ in range(3)))

    with observing({"json": GOOD, "stall_ms": 50}) as (observer, end):
        replies = asyncio.run(both(observer))

    assert all(isinstance(read(QUESTION, reply), Reading) for reply in replies)
    assert len(end.requests) == 3


def test_the_call_is_made_on_a_thread_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[str] = []
    call = ModelService.call

    async def noted(*given: Any) -> Any:
        threads.append(threading.current_thread().name)
        return await call(*given)

    monkeypatch.setattr(ModelService, "call", noted)
    asked({"json": GOOD})

    assert threads == ["observer"]


def test_cancelling_ends_the_call_at_once() -> None:
    async def cut_short(observer: OpenAIObserver) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await observer.ask(QUESTION)

    began_s = time.monotonic()
    with observing({"stall_ms": 60_000}) as (observer, _):
        asyncio.run(cut_short(observer))

    assert time.monotonic() - began_s < 20


def test_leaving_cuts_off_what_is_under_way() -> None:
    async def abandoned(observer: OpenAIObserver) -> asyncio.Task[Reply]:
        task = asyncio.create_task(observer.ask(QUESTION))
        await asyncio.sleep(0.2)
        return task

    began_s = time.monotonic()
    with observing({"stall_ms": 60_000}) as (observer, _):
        loop = asyncio.new_event_loop()
        task = loop.run_until_complete(abandoned(observer))
    with pytest.raises(asyncio.CancelledError):
        loop.run_until_complete(task)
    loop.close()

    assert time.monotonic() - began_s < 20
    assert not [one for one in threading.enumerate() if one.name == "observer"]


def test_whatever_happens_meanwhile_its_thread_ends() -> None:
    with pytest.raises(KeyError), observing({"json": GOOD}):
        raise KeyError

    assert not [one for one in threading.enumerate() if one.name == "observer"]


def test_the_key_never_shows() -> None:
    with observing({"json": GOOD}) as (observer, _):
        assert KEY not in repr(observer)

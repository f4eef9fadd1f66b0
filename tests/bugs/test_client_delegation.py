"""Cases 2, 4, 5 and 10 where the application does the work itself; 22 is in ``test_grading.py``."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

from assistants.client.backend import BackendContext, Emit, Handoff
from assistants.client.openai_backend import OpenAIBackend
from assistants.frontend.fixture.http import http_end
from shared.clock import Clock
from shared.grading.openai_model import ModelService
from shared.metrics.task import delegations
from shared.observability.observations import DelegationBegan, ToolCalled, ToolReturned
from shared.values import JsonObject
from tests.support.client_sessions import Session, Shelf, a_session
from tests.support.rooms import in_virtual_time, in_wall_time
from tests.support.streamed_responses import SEALED, a_call, a_message, a_stream, answering

DELEGATED = "session.delegation.created"


class Agent:
    """A backend that calls one tool for each task, and notes the tasks."""

    def __init__(self) -> None:
        self.tasks: list[str] = []

    def __call__(self, _context: BackendContext) -> Agent:
        return self

    async def run(self, handoff: Handoff, _emit: Emit) -> str:
        self.tasks.append(handoff.news)
        await handoff.call("look_up", '{"a": 1}', f"call_{len(self.tasks)}")
        return "It is done."

    async def close(self) -> None:
        pass


def with_an_agent(**more: Any) -> tuple[Agent, Session]:
    agent = Agent()

    async def story(clock: Clock) -> Session:
        return await a_session(clock, agent, **more)

    return agent, in_virtual_time(story)


def notice(number: int, at: str) -> dict[str, object]:
    """One more notice of the same delegation, as an event of its own."""
    event = {
        "type": DELEGATED,
        "event_id": f"event_again_{number}",
        "offset_ms": 0,
        "delegation": {"id": "dlg_1", "target": "client"},
    }
    return {"send": [{"event": event}], "at": at}


def test_case_02_a_delegation_told_four_times_is_one() -> None:
    """A6. A copy, the same id in another event while it is worked on, and in one afterwards."""
    agent, session = with_an_agent(
        tampering=[
            {"on": DELEGATED, "change": {"delegation": {"id": "dlg_1"}}},
            {"on": DELEGATED, "leaves_ms": [0, 0]},
        ],
        steps=[notice(1, "start+1100"), notice(2, "start+3000")],
    )

    assert len(session.of(DelegationBegan)) == 3, "and one that was a copy to the letter"
    assert len(delegations(session.seen)) == 1
    assert len(agent.tasks) == len(session.of(ToolReturned)) == 1
    assert session.told() == ["It is done."]


def test_case_10_the_same_request_once_more_reaches_the_backend_again() -> None:
    """A19. In the same words, with nothing new on record but that it was asked again."""
    agent, session = with_an_agent(delegations=2)

    assert len(agent.tasks) == 2
    assert [one.call_id for one in session.of(ToolReturned)] == ["call_1", "call_2"]
    assert session.told() == ["It is done."] * 2
    assert session.outcomes == [("completed", None)] * 2


class Slow(Shelf):
    """The first of its calls takes a while."""

    def call(self, name: str, arguments: JsonObject, call_id: str) -> JsonObject:
        time.sleep(0.4 if call_id == "call_slow" else 0)
        return super().call(name, arguments, call_id)


def with_a_model(*answers: object) -> tuple[list[Any], Session]:
    """A session whose backend is the reference one; what it asked for, and what came of it."""
    with http_end(answering(*answers)) as end:
        service = ModelService(
            base_url=end.url, is_loopback=True, timeout_s=10, api_key="sk-nobody-s-key"
        )

        async def story(clock: Clock) -> Session:
            return await a_session(
                clock,
                lambda context: OpenAIBackend(service, "It broke off.", context),
                application=Slow,
                lasting_ms=3_000,
            )

        session = in_wall_time(story, within_s=30)
        return [json.loads(request.text)["input"] for request in end.requests], session


def kinds(items: Sequence[Any]) -> list[str]:
    return [item.get("call_id", item["type"]) for item in items]


def test_case_04_two_calls_are_answered_in_one_request_after_the_slower() -> None:
    """A9."""
    calls = (a_call("call_slow"), a_call("call_quick"))
    asked, session = with_a_model(
        a_stream("resp_1", *calls), a_stream("resp_2", a_message("It is done."))
    )

    assert [kinds(one) for one in asked] == [
        ["message"],
        ["message", "call_slow", "call_quick", "call_slow", "call_quick"],
    ]
    slow, quick = session.of(ToolReturned)
    assert (slow.call_id, quick.call_id) == ("call_slow", "call_quick")
    assert session.told() == ["It is done."]


def test_case_05_a_call_runs_once_though_its_response_lists_nothing() -> None:
    """A10."""
    asked, session = with_a_model(
        a_stream("resp_1", SEALED, a_call("call_1"), output=[]),
        a_stream("resp_2", a_message("It is done."), output=[]),
    )

    assert len(asked) == 2
    assert len(session.of(ToolCalled)) == len(session.of(ToolReturned)) == 1
    assert session.told() == ["It is done."]

"""The reference backend over a real socket, against the fixture's HTTP end and the official SDK."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, override

import pytest

from assistants.catalog import AssistantKit, ClientKit, open_client
from assistants.client.backend import Backend, BackendContext, Handoff, WorkFailedError
from assistants.client.desk import DeskTexts
from assistants.client.openai_backend import ROUNDS_MAX, OpenAIBackend
from assistants.config import LiveAgentSettings
from assistants.frontend.backend_events import FunctionCall, OutputItemDone, ResponseCompleted
from assistants.frontend.events import FunctionCallOutput
from assistants.frontend.fixture.http import HttpEnd, http_end
from assistants.frontend.fixture.http_script import HttpScript
from assistants.frontend.vocabulary import VOCABULARY
from assistants.resources import BUNDLED_APPLICATION, load_application
from assistants.responses.session import session_config
from shared.grading.openai_model import ModelService
from shared.observability.redaction import Masker
from shared.observability.trace import Trace
from shared.wall_time import WallClock
from tests.support.far_end import Caller
from tests.support.judged import a_scenario
from tests.support.rooms import in_wall_time
from tests.support.streamed_responses import (
    SEALED,
    a_call,
    a_message,
    a_stream,
    answering,
    reasoning,
)

KEY = "sk-a-key-that-nobody-may-see"
BROKEN = "It broke off. Calls made:"
MANAGED: dict[str, Any] = {
    "model": "a-backend",
    "instructions": "Do what you are told.",
    "tools": [{"type": "function", "name": "look_up", "parameters": {}, "strict": True}],
    "tool_choice": "auto",
    "parallel_tool_calls": True,
    "reasoning": {"effort": "max"},
    "max_output_tokens": 1_000,
    "text": {"verbosity": "low"},
}
CONTEXT = BackendContext(MANAGED["instructions"], MANAGED["tools"], MANAGED)
DONE = a_stream("resp_done", a_message("It is done."))


@dataclass
class Task(Handoff):
    """A delegation whose tools all answer alike, and everything that was emitted for it."""

    number: int = 1
    text: str = "The whole call."
    news: str = "What is new."
    delegation_id: str = "d1"
    offset_ms: int | None = None
    amendments: list[str] = field(default_factory=list)
    emitted: list[Any] = field(default_factory=list)
    waiting: asyncio.Event | None = None
    """Set when its outputs are waited for, which then never come."""

    @override
    def amendment(self) -> str:
        return self.amendments.pop(0) if self.amendments else ""

    @override
    async def call(self, name: str, arguments: str, call_id: str) -> str:
        raise AssertionError("its calls are those of its responses")

    @override
    async def outputs(self, response_id: str) -> Sequence[FunctionCallOutput]:
        if self.waiting is not None:
            self.waiting.set()
            await asyncio.Event().wait()
        last = max(
            index for index, one in enumerate(self.emitted) if one.type == "response.created"
        )
        assert self.emitted[last].response.id == response_id
        calls = [one.item for one in self.emitted[last:] if isinstance(one, OutputItemDone)]
        return [
            FunctionCallOutput(call_id=call.call_id, output='{"ok":true}')
            for call in calls
            if isinstance(call, FunctionCall)
        ]


@dataclass(frozen=True)
class Worked:
    """What was asked of the service, and what came of it."""

    asked: list[dict[str, Any]]
    said: list[str]
    tasks: Sequence[Task]

    @property
    def inputs(self) -> list[list[Any]]:
        return [body["input"] for body in self.asked]


def service(end: HttpEnd, timeout_s: float = 10) -> ModelService:
    return ModelService(base_url=end.url, is_loopback=True, timeout_s=timeout_s, api_key=KEY)


def worked(script: HttpScript, *tasks: Task, timeout_s: float = 10) -> Worked:
    """Give a backend its tasks, one after the other; a failure is told in place of a result."""
    given = tasks or (Task(),)

    async def work(backend: Backend) -> list[str]:
        return [await told(backend, task) for task in given]

    with http_end(script) as end:
        said = with_backend(end, work, timeout_s)
        asked = [json.loads(request.text) for request in end.requests]
        assert {request.headers["authorization"] for request in end.requests} <= {f"Bearer {KEY}"}
    return Worked(asked, said, given)


def with_backend[T](
    end: HttpEnd, work: Callable[[Backend], Awaitable[T]], timeout_s: float = 10
) -> T:
    async def story(_clock: WallClock) -> T:
        backend = OpenAIBackend(service(end, timeout_s), BROKEN, CONTEXT)
        try:
            return await work(backend)
        finally:
            await backend.close()

    return in_wall_time(story, within_s=30)


async def told(backend: Backend, task: Task) -> str:
    try:
        return await backend.run(task, task.emitted.append)
    except WorkFailedError as error:
        return f"failed: {error}"


def said(text: str) -> dict[str, Any]:
    part = {"type": "input_text", "text": text}
    return {"type": "message", "role": "user", "content": [part]}


def output(call_id: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": '{"ok":true}'}


# What is asked


def test_a_request_has_the_fields_of_managed_delegation_and_how_to_carry_them() -> None:
    (body,) = worked(answering(DONE)).asked
    assert {name: body.pop(name) for name in MANAGED} == MANAGED
    assert body == {
        "input": [said("The whole call.")],
        "include": ["reasoning.encrypted_content"],
        "store": False,
        "stream": True,
    }


def test_both_modes_ask_their_backend_for_the_same() -> None:
    """The context of a client's backend is the object that a managed session's start holds."""
    application = load_application(BUNDLED_APPLICATION)
    brief = a_scenario().for_assistant()
    given: list[BackendContext] = []

    def opening(context: BackendContext) -> Backend:
        given.append(context)
        return OpenAIBackend(NOWHERE, BROKEN, context)

    kit = AssistantKit(
        LiveAgentSettings(),
        application,
        "Speak.",
        client=ClientKit(DeskTexts("Do it.", "It failed."), opening),
    )

    async def opened(clock: WallClock) -> None:
        open_client(kit, brief, Caller().machine, clock, Trace(Masker(), VOCABULARY))

    in_wall_time(opened)
    managed = session_config(kit.settings, application, "Speak.", brief).delegation
    assert managed is not None
    start = json.loads(managed.model_dump_json())["responses"]
    assert json.loads(json.dumps(given[0].responses)) == start
    assert given[0].instructions == start["instructions"]
    assert list(given[0].tools) == start["tools"]


NOWHERE = ModelService("https://nowhere.example/v1", False, 1, KEY)

TOOL_ROUND = a_stream("resp_1", SEALED, a_call("c1", '{"a":'), a_call("c2"))


def test_what_a_response_held_goes_back_word_for_word_before_its_outputs() -> None:
    done = worked(answering(TOOL_ROUND, DONE))
    assert done.said == ["It is done."]
    assert done.inputs[1] == [
        said("The whole call."),
        SEALED,
        a_call("c1", '{"a":'),
        a_call("c2"),
        output("c1"),
        output("c2"),
    ]


def test_what_was_said_meanwhile_goes_along_with_the_next_round() -> None:
    second = a_stream("resp_2", a_call("c3"))
    task = Task(amendments=["", "At eight, I meant."])
    done = worked(answering(TOOL_ROUND, second, DONE), task)
    assert done.inputs[1][-1] == output("c2")
    assert done.inputs[2][-2:] == [output("c3"), said("At eight, I meant.")]


def test_a_later_task_is_shown_the_news_of_the_earlier_one_and_all_it_led_to() -> None:
    later = Task(number=2, text="The longer call.", news="More.", delegation_id="d2")
    done = worked(answering(TOOL_ROUND, DONE, DONE), Task(), later)
    assert done.inputs[2] == [
        said("What is new."),
        *done.inputs[1][1:],
        a_message("It is done."),
        said("The longer call."),
    ]


def test_every_event_reaches_the_session_as_one_of_its_own() -> None:
    (task,) = worked(answering(TOOL_ROUND, DONE)).tasks
    kinds = [event.type for event in task.emitted]
    assert kinds[:2] == ["response.created", "response.in_progress"]
    assert kinds.count("response.output_item.done") == 4
    assert "response.reasoning_summary_text.delta" not in kinds
    told = "".join(event.model_dump_json() for event in task.emitted)
    assert "Everything it was told." not in told
    ended = [event for event in task.emitted if isinstance(event, ResponseCompleted)]
    assert [one.response.usage and one.response.usage.total_tokens for one in ended] == [320, 320]


def test_the_own_stream_of_the_fixture_is_one_it_reads() -> None:
    assert worked(answering({"text": "One, two, three, four."})).said == ["One, two, three, four."]


# What comes of it


BUSY = {"status": 429, "headers": {"retry-after": "0"}}
LATER = {"status": 429, "headers": {"retry-after": "6"}}
SECRET = {"message": f"Your key {KEY} is wrong.", "type": "x", "param": None, "code": "bad_key"}


@pytest.mark.parametrize(
    ("answers", "outcome", "requests"),
    [
        pytest.param([BUSY, DONE], "It is done.", 2, id="busy-once"),
        pytest.param([BUSY, BUSY, DONE], "It is done.", 3, id="busy-as-often-as-is-borne"),
        pytest.param(
            [BUSY, BUSY, BUSY, DONE], "failed: HTTP 429 (scripted)", 3, id="busy-once-more"
        ),
        pytest.param([LATER, DONE], "failed: HTTP 429 (scripted)", 1, id="busy-for-too-long"),
        pytest.param(
            [{**BUSY, "error": {"code": "insufficient_quota", "message": ""}}, DONE],
            "failed: HTTP 429 (insufficient_quota)",
            1,
            id="nothing-left-to-spend",
        ),
        pytest.param(
            [{"status": 500, "headers": {"retry-after-ms": "1"}}, DONE],
            "It is done.",
            2,
            id="broken-once",
        ),
        pytest.param(
            [{"status": 401, "error": SECRET}, DONE], "failed: HTTP 401 (bad_key)", 1, id="refused"
        ),
        pytest.param(
            [{"status": 302, "headers": {"location": "/v1/x"}}, DONE],
            "failed: HTTP 302 (scripted)",
            1,
            id="sent-elsewhere",
        ),
        pytest.param(
            [{"failed": f"{KEY} failed", "code": "rate_limit_exceeded"}, DONE],
            "failed: the response failed (rate_limit_exceeded)",
            1,
            id="a-limit-once-it-has-begun",
        ),
        pytest.param(
            [{"incomplete": "max_output_tokens", "partial": "It is"}, DONE],
            "failed: the response is incomplete (max_output_tokens)",
            1,
            id="too-few-tokens",
        ),
        pytest.param(
            [{"text": "a", "cut": True}, DONE],
            "failed: the line to the model broke (RemoteProtocolError)",
            1,
            id="cut-off-in-its-middle",
        ),
        pytest.param(
            [DONE[: len(DONE) // 2], DONE],
            "failed: the stream ended before the response did",
            1,
            id="ended-in-its-middle",
        ),
        pytest.param(
            [{"body": "<html>", "content_type": "text/html"}, DONE],
            "failed: the stream ended before the response did",
            1,
            id="another-kind-of-page",
        ),
        pytest.param(
            [a_stream("r", reasoning()), DONE],
            "failed: its reasoning came without what it takes to send it back",
            1,
            id="reasoning-that-nobody-kept",
        ),
        pytest.param([{"refusal": "I would rather not."}], "I would rather not.", 1, id="refusal"),
        pytest.param([a_stream("r")], "", 1, id="no-words"),
    ],
)
def test_a_task_comes_to(answers: list[Any], outcome: str, requests: int) -> None:
    done = worked(answering(*answers))
    assert (done.said, len(done.asked)) == ([outcome], requests)


def test_a_line_that_breaks_before_anything_came_is_tried_again() -> None:
    first = {"body": "data: " + "x" * 99, "content_type": "text/event-stream", "cut": True}
    done = worked(answering(first, DONE))
    assert (done.said, len(done.asked)) == (["It is done."], 2)
    assert done.inputs[0] == done.inputs[1]


def test_a_service_that_says_nothing_is_given_up() -> None:
    done = worked(answering({"text": "a", "stall_ms": 5_000}), timeout_s=0.3)
    assert done.said == ["failed: no response within 0.3 s"]


def test_a_stream_that_never_gets_on_is_given_up() -> None:
    done = worked(answering({"text": "a b c d e f", "between_ms": 200}), timeout_s=0.5)
    assert done.said == ["failed: no response within 0.5 s"]


def test_nobody_listens_is_told_by_its_class() -> None:
    with http_end() as end:
        gone = end
    assert with_backend(gone, lambda backend: told(backend, Task())) == (
        "failed: the line to the model broke (ConnectError)"
    )


def rounds(number: int) -> Iterator[str]:
    return (a_stream(f"resp_{one}", a_call(f"c{one}")) for one in range(number))


def test_the_last_round_that_is_allowed_may_answer() -> None:
    done = worked(answering(*rounds(ROUNDS_MAX - 1), DONE))
    assert (done.said, len(done.asked)) == (["It is done."], ROUNDS_MAX)


def test_nobody_is_asked_more_often() -> None:
    done = worked(answering(*rounds(ROUNDS_MAX), DONE))
    assert done.said == [f"failed: no result within {ROUNDS_MAX} responses"]
    assert len(done.asked) == ROUNDS_MAX


# What is left for the next task


@pytest.mark.parametrize(
    ("answers", "left"),
    [
        pytest.param([{"status": 401}], [], id="nothing-of-a-refusal"),
        pytest.param(
            [a_stream("resp_1", SEALED, a_call("c1"), status="failed")],
            [said("What is new."), said(f"{BROKEN}\nlook_up {{}}")],
            id="a-note-of-calls-whose-response-failed",
        ),
        pytest.param(
            [TOOL_ROUND, {"status": 401}],
            [
                said("What is new."),
                SEALED,
                a_call("c1", '{"a":'),
                a_call("c2"),
                output("c1"),
                output("c2"),
            ],
            id="the-rounds-that-were-answered",
        ),
    ],
)
def test_a_task_that_failed_leaves(answers: list[Any], left: list[Any]) -> None:
    later = Task(number=2, text="The longer call.", news="More.", delegation_id="d2")
    done = worked(answering(*answers, DONE), Task(), later)
    assert done.said[1] == "It is done."
    assert done.inputs[-1] == [*left, said("The longer call.")]


def test_a_task_that_is_cancelled_leaves_no_call_without_an_output() -> None:
    async def work(backend: Backend) -> str:
        waiting = asyncio.Event()
        later = Task(text="The longer call.", news="More.")
        running = asyncio.create_task(told(backend, Task(waiting=waiting)))
        await waiting.wait()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        return await told(backend, later)

    with http_end(answering(a_stream("resp_1", a_call("c1")), DONE)) as end:
        assert with_backend(end, work) == "It is done."
        assert json.loads(end.requests[1].text)["input"] == [
            said("What is new."),
            said(f"{BROKEN}\nlook_up {{}}"),
            said("The longer call."),
        ]


def test_a_task_that_is_cancelled_in_mid_stream_hangs_up_and_leaves_nothing() -> None:
    async def work(backend: Backend) -> str:
        begun, first = asyncio.Event(), Task()
        running = asyncio.create_task(backend.run(first, lambda _event: begun.set()))
        await begun.wait()
        running.cancel()
        (outcome,) = await asyncio.gather(running, return_exceptions=True)
        assert isinstance(outcome, asyncio.CancelledError)
        return await told(backend, Task(text="The longer call."))

    slow = {"text": "a b c d e f", "between_ms": 1_000}
    with http_end(answering(slow, DONE)) as end:
        assert with_backend(end, work) == "It is done."
        assert json.loads(end.requests[1].text)["input"] == [said("The longer call.")]


def test_two_tasks_are_done_one_after_the_other() -> None:
    async def work(backend: Backend) -> list[str]:
        tasks = [Task(text=f"Call {number}.", news=f"{number}.") for number in range(2)]
        return list(await asyncio.gather(*(told(backend, task) for task in tasks)))

    slow = {"text": "One.", "stall_ms": 100}
    with http_end(answering(slow, {"text": "Two."})) as end:
        assert with_backend(end, work) == ["One.", "Two."]
        second = json.loads(end.requests[1].text)["input"]
    assert second[0] == said("0.")
    assert second[-1] == said("Call 1.")


def test_the_key_shows_nowhere() -> None:
    async def story(_clock: WallClock) -> str:
        backend = OpenAIBackend(NOWHERE, BROKEN, CONTEXT)
        await backend.close()
        return f"{backend!r} {vars(backend)!r}"

    assert KEY not in in_wall_time(story)

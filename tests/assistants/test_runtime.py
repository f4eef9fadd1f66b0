"""Tools run one at a time, off the loop, each answered whatever it does."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import pytest

from assistants.runtime import ToolRuntime
from assistants.tool_result import ToolResult
from shared.clock import Clock
from shared.observability.observations import ToolCalled, ToolStatus
from shared.strict_json import JsonSyntaxError, parse
from shared.values import JsonObject
from shared.wall_time import WallClock
from tests.support.builders import at
from tests.support.rooms import in_virtual_time, in_wall_time

TOOLS: Sequence[JsonObject] = [
    {
        "type": "function",
        "name": "book",
        "parameters": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 1},
                "size": {"type": "integer", "minimum": 1},
                "note": {"type": "string"},
                "guest": {"type": ["string", "null"]},
                "table": {"type": "object", "properties": {"area": {"type": "string"}}},
            },
            "required": ["name", "size", "guest"],
            "additionalProperties": False,
        },
    },
    {"type": "function", "name": "look", "parameters": {"properties": {}}},
]
SOUND = '{"name": "Maya", "size": 2, "guest": null}'


class Desk:
    """An application that notes its calls and answers as it is told."""

    def __init__(self, answer: Callable[[], Any] = lambda: {"ok": True}) -> None:
        self.calls: list[tuple[str, JsonObject, str]] = []
        self._answer = answer

    def call(self, name: str, arguments: JsonObject, call_id: str) -> JsonObject:
        self.calls.append((name, arguments, call_id))
        output: JsonObject = self._answer()
        return output

    def snapshot(self) -> JsonObject:
        return {"calls": len(self.calls)}


def a_call(raw: str = SOUND, name: str = "book", call_id: str = "c1") -> ToolCalled:
    """A call as the session hands it over: with arguments only where they are one object."""
    try:
        value = parse(raw).value
    except JsonSyntaxError:
        value = None
    return ToolCalled(
        at(0),
        call_id=call_id,
        name=name,
        raw_arguments=raw,
        arguments=value if isinstance(value, dict) else None,
        response_id="r1",
        delegation_id="d1",
    )


def outcome(desk: Desk, call: ToolCalled) -> ToolResult:
    """What comes of a call on a desk."""
    runtime = ToolRuntime(desk, TOOLS)

    async def story(_: Clock) -> ToolResult:
        return await runtime.run(call)

    return in_virtual_time(story)


def raises(error: BaseException) -> Callable[[], NoReturn]:
    def answer() -> NoReturn:
        raise error

    return answer


def a_failure(why: str, calls: int) -> ToolResult:
    return ToolResult(ToolStatus.FAILED, {"ok": False, "error": why}, {"calls": calls})


def test_a_tool_is_called_with_its_arguments_and_its_id_and_the_state_is_the_one_right_after() -> (
    None
):
    desk = Desk()
    result = outcome(desk, a_call())
    assert desk.calls == [("book", {"name": "Maya", "size": 2, "guest": None}, "c1")]
    assert result == ToolResult(ToolStatus.COMPLETED, {"ok": True}, {"calls": 1})


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        pytest.param('{"size": 2, "guest": null}', "'name' is a required property", id="a-gap"),
        pytest.param(
            '{"name": "M", "size": 2}', "'guest' is a required property", id="a-nullable-gap"
        ),
        pytest.param(
            '{"name": null, "size": 2, "guest": null}', "name: None is not", id="null-for-required"
        ),
        pytest.param(
            '{"name": "M", "size": "2", "guest": null}', "size: '2' is not", id="a-number-as-text"
        ),
        pytest.param(
            '{"name": "M", "size": true, "guest": null}', "size: True is not", id="a-truth-value"
        ),
        pytest.param(
            '{"name": "M", "size": 1.5, "guest": null}', "size: 1.5 is not", id="half-a-guest"
        ),
        pytest.param(
            '{"name": "M", "size": 0, "guest": null}', "size: 0 is less", id="below-the-minimum"
        ),
        pytest.param('{"name": "", "size": 1, "guest": null}', "name: '' ", id="too-short"),
        pytest.param(
            '{"name": "M", "size": 1, "guest": null, "x": 1}', "'x' was unexpected", id="unknown"
        ),
        pytest.param(
            '{"name": "M", "size": 1, "guest": null, "table": {"area": 5}}',
            "table.area: 5 is not",
            id="a-fault-further-down",
        ),
    ],
)
def test_a_violated_schema_is_explained_and_nothing_is_called(raw: str, why: str) -> None:
    desk = Desk()
    result = outcome(desk, a_call(raw))
    assert desk.calls == []
    assert (result.status, result.state) == (ToolStatus.FAILED, {"calls": 0})
    assert isinstance(result.output, dict)
    assert result.output["ok"] is False
    assert str(result.output["error"]).startswith("book: ")
    assert why in str(result.output["error"])


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param("", id="nothing"),
        pytest.param(f"{SOUND} thanks", id="words-after-the-object"),
        pytest.param('query="x"', id="an-assignment"),
        pytest.param(f"{SOUND}{SOUND}", id="two-objects"),
        pytest.param('"Maya"', id="text"),
        pytest.param("null", id="null"),
        pytest.param("[]", id="a-list"),
    ],
)
def test_what_is_not_one_object_is_no_arguments(raw: str) -> None:
    desk = Desk()
    expected = a_failure("the arguments are not one valid JSON object", calls=0)
    assert outcome(desk, a_call(raw)) == expected
    assert desk.calls == []


def test_a_tool_that_is_not_declared_is_not_called_even_if_the_application_has_it() -> None:
    desk = Desk()
    expected = a_failure("there is no tool named 'cancel'", calls=0)
    assert outcome(desk, a_call("{}", name="cancel")) == expected
    assert desk.calls == []


def test_an_empty_object_is_arguments() -> None:
    desk = Desk()
    assert outcome(desk, a_call("{}", name="look")).status is ToolStatus.COMPLETED
    assert desk.calls == [("look", {}, "c1")]


@pytest.mark.parametrize(
    ("raw", "received"),
    [
        pytest.param(
            '{"name": "M", "size": 1, "guest": null, "note": null}',
            {"name": "M", "size": 1, "guest": None},
            id="the-null-of-an-optional-one-is-left-out",
        ),
        pytest.param(
            '{"name": "M", "size": 1, "guest": null, "table": {"area": "bar", "x": null}}',
            {"name": "M", "size": 1, "guest": None, "table": {"area": "bar"}},
            id="a-null-further-down-is-left-out-too",
        ),
        pytest.param(
            '{"name": "M", "size": 1, "guest": null, "note": ""}',
            {"name": "M", "size": 1, "guest": None, "note": ""},
            id="empty-text-stays",
        ),
        pytest.param(
            '{"name": "M", "size": 1, "guest": null, "unknown": null}',
            {"name": "M", "size": 1, "guest": None},
            id="the-null-of-an-unknown-one-is-left-out",
        ),
    ],
)
def test_the_application_receives(raw: str, received: JsonObject) -> None:
    desk = Desk()
    assert outcome(desk, a_call(raw)).status is ToolStatus.COMPLETED
    assert desk.calls[0][1] == received


def test_a_refusal_is_answered_in_the_applications_own_words() -> None:
    result = outcome(Desk(raises(ValueError("no table is free"))), a_call())
    assert result == a_failure("no table is free", calls=1)


SECRET = "sk-SECRET"


@pytest.mark.parametrize(
    "error",
    [
        KeyError(SECRET),
        RuntimeError(SECRET),
        TypeError(SECRET),
        AssertionError(SECRET),
        RecursionError(SECRET),
        MemoryError(SECRET),
        TimeoutError(SECRET),
        StopIteration(SECRET),
        SystemExit(SECRET),
        asyncio.CancelledError(SECRET),
        ExceptionGroup(SECRET, [ValueError(SECRET)]),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("room", [in_virtual_time, in_wall_time], ids=["virtual", "wall"])
def test_a_broken_tool_is_answered_with_the_class_of_its_error_alone(
    error: BaseException, room: Callable[..., ToolResult]
) -> None:
    runtime = ToolRuntime(Desk(raises(error)), TOOLS)

    async def story(_: Clock) -> ToolResult:
        return await runtime.run(a_call())

    assert room(story) == a_failure(f"the tool broke: {type(error).__name__}", calls=1)


def circular() -> list[Any]:
    whole: list[Any] = []
    whole.append(whole)
    return whole


@pytest.mark.parametrize(
    "output",
    [
        pytest.param({"a": float("nan")}, id="nan"),
        pytest.param({"a": float("inf")}, id="infinity"),
        pytest.param({"a": {1, 2}}, id="a-set"),
        pytest.param({"a": b"bytes"}, id="bytes"),
        pytest.param({"a": object()}, id="an-object"),
        pytest.param({(1, 2): 3}, id="a-key-that-is-no-text"),
        pytest.param({"a": circular()}, id="a-circle"),
        pytest.param({"a": "\ud800"}, id="half-a-surrogate-pair"),
        pytest.param({"\ud800": 1}, id="half-a-surrogate-pair-as-a-key"),
    ],
)
def test_an_output_that_is_no_json_is_a_failure(output: Any) -> None:
    result = outcome(Desk(lambda: output), a_call())
    assert (result.status, result.state) == (ToolStatus.FAILED, {"calls": 1})


def test_an_output_is_a_copy_in_plain_json() -> None:
    output = {"rows": (1, 2), "é": "😀"}
    result = outcome(Desk(lambda: output), a_call())
    assert result.output == {"rows": [1, 2], "é": "😀"}


def test_a_snapshot_is_a_copy() -> None:
    class Book(Desk):
        state: dict[str, list[str]] = {"rows": []}  # noqa: RUF012 - the one state of this test

        def snapshot(self) -> JsonObject:
            return self.state

    book = Book()
    before = ToolRuntime(book, TOOLS).snapshot()
    book.state["rows"].append("R-1")
    assert before == {"rows": []}


def test_a_schema_that_breaks_while_it_checks_is_a_broken_tool() -> None:
    tool: JsonObject = {
        "name": "book",
        "parameters": {"properties": {"name": {"$ref": "#/nowhere"}}},
    }
    runtime = ToolRuntime(Desk(), [tool])

    async def story(_: Clock) -> ToolResult:
        return await runtime.run(a_call())

    result = in_virtual_time(story)
    assert isinstance(result.output, dict)
    assert str(result.output["error"]).startswith("the tool broke: ")


def test_a_slow_tool_does_not_stop_the_loop() -> None:
    gate = threading.Event()
    runtime = ToolRuntime(Desk(lambda: {"waited": gate.wait(5)}), TOOLS)

    async def story(clock: WallClock) -> ToolResult:
        running = asyncio.create_task(runtime.run(a_call()))
        begun_us = clock.now_us()
        for _ in range(5):
            await asyncio.sleep(0.02)
        assert clock.now_us() - begun_us < 1_000_000
        assert not running.done()
        gate.set()
        return await running

    assert in_wall_time(story).output == {"waited": True}


def test_a_slow_tool_takes_no_virtual_time() -> None:
    def answer() -> JsonObject:
        time.sleep(0.05)
        return {}

    async def story(clock: Clock) -> int:
        async with asyncio.timeout(0.001):
            await ToolRuntime(Desk(answer), TOOLS).run(a_call())
        return clock.now_us()

    assert in_virtual_time(story) == 0


def test_what_a_tool_does_to_its_arguments_never_reaches_the_evidence() -> None:
    class Meddling(Desk):
        def call(self, name: str, arguments: Any, call_id: str) -> JsonObject:
            arguments["table"]["area"] = "right"
            return super().call(name, arguments, call_id)

    call = a_call('{"name": "M", "size": 2, "guest": null, "table": {"area": "wrong"}}')
    outcome(Meddling(), call)
    assert call.arguments is not None
    assert call.arguments["table"] == {"area": "wrong"}


@pytest.mark.parametrize("answer", [[], None, "done", 5])
def test_an_output_that_is_no_object_is_a_failed_call(answer: Any) -> None:
    assert outcome(Desk(lambda: answer), a_call()).status is ToolStatus.FAILED


def test_a_tool_that_never_returns_holds_up_nobody_and_its_state_is_left_alone() -> None:
    released = threading.Event()
    desk = Desk(lambda: released.wait(60) or {})
    runtime = ToolRuntime(desk, TOOLS)

    async def story(_: WallClock) -> JsonObject:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await runtime.run(a_call())
        return runtime.snapshot()

    began_s = time.monotonic()
    # Leaving the loop would wait for a pool's thread.
    assert in_wall_time(story) == {"calls": 0}
    assert time.monotonic() - began_s < 5
    assert len(desk.calls) == 1
    released.set()


def test_once_a_tool_has_returned_its_state_is_seen() -> None:
    runtime = ToolRuntime(Desk(), TOOLS)

    async def story(_: WallClock) -> list[JsonObject]:
        before = runtime.snapshot()
        await runtime.run(a_call())
        return [before, runtime.snapshot()]

    assert in_wall_time(story) == [{"calls": 0}, {"calls": 1}]

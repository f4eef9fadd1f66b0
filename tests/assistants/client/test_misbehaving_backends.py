"""A backend is foreign code: whatever it does has an outcome on record, and the session goes on."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from assistants.client.backend import BackendContext, Emit, Handoff, Progress, WorkFailedError
from assistants.client.backlog import WAITING_MAX
from assistants.client.desk import DeskTiming
from assistants.client.workshop import LONGEST_SAID
from assistants.frontend.backend_events import (
    BackendEvent,
    OutputItemDone,
    ResponseCompleted,
    ResponseCreated,
    ResponseSnapshot,
)
from shared.clock import Clock
from shared.observability.observations import (
    AppendIntent,
    CommandRejected,
    Faulted,
    ResponseBegan,
    SessionClosed,
    ToolCalled,
    ToolReturned,
)
from shared.own_loop import run_alone
from shared.virtual_time import VirtualClock, VirtualLoop
from tests.support.client_sessions import Session, Shelf, a_session
from tests.support.rooms import in_wall_time, virtual_loop

type Work = Callable[[Handoff, Emit], Awaitable[Any]]

SECRET = "sk-1234567890abcdef"
FAILED = "It failed."


class Own:
    """A backend whose first task goes as a test wants it, and every later one well."""

    def __init__(self, work: Any) -> None:
        self._work = work
        self.is_closed = False

    def __call__(self, _context: BackendContext) -> Own:
        return self

    async def run(self, handoff: Handoff, emit: Emit) -> Any:
        if handoff.number > 1:
            return "It is done."
        return await self._work(handoff, emit)

    async def close(self) -> None:
        self.is_closed = True
        raise RuntimeError(SECRET)


def held(make: Callable[[BackendContext], Any], **more: Any) -> Session:
    """A session in virtual time, on a loop of its own that leaves behind what resists its end."""

    async def story() -> Session:
        return await a_session(VirtualClock(virtual_loop()), make, **more)

    return run_alone(story(), VirtualLoop)


def after(work: Any) -> Session:
    """A session of two delegations, the first of which misbehaves."""
    session = held(Own(work), delegations=2)
    # Whatever came of the first, the second is done and the session closed as it should be.
    assert session.outcomes[-1] == ("completed", None)
    assert session.told()[-1] == "It is done."
    assert session.of(SessionClosed)
    assert SECRET not in str(session.seen)
    return session


async def raises(_handoff: Handoff, _emit: Emit) -> str:
    raise RuntimeError(SECRET)


async def exits(_handoff: Handoff, _emit: Emit) -> str:
    raise SystemExit(SECRET)


async def interrupts(_handoff: Handoff, _emit: Emit) -> str:
    raise KeyboardInterrupt


async def cancels_itself(_handoff: Handoff, _emit: Emit) -> str:
    raise asyncio.CancelledError


async def gives_up(_handoff: Handoff, _emit: Emit) -> str:
    raise WorkFailedError("nobody\nanswers the telephone " + "x" * 1_000)


async def returns_nothing(_handoff: Handoff, _emit: Emit) -> None:
    return None


async def returns_blanks(_handoff: Handoff, _emit: Emit) -> str:
    return " \n"


async def returns_a_novel(_handoff: Handoff, _emit: Emit) -> str:
    return "x" * (LONGEST_SAID + 1)


async def returns_more_than_the_voice_has_room_for(_handoff: Handoff, _emit: Emit) -> str:
    return "\N{BANANA}" * LONGEST_SAID


async def tells_progress_and_has_no_room_for_its_result(_handoff: Handoff, emit: Emit) -> str:
    for number in range(WAITING_MAX):
        emit(Progress(f"Step {number}."))
    return "It is done."


async def never_returns(_handoff: Handoff, _emit: Emit) -> str:
    await asyncio.Event().wait()
    raise AssertionError


async def will_not_be_cancelled(_handoff: Handoff, _emit: Emit) -> str:
    while True:
        try:
            await asyncio.sleep(1)
        except asyncio.CancelledError:
            continue


async def calls_one_id_twice(handoff: Handoff, _emit: Emit) -> str:
    await handoff.call("look_up", "{}", "c1")
    return await handoff.call("look_up", "{}", "c1")


async def calls_with_no_text(handoff: Handoff, _emit: Emit) -> str:
    arguments: Any = {"a": 1}
    return await handoff.call("look_up", arguments, "c1")


async def says_a_novel_of_progress(_handoff: Handoff, emit: Emit) -> str:
    emit(Progress("x" * (LONGEST_SAID + 1)))
    return "It is done."


async def emits_garbage(_handoff: Handoff, emit: Emit) -> str:
    for garbage in ("text", None, {"type": "response.created"}, Progress(5), ResponseSnapshot):
        emit(garbage)  # type: ignore[arg-type]
    return "It is done."


@pytest.mark.parametrize(
    ("work", "outcome"),
    [
        pytest.param(raises, "the backend broke: RuntimeError", id="raises"),
        pytest.param(exits, "the backend broke: SystemExit", id="exits"),
        pytest.param(interrupts, "the backend broke: KeyboardInterrupt", id="interrupts"),
        pytest.param(cancels_itself, "the backend broke: CancelledError", id="cancels-itself"),
        pytest.param(
            lambda _handoff, _emit: "It is done.", "the backend broke: TypeError", id="is-no-task"
        ),
        pytest.param(
            gives_up,
            "nobody\\x0aanswers the telephone " + "x" * 268 + " [732 characters left out]",
            id="gives-up-at-length",
        ),
        pytest.param(returns_nothing, "the backend returned no text", id="returns-None"),
        pytest.param(returns_blanks, "the backend had nothing to say", id="returns-blanks"),
        pytest.param(
            returns_a_novel,
            "the backend's result is longer than 20000 characters",
            id="returns-a-novel",
        ),
        pytest.param(
            returns_more_than_the_voice_has_room_for,
            "the voice has no room for the result",
            id="returns-more-than-the-voice-has-room-for",
        ),
        pytest.param(
            tells_progress_and_has_no_room_for_its_result,
            "the voice has no room for the result",
            id="leaves-no-room-for-its-result",
        ),
        pytest.param(never_returns, "no result within 2 s", id="never-returns"),
        pytest.param(will_not_be_cancelled, "no result within 2 s", id="swallows-its-cancellation"),
        pytest.param(
            calls_one_id_twice,
            "no tool can be called under the id c1 any more",
            id="calls-a-tool-twice-with-one-id",
        ),
        pytest.param(
            calls_with_no_text,
            "a call's name, arguments and id are texts",
            id="calls-a-tool-with-an-object",
        ),
    ],
)
def test_a_task_fails_whose_backend(work: Work, outcome: str) -> None:
    session = after(work)
    assert session.outcomes == [("failed", outcome), ("completed", None)]
    assert session.told() == [FAILED, "It is done."]


def test_the_second_call_of_one_id_runs_no_tool() -> None:
    session = after(calls_one_id_twice)
    assert [one.call_id for one in session.of(ToolCalled)] == ["c1"]
    assert [one.call_id for one in session.of(ToolReturned)] == ["c1"]


def test_what_it_emits_that_is_no_event_is_a_fault_on_record_and_harms_nothing() -> None:
    session = after(emits_garbage)
    assert session.outcomes == [("completed", None)] * 2
    assert [one.kind for one in session.of(Faulted)] == ["backend_event"] * 5
    assert [one.detail.split(" that is none")[0] for one in session.of(Faulted)] == [
        "a str", "a NoneType", "a dict", "a Progress", "a ModelMetaclass",
    ]  # fmt: skip


def test_progress_without_end_is_a_fault_and_nobody_is_told_of_it() -> None:
    session = after(says_a_novel_of_progress)
    assert [one.kind for one in session.of(Faulted)] == ["backend_event"]
    assert session.told(AppendIntent.THINKING) == []


def test_progress_that_finds_no_room_is_a_fault_and_the_service_is_asked_for_no_more() -> None:
    async def floods(_handoff: Handoff, emit: Emit) -> str:
        for _ in range(3 * WAITING_MAX):
            emit(Progress("Still at it."))
        await asyncio.sleep(1.5)
        return "It is done."

    session = after(floods)
    assert session.outcomes == [("completed", None)] * 2
    assert len(session.told(AppendIntent.THINKING)) == WAITING_MAX
    assert len(session.of(Faulted)) == 2 * WAITING_MAX
    assert session.of(CommandRejected) == []


def test_half_a_character_harms_no_session() -> None:
    async def half(_handoff: Handoff, emit: Emit) -> str:
        emit(Progress("half \ud83c of one"))
        return "\udf70 a cake"

    session = after(half)
    assert session.told(AppendIntent.THINKING) == ["half ? of one"]
    assert session.told() == ["? a cake", "It is done."]


CREATED = ResponseCreated(
    response=ResponseSnapshot(id="late", status="in_progress"), sequence_number=0
)


@pytest.mark.parametrize("late", [CREATED, Progress("Still at it.")], ids=["an-event", "progress"])
def test_what_it_emits_after_its_end_is_nothing(late: BackendEvent | Progress) -> None:
    async def goes_on(_handoff: Handoff, emit: Emit) -> str:
        asyncio.get_running_loop().call_later(0.5, emit, late)
        return "It is done."

    session = after(goes_on)
    assert session.outcomes == [("completed", None)] * 2
    assert session.of(ResponseBegan) == []
    assert session.told(AppendIntent.THINKING) == []


def test_a_backend_that_does_not_open_is_told_by_its_class() -> None:
    def broken(_context: BackendContext) -> Any:
        raise SystemExit(SECRET)

    with pytest.raises(Exception, match=r"^the backend did not open: SystemExit$"):
        held(broken)


def test_a_session_ends_while_its_backend_will_not() -> None:
    backend = Own(will_not_be_cancelled)
    session = held(backend, lasting_ms=2_000)
    assert session.outcomes == []
    assert backend.is_closed
    assert session.of(SessionClosed)


def test_one_that_blocks_for_a_moment_is_done_when_it_is_done() -> None:
    async def blocks(_handoff: Handoff, _emit: Emit) -> str:
        time.sleep(0.1)  # noqa: ASYNC251 - what it should not do
        return "It is done."

    async def story(clock: Clock) -> Session:
        return await a_session(clock, Own(blocks), lasting_ms=1_800)

    session = in_wall_time(story)
    assert session.outcomes == [("completed", None)]


class Slow(Shelf):
    """Its tool returns long after anybody waits for it."""

    released = threading.Event()

    def call(self, name: str, arguments: Any, call_id: str) -> Any:
        assert self.released.wait(10)
        return super().call(name, arguments, call_id)


def a_response(call_id: str) -> list[BackendEvent]:
    snapshot = ResponseSnapshot(id=f"resp_{call_id}", status="in_progress")
    item = {"type": "function_call", "call_id": call_id, "name": "look_up", "arguments": "{}"}
    done = {"type": "response.output_item.done", "output_index": 0, "sequence_number": 1}
    return [
        ResponseCreated(response=snapshot, sequence_number=0),
        OutputItemDone.model_validate({**done, "item": item}),
        ResponseCompleted(response=snapshot, sequence_number=2),
    ]


@pytest.mark.parametrize("waits_for_outputs", [False, True], ids=["a-call", "its-outputs"])
def test_a_tool_that_outlasts_its_task_runs_to_its_end_and_so_do_later_ones(
    waits_for_outputs: bool,
) -> None:
    Slow.released = threading.Event()

    async def waits(handoff: Handoff, emit: Emit) -> str:
        if not waits_for_outputs:
            return await handoff.call("look_up", "{}", "c1")
        for event in a_response("c1"):
            emit(event)
        return str(await handoff.outputs("resp_c1"))

    class Later(Own):
        async def run(self, handoff: Handoff, emit: Emit) -> Any:
            if handoff.number == 1:
                return await self._work(handoff, emit)
            Slow.released.set()
            return await handoff.call("look_up", "{}", "c2")

    async def story(clock: Clock) -> Session:
        quick = DeskTiming(0, 0, 500_000)
        return await a_session(
            clock, Later(waits), delegations=2, timing=quick, application=Slow, lasting_ms=4_800
        )

    session = in_wall_time(story)
    assert session.outcomes == [("failed", "no result within 0.5 s"), ("completed", None)]
    assert [one.call_id for one in session.of(ToolReturned)] == ["c1", "c2"]
    assert session.told()[-1] == '{"ok":true,"calls":2}'

"""The assistant as a participant: session, line and tools together, to the far end and back."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import pytest

from assistants.frontend.fixture.machine import FixtureMachine
from assistants.frontend.fixture.script import ResolvedScript
from assistants.frontend.fixture.timing import Timing
from assistants.frontend.protocol import Deadlines, LiveSession
from assistants.frontend.transport import LiveParticipant
from assistants.responses.delegation import ManagedWork
from assistants.responses.worker import ToolWorker
from assistants.runtime import ToolRuntime
from assistants.wire import Connection
from shared.clock import Clock
from shared.errors import AttemptError, Stage
from shared.observability.observations import (
    BackendText,
    DelegationBegan,
    Observation,
    ResponseBegan,
    ResponseEnded,
    SessionClosed,
    SessionOpened,
    ToolCalled,
    ToolReturned,
    ToolStatus,
    WorkContinued,
)
from shared.participant import AudioArrived, CloseRequest, Machine
from shared.testing.loopback import Loopback
from shared.values import JsonObject
from tests.support.far_end import EPOCH_S, VOICE, a_script, responses_work
from tests.support.rooms import in_virtual_time, in_wall_time
from tests.support.service_messages import (
    backend,
    began,
    call,
    closed,
    completed,
    error,
    started,
)

FRAME = bytes(960)
ONE_CALL: dict[str, object] = {
    "delegate": "d1",
    "at": "start+1000",
    "rounds": [{"calls": [{"name": "look_up", "arguments": {"a": 1}}]}],
    "reply": "It is there.",
}


class Desk:
    """An application that notes its calls, one at a time or not."""

    def __init__(self, answer: Callable[[JsonObject], JsonObject] | None = None) -> None:
        self.calls: list[tuple[str, JsonObject]] = []
        self.running = 0
        self.most_running = 0
        self._answer = answer or (lambda _: {"ok": True})

    def call(self, name: str, arguments: JsonObject, _call_id: str) -> JsonObject:
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            self.calls.append((name, arguments))
            return self._answer(arguments)
        finally:
            self.running -= 1

    def snapshot(self) -> JsonObject:
        return {"calls": len(self.calls)}


TOOLS: Sequence[JsonObject] = [
    {"name": name, "parameters": {"properties": {"a": {"type": "integer"}}}}
    for name in ("look_up", "write_down")
]


@dataclass
class Room:
    """A participant, its desk, the far end behind the line and all that was seen."""

    clock: Clock
    far: Machine
    desk: Desk = field(default_factory=Desk)
    deadlines: Deadlines | None = None
    seen: list[Observation] = field(default_factory=list)
    tapped: list[tuple[str, str | bytes, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        session = LiveSession(
            responses_work("look_up", "write_down"), ManagedWork(), self.deadlines
        )
        worker = ToolWorker(session, ToolRuntime(self.desk, TOOLS), self.clock)
        self.participant = LiveParticipant(session, self._connect_to, worker, self.clock)

    def _connect_to(self, near: LiveSession, on_activity: Callable[[], None]) -> Connection:
        return Loopback(near, self.far, self.clock, on_activity=on_activity, tap=self._tap)

    def _tap(self, direction: str, message: str | bytes, at_us: int) -> None:
        self.tapped.append((direction, message, at_us))

    async def listen(self, frames: int) -> None:
        """Hand over silence, each frame when it is due."""
        begun_us = self.clock.now_us()
        for index in range(frames):
            await self.clock.sleep_until(begun_us + index * 20_000)
            await self.participant.hear(FRAME)
            self.seen += self.participant.observed()

    async def converse(self, duration_ms: int) -> None:
        """A whole session: connect, listen, close."""
        await self.participant.connect()
        self.seen += self.participant.observed()
        await self.listen(duration_ms // 20)
        await self.participant.close()
        self.seen += self.participant.observed()

    def of[O: Observation](self, kind: type[O]) -> list[O]:
        return [seen for seen in self.seen if isinstance(seen, kind)]

    def kinds(self) -> list[type[Observation]]:
        """What happened, audio and captions aside."""
        facts = (SessionOpened, DelegationBegan, ResponseBegan, ResponseEnded, ToolCalled)
        more = (ToolReturned, WorkContinued, BackendText, SessionClosed)
        return [type(seen) for seen in self.seen if isinstance(seen, (*facts, *more))]


def fixture(script: ResolvedScript | None = None, timing: Timing | None = None) -> FixtureMachine:
    return FixtureMachine(
        voice=VOICE,
        session_name="a-session",
        epoch_s=EPOCH_S,
        script=script or a_script(),
        timing=timing,
    )


class Service:
    """A far end that says a list of messages to each kind of message it gets."""

    def __init__(self, answers: dict[str, list[str]], closes: CloseRequest | None = None) -> None:
        self.received: list[str] = []
        self._answers = answers
        self._closes = closes
        self._outbox: list[str] = []

    def receive(self, message: str | bytes, _at_us: int) -> None:
        kind = str(message).split('"type":"', 1)[1].split('"', 1)[0]
        self.received.append(kind)
        self._outbox += self._answers.pop(kind, [])

    def receive_eof(self, code: int | None, at_us: int) -> None:
        self.received.append(f"eof {code}")

    def wake(self, at_us: int) -> None: ...

    def wakes_at(self) -> int | None:
        return None

    def messages_to_send(self) -> list[str]:
        outbox, self._outbox = self._outbox, []
        return outbox

    def closing(self) -> CloseRequest | None:
        return self._closes if "session.start" in self.received else None


# A whole session in virtual time


def test_a_round_with_a_tool_call_goes_there_and_back() -> None:
    async def story(clock: Clock) -> Room:
        room = Room(clock, fixture(a_script(ONE_CALL)))
        await room.converse(4_000)
        return room

    room = in_virtual_time(story)
    assert room.kinds() == [
        *(SessionOpened, DelegationBegan, ResponseBegan, ToolCalled, ToolReturned, ResponseEnded),
        *(WorkContinued, ResponseBegan, BackendText, ResponseEnded, SessionClosed),
    ]
    assert room.desk.calls == [("look_up", {"a": 1})]
    (returned,) = room.of(ToolReturned)
    assert (returned.status, returned.output, returned.state) == (
        ToolStatus.COMPLETED,
        {"ok": True},
        {"calls": 1},
    )
    assert [text.text for text in room.of(BackendText)] == ["It is there."]
    first, second = room.of(ResponseBegan)
    assert second.previous_response_id == first.response_id
    assert room.participant.failure is None


def test_media_positions_count_what_was_handed_over() -> None:
    async def story(clock: Clock) -> Room:
        room = Room(clock, fixture(a_script(ONE_CALL)))
        await room.converse(2_000)
        return room

    room = in_virtual_time(story)
    # Scripted for 1000 ms, and so heard with the frame that reaches it.
    assert room.of(DelegationBegan)[0].stamp.media_ms == 1_000
    assert room.of(AudioArrived)[0].stamp.media_ms == Timing().output_from_ms
    positions = [seen.stamp.media_ms for seen in room.seen]
    assert positions == sorted(positions)
    assert set(positions) <= set(range(0, 2_001, 20))


def test_the_same_session_is_the_same_to_the_byte() -> None:
    async def story(clock: Clock) -> list[tuple[str, str | bytes, int]]:
        room = Room(clock, fixture(a_script(ONE_CALL, {"say": "Done.", "at": "d1.done+300"})))
        await room.converse(4_000)
        return room.tapped

    assert in_virtual_time(story) == in_virtual_time(story)


def test_parallel_calls_run_in_their_order_and_are_answered_together() -> None:
    calls = [{"name": "look_up"}, {"name": "write_down"}, {"name": "look_up"}]
    script = a_script({**ONE_CALL, "rounds": [{"calls": calls}]})

    async def story(clock: Clock) -> Room:
        room = Room(clock, fixture(script))
        await room.converse(4_000)
        return room

    room = in_virtual_time(story)
    assert [name for name, _ in room.desk.calls] == ["look_up", "write_down", "look_up"]
    assert len(room.of(WorkContinued)) == 1
    assert [one.call_id for one in room.of(ToolReturned)] == [
        one.call_id for one in room.of(ToolCalled)
    ]


def test_a_failing_tool_is_answered_and_the_work_goes_on() -> None:
    def refuse(_: JsonObject) -> JsonObject:
        raise ValueError("no table")

    async def story(clock: Clock) -> Room:
        room = Room(clock, fixture(a_script(ONE_CALL)), Desk(refuse))
        await room.converse(4_000)
        return room

    room = in_virtual_time(story)
    (returned,) = room.of(ToolReturned)
    assert returned.output == {"ok": False, "error": "no table"}
    assert [text.text for text in room.of(BackendText)] == ["It is there."]


# How it begins


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        pytest.param([error("forbidden", "not you")], "forbidden: not you", id="a-refusal"),
        pytest.param([closed("content")], "closed before it started (content)", id="a-close"),
    ],
)
def test_a_start_that_is_refused_is_raised_and_can_be_closed(
    answer: list[str], message: str
) -> None:
    async def story(clock: Clock) -> Service:
        service = Service({"session.start": answer})
        room = Room(clock, service)
        with pytest.raises(AttemptError) as refused:
            await room.participant.connect()
        assert (refused.value.stage, str(refused.value)) == (Stage.SESSION_START, message)
        assert room.participant.failure is refused.value
        await room.participant.close()
        return service

    # Nothing is asked of a session that never was.
    assert in_virtual_time(story).received == ["session.start", "eof 1000"]


def test_a_far_end_that_is_lost_at_once_is_a_failed_start() -> None:
    async def story(clock: Clock) -> None:
        room = Room(clock, Service({}, CloseRequest(None)))
        with pytest.raises(AttemptError, match="connection lost before"):
            await room.participant.connect()
        await room.participant.close()

    in_virtual_time(story)


@pytest.mark.parametrize(
    ("answered_after_ms", "failure"),
    [
        pytest.param(499, None, id="just-in-time"),
        pytest.param(500, "no session.started within 0.5 s", id="at-the-deadline"),
        pytest.param(501, "no session.started within 0.5 s", id="too-late"),
    ],
)
def test_a_start_within_half_a_second_that_is_answered(
    answered_after_ms: int, failure: str | None
) -> None:
    async def story(clock: Clock) -> tuple[int, str | None]:
        far = fixture(timing=Timing(started_after_ms=answered_after_ms))
        room = Room(clock, far, deadlines=Deadlines(start_us=500_000))
        with contextlib.suppress(AttemptError):
            await room.participant.connect()
        ended_us = clock.now_us()
        await room.participant.close()
        failure = room.participant.failure
        return ended_us, None if failure is None else str(failure)

    assert in_virtual_time(story) == (min(500, answered_after_ms) * 1_000, failure)


# How it ends


def test_a_close_waits_for_the_end_of_the_session() -> None:
    async def story(clock: Clock) -> tuple[int, Room]:
        room = Room(clock, fixture())
        await room.participant.connect()
        await room.listen(10)
        begun_us = clock.now_us()
        await room.participant.close()
        room.seen += room.participant.observed()
        return clock.now_us() - begun_us, room

    took_us, room = in_virtual_time(story)
    assert took_us == Timing().closed_after_ms * 1_000
    assert [one.reason for one in room.of(SessionClosed)] == ["close_requested"]
    assert room.participant.failure is None


def test_a_close_that_is_never_answered_is_given_up_at_its_deadline() -> None:
    async def story(clock: Clock) -> tuple[int, AttemptError | None]:
        room = Room(clock, Service({"session.start": [started()]}))
        await room.participant.connect()
        await room.participant.close()
        return clock.now_us(), room.participant.failure

    assert in_virtual_time(story) == (Deadlines().close_us, None)


def test_it_may_be_closed_twice_and_without_ever_having_connected() -> None:
    async def story(clock: Clock) -> None:
        never = Room(clock, fixture())
        await never.participant.close()
        room = Room(clock, fixture())
        await room.participant.connect()
        await room.participant.close()
        await room.participant.close()

    in_virtual_time(story)


def test_a_session_that_the_service_ends_is_a_failure() -> None:
    async def story(clock: Clock) -> Room:
        answers = {"session.start": [started()], "session.input_audio.append": [closed("expired")]}
        room = Room(clock, Service(answers))
        await room.converse(40)
        return room

    room = in_virtual_time(story)
    assert room.participant.failure is not None
    assert room.participant.failure.stage is Stage.RESPONSE_COLLECTION
    assert room.kinds() == [SessionOpened, SessionClosed]


# Tools that take their time

A_CALL = [backend(began()), backend(call()), backend(completed())]


def playing(
    story: Callable[[Room, threading.Event], Awaitable[None]],
    rounds: list[str],
    *,
    answers_close: bool = True,
) -> tuple[Room, Service]:
    """A session in wall time whose tools wait until the gate opens."""

    async def told(clock: Clock) -> tuple[Room, Service]:
        gate = threading.Event()
        service = Service(
            {
                "session.start": [started()],
                "session.input_audio.append": rounds,
                "session.close": [closed()] if answers_close else [],
            }
        )
        desk = Desk(lambda _: {"waited": gate.wait(5)})
        room = Room(clock, service, desk, Deadlines(close_us=200_000))
        await room.participant.connect()
        try:
            await story(room, gate)
        finally:
            gate.set()
            await room.participant.close()
        room.seen += room.participant.observed()
        return room, service

    return in_wall_time(told)


def test_audio_flows_while_a_tool_runs() -> None:
    async def story(room: Room, gate: threading.Event) -> None:
        await room.listen(5)
        assert room.desk.running == 1
        assert room.of(ToolReturned) == []

    room, service = playing(story, A_CALL)
    assert service.received.count("session.input_audio.append") == 5
    assert [one.call_id for one in room.of(ToolCalled)] == ["c1"]


def test_calls_never_run_side_by_side() -> None:
    rounds = [backend(began()), *(backend(call(f"c{one}")) for one in range(4))]

    async def story(room: Room, gate: threading.Event) -> None:
        await room.listen(2)
        gate.set()
        while len(room.of(ToolReturned)) < 4:
            await room.listen(1)
            await asyncio.sleep(0.005)

    room, _ = playing(story, [*rounds, backend(completed())])
    assert (len(room.desk.calls), room.desk.most_running) == (4, 1)
    assert [one.call_id for one in room.of(ToolReturned)] == ["c0", "c1", "c2", "c3"]


def test_a_tool_that_ends_while_the_session_closes_is_noted_and_not_sent() -> None:
    async def story(room: Room, gate: threading.Event) -> None:
        await room.listen(1)
        closing = asyncio.create_task(room.participant.close())
        await asyncio.sleep(0.01)
        gate.set()
        await closing

    room, service = playing(story, A_CALL, answers_close=False)
    assert [one.output for one in room.of(ToolReturned)] == [{"waited": True}]
    assert "response.item.create" not in service.received
    assert "response.create" not in service.received


class BrokenBook(Desk):
    def snapshot(self) -> JsonObject:
        raise RuntimeError("sk-SECRET")


def test_an_application_whose_state_cannot_be_read_fails_the_attempt_and_still_closes() -> None:
    async def story(clock: Clock) -> Room:
        room = Room(clock, fixture(a_script(ONE_CALL)), BrokenBook())
        await room.converse(2_000)
        return room

    room = in_virtual_time(story)
    failure = room.participant.failure
    assert failure is not None
    assert failure.stage is Stage.ATTEMPT_EXECUTION
    assert str(failure) == "the application's state is unusable: RuntimeError"
    assert SessionClosed in room.kinds()

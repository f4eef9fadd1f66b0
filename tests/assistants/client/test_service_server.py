"""The bundled service over a socket: limits of time, applications that break, what never leaves."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, override

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from assistants.client.backend import Backend, Emit, Handoff, Progress, WorkFailedError
from assistants.client.contract import message_to_harness
from assistants.client.desk import DeskTexts
from assistants.client.service_server import Service, application_server
from assistants.client.service_session import ServiceLimits
from assistants.resources import BUNDLED_APPLICATION, ApplicationSession, load_application
from shared.values import JsonObject
from tests.support.remote_services import BEARER, CONFIGURE, TOKEN, live

WITHIN_S = 10
SECRET = "a-secret-of-the-backend"
APPLICATION = load_application(BUNDLED_APPLICATION)
QUICK = ServiceLimits(configure_s=0.15, session_s=0.6, delegation_s=0.2, cleanup_s=0.2)

type Message = dict[str, Any]
type Work = Callable[[Handoff, Emit], Any]


class ABackend(Backend):
    """Does what a test says, and counts how often it was closed."""

    closed = 0

    def __init__(self, work: Work) -> None:
        self._work = work

    @override
    async def run(self, handoff: Handoff, emit: Emit) -> str:
        result = self._work(handoff, emit)
        text: str = await result if asyncio.iscoroutine(result) else result
        return text

    @override
    async def close(self) -> None:
        type(self).closed += 1


class Breaking:
    """An application that opens, until it is asked for the state it should not be asked for."""

    def __init__(self, *, snapshots: int, is_open: bool = True) -> None:
        if not is_open:
            raise RuntimeError(SECRET)
        self._left = snapshots

    def call(self, name: str, arguments: JsonObject, call_id: str) -> JsonObject:
        return {"ok": True}

    def snapshot(self) -> JsonObject:
        self._left -= 1
        if self._left < 0:
            raise RuntimeError(SECRET)
        return {}


def done(_: Handoff, __: Emit) -> str:
    return "Done."


def a_service(
    work: Work = done,
    *,
    limits: ServiceLimits | None = None,
    opens: Callable[..., ApplicationSession] | None = None,
    state: JsonObject | None = None,
) -> Service:
    application = APPLICATION if opens is None else replace(APPLICATION, open_session=opens)
    return Service(
        token=TOKEN,
        application=application,
        initial_state=state or {},
        texts=DeskTexts("Do it.", "It failed."),
        open_backend=lambda _: ABackend(work),
        limits=limits or ServiceLimits(),
    )


def delegated(delegation_id: str) -> Message:
    delegation = {"id": delegation_id, "target": "client"}
    return live("session.delegation.created", offset_ms=0, delegation=delegation)


END = live("session.closed", reason="x")
RESULTS = {"client_delegation.completed", "client_delegation.failed"}


def held(
    service: Service,
    *delegation_ids: str,
    says: Sequence[Mapping[str, Any]] = (CONFIGURE,),
    ends: bool = True,
) -> tuple[list[Message], int | None]:
    """Have a session: what came, whose every message is of the contract, and the close code."""

    async def session() -> tuple[list[Message], int | None]:
        async with (
            asyncio.timeout(WITHIN_S),
            application_server(service) as url,
            connect(url, additional_headers=[BEARER], proxy=None) as connection,
        ):
            for message in says:
                await connection.send(json.dumps(message))
            came: list[Message] = []
            waiting = list(delegation_ids)
            with_end = ends
            try:
                while True:
                    came.append(await _next(connection))
                    if came[-1]["type"] == "session.ready":
                        for one in waiting:
                            await connection.send(json.dumps(delegated(one)))
                    if with_end and _ended(came) == len(waiting):
                        with_end = False
                        await connection.send(json.dumps(END))
            except ConnectionClosed:
                return came, connection.close_code

    return asyncio.run(session())


async def _next(connection: ClientConnection) -> Message:
    text = await connection.recv()
    message_to_harness(text)
    message: Message = json.loads(text)
    return message


def _ended(came: Sequence[Message]) -> int:
    return sum(one.get("event", {}).get("type") in RESULTS for one in came)


def types(came: Sequence[Message]) -> list[str]:
    return [one["event"]["type"] if "event" in one else one["type"] for one in came]


def codes(came: Sequence[Message]) -> list[str]:
    return [one["error"]["code"] for one in came if one["type"] == "error"]


def test_work_of_any_backend_is_told_and_the_end_is_answered() -> None:
    came, code = held(a_service(state={"reservations": []}), "d1")
    assert types(came) == [
        "session.ready",
        "client_delegation.handoff",
        "session.commentary.append",
        "client_delegation.completed",
        "session.closed",
    ]
    assert came[0]["application_state"]["reservations"] == []
    assert code == 1000


def test_a_backend_without_responses_calls_tools_and_tells_how_far_it_is() -> None:
    async def work(handoff: Handoff, emit: Emit) -> str:
        emit(Progress("Looking."))
        wanted = {"date": "2027-06-18", "time": "18:30", "party_size": 2}
        outcome = await handoff.call("check_availability", json.dumps(wanted), "call_1")
        return f"Found: {json.loads(outcome)['available']}."

    came, _ = held(a_service(work), "d1")
    assert sorted(types(came)[2:5]) == [
        "session.thinking.append",
        "tool.called",
        "tool.completed",
    ]
    (said,) = [one["event"] for one in came if one["type"] == "live.send" and "Found" in str(one)]
    assert said["content"] == "Found: True."


def test_every_connection_has_a_state_of_its_own() -> None:
    async def work(handoff: Handoff, _: Emit) -> str:
        booking = {"guest_name": "Maya", "date": "2027-06-18", "time": "18:30", "party_size": 2}
        return await handoff.call("create_reservation", json.dumps(booking), "call_1")

    service = a_service(work)
    states = [held(service, "d1")[0] for _ in range(2)]
    ready = [came[0]["application_state"] for came in states]
    assert ready[0] == ready[1]
    assert all('"R-001"' in json.dumps(came) for came in states)


def broken(_: Handoff, __: Emit) -> str:
    raise RuntimeError(SECRET)


def failing(_: Handoff, __: Emit) -> str:
    raise WorkFailedError(SECRET)


def leaving(_: Handoff, __: Emit) -> str:
    raise SystemExit(SECRET)


async def never(_: Handoff, __: Emit) -> str:
    await asyncio.sleep(3_600)
    return SECRET


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(broken, id="breaks"),
        pytest.param(failing, id="gives-up"),
        pytest.param(leaving, id="would-leave"),
        pytest.param(lambda *_: 7, id="answers-no-text"),
        pytest.param(lambda *_: " ", id="says-nothing"),
        pytest.param(never, id="takes-too-long"),
    ],
)
def test_the_session_goes_on_when_a_backend(work: Work, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    limits = replace(QUICK, session_s=8, configure_s=8)
    came, code = held(a_service(work, limits=limits), "d1")
    assert types(came)[2:] == [
        "session.commentary.append",
        "client_delegation.failed",
        "session.closed",
    ]
    assert (codes(came), code) == ([], 1000)
    assert SECRET not in json.dumps(came) + caplog.text


@pytest.mark.parametrize(
    "opens",
    [
        pytest.param(lambda *_: Breaking(snapshots=9, is_open=False), id="does-not-open"),
        pytest.param(lambda *_: Breaking(snapshots=0), id="has-no-state"),
    ],
)
def test_a_session_is_given_up_whose_application(
    opens: Callable[..., ApplicationSession], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    came, code = held(a_service(opens=opens))
    assert (codes(came), code) == (["client_assistant_error"], 1011)
    assert SECRET not in json.dumps(came) + caplog.text


def test_a_session_is_given_up_whose_application_breaks_at_a_call() -> None:
    async def work(handoff: Handoff, _: Emit) -> str:
        return await handoff.call("check_availability", "{}", "call_1")

    came, code = held(a_service(work, opens=lambda *_: Breaking(snapshots=1)), "d1")
    assert (codes(came), code) == (["client_assistant_error"], 1011)
    assert SECRET not in json.dumps(came)


def test_a_session_is_given_up_whose_backend_does_not_open() -> None:
    def open_backend(_: object) -> Backend:
        raise RuntimeError(SECRET)

    came, _ = held(replace(a_service(), open_backend=open_backend))
    assert codes(came) == ["client_assistant_error"]
    assert SECRET not in json.dumps(came)


@pytest.mark.parametrize(
    ("says", "delegations"),
    [
        pytest.param((), (), id="never-configured"),
        pytest.param((CONFIGURE,), (), id="idle"),
        pytest.param((CONFIGURE,), ("d1",), id="at-work"),
    ],
)
def test_a_session_does_not_last_for_ever(
    says: Sequence[Message], delegations: Sequence[str]
) -> None:
    before = ABackend.closed
    limits = replace(QUICK, delegation_s=60)
    came, code = held(a_service(never, limits=limits), *delegations, says=says, ends=False)
    assert (codes(came), code) == (["client_session_timeout"], 1008)
    assert ABackend.closed - before == len(says)


def test_a_fifth_delegation_at_once_ends_the_session() -> None:
    came, code = held(a_service(never), *(f"d{number}" for number in range(5)), ends=False)
    assert (codes(came), code) == (["client_limit_reached"], 1008)


def test_work_stops_with_the_connection_and_makes_room_for_the_next() -> None:
    stopped = asyncio.Event()

    async def work(_: Handoff, __: Emit) -> str:
        try:
            await asyncio.sleep(3_600)
        except asyncio.CancelledError:
            stopped.set()
            raise
        return ""

    async def story() -> None:
        limits = ServiceLimits(connections=1, cleanup_s=0.5)
        async with (
            asyncio.timeout(WITHIN_S),
            application_server(a_service(work, limits=limits)) as url,
        ):
            first = await connect(url, additional_headers=[BEARER], proxy=None)
            await first.send(json.dumps(CONFIGURE))
            await _next(first)
            await first.send(json.dumps(delegated("d1")))
            assert (await _next(first))["event"]["type"] == "client_delegation.handoff"
            first.transport.abort()
            await stopped.wait()
            async for second in connect(url, additional_headers=[BEARER], proxy=None):
                await second.send(json.dumps(CONFIGURE))
                assert (await _next(second))["type"] == "session.ready"
                await second.close()
                break

    asyncio.run(story())

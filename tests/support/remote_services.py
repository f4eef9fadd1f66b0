"""The suite that every remote application is held to, whoever wrote it: data, and how to run it.

A :class:`Visit` is one connection: what it shows at the door, what it says, what must come of it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from assistants.client.contract import MESSAGE_BYTES_MAX, message_to_harness
from assistants.client.remote import Call, Phase, RemoteApplication
from shared.clock import Stamp
from shared.errors import AttemptError
from shared.observability.observations import (
    Caption,
    DelegationBegan,
    DelegationEnded,
    Observation,
    Speaker,
)

TOKEN = "a-token-for-this-test-and-no-other-0123456789"
ORIGIN = "https://app.example.com"
WITHIN_S = 10
BEARER = ("Authorization", f"Bearer {TOKEN}")

type Headers = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Visit:
    """``status`` is that of the answer at the door, where one is refused there; ``error`` the code
    of the message that ends the session, ``close_code`` how it ends without one."""

    headers: Headers = (BEARER,)
    says: Sequence[Mapping[str, Any] | str | bytes] = ()
    status: int | None = None
    error: str | None = None
    close_code: int | None = None


CONFIGURE = {"type": "session.configure", "version": 1, "initial_items": []}


def live(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "live.event", "event": {"type": kind, **fields}}


def _heard(**edits: Any) -> dict[str, Any]:
    fields = {"start_ms": 0, "end_ms": 1, "delta": "x", **edits}
    return live("session.input_transcript.delta", **fields)


def _delegated(delegation_id: str, target: str = "client") -> dict[str, Any]:
    delegation = {"id": delegation_id, "target": target}
    return live("session.delegation.created", offset_ms=0, delegation=delegation)


def _broken(*says: Mapping[str, Any] | str | bytes) -> Visit:
    return Visit(says=says, error="client_protocol_error")


SUITE: Mapping[str, Visit] = {
    "without-a-credential": Visit(headers=(), status=401),
    "with-another-token": Visit(headers=(("Authorization", f"Bearer {TOKEN}x"),), status=401),
    "with-a-shorter-token": Visit(headers=(("Authorization", f"Bearer {TOKEN[:-1]}"),), status=401),
    "with-the-bare-token": Visit(headers=(("Authorization", TOKEN),), status=401),
    "with-two-credentials": Visit(headers=(BEARER, BEARER), status=401),
    "from-another-origin": Visit(headers=(BEARER, ("Origin", "https://evil.example")), status=403),
    "from-no-origin-that-says-so": Visit(headers=(BEARER, ("Origin", "null")), status=403),
    "from-two-origins": Visit(headers=(BEARER, ("Origin", ORIGIN), ("Origin", ORIGIN)), status=403),
    "without-a-credential-from-another-origin": Visit(
        headers=(("Origin", "https://evil.example"),), status=401
    ),
    "with-garbage": _broken("}{"),
    "with-a-binary-message": _broken(b"\x00"),
    "with-a-list": _broken("[]"),
    "with-a-type-nobody-knows": _broken({"type": "hello"}),
    "with-another-version": _broken({**CONFIGURE, "version": 2}),
    "with-instructions": _broken({**CONFIGURE, "instructions": "x"}),
    "with-an-event-before-the-start": _broken(_heard()),
    "starting-twice": _broken(CONFIGURE, CONFIGURE),
    "with-an-instant-before-the-call": _broken(CONFIGURE, _heard(start_ms=-1)),
    "with-words-that-are-none": _broken(CONFIGURE, _heard(delta=7)),
    "with-sound": _broken(CONFIGURE, live("session.output_audio.delta", delta="AAAA")),
    "with-somebody-elses-work": _broken(CONFIGURE, _delegated("d", "responses")),
    "with-an-id-too-long": _broken(CONFIGURE, _delegated("d" * 257)),
    "with-a-message-too-long": Visit(
        says=(CONFIGURE, "x" * (MESSAGE_BYTES_MAX + 1)), close_code=1009
    ),
}


@dataclass(slots=True)
class Came:
    """What came of a visit."""

    status: int | None = None
    messages: list[dict[str, Any]] = field(default_factory=list)
    close_code: int | None = None


async def visit(url: str, one: Visit) -> Came:
    """Make it, and wait for its end; every message must be of the contract."""
    came = Came()
    try:
        async with (
            asyncio.timeout(WITHIN_S),
            connect(
                url, additional_headers=one.headers, proxy=None, compression=None
            ) as connection,
        ):
            for number, said in enumerate(one.says):
                if number:
                    came.messages.append(await _next(connection))
                await connection.send(json.dumps(said) if isinstance(said, Mapping) else said)
            try:
                while True:
                    came.messages.append(await _next(connection))
            except ConnectionClosed:
                came.close_code = connection.close_code
    except InvalidStatus as refused:
        came.status = refused.response.status_code
    return came


async def _next(connection: ClientConnection) -> dict[str, Any]:
    text = await connection.recv()
    message_to_harness(text)
    message: dict[str, Any] = json.loads(text)
    return message


def check(one: Visit, came: Came) -> None:
    """Assert that what came of it is what must."""
    assert came.status == one.status
    errors = [message["error"]["code"] for message in came.messages if "error" in message]
    assert errors == ([] if one.error is None else [one.error])
    if one.close_code is not None:
        assert came.close_code == one.close_code


@dataclass(slots=True)
class Worked:
    """A call with work, as our own end saw it."""

    observed: list[Observation]
    said: list[str]
    failure: AttemptError | None
    state: Mapping[str, Any]
    close_code: int | None


async def a_call_with_work(url: str, *delegation_ids: str) -> Worked:
    """Have delegations done one after the other, by the machine that a run has, and hang up."""
    loop = asyncio.get_running_loop()
    began_s = loop.time()

    def now_us() -> int:
        return round((loop.time() - began_s) * 1e6)

    machine = RemoteApplication(
        Call(lambda at_us: Stamp(at_us // 1_000, at_us), lambda: False, "It failed."), (), {}
    )
    worked = Worked([], [], None, {}, None)
    waiting = list(delegation_ids)
    headers = [BEARER, ("Origin", ORIGIN)]
    async with (
        asyncio.timeout(WITHIN_S),
        connect(url, additional_headers=headers, proxy=None, compression=None) as connection,
    ):
        machine.configure(now_us())
        while machine.phase is not Phase.CLOSED:
            ended = sum(isinstance(one, DelegationEnded) for one in worked.observed)
            if machine.phase is Phase.READY and ended == len(delegation_ids) - len(waiting):
                if waiting:
                    _ask(machine, waiting.pop(0), now_us())
                else:
                    machine.hang_up("closed", now_us())
            for message in machine.messages_to_send():
                await connection.send(message)
            machine.receive(await connection.recv(), now_us())
            worked.observed += machine.observed()
            worked.said += [one.text for one in machine.appends()]
        await connection.wait_closed()
        worked.close_code = connection.close_code
    worked.failure, worked.state = machine.failure, machine.snapshot()
    return worked


def _ask(machine: RemoteApplication, delegation_id: str, at_us: int) -> None:
    at = Stamp(0, at_us)
    machine.notice(Caption(at, Speaker.CALLER, "Please look it up.", 0, 900))
    for _ in range(2):
        machine.notice(DelegationBegan(at, delegation_id, "client", None))

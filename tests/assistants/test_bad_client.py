"""A bad client over a socket: ``live-fixture`` names each of its mistakes, and no other.

What needs many seconds of silence, or no fixture that is another process, is in ``test_conduct``.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from assistants.frontend.fixture.rules import MISTAKES, Rule

CREDENTIAL = {"Authorization": "Bearer a-key-of-nobody"}
WITHIN_S = 30
TOOLS = [{"type": "function", "name": name} for name in ("look_up", "write_down")]
BACKEND = {"type": "responses", "responses": {"model": "a-backend", "tools": TOOLS}}
SCRIPT = {
    "format": "gpt-live-script/1",
    "steps": [
        {
            "delegate": "work",
            "at": "start",
            "rounds": [
                {
                    "calls": [
                        {"name": "look_up", "call_id": "call_a"},
                        {"name": "write_down", "call_id": "call_b"},
                    ]
                }
            ],
            "reply": "Done.",
        }
    ],
}


def event(kind: str, **fields: Any) -> str:
    return json.dumps({"type": kind, **fields})


def start(**session: Any) -> str:
    return event("session.start", session={"model": "gpt-live-1", **session})


def output(call_id: str) -> str:
    item = {"type": "function_call_output", "call_id": call_id, "output": "1"}
    return event("response.item.create", item=item)


def append(**fields: Any) -> str:
    return event("session.commentary.append", **fields)


AUDIO = event("session.input_audio.append", audio="A" * 1_280)
"""20 ms of silence."""
CREATE = event("response.create")
CLOSE = event("session.close")
BACKEND_START, CLIENT_START = start(delegation=BACKEND), start()


@dataclass(frozen=True, slots=True)
class Bad:
    """What is sent before the answer to the start, once it has come, and once work was called."""

    begins: Sequence[str | bytes] = (BACKEND_START,)
    then: Sequence[str | bytes] = ()
    when_called: Sequence[str] = ()
    closes: bool = True
    waits: bool = True
    suffix: str = ""
    headers: Mapping[str, str] | None = None


CLIENTS: dict[Rule, Bad] = {
    Rule.WRONG_PATH: Bad(suffix="/x"),
    Rule.QUERY_GIVEN: Bad(suffix="?model=gpt-live-1"),
    Rule.NO_CREDENTIAL: Bad(headers={}),
    Rule.BINARY_MESSAGE: Bad(then=[b"\x00\x00"]),
    Rule.NOT_JSON: Bad(then=["hello"]),
    Rule.NOT_AN_OBJECT: Bad(then=["[]"]),
    Rule.UNKNOWN_TYPE: Bad(then=[event("input_audio_buffer.commit")]),
    Rule.SIDEBAND_ONLY: Bad(then=[event("transport.dtmf.send", event="5")]),
    Rule.UNKNOWN_FIELD: Bad([start(turn_detection=None)]),
    Rule.MISSING_FIELD: Bad([event("session.start")]),
    Rule.WRONG_VALUE: Bad([start(store="yes")]),
    Rule.FIRST_NOT_START: Bad([CLOSE]),
    Rule.START_REPEATED: Bad(then=[BACKEND_START]),
    Rule.AUDIO_BEFORE_STARTED: Bad([BACKEND_START, AUDIO]),
    Rule.COMMAND_BEFORE_STARTED: Bad([BACKEND_START, CREATE]),
    Rule.INSTRUCTIONS_TOO_LONG: Bad([start(instructions="x" * 131_073)]),
    Rule.HISTORY_TOO_LONG: Bad([start(input=[{"role": "user", "content": [{"text": "x"}]}] * 129)]),
    Rule.IMMUTABLE_FIELD: Bad(then=[event("session.update", session={"model": "gpt-live-1.1"})]),
    Rule.DELEGATION_TYPE_CHANGED: Bad(
        then=[event("session.update", session={"delegation": {"type": "client"}})]
    ),
    Rule.AUDIO_NOT_BASE64: Bad(then=[event("session.input_audio.append", audio="no")]),
    Rule.AUDIO_HALF_SAMPLE: Bad(then=[event("session.input_audio.append", audio="AAAA")]),
    Rule.AUDIO_BURST: Bad(then=[AUDIO] * 150),
    Rule.APPEND_TOO_LONG: Bad(then=[append(content="x" * 4_001, delegation_id=None)]),
    Rule.APPEND_WITHOUT_DELEGATION: Bad(then=[append(content="x")]),
    Rule.APPEND_TO_UNKNOWN_DELEGATION: Bad(
        [CLIENT_START], [append(content="x", delegation_id="item_of_mine")]
    ),
    Rule.APPEND_TO_BACKEND_DELEGATION: Bad(
        then=[append(content="x", delegation_id="item_of_mine")]
    ),
    Rule.ITEM_WITHOUT_BACKEND: Bad([CLIENT_START], [output("call_a")]),
    Rule.RESPONSE_WITHOUT_BACKEND: Bad([CLIENT_START], [CREATE]),
    Rule.OUTPUT_OF_UNKNOWN_CALL: Bad(then=[output("call_z")]),
    Rule.ITEMS_OVER_BUDGET: Bad(
        then=[
            event(
                "response.item.create",
                item={"type": "message", "role": "user", "content": "x" * 32_769},
            )
        ]
    ),
    Rule.RESPONSE_BEFORE_OUTPUTS: Bad(when_called=[output("call_a"), CREATE]),
    Rule.RESPONSE_REPEATED: Bad(when_called=[output("call_a"), output("call_b"), CREATE, CREATE]),
    Rule.COMMAND_AFTER_CLOSE: Bad(then=[CLOSE, CREATE], closes=False),
    Rule.LEFT_WITHOUT_CLOSE: Bad(closes=False, waits=False),
    Rule.LEFT_BEFORE_CLOSED: Bad(waits=False),
}
NOT_HERE = {Rule.BROKEN_FRAMES, Rule.AUDIO_NEVER_SENT, Rule.AUDIO_STOPPED}


async def misbehave(url: str, rule: Rule, bad: Bad) -> None:
    headers = CREDENTIAL if bad.headers is None else bad.headers
    async with connect(
        url + bad.suffix, additional_headers=headers, user_agent_header=rule.key, proxy=None
    ) as line:
        for message in bad.begins:
            await line.send(message)
        if not await heard(line, "session.started"):
            return
        for message in bad.then:
            await line.send(message)
        if bad.when_called:
            await until_called(line)
        for message in [*bad.when_called, *[CLOSE] * bad.closes]:
            await line.send(message)
        if bad.waits:
            await heard(line, "session.closed")


async def heard(line: ClientConnection, kind: str) -> bool:
    """Wait for an event of a kind; false where the connection ends before."""
    with contextlib.suppress(ConnectionClosed):
        while json.loads(await line.recv())["type"] != kind:
            pass
        return True
    return False


async def until_called(line: ClientConnection) -> None:
    """Send silence as it sounds until the round's response is completed."""

    async def speak() -> None:
        while True:
            await line.send(AUDIO)
            await asyncio.sleep(0.02)

    speaker = asyncio.create_task(speak())
    inner = None
    while inner != "response.completed":
        inner = json.loads(await line.recv()).get("event", {}).get("type")
    speaker.cancel()


async def all_at_once(url: str) -> None:
    async def one(rule: Rule, bad: Bad) -> None:
        with contextlib.suppress(InvalidStatus):
            await misbehave(url, rule, bad)

    async with asyncio.timeout(WITHIN_S):
        await asyncio.gather(*(one(rule, bad) for rule, bad in CLIENTS.items()))


@dataclass(frozen=True, slots=True)
class Judged:
    """What ``live-fixture`` made of it: by the name that each client went by."""

    status: int
    told: str
    mistakes: Mapping[str, Mapping[str, int]]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    folder = tmp_path_factory.mktemp("bad")
    script, record = folder / "script.json", folder / "record.jsonl"
    script.write_text(json.dumps(SCRIPT))
    count = str(len(CLIENTS))
    command = [sys.executable, "-m", "assistants.live_fixture", "--sessions", count]
    command += ["--timeout-seconds", str(WITHIN_S), "--record", str(record)]
    command += ["--script", str(script)] * len(CLIENTS)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        asyncio.run(all_at_once(process.stdout.readline().strip()))
        _, told = process.communicate(timeout=WITHIN_S)
    return Judged(process.returncode, told, mistakes_in(record))


def mistakes_in(record: Path) -> dict[str, dict[str, int]]:
    _, *lines = map(json.loads, record.read_text("utf-8").splitlines())
    names = {line["session"]: line["user_agent"] for line in lines if "user_agent" in line}
    ended = [line for line in lines if line["type"] == "ended"]
    return {names[line["session"]]: line["mistakes"] for line in ended}


@pytest.mark.parametrize("rule", CLIENTS, ids=lambda rule: rule.key)
def test_a_mistake_over_a_socket_is_named(rule: Rule, judged: Judged) -> None:
    assert list(judged.mistakes[rule.key]) == [rule.key]
    assert f" mistake {rule.key} at " in judged.told


def test_all_of_them_are_one_failure(judged: Judged) -> None:
    assert judged.status == 1
    count = len(CLIENTS)
    summary = f"{count} sessions of {count} did not keep the protocol"
    assert judged.told.splitlines()[-1] == summary


def test_few_mistakes_are_left_for_virtual_time() -> None:
    assert set(MISTAKES) - set(CLIENTS) == NOT_HERE
    assert len(CLIENTS) >= 25

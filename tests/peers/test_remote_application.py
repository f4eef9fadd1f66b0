"""Remote applications of two makers under one suite, and a client of another maker.

One service is ``client-assistant``, the other was written in JavaScript from the schema and the
published rules alone; so was the client. Each is a process of its own.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from assistants.client.contract_schema import SCHEMA_FILE
from shared.observability.observations import (
    DelegationEnded,
    DelegationOutcome,
    ResponseEnded,
    ToolCalled,
    ToolReturned,
    WorkContinued,
)
from tests.support.programs import needs_file, needs_program
from tests.support.remote_services import (
    BEARER,
    ORIGIN,
    SUITE,
    TOKEN,
    a_call_with_work,
    check,
    visit,
)

HERE = Path(__file__).parent
WITHIN_S = 30
MAKERS = ("bundled", "another")
WANTED = {"date": "2027-06-11", "time": "19:00", "party_size": 2}
SCRIPT = {
    "format": "gpt-live-script/1",
    "steps": [
        {
            "delegate": name,
            "at": f"start+{number}000",
            "rounds": [{"calls": [{"name": "check_availability", "arguments": WANTED}]}],
            "reply": "It is looked up.",
        }
        for number, name in enumerate(("first", "second"), 1)
    ],
}


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    script = tmp_path_factory.mktemp("scripts") / "script.json"
    script.write_text(json.dumps(SCRIPT))
    bundled = [sys.executable, "-m", "assistants.client.service", "--port", "0"]
    scripts = [word for _ in range(60) for word in ("--script", str(script))]
    return {
        "bundled": [*bundled, "--backend", "scripted", "--allow-origin", ORIGIN, *scripts],
        "another": ["node", "remote_service.mjs", TOKEN, ORIGIN, str(SCHEMA_FILE)],
    }


@contextmanager
def serving(command: list[str]) -> Iterator[str]:
    environment = {**os.environ, "OPENAI_CLIENT_ASSISTANT_TOKEN": TOKEN}
    folder = HERE if command[0] == "node" else None
    service = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    )
    assert service.stdout is not None
    try:
        yield service.stdout.readline().strip()
    finally:
        service.terminate()
        service.communicate(timeout=WITHIN_S)


def needs_node() -> None:
    needs_program("node")
    needs_file(HERE / "node_modules", "run npm install --no-package-lock in tests/peers")


@pytest.fixture(scope="module")
def up(commands: dict[str, list[str]]) -> Iterator[dict[str, str]]:
    """Services by their makers, each started when it is first wanted."""
    with ExitStack() as stack:
        urls: dict[str, str] = {}

        class Up(dict[str, str]):
            def __missing__(self, maker: str) -> str:
                self[maker] = stack.enter_context(serving(commands[maker]))
                return self[maker]

        urls = Up()
        yield urls


@pytest.fixture(params=MAKERS)
def url(request: pytest.FixtureRequest, up: dict[str, str]) -> str:
    if request.param == "another":
        needs_node()
    return up[request.param]


@pytest.mark.parametrize("name", SUITE)
def test_a_visit(name: str, url: str) -> None:
    check(SUITE[name], asyncio.run(visit(url, SUITE[name])))


def test_work_is_done_once_reported_and_said_and_the_end_is_answered(url: str) -> None:
    worked = asyncio.run(a_call_with_work(url, "first", "second"))
    assert worked.failure is None
    outcomes = [one.outcome for one in worked.observed if isinstance(one, DelegationEnded)]
    assert outcomes == [DelegationOutcome.COMPLETED] * 2
    assert worked.said == ["It is looked up."] * 2
    calls = [one for one in worked.observed if isinstance(one, ToolCalled)]
    returns = [one for one in worked.observed if isinstance(one, ToolReturned)]
    continued = [one for one in worked.observed if isinstance(one, WorkContinued)]
    assert [len(calls), len(returns), len(continued)] == [2, 2, 2]
    assert returns[-1].state == worked.state
    assert any(isinstance(one, ResponseEnded) and one.usage for one in worked.observed)
    assert worked.close_code == 1000


def test_eight_connections_are_taken_and_a_ninth_once_one_has_gone(url: str) -> None:
    async def nine() -> int | None:
        async with asyncio.timeout(WITHIN_S), AsyncExitStack() as stack:

            async def come() -> ClientConnection:
                return await stack.enter_async_context(connect(url, additional_headers=[BEARER]))

            held = [await come() for _ in range(8)]
            with pytest.raises(InvalidStatus) as refused:
                await come()
            await held[0].close()
            while True:
                with suppress(InvalidStatus):
                    await come()
                    return refused.value.response.status_code
        return None

    assert asyncio.run(nine()) == 503


def test_a_client_of_another_maker_has_work_done(up: dict[str, str]) -> None:
    needs_node()
    done = subprocess.run(
        ["node", "remote_client.mjs", up["bundled"], TOKEN, str(SCHEMA_FILE)],
        cwd=HERE,
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    seen = [json.loads(line)["saw"] for line in done.stdout.splitlines()]
    assert seen == [
        "session.ready",
        "client_delegation.handoff",
        "response.created",
        "tool.called",
        "tool.completed",
        "response.completed",
        "response.created",
        "response.text",
        "response.completed",
        "session.commentary.append",
        "client_delegation.completed",
        "session.closed",
    ]

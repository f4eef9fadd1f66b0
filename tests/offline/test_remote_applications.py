"""Applications that run elsewhere, in live runs: one that works, and all that can go wrong.

The harness is the installed command. First come three processes, of which one is killed at its
work; then one run of many scenarios, each with an application that misbehaves in its own way.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
import soundfile
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from shared.attempts.details import decode_details
from shared.observability.observations import (
    DelegationEnded,
    DelegationOutcome,
    HandedOver,
    ToolCalled,
    ToolReturned,
)
from shared.speech.tone import ToneSynthesizer
from tests.support.conversations import BOOKS, REQUEST, SCENARIO, a_dataset
from tests.support.runs import FinishedRun, Row, crawl_eval, installed
from tests.support.services import LIVE, Services, on_the_track_of, quick_settings

TOKEN = "a-token-that-no-file-may-hold-0123456789"
SECRET = "a-secret-of-the-other-side"
REMOTE = {
    **LIVE,
    "OPENAI_CLIENT_ASSISTANT_TOKEN": TOKEN,
    "OPENAI_CLIENT_ASSISTANT_ALLOW_INSECURE_LOOPBACK": "true",
}
WITHIN_S = 60

type Message = dict[str, Any]


def holds_no_token(run: FinishedRun) -> None:
    told = {"stdout": run.stdout.encode(), "stderr": run.stderr.encode()}
    for name, content in (run.files() | told).items():
        assert TOKEN.encode() not in content, name


# Three processes


@contextlib.contextmanager
def a_process(*command: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        env={**os.environ, **REMOTE},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=WITHIN_S)


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def a_recorded_request(folder: Path) -> Path:
    """A dataset of one recording, short, whose request books a table."""
    soundfile.write(folder / "request.wav", ToneSynthesizer().speak(REQUEST).pcm, 24_000, "PCM_16")
    expected = {
        **SCENARIO["expected"],
        "delegation": "required",
        "tools": {"required": [BOOKS]},
        "state": {"reservation_created": True},
    }
    recordings = [{"id": "clean", "path": "request.wav", "condition": "clean"}]
    told = {"text": REQUEST, "recordings": recordings}
    return a_dataset(folder / "data.json", {**SCENARIO, "input": told, "expected": expected})


STEPS = [
    {
        "delegate": "d1",
        "at": "caller_end+300",
        "rounds": [{"calls": [BOOKS]}],
        "reply": "Booked.",
    },
    {"say": "It is booked.", "at": "d1.done+200"},
]


def three_processes(tmp_path: Path) -> tuple[FinishedRun, FinishedRun]:
    """Two runs: of the first the application is killed at its work, for the second it is back."""
    tmp_path.mkdir()
    data, log = a_recorded_request(tmp_path), tmp_path / "fixture.jsonl"
    script = tmp_path / "script.json"
    written = json.dumps({"format": "gpt-live-script/1", "steps": STEPS})
    script.write_text(on_the_track_of(REQUEST, written).to_json())
    (tmp_path / "settings.toml").write_text(quick_settings())
    scripts = ("--script", str(script))
    service = ("assistants.client.service", "--backend", "scripted", *scripts, "--port")

    def run(folder: str, live: str, application: str) -> FinishedRun:
        return installed(
            "walk-eval",
            tmp_path / folder,
            *("--data", data, "--config", tmp_path / "settings.toml", "--endpoint", live),
            *("--assistant", "client", "--assistant-endpoint", application),
            environment=REMOTE,
        )

    with a_process("assistants.live_fixture", *scripts, *scripts, "--log", str(log)) as fixture:
        live = first_line(fixture)
        with a_process(*service, "0") as application:
            url = first_line(application)
            killer = threading.Thread(target=kill_at_work, args=(application, log))
            killer.start()
            killed = run("killed", live, url)
            killer.join(WITHIN_S)
        with a_process(*service, url.split(":")[-1].split("/")[0]) as application:
            assert first_line(application) == url
            return killed, run("worked", live, url)


def test_three_processes_work_together_and_one_may_be_killed_and_come_back(
    runs: Runs,
) -> None:
    killed, worked = runs.processes.result()
    row = killed.rows["request"]
    assert (row["status"], row["error"]) == (
        "infrastructure_error",
        {
            "stage": "client_assistant",
            "message": "the connection ended without a close in mid-session",
        },
    )
    row = worked.rows["request"]
    assert (row["status"], row["error"]) == ("passed", None), worked.stdout
    evidence = decode_details(worked.details("request")).evidence
    (called,) = evidence.of(ToolCalled)
    (returned,) = evidence.of(ToolReturned)
    (ended,) = evidence.of(DelegationEnded)
    assert len(evidence.of(HandedOver)) == 1
    assert called.arguments == BOOKS["arguments"]
    assert ended.outcome is DelegationOutcome.COMPLETED
    assert evidence.state_before == {}
    assert evidence.state_after == returned.state
    holds_no_token(killed)
    holds_no_token(worked)


def kill_at_work(application: subprocess.Popen[str], log: Path) -> None:
    """Kill it once work was handed over: the sentence has to rest before anything comes of it."""
    while application.poll() is None:
        if log.exists() and '"session.delegation.created"' in log.read_text():
            application.kill()
            return


# Applications that misbehave, one for each connection


def report(kind: str, **fields: Any) -> Message:
    return {"type": "assistant.event", "event": {"type": kind, **fields}}


def says(delegation_id: str, text: str = "Done.") -> Message:
    event = {"type": "session.commentary.append", "delegation_id": delegation_id, "content": text}
    return {"type": "live.send", "event": event}


COMPLETED = "client_delegation.completed"
READY: Message = {"type": "session.ready", "version": 1}
type Replies = Callable[[str], list[Message | str | bytes | None]]
"""What is sent about a delegation; ``None`` cuts the connection."""


@dataclass(frozen=True, slots=True)
class Application:
    """What an application does, and what its scenario comes to."""

    message: str | None = None
    door: tuple[HTTPStatus, Mapping[str, str]] | None = None
    ready: Message = field(default_factory=lambda: READY)
    replies: Replies = lambda _: []
    state: Mapping[str, Any] | None = None
    tools: Sequence[Message] = ()
    """What its scenario requires; nothing here has such tools."""

    async def converse(self, connection: ServerConnection) -> None:
        with contextlib.suppress(ConnectionClosed):
            await connection.recv()
            await connection.send(_text(self.ready))
            async for raw in connection:
                event = json.loads(raw)["event"]
                if event["type"] == "session.closed":
                    await connection.send(json.dumps({"type": "session.closed"}))
                if event["type"] == "session.delegation.created":
                    for reply in self.replies(event["delegation"]["id"]):
                        if reply is None:
                            connection.transport.abort()
                        else:
                            await connection.send(_text(reply))


def _text(message: Message | str | bytes) -> str | bytes:
    return json.dumps(message) if isinstance(message, dict) else message


def at_the_door(status: HTTPStatus, told: str, **headers: str) -> Application:
    return Application(f"the application: HTTP {status}: {told}", (status, headers))


def done(delegation_id: str) -> list[Message | str | bytes | None]:
    call = {"call_id": "c1", "name": "look_up", "arguments": "{}", "delegation_id": delegation_id}
    return [
        report("tool.called", **call),
        report("tool.completed", call_id="c1", result={}, application_state={"looked": 1}),
        says(delegation_id),
        report(COMPLETED, delegation_id=delegation_id),
    ]


NOT_APPLICABLE = "configure that state in the service"
BEFORE_THE_CALL = {
    "refuses-the-token": at_the_door(HTTPStatus.UNAUTHORIZED, "refused at the handshake"),
    "refuses-the-origin": at_the_door(HTTPStatus.FORBIDDEN, "refused at the handshake"),
    "is-full": at_the_door(HTTPStatus.SERVICE_UNAVAILABLE, "refused at the handshake"),
    "is-elsewhere": at_the_door(
        HTTPStatus.TEMPORARY_REDIRECT,
        "redirects are not followed; set the final endpoint",
        Location=f"wss://{SECRET}.example/ws",
    ),
    "speaks-another-version": Application(
        "the application sent a message in which version of session.ready is wrong:"
        " Input should be 1",
        ready={**READY, "version": 2},
    ),
    "gives-up": Application(
        "the application reported overloaded",
        ready={"type": "error", "error": {"code": "overloaded", "message": SECRET}},
    ),
    "has-no-state": Application(
        "not applicable: the scenario begins with a state, and the application tells no state;"
        f" {NOT_APPLICABLE}",
        state={"orders": [7]},
    ),
    "has-another-state": Application(
        "not applicable: the scenario begins with a state, and the application has another state;"
        f" {NOT_APPLICABLE}",
        ready={**READY, "application_state": {"orders": [SECRET]}},
        state={"orders": [7]},
    ),
    "has-the-state": Application(
        ready={**READY, "application_state": {"orders": [7]}},
        replies=done,
        state={"orders": [7]},
        tools=({"name": "look_up"},),
    ),
}
IN_THE_CALL = {
    "works": Application(replies=lambda one: [says(one), report(COMPLETED, delegation_id=one)]),
    "reports-a-failure": Application(
        replies=lambda one: [report("client_delegation.failed", delegation_id=one)]
    ),
    "sends-garbage": Application(
        "the application sent a message that is not JSON", replies=lambda _: [SECRET]
    ),
    "sends-bytes": Application(
        "the application sent a binary message", replies=lambda _: [SECRET.encode()]
    ),
    "sends-too-much": Application(
        "the application sent a message over the limit of 262144 bytes",
        replies=lambda _: [says("d", SECRET * 12_000)],
    ),
    "answers-nobody": Application(
        "the application sent a delegation_id that was never forwarded",
        replies=lambda _: [says(SECRET)],
    ),
    "is-done-without-a-result": Application(
        "the application sent client_delegation.completed before any result",
        replies=lambda one: [report(COMPLETED, delegation_id=one)],
    ),
    "is-gone": Application(
        "the connection ended without a close in mid-session", replies=lambda _: [None]
    ),
}


@contextlib.asynccontextmanager
async def one_after_the_other(waiting: Iterator[Application]) -> AsyncIterator[str]:
    """Serve them, each to the next connection that comes."""
    admitted: dict[ServerConnection, Application] = {}

    def admit(connection: ServerConnection, request: Request) -> Response | None:
        assert request.headers["Authorization"] == f"Bearer {TOKEN}"
        one = admitted[connection] = next(waiting)
        if one.door is None:
            return None
        status, headers = one.door
        return Response(status, SECRET, Headers({**headers, "Content-Length": "0"}), b"")

    async def converse(connection: ServerConnection) -> None:
        await admitted[connection].converse(connection)

    async with serve(converse, "127.0.0.1", 0, process_request=admit, max_size=None) as server:
        yield f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}"


def evaluated(
    folder: Path, services: Services, applications: Mapping[str, Application], *, at_once: int
) -> FinishedRun:
    """A run with a scenario for each application."""
    folder.mkdir()
    scenarios = [
        {
            **SCENARIO,
            "id": name,
            "application": {"initial_state": one.state or {}},
            "expected": {**SCENARIO["expected"], "tools": {"required": one.tools}},
        }
        for name, one in applications.items()
    ]
    (folder / "settings.toml").write_text(quick_settings())
    waiting = iter(applications.values())
    with services.playing() as live, services.up(one_after_the_other(waiting)) as remote:
        return crawl_eval(
            folder / "results",
            *("--data", a_dataset(folder / "data.json", *scenarios), "--synthesizer", "tone"),
            *("--config", folder / "settings.toml", "--endpoint", live),
            *("--assistant", "client", "--assistant-endpoint", remote),
            *("--concurrency", str(at_once)),
            environment=REMOTE,
        )


@dataclass(frozen=True, slots=True)
class Runs:
    processes: Future[tuple[FinishedRun, FinishedRun]]
    before: Future[FinishedRun]
    during: Future[FinishedRun]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    """All at once: each lasts as long as what is said in it."""
    folder, services = tmp_path_factory.mktemp("runs"), Services()

    def run(name: str, chosen: Mapping[str, Application], at_once: int) -> FinishedRun:
        return evaluated(folder / name, services, chosen, at_once=at_once)

    with ThreadPoolExecutor(3) as pool:
        yield Runs(
            pool.submit(three_processes, folder / "processes"),
            pool.submit(run, "before", BEFORE_THE_CALL, 1),
            pool.submit(run, "during", IN_THE_CALL, len(IN_THE_CALL)),
        )
    services.stop()


def outcome(row: Row) -> tuple[str, str | None, str | None]:
    error = row["error"] or {}
    return row["status"], error.get("stage"), error.get("message")


def expected(one: Application) -> tuple[str, str | None, str | None]:
    if one.message is None:
        return "passed", None, None
    return "infrastructure_error", "client_assistant", one.message


@pytest.mark.parametrize("name", BEFORE_THE_CALL)
def test_no_call_is_paid_for_with_an_application_that(name: str, runs: Runs) -> None:
    row = runs.before.result().rows[name]
    assert outcome(row) == expected(BEFORE_THE_CALL[name])
    if BEFORE_THE_CALL[name].message is not None:
        trace = runs.before.result().folder / "events" / f"{name}.jsonl"
        assert '"session.start"' not in trace.read_text("utf-8")


def test_of_calls_at_once_each_comes_to_what_its_application_did(
    runs: Runs,
) -> None:
    """Which of them got which application is nobody's to say."""
    came = [outcome(row) for row in runs.during.result().rows.values()]
    assert sorted(came, key=str) == sorted(map(expected, IN_THE_CALL.values()), key=str)


def test_a_state_that_an_application_told_is_before_and_after(
    runs: Runs,
) -> None:
    evidence = decode_details(runs.before.result().details("has-the-state")).evidence
    assert evidence.state_before == {"orders": [7]}
    assert evidence.state_after == {"looked": 1}


@pytest.mark.parametrize("name", ["before", "during"])
def test_nothing_of_what_is_secret_is_in_any_file(name: str, runs: Runs) -> None:
    run = getattr(runs, name).result()
    content = {name: text for name, text in run.files().items() if not name.startswith("events/")}
    told = {"stdout": run.stdout.encode(), "stderr": run.stderr.encode()}
    for file, text in (content | told).items():
        assert SECRET.encode() not in text, file
    for file, text in (run.files() | told).items():
        assert TOKEN.encode() not in text, file

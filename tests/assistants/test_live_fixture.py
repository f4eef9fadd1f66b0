"""The command: it prints where it listens, stops when told to, and names a mistake in one line."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner
from websockets.asyncio.client import connect

from assistants.frontend.events import SessionStart, encode
from assistants.live_fixture import app
from tests.support.far_end import a_script, client_work

COMMAND = [sys.executable, "-m", "assistants.live_fixture"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_prints_its_address_serves_and_stops(number: signal.Signals, tmp_path: Path) -> None:
    script, log = tmp_path / "script.json", tmp_path / "log.jsonl"
    script.write_text(a_script().to_json())
    arguments = ["--port", "0", "--script", str(script), "--log", str(log)]
    process = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    assert url.startswith("ws://127.0.0.1:")
    assert url.endswith("/v1/live/sessions")
    asyncio.run(start_a_session(url))
    process.send_signal(number)
    rest, _ = process.communicate(timeout=20)
    assert (process.returncode, rest) == (0, "")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["what"] for line in lines] == ["connected", "received", "sent", "ended"]


async def start_a_session(url: str) -> None:
    headers = {"Authorization": "Bearer a-key"}
    async with connect(url, additional_headers=headers, proxy=None) as connection:
        await connection.send(encode(SessionStart(session=client_work())))
        assert json.loads(await connection.recv())["type"] == "session.started"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        pytest.param(None, "No such file", id="that-is-not-there"),
        pytest.param(b"{", "Invalid JSON", id="that-is-no-json"),
        pytest.param(b"\xff\xfe", "not a text file", id="that-is-no-text"),
        pytest.param(
            b'{"format":"gpt-live-script/1","steps":[{"say":"Hi.","at":"caller_end"}]}',
            "caller's track",
            id="that-needs-a-caller",
        ),
    ],
)
def test_a_script_is_refused(content: bytes | None, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    if content is not None:
        path.write_bytes(content)
    done = CliRunner().invoke(app, ["--script", str(path)])
    assert done.exit_code == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{path}: ")
    assert complaint in line


def test_a_log_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["--log", str(tmp_path / "missing" / "log.jsonl")])
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            [*COMMAND, "--port", str(port)], capture_output=True, text=True, check=False
        )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"--port {port}: ")

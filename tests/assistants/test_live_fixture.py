"""The command: it prints where it listens, stops when told to, and names a mistake in one line."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from typer.testing import CliRunner
from websockets.asyncio.client import connect

from assistants.frontend.events import (
    InputAudioAppend,
    SessionClose,
    SessionStart,
    encode,
    encode_audio,
)
from assistants.live_fixture import HINT, app, main
from tests.support.far_end import a_script, client_work

CREDENTIAL = {"Authorization": "Bearer a-key"}
COMMAND = [sys.executable, "-m", "assistants.live_fixture"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_prints_its_address_serves_and_stops(number: signal.Signals, tmp_path: Path) -> None:
    script, log = tmp_path / "script.json", tmp_path / "log.jsonl"
    script.write_text(a_script().to_json())
    arguments = ["--port", "0", "--script", str(script), "--log", str(log)]
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    assert url.startswith("ws://127.0.0.1:")
    assert url.endswith("/v1/live/sessions")
    base_url = process.stdout.readline().strip()
    asyncio.run(hold_a_session(url))
    assert status_of_an_empty_question(base_url) == 400
    process.send_signal(number)
    rest, told = process.communicate(timeout=20)
    assert (process.returncode, rest) == (0, "")
    assert told.strip() == f"{HINT}\n1 session kept the protocol"
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    of_the_session = [line["what"] for line in lines if line["session"] == "session-1"]
    assert of_the_session == [
        *("connected", "received", "sent", "received"),  # start, started, close
        *["sent"] * 4,  # what still sounds, and closed
        "ended",
    ]
    over_http = [line["what"] for line in lines if line["session"] == "http-1"]
    assert over_http == ["requested", "received", "answered", "sent"]
    assert "a-key" not in log.read_text()


def status_of_an_empty_question(base_url: str) -> int:
    address = urlsplit(base_url)
    assert (address.scheme, address.path) == ("http", "/v1")
    connection = http.client.HTTPConnection(address.netloc, timeout=10)
    with contextlib.closing(connection):
        connection.request("POST", "/v1/responses", b"{}", CREDENTIAL)
        return connection.getresponse().status


async def hold_a_session(url: str, *, closes: bool = True) -> None:
    """Start a session, and end it as one should, or without a word."""
    async with connect(url, additional_headers=CREDENTIAL, proxy=None) as connection:
        await connection.send(encode(SessionStart(session=client_work())))
        assert json.loads(await connection.recv())["type"] == "session.started"
        if closes:
            await connection.send(encode(SessionClose()))
            while json.loads(await connection.recv())["type"] != "session.closed":
                pass


@contextlib.contextmanager
def serving(*arguments: str | Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def url_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_it_ends_by_itself_and_its_status_says_whether_all_kept_the_protocol(
    tmp_path: Path,
) -> None:
    record = tmp_path / "record.jsonl"
    with serving("--sessions", "2", "--timeout-seconds", "60", "--record", record) as process:
        url = url_of(process)
        asyncio.run(hold_a_session(url))
        asyncio.run(hold_a_session(url, closes=False))
        _, told = process.communicate(timeout=20)
    assert process.returncode == 1
    named, summary = told.removeprefix(HINT).strip().splitlines()
    assert named.startswith("session-2: mistake left-without-close at ")
    assert summary == "1 session of 2 did not keep the protocol"
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    assert lines[0] == {"format": "live-fixture-record/1"}
    verdicts = [line["verdict"] for line in lines if line.get("type") == "ended"]
    assert verdicts == ["kept", "broken"]
    assert "a-key" not in record.read_text()


def test_fewer_clients_than_there_should_be_are_a_failure() -> None:
    with serving("--sessions", "2") as process:
        asyncio.run(hold_a_session(url_of(process)))
        process.terminate()
        _, told = process.communicate(timeout=20)
    assert process.returncode == 1
    summary = "1 session kept the protocol; 1 session of 2 never came to an end"
    assert told.removeprefix(HINT).strip() == summary


@pytest.mark.parametrize(
    ("arguments", "status", "summary"),
    [
        pytest.param([], 0, "no client came", id="is-no-failure"),
        pytest.param(
            ["--sessions", "1"],
            1,
            "no client came; 1 session of 1 never came to an end",
            id="unless-one-should",
        ),
    ],
)
def test_it_waits_no_longer_than_it_may_and_says_that_nobody_came(
    arguments: list[str], status: int, summary: str
) -> None:
    done = CliRunner().invoke(app, ["--timeout-seconds", "0.1", *arguments], standalone_mode=False)
    assert done.return_value == status
    assert done.stderr.splitlines()[-2:] == ["stopped after 0.1 s", summary]


def test_log_and_record_are_two_files(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    done = CliRunner().invoke(app, ["--log", str(path), "--record", str(path)])
    assert done.exit_code == 2
    assert done.stderr.splitlines() == ["--log and --record name one file; give each its own"]
    assert not path.exists()


def test_a_record_that_finds_no_room_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["live-fixture", "--record", "/dev/full"])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 3


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


CONVERSATION = json.dumps(
    {
        "format": "gpt-live-conversation/1",
        "caller": {"steps": [{"send": [{"text": "the caller"}], "at": "start"}]},
        "assistant": {"steps": [{"send": [{"text": "the assistant"}], "at": "start"}]},
    }
)


@pytest.mark.parametrize("side", ["caller", "assistant"])
def test_it_plays_one_side_of_a_conversation(side: str, tmp_path: Path) -> None:
    script = tmp_path / "conversation.json"
    script.write_text(CONVERSATION)
    arguments = ["--script", str(script), "--side", side]
    process = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert asyncio.run(what_comes_first(process.stdout.readline().strip())) == f"the {side}"
    process.terminate()
    process.communicate(timeout=20)


async def what_comes_first(url: str) -> str | bytes:
    """What the service sends of itself once it hears."""
    async with connect(url, additional_headers=CREDENTIAL, proxy=None) as connection:
        await connection.send(encode(SessionStart(session=client_work())))
        await connection.recv()
        await connection.send(encode(InputAudioAppend(audio=encode_audio(bytes(960)))))
        return await connection.recv()


@pytest.mark.parametrize(
    ("content", "arguments", "complaint"),
    [
        pytest.param(
            CONVERSATION,
            [],
            "a conversation has two sides; choose one: --side caller or --side assistant",
            id="not-both-at-once",
        ),
        pytest.param(
            '{"format":"gpt-live-script/1","steps":[]}',
            ["--side", "caller"],
            "no conversation, so it has no side caller; choose none",
            id="none-of-a-script",
        ),
    ],
)
def test_a_side_is_chosen_where_there_are_two(
    content: str, arguments: list[str], complaint: str, tmp_path: Path
) -> None:
    path = tmp_path / "script.json"
    path.write_text(content)
    done = CliRunner().invoke(app, ["--script", str(path), *arguments])
    assert done.exit_code == 2
    assert done.stderr.splitlines() == [f"{path}: {complaint}"]


def test_a_script_of_the_http_end_is_refused_too(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text('{"format":"live-fixture-http/1","answers":[{"to":"nobody"}]}')
    done = CliRunner().invoke(app, ["--http-script", str(path)])
    assert done.exit_code == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{path}: answers.0.")


@pytest.mark.parametrize("option", ["--log", "--record"])
def test_a_file_that_cannot_be_written_is_named(option: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, [option, str(tmp_path / "missing" / "log.jsonl")])
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("option", ["--port", "--http-port"])
def test_a_port_that_is_taken_is_named(option: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            [*COMMAND, option, str(port)], capture_output=True, text=True, check=False
        )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{option} {port}: ")


def test_half_a_character_ends_neither_the_session_nor_the_log(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    process = subprocess.Popen(
        [*COMMAND, "--log", str(log)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    asyncio.run(send_half_a_character(process.stdout.readline().strip()))
    process.terminate()
    _, told = process.communicate(timeout=20)
    assert "Traceback" not in told
    received = next(
        line for line in map(json.loads, log.read_text().splitlines()) if line["what"] == "received"
    )
    assert received["message"] == {"type": "\ud800"}


async def send_half_a_character(url: str) -> None:
    async with connect(url, additional_headers=CREDENTIAL, proxy=None) as connection:
        await connection.send('{"type":"\\ud800"}')
        assert json.loads(await connection.recv())["type"] == "error"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        pytest.param(["--prt", "1"], "No such option: --prt", id="an-unknown-option"),
        pytest.param(["--side", "both"], "Invalid value for '--side'", id="no-side"),
        pytest.param(["--port", "70000"], "Invalid value for '--port'", id="no-port"),
        pytest.param(["--sessions", "0"], "Invalid value for '--sessions'", id="no-session"),
        pytest.param(
            ["--timeout-seconds", "0"], "Invalid value for '--timeout-seconds'", id="no-time"
        ),
    ],
)
def test_a_mistyped_command_line_is_one_line_and_status_2(
    arguments: list[str],
    complaint: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.argv", ["live-fixture", *arguments])
    with pytest.raises(SystemExit) as caught:
        main()

    (line,) = capsys.readouterr().err.splitlines()
    assert caught.value.code == 2
    assert line.startswith(f"live-fixture: {complaint}")
    assert line.endswith("Try 'live-fixture --help'.")

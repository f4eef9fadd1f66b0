"""The command: it prints where it listens, stops when told to, and names a mistake in one line."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from assistants.client.service import HINT, app
from run_harness.suite import RUN
from shared.command import run_app
from tests.support.remote_services import TOKEN

COMMAND = [sys.executable, "-m", "assistants.client.service"]
SCRIPT = RUN.bundled_data.parent / "scripts" / "sound" / "restaurant_booking_complete.json"
SCRIPTED = ["--backend", "scripted", "--script", str(SCRIPT)]

KNOWN = {"OPENAI_CLIENT_ASSISTANT_TOKEN": TOKEN}

type Run = Callable[..., str]


@pytest.fixture
def refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Run the command's body here; what it says of a mistake, which is one line."""

    def run(*arguments: str, variables: Mapping[str, str] = KNOWN) -> str:
        for name in [name for name in os.environ if name.startswith("OPENAI_")]:
            monkeypatch.delenv(name)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        (tmp_path / "empty.env").touch()
        monkeypatch.setenv("GPT_LIVE_EVALS_ENV_FILE", str(tmp_path / "empty.env"))
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["client-assistant", *arguments])
        assert run_app("client-assistant", app) == 2
        told = capsys.readouterr()
        (line,) = told.err.splitlines()
        assert told.out == ""
        assert line.startswith("client-assistant: ")
        assert TOKEN not in line
        return line.removeprefix("client-assistant: ")

    return run


@pytest.mark.parametrize(
    ("host", "shown", "number"),
    [
        pytest.param("127.0.0.1", "127.0.0.1", signal.SIGINT, id="by-number"),
        pytest.param("localhost", "127.0.0.1", signal.SIGTERM, id="by-name"),
        pytest.param("::1", "[::1]", signal.SIGTERM, id="by-the-longer-number"),
    ],
)
def test_it_prints_its_address_tells_its_health_and_stops(
    host: str, shown: str, number: signal.Signals, tmp_path: Path
) -> None:
    env_file = tmp_path / "empty.env"
    env_file.touch()
    process = subprocess.Popen(
        [*COMMAND, *SCRIPTED, "--port", "0", "--host", host],
        env={**os.environ, **KNOWN, "GPT_LIVE_EVALS_ENV_FILE": str(env_file)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    address = urlsplit(url)
    assert url == f"ws://{shown}:{address.port}/ws/assistant"
    answers = {
        path: answer_to(address.hostname or "", address.port or 0, path)
        for path in ("/health", "/", "/ws/assistant?token=x", "/ws/assistant")
    }
    process.send_signal(number)
    rest, told = process.communicate(timeout=20)
    assert (process.returncode, rest, told.strip()) == (0, "", HINT)
    assert answers["/health"] == (200, {"status": "ok", "assistant": "client"})
    assert [answers[path][0] for path in ("/", "/ws/assistant?token=x", "/ws/assistant")] == [
        404,
        404,
        401,
    ]


def answer_to(host: str, port: int, path: str) -> tuple[int, object]:
    connection = http.client.HTTPConnection(host, port, timeout=10)
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
    }
    try:
        connection.request("GET", path, headers={} if path == "/health" else upgrade)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("arguments", "variables", "complaint"),
    [
        pytest.param(SCRIPTED, {}, "OPENAI_CLIENT_ASSISTANT_TOKEN: a remote", id="no-token"),
        pytest.param(
            SCRIPTED,
            {**KNOWN, "OPENAI_API_KEY": TOKEN},
            "OPENAI_CLIENT_ASSISTANT_TOKEN: is also an API key",
            id="a-token-that-is-a-key",
        ),
        pytest.param(
            SCRIPTED,
            {**KNOWN, "OPENAI_RESPONSES_API_KEY": TOKEN},
            "OPENAI_CLIENT_ASSISTANT_TOKEN: is also an API key",
            id="a-token-that-is-the-backends-key",
        ),
        pytest.param(
            [*SCRIPTED, "--host", "0.0.0.0"],  # noqa: S104 - it is refused
            KNOWN,
            "Invalid value for '--host'",
            id="another-host",
        ),
        pytest.param(
            [*SCRIPTED, "--allow-origin", "https://a.example/"],
            KNOWN,
            "--allow-origin: not an exact origin",
            id="an-origin-with-a-path",
        ),
        pytest.param(
            [*SCRIPTED, "--allow-origin", "null"],
            KNOWN,
            "--allow-origin: not an exact origin",
            id="no-origin",
        ),
        pytest.param(
            [*SCRIPTED, "--allow-origin", "https://user@a.example"],
            KNOWN,
            "--allow-origin: not an exact origin",
            id="an-origin-with-a-user",
        ),
        pytest.param(
            [*SCRIPTED, "--allow-origin", "ws://a.example"],
            KNOWN,
            "--allow-origin: not an exact origin",
            id="an-origin-of-no-page",
        ),
        pytest.param(
            [*SCRIPTED, "--initial-state", "state.json"], KNOWN, "state.json", id="no-state-file"
        ),
        pytest.param([*SCRIPTED, "--script", "s.json"], KNOWN, "s.json: ", id="no-such-script"),
        pytest.param(
            ["--backend", "scripted"], KNOWN, "nothing to play; add --script FILE", id="no-script"
        ),
        pytest.param(
            [*SCRIPTED, "--application", "nowhere"], KNOWN, "nowhere is no folder", id="no-folder"
        ),
    ],
)
def test_a_mistake_is_named_in_one_line(
    arguments: Sequence[str], variables: Mapping[str, str], complaint: str, refused: Run
) -> None:
    assert complaint in refused(*arguments, variables=variables)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("[]", id="a-list"),
        pytest.param("{", id="half-of-one"),
        pytest.param('{"a": NaN}', id="no-json"),
        pytest.param('{"a": 1, "a": 2}', id="a-key-twice"),
    ],
)
def test_a_state_is_one_sound_object(content: str, tmp_path: Path, refused: Run) -> None:
    state = tmp_path / "state.json"
    state.write_text(content)
    assert refused(*SCRIPTED, "--initial-state", str(state)).startswith(str(state))


def test_without_a_key_no_model_is_asked(refused: Run) -> None:
    told = refused("--backend", "openai")
    assert told.startswith("OPENAI_API_KEY: the backend needs a key; set it, or use --backend")


@pytest.mark.parametrize("effort", ["none", "max"])
def test_a_script_is_played_at_any_effort(effort: str, refused: Run) -> None:
    variables = {**KNOWN, "OPENAI_LIVE_BACKEND_REASONING_EFFORT": effort}
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert refused(*SCRIPTED, "--port", port, variables=variables).startswith("--port ")


def test_a_port_that_is_taken_is_named(refused: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert refused(*SCRIPTED, "--port", port).startswith(f"--port {port}: ")

"""Clients of other makers complete rounds against ``live-fixture``, each in a process of its own.

What they agree with is the SDK's reading of the protocol, not ours. All rounds are held at once
with one fixture, which ends by itself and says in its status whether every client kept the
protocol.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.support.programs import needs_file, needs_program

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
KEY = "a-key-for-loopback"
WITHIN_S = 40
PEERS = {
    "openai-python": [sys.executable, "sdk_client.py"],
    "openai-node": ["node", "--no-warnings", "peer_openai_node.mjs"],
}
AGENTS = {"openai-python": "AsyncOpenAI/Python", "openai-node": "OpenAI/JS"}
MODES = ("responses", "failing", "client")
FAILED = '{"ok":false,"error":"the tool broke"}'
SCRIPT = {
    "format": "gpt-live-script/1",
    "hears": [{"text": "Do both.", "start_ms": 0, "end_ms": 200}],
    "steps": [
        {
            "delegate": "both",
            "at": "start+900",
            "rounds": [{"calls": [{"name": "first"}, {"name": "second"}]}],
            "reply": "It is done.",
        },
        {"say": "Done.", "at": "both.done+100"},
    ],
}

type Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Held:
    """What became of all rounds: each client, and the fixture's status and record."""

    rounds: dict[tuple[str, str], subprocess.CompletedProcess[str]]
    status: int
    told: str
    sessions: dict[str, list[Line]]

    def session_of(self, peer: str, mode: str) -> list[Line]:
        """The record of a round: there is one for each client and mode."""
        (session,) = [
            lines
            for lines in self.sessions.values()
            if str(lines[0]["user_agent"]).startswith(AGENTS[peer]) and mode_of(lines) == mode
        ]
        return session


def mode_of(lines: list[Line]) -> str:
    if lines[1]["delegation"] == "client":
        return "client"
    return "failing" if any(line.get("output") == FAILED for line in lines) else "responses"


def is_there(peer: str) -> bool:
    return peer != "openai-node" or (shutil.which("node") is not None and MODULES.exists())


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Held:
    """Every peer that is installed, in every mode: a round lasts as long as what is said in it."""
    folder = tmp_path_factory.mktemp("peers")
    script, record = folder / "script.json", folder / "record.jsonl"
    script.write_text(json.dumps(SCRIPT))
    rounds = list(product(filter(is_there, PEERS), MODES))
    command = [sys.executable, "-m", "assistants.live_fixture", "--record", str(record)]
    command += ["--sessions", str(len(rounds)), "--timeout-seconds", str(WITHIN_S)]
    command += ["--script", str(script)] * len(rounds)
    with (
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as fixture,
        ThreadPoolExecutor(len(rounds)) as pool,
    ):
        assert fixture.stdout is not None
        port = str(urlsplit(fixture.stdout.readline().strip()).port)
        begun = {
            (peer, mode): pool.submit(a_round, [*PEERS[peer], port, KEY, mode])
            for peer, mode in rounds
        }
        done = {one: round_.result() for one, round_ in begun.items()}
        _, told = fixture.communicate(timeout=WITHIN_S)
    return Held(done, fixture.returncode, told, sessions_in(record))


def sessions_in(record: Path) -> dict[str, list[Line]]:
    head, *lines = map(json.loads, record.read_text().splitlines())
    assert head == {"format": "live-fixture-record/1"}
    sessions: dict[str, list[Line]] = {}
    for line in lines:
        sessions.setdefault(line["session"], []).append(line)
    return sessions


def a_round(command: list[str]) -> subprocess.CompletedProcess[str]:
    without_proxies = {
        name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")
    }
    return subprocess.run(
        command,
        cwd=HERE,
        env=without_proxies,
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("peer", PEERS)
def test_a_round_with_work_and_a_close_completes_and_keeps_the_protocol(
    peer: str, mode: str, held: Held
) -> None:
    if peer == "openai-node":
        needs_program("node")
        needs_file(MODULES, "run npm install --no-package-lock in tests/peers")
    done = held.rounds[peer, mode]
    assert done.returncode == 0, done.stdout + done.stderr
    seen = [json.loads(line) for line in done.stdout.splitlines()]
    assert seen[0] == {"saw": "session.started", "client_event_id": "begin"}
    goes_to = "client" if mode == "client" else "responses"
    delegated = {"saw": "session.delegation.created", "offset_ms": 0, "goes_to": goes_to}
    assert delegated in seen
    session = held.session_of(peer, mode)
    did = [line["type"] for line in session if line["type"] != "audio"]
    work = ["response.item.create"] * 2 + ["response.create"]
    if mode == "client":
        work = ["session.commentary.append"]
    assert did == ["connected", "session.start", *work, "session.close", "ended"]
    outputs = [line["output"] for line in session if line["type"] == "response.item.create"]
    expected = {"client": [], "responses": ["ok", "ok"], "failing": ["ok", FAILED]}
    assert outputs == expected[mode]
    assert session[-1]["verdict"] == "kept"


def test_the_fixture_ends_by_itself_and_says_that_all_have_kept_the_protocol(held: Held) -> None:
    assert held.status == 0, held.told
    assert held.told.splitlines()[-1] == f"{len(held.rounds)} sessions kept the protocol"
    assert KEY not in json.dumps(held.sessions)

"""Clients of other makers complete a round against ``live-fixture``, each in a process of its own.

What they agree with is the SDK's reading of the protocol, not ours.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.support.programs import needs_file, needs_program

HERE = Path(__file__).parent
KEY = "a-key-for-loopback"
WITHIN_S = 40
PEERS = {
    "openai-python": [sys.executable, "sdk_client.py"],
    "openai-node": ["node", "--no-warnings", "peer_openai_node.mjs"],
}
MODES = ("responses", "client")

type Finished = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def port() -> Iterator[str]:
    fixture = subprocess.Popen(
        [sys.executable, "-m", "assistants.live_fixture"], stdout=subprocess.PIPE, text=True
    )
    assert fixture.stdout is not None
    try:
        yield str(urlsplit(fixture.stdout.readline().strip()).port)
    finally:
        fixture.terminate()
        fixture.communicate(timeout=WITHIN_S)
    assert fixture.returncode == 0


@pytest.fixture(scope="module")
def rounds(port: str) -> Iterator[dict[tuple[str, str], Future[Finished]]]:
    """Every peer in every mode, all at once: a round lasts as long as what is said in it."""
    with ThreadPoolExecutor(len(PEERS) * len(MODES)) as pool:
        yield {
            (peer, mode): pool.submit(a_round, [*PEERS[peer], port, KEY, mode])
            for peer in PEERS
            for mode in MODES
        }


def a_round(command: list[str]) -> Finished:
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
def test_a_round_with_work_and_a_close_completes(
    peer: str, mode: str, rounds: dict[tuple[str, str], Future[Finished]]
) -> None:
    if peer == "openai-node":
        needs_program("node")
        needs_file(HERE / "node_modules", "run npm install --no-package-lock in tests/peers")
    done = rounds[peer, mode].result()
    assert done.returncode == 0, done.stdout + done.stderr
    seen = [json.loads(line) for line in done.stdout.splitlines()]
    assert seen[0] == {"saw": "session.started", "client_event_id": "begin"}
    assert seen[-1]["calls_answered"] == (2 if mode == "responses" else 0)
    assert {
        "saw": "session.delegation.created",
        "offset_ms": 800,
        "goes_to": mode,
    } in seen

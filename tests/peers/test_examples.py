"""The clients of ``docs/examples/live_fixture`` keep the protocol, each run as CI would run it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.programs import needs_file, needs_program

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "docs" / "examples" / "live_fixture"
MODULES = Path(__file__).parent / "node_modules"
WITHIN_S = 60
ROUNDS = ("call_loan", "call_member"), ("call_renew",)


LEAVING = """
import json, os
from websockets.sync.client import connect

headers = {"Authorization": "Bearer a-key-of-somebody"}
with connect(os.environ["LIVE_URL"], additional_headers=headers, proxy=None) as line:
    line.send(json.dumps({"type": "session.start", "session": {"model": "gpt-live-1"}}))
    line.recv()
"""


@dataclass(frozen=True, slots=True)
class Example:
    """One client with one script: the calls it must answer, round by round."""

    script: str
    client: str
    calls: tuple[tuple[str, ...], ...]
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_of_node(self) -> bool:
        return self.client.endswith(".mjs")

    def run(self, folder: Path) -> subprocess.CompletedProcess[str]:
        """Run it as CI would, in a folder of its own."""
        client = shutil.copy(EXAMPLES / self.client, folder)
        if self.is_of_node:
            (folder / "node_modules").symlink_to(MODULES)
        program = "node" if self.is_of_node else sys.executable
        return check([program, client], folder, self.script, self.environment)


def check(
    command: Sequence[str], folder: Path, script: str, environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    clean = {name: one for name, one in os.environ.items() if not name.lower().endswith("_proxy")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{clean['PATH']}"
    return subprocess.run(
        [EXAMPLES / "check.sh", EXAMPLES / script, *command],
        cwd=folder,
        env=clean | {"PATH": path} | dict(environment),
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )


RUN = {
    "python-two-rounds": Example("two_rounds.json", "client.py", ROUNDS),
    "python-stumbles": Example("stumbles.json", "client.py", (("call_renew",),)),
    "python-own-work": Example("own_work.json", "client.py", (), {"DELEGATION": "client"}),
    "node-two-rounds": Example("two_rounds.json", "client.mjs", ROUNDS),
}


def is_there(example: Example) -> bool:
    return not example.is_of_node or (shutil.which("node") is not None and MODULES.exists())


type Runs = Mapping[str, tuple[Path, subprocess.CompletedProcess[str]]]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """All that can run here, at once: a session lasts as long as what is said in it."""
    names = [name for name, example in RUN.items() if is_there(example)]
    folders = {name: tmp_path_factory.mktemp(name) for name in names}
    with ThreadPoolExecutor(len(names)) as pool:
        begun = {name: pool.submit(RUN[name].run, folders[name]) for name in names}
        return {name: (folders[name], one.result()) for name, one in begun.items()}


@pytest.mark.parametrize("name", RUN)
def test_an_example_client_keeps_the_protocol(name: str, runs: Runs) -> None:
    example = RUN[name]
    if example.is_of_node:
        needs_program("node")
        needs_file(MODULES, "run npm install --no-package-lock in tests/peers")
    folder, done = runs[name]
    assert done.returncode == 0, done.stdout + done.stderr
    lines = record_in(folder)
    answered = [line["call_id"] for line in lines if line["type"] == "response.item.create"]
    assert answered == [call for round_ in example.calls for call in round_]
    asked = [line for line in lines if line["type"] == "response.create"]
    assert len(asked) == len(example.calls)
    failed = [line for line in lines if '"ok":false' in line.get("output", "").replace(" ", "")]
    assert [line["call_id"] for line in failed] == (["call_renew"] if example.calls else [])
    assert lines[-1]["mistakes"] == {}


def record_in(folder: Path) -> list[dict[str, Any]]:
    _, *lines = map(json.loads, (folder / "record.jsonl").read_text("utf-8").splitlines())
    return lines


def test_a_client_that_ends_well_by_its_own_account_can_fail(tmp_path: Path) -> None:
    done = check([sys.executable, "-c", LEAVING], tmp_path, "own_work.json", {})
    assert done.returncode == 1
    assert "left-without-close" in done.stderr
    assert record_in(tmp_path)[-1]["verdict"] == "broken"


def test_a_client_that_fails_ends_the_check_at_once(tmp_path: Path) -> None:
    done = check([sys.executable, "-c", "raise SystemExit(9)"], tmp_path, "own_work.json", {})
    assert done.returncode == 1
    assert "no client came" in done.stderr

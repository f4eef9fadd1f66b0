"""Commands run by processes that have the program loaded already.

A process of the installed command takes most of its time to import, and tests need hundreds of
them. A server imports the program once and forks for each: a process of its own, with its own
environment, folder, streams and exit status, that enters where the installed command enters. What
concerns the start itself (what is imported, ``-m``, a bare environment) needs a real start.
"""

from __future__ import annotations

import atexit
import functools
import importlib
import json
import multiprocessing
import os
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import entry_points
from pathlib import Path

READY = "ready\n"
LOADED = (
    *("assistants.suite.run", "assistants.suite.plan", "assistants.suite.header"),
    *("crawl_harness.evaluate", "crawl_harness.suite"),
    *("walk_harness.evaluate", "walk_harness.suite"),
    *("run_harness.evaluate", "run_harness.suite", "run_harness.conversations"),
    *("jiwer", "jsonschema"),
)
"""All that most runs import sooner or later."""
READ_AT_START = ("PYTHON", "TZ", "LANG", "LC_")
"""How variables are called that a process reads before the program begins."""


def needs_a_start(environment: Mapping[str, str]) -> bool:
    """Whether these variables come too late for a process that is running already."""
    return any(name.startswith(READ_AT_START) for name in environment)


@dataclass(frozen=True, slots=True)
class Command:
    """An installed command with all that its process is given."""

    program: str
    arguments: Sequence[str]
    folder: str
    environment: Mapping[str, str]
    stdout: str
    stderr: str

    def run(self) -> None:
        os.chdir(self.folder)
        os.environ.clear()
        os.environ.update(self.environment)
        for path, stream in ((self.stdout, sys.stdout), (self.stderr, sys.stderr)):
            with Path(path).open("wb") as file:
                os.dup2(file.fileno(), stream.fileno())
        sys.argv = [self.program, *self.arguments]
        (entry,) = entry_points(group="console_scripts", name=Path(self.program).name)
        sys.exit(entry.load()())


def run_forked(
    program: Path,
    arguments: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    within_s: float,
) -> subprocess.CompletedProcess[str]:
    """Run an installed command to its end, as ``subprocess.run`` would.

    Raises TimeoutError when it takes longer; the process may then go on.
    """
    with tempfile.TemporaryDirectory() as streams, socket.socket(socket.AF_UNIX) as line:
        out, err = Path(streams, "out"), Path(streams, "err")
        command = Command(
            str(program), arguments, str(folder), environment, stdout=str(out), stderr=str(err)
        )
        line.settimeout(within_s)
        with _LOADING:
            address = _address()
        line.connect(address)
        with line.makefile("rw") as messages:
            messages.write(json.dumps(asdict(command)) + "\n")
            messages.flush()
            status = int(messages.readline())
        return subprocess.CompletedProcess(
            [program, *arguments], status, out.read_text("utf-8"), err.read_text("utf-8")
        )


_LOADING = threading.Lock()
"""Held by whoever asks first, because one server is enough."""


@functools.cache
def _address() -> str:
    """Where the server of this process listens, once it has loaded the program."""
    folder = tempfile.TemporaryDirectory(prefix="forked-")
    address = str(Path(folder.name, "socket"))
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.support.forked", address],
        cwd=Path(__file__).parents[2],
        env={"PATH": os.environ["PATH"], "PYTHONHASHSEED": "0"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == READY

    def stop() -> None:
        server.terminate()
        server.wait()
        folder.cleanup()

    atexit.register(stop)
    return address


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        command = Command(**json.loads(self.rfile.readline()))
        process = multiprocessing.get_context("fork").Process(target=command.run)
        process.start()
        process.join()
        self.wfile.write(f"{process.exitcode}\n".encode())


class _Server(socketserver.ForkingMixIn, socketserver.UnixStreamServer):
    max_children = 1_000
    request_queue_size = 100
    owner = os.getppid()
    """Without whom nobody asks any more."""

    def service_actions(self) -> None:
        super().service_actions()
        if os.getppid() != self.owner:
            sys.exit()


def _serve(address: str) -> None:
    for name in LOADED:
        importlib.import_module(name)
    with _Server(address, _Handler) as server:
        sys.stdout.write(READY)
        sys.stdout.flush()
        server.serve_forever()


if __name__ == "__main__":
    _serve(sys.argv[1])

"""The service's two ends in a process of their own, as ``live-fixture`` serves them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.runs import bare_environment

FIXTURE = Path(sys.executable).with_name("live-fixture")


@contextmanager
def a_live_fixture(folder: Path, *arguments: str | Path) -> Iterator[tuple[str, str]]:
    """A service that is up as long as its block; gives the addresses of its sessions and models."""
    folder.mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(
        [FIXTURE, *arguments],
        env=bare_environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process.stdout.readline().strip()
    finally:
        process.terminate()
        process.communicate(timeout=30)

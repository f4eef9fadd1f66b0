"""A computer to oneself: what a busy one spoiled is measured again while no other test runs.

Workers share two locks. Whoever runs a test holds the room together with all others; whoever wants
to be alone closes the door first, so that no further test begins, and then waits for the room.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))


@contextmanager
def beside_others() -> Iterator[None]:
    """For as long as one test."""
    door, room = _locks()
    fcntl.flock(door, fcntl.LOCK_EX)
    fcntl.flock(room, fcntl.LOCK_SH)
    fcntl.flock(door, fcntl.LOCK_UN)
    try:
        yield
    finally:
        fcntl.flock(room, fcntl.LOCK_UN)


@contextmanager
def alone() -> Iterator[None]:
    """Within a test, for a part of it."""
    door, room = _locks()
    fcntl.flock(room, fcntl.LOCK_UN)
    fcntl.flock(door, fcntl.LOCK_EX)
    fcntl.flock(room, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(room, fcntl.LOCK_SH)
        fcntl.flock(door, fcntl.LOCK_UN)


@cache
def _locks() -> tuple[int, int]:
    """The door and the room of this run of the tests."""
    folder = Path(tempfile.gettempdir(), f"tests-{RUN}")
    folder.mkdir(exist_ok=True)
    # Whoever has opened them keeps them.
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    flags = os.O_RDWR | os.O_CREAT
    return os.open(folder / "door", flags), os.open(folder / "room", flags)

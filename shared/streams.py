"""The terminal's three streams: there, able to carry any text, and stdout for results alone."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

_STDOUT, _STDERR = 1, 2
_UNFORGIVING = frozenset({"strict", "surrogateescape"})


def prepare_streams() -> None:
    """Make stdin, stdout and stderr usable whatever the process was started with.

    One that was closed leads nowhere; otherwise the next file opened would take its number, and
    whoever prints would print into that file. A letter that the terminal has not is shown as "?".
    """
    with contextlib.suppress(OSError):
        descriptor = os.open(os.devnull, os.O_RDWR)
        while descriptor <= _STDERR:
            descriptor = os.dup(descriptor)
        os.close(descriptor)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the end
            setattr(sys, name, nowhere)
        elif isinstance(stream, io.TextIOWrapper) and stream.errors in _UNFORGIVING:
            stream.reconfigure(errors="replace")


@contextlib.contextmanager
def stdout_for_results() -> Iterator[TextIO]:
    """Stdout for who asks for it here; what anybody else prints meanwhile goes to stderr.

    That holds for programs an application starts too, as far as stdout is the process's own.
    """
    out = sys.stdout
    if not _is_the_processes_own(out):
        with contextlib.redirect_stdout(sys.stderr):
            yield out
        return
    out.flush()
    kept = os.dup(_STDOUT)
    try:
        os.dup2(_STDERR, _STDOUT)
        ours = os.fdopen(
            kept, "w", encoding=out.encoding, errors="replace", closefd=False, newline=None
        )
        with contextlib.redirect_stdout(sys.stderr):
            yield ours
    finally:
        with contextlib.suppress(OSError, ValueError):
            ours.close()
        os.dup2(kept, _STDOUT)
        os.close(kept)


def _is_the_processes_own(stream: TextIO) -> bool:
    try:
        return stream.fileno() == _STDOUT
    except (OSError, ValueError, AttributeError):
        return False

"""A command from the table of settings: options, help, and errors in one line each.

Exit status: 0, what the body returns, 2 for a mistake of the person at the terminal, 3 when the
system fails us (a full disk), 130 when interrupted. Nothing heavy is imported before the options
are read.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from shared.errors import HarnessError
from shared.settings import Kind, Setting, Value

USAGE_STATUS = 2
INTERRUPTED_STATUS = 130
SYSTEM_STATUS = 3

_TYPES: Mapping[Kind, type] = {
    Kind.TEXT: str,
    Kind.PATH: str,
    Kind.INTEGER: int,
    Kind.NUMBER: float,
    Kind.SWITCH: bool,
}


def run_command(
    name: str,
    about: str,
    rows: Sequence[Setting],
    body: Callable[[Mapping[str, Value]], int],
) -> int:
    """Read the command line by the rows, run the body with what was given, return the status."""
    _reopen_closed_streams()
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

    def command(**given: Value) -> int:
        return body(given)

    command.__doc__ = about
    command.__signature__ = inspect.Signature([_parameter(row) for row in rows if row.flag])  # type: ignore[attr-defined]  # read by typer
    app.command()(command)
    try:
        # Its own ends, such as the help's and an interrupt's, come back as their status.
        return int(app(prog_name=name, standalone_mode=False))
    except HarnessError as error:
        for line in str(error).splitlines():
            _say(f"{name}: {line}")
        return USAGE_STATUS
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED_STATUS
    except OSError as error:
        # A full disk or a vanished folder: no bug, and no agent's failure either.
        where = f": {error.filename}" if error.filename else ""
        _say(f"{name}: {error.strerror or type(error).__name__}{where}; what had finished is kept")
        return SYSTEM_STATUS
    except Exception as error:
        message = getattr(error, "format_message", None)
        if message is None:
            raise
        _say(f"{name}: {message()} Try '{name} --help'.")
        return USAGE_STATUS


def _parameter(row: Setting) -> inspect.Parameter:
    names = [row.flag or ""]
    if row.negative_flag is not None:
        names = [f"{row.flag}/{row.negative_flag}"]
    if row.other_flag is not None:
        names.append(row.other_flag)
    option = typer.Option(*names, help=_help(row), show_default=False)
    kind: Any = _TYPES[row.kind] | None
    return inspect.Parameter(
        row.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, option]
    )


def _help(row: Setting) -> str:
    notes = []
    if row.choices:
        notes.append(" | ".join(row.choices))
    if row.default not in {None, "", False}:
        notes.append(f"default {row.default}")
    return f"{row.help} ({'; '.join(notes)})" if notes else row.help


def _reopen_closed_streams() -> None:
    """Give whoever writes a stream to write to: started with one closed, Python has none."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the end
            setattr(sys, name, nowhere)


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")

"""A command from the table of settings: options, help, and errors in one line each.

Exit status: 0, what the body returns, 2 for a mistake of the person at the terminal, 130 when
interrupted. Nothing heavy is imported before the options are read.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import typer

from shared.errors import HarnessError
from shared.settings import Kind, Setting, Value

USAGE_STATUS = 2
INTERRUPTED_STATUS = 130

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
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    status = 0

    def command(**given: Value) -> None:
        nonlocal status
        status = body(given)

    command.__doc__ = about
    command.__signature__ = inspect.Signature([_parameter(row) for row in rows if row.flag])  # type: ignore[attr-defined]  # read by typer
    app.command()(command)
    try:
        app(prog_name=name, standalone_mode=False)
    except HarnessError as error:
        for line in str(error).splitlines():
            _say(f"{name}: {line}")
        return USAGE_STATUS
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED_STATUS
    except BrokenPipeError:
        # The reader of our output left. Nothing is lost: results are on disk.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return status
    except Exception as error:
        message = getattr(error, "format_message", None)
        if message is None:
            raise
        _say(f"{name}: {message()} Try '{name} --help'.")
        return USAGE_STATUS
    return status


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


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")

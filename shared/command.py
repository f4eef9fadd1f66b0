"""A command from the table of settings: options, help, and errors in one line each.

Exit status: 0, what the body returns, 2 for a mistake of the person at the terminal, 3 when the
system fails us (a full disk), 130 when interrupted. Nothing heavy is imported before the options
are read.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, NoReturn, override

import typer
from typer.core import TyperCommand

from shared.errors import DatasetError, HarnessError
from shared.places import DISTRIBUTION
from shared.plain_text import one_line
from shared.settings import Kind, Setting, Value
from shared.streams import prepare_streams

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


_SHOWN: Mapping[Kind, str] = {
    Kind.TEXT: "TEXT",
    Kind.PATH: "PATH",
    Kind.INTEGER: "N",
    Kind.NUMBER: "NUMBER",
}
OPTIONS = "Options"
"""The heading where there is only one."""
OTHER = "Other"
"""Where options stand that belong under no heading of their own."""


class GroupedCommand(TyperCommand):
    """Help in plain lines, under headings. No name is cut, however narrow the terminal."""

    @override
    def format_options(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            told = parameter.get_help_record(ctx)
            if told is not None:
                heading = getattr(parameter, "rich_help_panel", None) or OTHER
                groups.setdefault(heading, []).append(told)
        for heading, records in groups.items():
            with formatter.section(heading if len(groups) > 1 else OPTIONS):
                formatter.write_dl(records)


def run_command(
    name: str,
    about: str,
    rows: Sequence[Setting],
    body: Callable[[Mapping[str, Value]], int],
) -> int:
    """Read the command line by the rows, run the body with what was given, return the status."""
    prepare_streams()
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

    def command(*, version: bool, **given: Value) -> int:
        if version:
            typer.echo(version_line(name))
            return 0
        return body(given)

    parameters = [*(_parameter(row) for row in rows if row.flag), _VERSION]
    command.__doc__ = about
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # read by typer
    app.command(cls=GroupedCommand)(command)
    return run_app(name, app)


def run_app(name: str, app: typer.Typer) -> int:
    """Run what reads its own command line; whatever goes wrong is one line and a status."""
    try:
        # Its own ends, such as the help's and an interrupt's, come back as their status.
        return int(app(prog_name=name, standalone_mode=False) or 0)
    except HarnessError as error:
        faults = error.faults if isinstance(error, DatasetError) else (str(error),)
        for fault in faults:
            _say(f"{name}: {fault}")
        return USAGE_STATUS
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED_STATUS
    except SystemExit:
        # Typer's way out when whoever reads the help has left: they have read enough.
        return 0
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


def leave(status: int) -> NoReturn:
    """End the process, even where a thread that an application left behind would keep it alive."""
    strangers = [one for one in threading.enumerate() if one is not threading.main_thread()]
    if any(not one.daemon for one in strangers):
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(status)
    sys.exit(status)


def _parameter(row: Setting) -> inspect.Parameter:
    names = [row.flag or ""]
    if row.negative_flag is not None:
        names = [f"{row.flag}/{row.negative_flag}"]
    if row.other_flag is not None:
        names.append(row.other_flag)
    option = typer.Option(
        *names,
        help=_help(row),
        show_default=False,
        metavar=_SHOWN.get(row.kind),
        rich_help_panel=row.group or None,
    )
    kind: Any = _TYPES[row.kind] | None
    return inspect.Parameter(
        row.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, option]
    )


def _help(row: Setting) -> str:
    notes = []
    if row.choices:
        notes.append(" | ".join(row.choices))
    if row.default not in {None, "", False}:
        notes.append(f"default {'on' if row.default is True else row.default}")
    return f"{row.help} ({'; '.join(notes)})" if notes else row.help


def version_line(name: str) -> str:
    """A command, the package it is from, and its version."""
    from importlib.metadata import version

    return f"{name} ({DISTRIBUTION} {version(DISTRIBUTION)})"


def _say(line: str) -> None:
    """One line on stderr, whatever it quotes, and no credential of ours in it."""
    # Only now: masking brings libraries along that a good run may not need yet.
    from shared.environment import read_env_file
    from shared.observability.credentials import secrets_in
    from shared.observability.redaction import Masker

    secrets = secrets_in(os.environ)
    with contextlib.suppress(HarnessError):
        # An environment file that cannot be read is what the line is about.
        secrets += secrets_in(read_env_file(os.environ))
    masked = Masker(secrets).prose(line)
    sys.stderr.write(f"{one_line(masked)}\n")


_VERSION = inspect.Parameter(
    "version",
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[bool, typer.Option("--version", help="Print the version and exit.")],
)

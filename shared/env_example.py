"""The template of an environment file: every variable of a table, commented out at its default.

Copied as it is, it changes nothing. It is never read at run time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shared.settings import Setting, Value

HEAD = """\
# Copy this file to .env and take the # from the lines you change. Flags win over the environment,
# the environment over .env, .env over TOML. This template itself is never read.
"""


def env_example(rows: Sequence[Setting]) -> str:
    """The file's text: credentials first and empty, then the other variables in order of rows."""
    named = [row for row in rows if row.variable is not None]
    return "\n".join([HEAD, *_entries(sorted(named, key=lambda row: not row.is_secret))])


def _entries(rows: Iterable[Setting]) -> Iterable[str]:
    for row in rows:
        choices = f" ({' | '.join(row.choices)})" if row.choices else ""
        yield f"# {row.help}{choices}\n# {row.variable}={_written(row)}\n"


def _written(row: Setting) -> str:
    return "" if row.is_secret else shown_default(row.default)


def shown_default(value: Value) -> str:
    """A default as a person writes it in an environment file; nothing when there is none."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case _:
            return str(value)

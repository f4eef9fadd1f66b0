"""The settings as a table for people: one line of Markdown per row, between two markers."""

from __future__ import annotations

from collections.abc import Sequence

from shared.env_example import shown_default
from shared.settings import Kind, Setting

START, END = "<!-- settings:start -->", "<!-- settings:end -->"
HEAD = """\
| Setting | Flag | Variable | TOML | Default |
| --- | --- | --- | --- | --- |
"""


def settings_table(rows: Sequence[Setting]) -> str:
    """The table, ending in a newline. It holds no default of a credential."""
    return HEAD + "".join(f"{_line(row)}\n" for row in rows)


def with_table(document: str, rows: Sequence[Setting]) -> str:
    """The document with the table between its markers; ``ValueError`` without both markers."""
    before, start, rest = document.partition(START)
    _, end, after = rest.partition(END)
    if not start or not end:
        raise ValueError(f"there is no {START} followed by {END}")
    return f"{before}{START}\n{settings_table(rows)}{END}{after}"


def _line(row: Setting) -> str:
    flags = [flag for flag in (row.flag, row.negative_flag, row.other_flag) if flag]
    cells = [
        f"{row.help}{_rules(row)}",
        " ".join(_code(flag) for flag in flags),
        _code(row.variable),
        _code(row.toml),
        "" if row.is_secret else _code(_default(row)),
    ]
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _rules(row: Setting) -> str:
    """What a value must be, in brackets."""
    rules = [", ".join(_code(choice) for choice in row.choices)] if row.choices else []
    if row.above is not None:
        rules.append(f"above {row.above:g}")
    if row.minimum is not None:
        rules.append(f"at least {row.minimum:g}")
    if row.maximum is not None:
        rules.append(f"at most {row.maximum:g}")
    return f" ({'; '.join(rules)})" if rules else ""


def _default(row: Setting) -> str:
    is_off = row.kind is Kind.SWITCH and row.default is False
    return "off" if is_off else shown_default(row.default)


def _code(text: str | None) -> str:
    return f"`{text}`" if text else ""

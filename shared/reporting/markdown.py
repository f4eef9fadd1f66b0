"""Foreign text in Markdown: shown to the letter, and never obeyed, by GitHub's dialect or another.

It stands in a code span, where no markup, tag, entity, link, mention or reference means anything.
What could end the span, or the line, is shown as an escape.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shared.plain_text import one_line, shortened

LONGEST_TEXT = 300
"""Characters of a foreign text that are shown; the others are counted."""
BLANK = "(blank)"


def inert(text: str) -> str:
    """A foreign text in a code span, on one line."""
    shown = one_line(shortened(text, LONGEST_TEXT)).replace("`", "\\x60")
    return f"`{shown}`" if shown.strip() else BLANK


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, room_bytes: int) -> str:
    """As many rows as there is room for, and how many more there were. Cells are Markdown."""
    head = [_row(headings), _row(["---"] * len(headings))]
    return _as_far_as([*head, *map(_row, rows)], room_bytes)


def bullets(items: Iterable[str], *, room_bytes: int) -> str:
    """As many items as there is room for, and how many more there were. Items are Markdown."""
    return _as_far_as([f"- {item}" for item in items], room_bytes)


def _row(cells: Sequence[str]) -> str:
    # Also inside a code span a bar ends a cell, unless a backslash stands before it.
    return f"| {' | '.join(cell.replace('|', '\\|') for cell in cells)} |"


def _as_far_as(lines: Sequence[str], room_bytes: int) -> str:
    fitting = 0
    for line in lines:
        room_bytes -= len(line.encode()) + 1
        if room_bytes < 0:
            break
        fitting += 1
    shown = "\n".join(lines[:fitting])
    left_out = len(lines) - fitting
    return f"{shown}\n\n{left_out} more: see `results.json`." if left_out else shown

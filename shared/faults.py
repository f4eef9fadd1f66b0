"""Faults: what is wrong in a document a person wrote, where, and how to mend it.

Values only. Which documents exist and what they must hold is decided elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

type Where = tuple[str | int, ...]

_LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Fault:
    """One mistake. ``problem`` is one line: what is wrong, a semicolon, how to fix it."""

    where: Where
    problem: str

    def under(self, root: Where) -> Fault:
        """The same fault, seen from a document that holds this one at ``root``."""
        return Fault((*root, *self.where), self.problem)


def dotted(where: Where) -> str:
    """A field path as people write it: ``expected.tools.required[0].name``; indexes from 0."""
    path = ""
    for step in where:
        if isinstance(step, int):
            path += f"[{step}]"
        elif step.isidentifier():
            path += f".{step}" if path else step
        else:
            path += f"[{shown(step)}]"
    return path


def shown(value: object) -> str:
    """A JSON value on one printable line, shortened where it is long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    line = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)
    return line if len(line) <= _LONGEST_SHOWN else f"{line[: _LONGEST_SHOWN - 3]}..."


def described(value: object) -> str:
    """A JSON value with its kind, for sentences such as "must be text, is the number 2"."""
    match value:
        case None | bool():
            return shown(value)
        case int() | float():
            return f"the number {shown(value)}"
        case str():
            return f"the text {shown(value)}"
        case list() | tuple():
            return "a list"
        case dict():
            return "an object"
        case _:
            return f"a {type(value).__name__}"


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like this one, ignoring case; nothing when none is near."""
    by_folded = {candidate.casefold(): candidate for candidate in known}
    near = get_close_matches(word.casefold(), by_folded, n=1)
    return by_folded[near[0]] if near else None

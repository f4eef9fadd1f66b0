"""Delegations and calls as a transcript notes them: a moment, a name, an outcome.

The arguments and results that stand behind them on the same lines are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from shared.viewer.history.calls import STATUSES
from shared.viewer.history.steps import Step, StepKind
from shared.viewer.history.untrusted import instant_ms, label, word

_MS: Final = r"(?P<at>\d{1,9})"
_MARKS: Final = (
    re.compile(rf"{_MS} DELEGATION to (?P<target>.+)"),
    re.compile(rf"{_MS} TOOL (?P<name>\S+) (?P<status>called|completed|failed)\b.*"),
    re.compile(rf"DELEGATION {_MS} ?ms: target=(?P<target>\S+)"),
    re.compile(rf"TOOL {_MS} ?ms: name=(?P<name>\S+) status=(?P<status>\S+).*"),
)


def steps_in_text(content: str) -> Iterator[Step]:
    """One step for each mark, in the order of the lines. None of them has an identity."""
    for line in content.split("\n"):
        for mark in _MARKS:
            found = mark.fullmatch(line.removesuffix("\r"))
            if found is not None:
                yield from _steps(found.groupdict())
                break


def _steps(mark: dict[str, str]) -> Iterator[Step]:
    at_ms = instant_ms(int(mark["at"]))
    if "target" in mark:
        yield Step(StepKind.DELEGATED, at_ms, name=label(mark["target"]))
        return
    status = word(mark["status"], STATUSES)
    kind = StepKind.CALLED if status == "called" else StepKind.RETURNED
    yield Step(kind, at_ms, name=label(mark["name"]), status=status)

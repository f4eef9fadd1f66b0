"""Two runs of one attempt laid beside each other: what is the same, and how far times lie apart."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from tests.support.alone import alone
from tests.support.runs import FinishedRun, Row

WITHIN_MS = 40
"""How far an instant over a socket may lie from the same one in memory."""
MOST_TRIES = 3


def checks(row: Row) -> list[tuple[str, str]]:
    return [(one["id"], one["status"]) for one in row["assessment"]["checks"]]


def evidence(run: FinishedRun, key: str) -> dict[str, Any]:
    sealed: dict[str, Any] = json.loads(run.details(key))["evidence"]
    return sealed


def work(sealed: dict[str, Any]) -> list[tuple[str, int]]:
    """What happened to delegated work, and at which media time."""
    kinds = {"DelegationBegan", "ToolCalled", "ToolReturned", "WorkContinued"}
    return [
        (seen["observation"], seen["stamp"]["media_ms"])
        for seen in sealed["observations"]
        if seen["observation"] in kinds
    ]


def flat(voiced: Sequence[Sequence[int]]) -> list[int]:
    return [edge for span in voiced for edge in span]


def apart(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """How far the farthest two of two lists are apart, in ms."""
    return max((abs(a - b) for a, b in zip(ours, theirs, strict=True)), default=0)


def measured(
    name: str, ours: FinishedRun, first: FinishedRun, again: Callable[[int], FinishedRun]
) -> tuple[FinishedRun, list[str]]:
    """A run to lay beside ``ours``, and why each try before it was no measurement.

    ``again`` makes a try of that number, while no other test runs. The last try counts as it is.
    """
    theirs, reasons = first, list[str]()
    while len(reasons) < MOST_TRIES - 1 and (reason := why_again(name, ours, theirs)):
        reasons.append(f"{name}, try {len(reasons) + 1}: {reason}")
        with alone():
            theirs = again(len(reasons))
    return theirs, reasons


def why_again(name: str, ours: FinishedRun, theirs: FinishedRun) -> str | None:
    """What speaks for a computer that was too busy, if anything does."""
    error = theirs.rows[name]["error"]
    if error is not None and error["stage"] == "audio_pacing":
        return str(error["message"])
    sealed = [evidence(run, name) for run in (ours, theirs)]
    instants = {
        "the caller's voice": [flat(one["caller"]["voiced"]) for one in sealed],
        "the assistant's voice": [flat(one["assistant"]["voiced"]) for one in sealed],
        "delegated work": [[at_ms for _, at_ms in work(one)] for one in sealed],
    }
    for what, (a, b) in instants.items():
        if len(a) == len(b) and apart(a, b) > WITHIN_MS:
            return f"{what} lies {apart(a, b)} ms off"
    return None

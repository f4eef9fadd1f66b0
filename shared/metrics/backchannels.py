"""Backchannels: whether the assistant talks on through a caller's "mm-hm".

Contract: ``docs/metrics-contract.md``, "Backchannels".
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from shared.intervals import IntervalSet
from shared.metrics.interruptions import exposure
from shared.observability.evidence import CallerAction
from shared.observability.turns import Turn


class BackchannelOutcome(StrEnum):
    CONTINUED = "continued"
    FALSE_YIELD = "false_yield"


def backchannels(
    turns: Sequence[Turn], assistant: IntervalSet, *, window_ms: int
) -> tuple[BackchannelOutcome | None, ...]:
    """For each caller turn, how a backchannel over running assistant speech was taken."""
    return tuple(_taken(turn, assistant, window_ms) for turn in turns)


def _taken(turn: Turn, assistant: IntervalSet, window_ms: int) -> BackchannelOutcome | None:
    if turn.action is not CallerAction.BACKCHANNEL:
        return None
    span = exposure(turn, assistant)
    if span is None:
        return None
    outlasted = span.end_ms > turn.span.end_ms
    went_on_long = span.end_ms - turn.span.start_ms >= window_ms
    return (
        BackchannelOutcome.CONTINUED
        if outlasted or went_on_long
        else BackchannelOutcome.FALSE_YIELD
    )

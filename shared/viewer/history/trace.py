"""The event log of an assistant's session, as far as a page may tell of it.

Only what the assistant's own session said counts: a log may hold the caller's session too, whose
delegated work is none of the assistant's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from shared.observability.evidence import DecisionStatus, Resolution
from shared.values import JsonObject, JsonValue
from shared.viewer.history.steps import Step, steps
from shared.viewer.history.untrusted import flag, instant_ms, record, text, word
from shared.viewer.view import DecisionView

_ASSISTANT: Final = frozenset({"assistant_gpt_live", "live_frontend", "delegated_responses"})
_OBSERVER: Final = "semantic_completion_observer"
_SETTLED: Final = {
    "simulator.completion.assessed": DecisionStatus.ANSWERED.value,
    "simulator.completion.stale": DecisionStatus.STALE.value,
    "simulator.completion.observer_failed": DecisionStatus.FAILED.value,
}
_OUTCOMES: Final = tuple(one.value for one in Resolution)


@dataclass(frozen=True, slots=True)
class Trace:
    """Steps of delegated work in order of receipt, and the decisions of a completion observer.

    Of a decision only the instant is told at which it was settled. ``left_out`` counts records
    that are no objects.
    """

    steps: tuple[Step, ...]
    decisions: tuple[DecisionView, ...]
    left_out: int


def trace(values: Iterable[JsonValue]) -> Trace:
    found: list[Step] = []
    decisions: list[DecisionView] = []
    left_out = 0
    for value in values:
        told = record(value)
        source, event = told.get("source"), record(told.get("event"))
        left_out += not told
        if isinstance(source, str) and source in _ASSISTANT:
            found.extend(steps(event))
        elif source == _OBSERVER:
            decisions.extend(_decision(event))
    return Trace(tuple(found), tuple(sorted(decisions, key=_asked_ms)), left_out)


def _decision(event: JsonObject) -> Iterator[DecisionView]:
    status = word(event.get("type"), _SETTLED)
    settled_ms = instant_ms(event.get("timeline_ms"))
    if status is not None and settled_ms is not None:
        yield DecisionView(
            asked_ms=settled_ms,
            settled_ms=settled_ms,
            status=status,
            should_drain=flag(event.get("should_drain")),
            outcome=word(event.get("outcome"), _OUTCOMES),
            reason=text(event.get("reason")) or "",
        )


def _asked_ms(decision: DecisionView) -> int:
    return decision.asked_ms

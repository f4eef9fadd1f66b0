"""The rows of caller turns, whatever build wrote them: what was asked, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from shared.metrics.backchannels import BackchannelOutcome
from shared.metrics.interruptions import YieldOutcome
from shared.metrics.responses import Outcome, Reason
from shared.metrics.turn_record import NOT_APPLICABLE, RESPONSE_OUTCOMES
from shared.observability.evidence import CallerAction, LabelSource
from shared.values import JsonObject, JsonValue
from shared.viewer.history.untrusted import (
    flag,
    instant_ms,
    items,
    record,
    records,
    text,
    word,
)

ACTIONS: Final = tuple(one.value for one in CallerAction)
"""What a caller may have done. Labels of retired controllers are none of it."""
ACTION_SOURCES: Final = tuple(one.value for one in LabelSource)
_STATUSES: Final = tuple(one.value for one in Outcome)
_REASONS: Final = tuple(one.value for one in Reason)
_OLDER_STATUSES: Final[Mapping[str, str]] = {
    older: outcome.value for outcome, older in RESPONSE_OUTCOMES.items()
}
_YIELDS: Final = (*(one.value for one in YieldOutcome), NOT_APPLICABLE)
_BACKCHANNELS: Final = (*(one.value for one in BackchannelOutcome), NOT_APPLICABLE)


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a request. ``latency_ms`` is to the first sound, timely or late."""

    outcome: str
    reason: str | None
    latency_ms: int | None
    deadline_at_ms: int | None


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One caller turn. An outcome is absent where the row does not say, ``not_applicable`` where
    it says that there was nothing of the kind."""

    start_ms: int
    end_ms: int
    window_end_ms: int | None
    action: str | None
    action_source: str | None
    words: str
    answer_words: str
    answer: Answer | None
    yielded: str | None
    yield_latency_ms: int | None
    backchannel: str | None
    interruptions_ms: tuple[int, ...] | None
    calls: tuple[JsonObject, ...]


@dataclass(frozen=True, slots=True)
class TurnRows:
    """In order of onset. ``left_out`` counts rows that say not when the turn was."""

    rows: tuple[TurnRow, ...]
    left_out: int


def turn_rows(values: Iterable[JsonValue]) -> TurnRows:
    found = [_row(record(value)) for value in values]
    rows = sorted((row for row in found if row is not None), key=lambda row: row.start_ms)
    return TurnRows(tuple(rows), len(found) - len(rows))


def _row(value: JsonObject) -> TurnRow | None:
    start_ms, end_ms = instant_ms(value.get("start_ms")), instant_ms(value.get("end_ms"))
    if start_ms is None or end_ms is None or end_ms < start_ms:
        return None
    # The oldest rows have no group of their own for what was heard.
    heard = {**value, **record(value.get("audio"))}
    said = text(value.get("user_transcript", value.get("caller_transcript")))
    return TurnRow(
        start_ms=start_ms,
        end_ms=end_ms,
        window_end_ms=instant_ms(value.get("window_end_ms")),
        action=word(value.get("action"), ACTIONS),
        action_source=word(value.get("action_source"), ACTION_SOURCES),
        words=said or "",
        answer_words=text(value.get("assistant_transcript")) or "",
        answer=_answer(heard),
        yielded=word(heard.get("yield_outcome"), _YIELDS),
        yield_latency_ms=instant_ms(heard.get("yield_latency_ms")),
        backchannel=word(heard.get("backchannel_outcome"), _BACKCHANNELS),
        interruptions_ms=_interruptions(heard),
        calls=tuple(records(record(value.get("task")).get("tool_calls"))),
    )


def _answer(heard: JsonObject) -> Answer | None:
    """The status of a build that has one, or what an older one called the outcome."""
    status = word(heard.get("response_status"), _STATUSES)
    outcome = status or word(heard.get("response_outcome"), _OLDER_STATUSES)
    if outcome is None:
        return None
    observed_ms = instant_ms(heard.get("response_observed_latency_ms"))
    latency_ms = instant_ms(heard.get("response_latency_ms"))
    return Answer(
        outcome,
        word(heard.get("response_reason"), _REASONS),
        latency_ms if observed_ms is None else observed_ms,
        instant_ms(heard.get("response_deadline_at_ms")),
    )


def _interruptions(heard: JsonObject) -> tuple[int, ...] | None:
    """Onsets, none where there was no interruption, ``None`` where the row says not when."""
    onsets = [instant_ms(one) for one in items(heard.get("agent_interruption_starts_ms"))]
    known = tuple(one for one in onsets if one is not None)
    if known or flag(heard.get("agent_interrupted_user")) is False:
        return known
    return None

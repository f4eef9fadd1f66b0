"""What was said and when, from a list of turns as details hold one, or from turn rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from shared.intervals import Interval, IntervalSet
from shared.values import JsonObject, JsonValue
from shared.viewer.history.turn_rows import ACTION_SOURCES, ACTIONS, TurnRow
from shared.viewer.history.untrusted import instant_ms, items, record, text, word
from shared.viewer.view import Role, TurnView

ROLES: Final[Mapping[str, Role]] = {
    "caller": Role.CALLER,
    "user": Role.CALLER,
    "simulator": Role.CALLER,
    "assistant": Role.ASSISTANT,
    "agent": Role.ASSISTANT,
}
"""What builds of all ages call the two parties, in lower case."""


@dataclass(frozen=True, slots=True)
class Said:
    """Turns in order of onset, the caller first. ``left_out`` counts what was no turn, ``unplaced``
    answers of which nobody knows when they were given."""

    turns: tuple[TurnView, ...]
    left_out: int = 0
    unplaced: int = 0


def in_order(turns: Iterable[TurnView], *, left_out: int = 0, unplaced: int = 0) -> Said:
    ordered = sorted(turns, key=lambda turn: (turn.start_ms, turn.role is not Role.CALLER))
    return Said(tuple(ordered), left_out, unplaced)


def said_in_list(value: JsonValue) -> Said:
    """Turns of a list of objects with a role, two times and a text."""
    found = [_turn(record(one)) for one in items(value)]
    turns = [turn for turn in found if turn is not None]
    return in_order(turns, left_out=len(found) - len(turns))


def _turn(value: JsonObject) -> TurnView | None:
    told = value.get("role", value.get("speaker"))
    role = ROLES.get(told.lower()) if isinstance(told, str) else None
    start_ms, end_ms = instant_ms(value.get("start_ms")), instant_ms(value.get("end_ms"))
    words = text(value.get("text", value.get("transcript")))
    if role is None or words is None or start_ms is None or end_ms is None or end_ms < start_ms:
        return None
    is_caller = role is Role.CALLER
    return TurnView(
        role,
        start_ms,
        end_ms,
        words,
        word(value.get("action"), ACTIONS) if is_caller else None,
        word(value.get("action_source"), ACTION_SOURCES) if is_caller else None,
        instant_ms(value.get("overlap_ms")),
    )


def said_in_rows(rows: Sequence[TurnRow], assistant: IntervalSet) -> Said:
    """Caller turns, and the answers to them where the assistant was heard in their window."""
    turns: list[TurnView] = []
    unplaced = 0
    for number, row in enumerate(rows):
        turns.append(
            TurnView(
                Role.CALLER, row.start_ms, row.end_ms, row.words, row.action, row.action_source
            )
        )
        if not row.answer_words:
            continue
        following_ms = rows[number + 1].start_ms if number + 1 < len(rows) else None
        heard = _heard(assistant, row, following_ms)
        if heard is None:
            unplaced += 1
        else:
            turns.append(TurnView(Role.ASSISTANT, heard.start_ms, heard.end_ms, row.answer_words))
    return in_order(turns, unplaced=unplaced)


def _heard(assistant: IntervalSet, row: TurnRow, following_ms: int | None) -> Interval | None:
    """From the first to the last instant of the assistant between this row and the next one."""
    ends_ms = [one for one in (row.window_end_ms, following_ms) if one is not None]
    if assistant.extent is None:
        return None
    bound_ms = min(ends_ms, default=assistant.extent.end_ms)
    if bound_ms <= row.start_ms:
        return None
    return assistant.clip(Interval(row.start_ms, bound_ms)).extent


def with_actions(turns: Iterable[TurnView], rows: Sequence[TurnRow]) -> tuple[TurnView, ...]:
    """The turns, those of the caller with the action of the first row that begins within them."""
    labelled = [row for row in rows if row.action is not None]
    told: list[TurnView] = []
    first = 0
    for turn in turns:
        if turn.role is not Role.CALLER or turn.action is not None:
            told.append(turn)
            continue
        while first < len(labelled) and labelled[first].start_ms < turn.start_ms:
            first += 1
        row = labelled[first] if first < len(labelled) else None
        if row is not None and row.start_ms < max(turn.end_ms, turn.start_ms + 1):
            told.append(replace(turn, action=row.action, action_source=row.action_source))
        else:
            told.append(turn)
    return tuple(told)

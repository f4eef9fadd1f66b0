"""The transcript that people read, read back: who said what when, and nothing else that it holds.

Two ways of writing one are known. Ours has one line for each turn or event, times in front:
``1200..5110 CALLER (overlap): words``. The older one has the party in front,
``USER 1200..5110ms [OVERLAP]: words``, and what is said may run over several lines, up to the next
line that begins like a turn or an event. Lines about tools and backends hold arguments and results;
they end what was said before them, and are skipped together with whatever follows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from shared.viewer.history.said import ROLES, Said, in_order
from shared.viewer.history.untrusted import instant_ms, text
from shared.viewer.view import TurnView

# No time of a conversation has more digits, and Python refuses to read very long ones.
_MS: Final = r"(\d{1,9})"
_OURS = re.compile(rf"{_MS}\.\.{_MS} (CALLER|ASSISTANT)(?: \(overlap\))?: (.*)")
_OLDER = re.compile(
    rf"(USER|CALLER|ASSISTANT|AGENT) {_MS}\.\.{_MS} ?ms(?: \[OVERLAP\])?:(.*)", re.DOTALL
)
_EVENT = re.compile(r"[A-Z][A-Z_ ]*? \d+ ?ms:")
_NO_WORDS: Final = "(no transcript)"


def said_in_text(content: str) -> Said:
    """The turns of a transcript in either way of writing; ``left_out`` counts those whose times
    cannot be."""
    lines = [line.removesuffix("\r") for line in content.split("\n")]
    is_older = any(_OLDER.fullmatch(line) for line in lines)
    return _gathered(_older_turns(lines) if is_older else _our_turns(lines))


def _gathered(found: Iterator[TurnView | None]) -> Said:
    told = list(found)
    turns = [turn for turn in told if turn is not None]
    return in_order(turns, left_out=len(told) - len(turns))


def _our_turns(lines: list[str]) -> Iterator[TurnView | None]:
    for line in lines:
        spoken = _OURS.fullmatch(line)
        if spoken is not None:
            start, end, role, words = spoken.groups()
            yield _turn(role, start, end, "" if words == _NO_WORDS else words)


def _older_turns(lines: list[str]) -> Iterator[TurnView | None]:
    for entry in _entries(lines):
        spoken = _OLDER.fullmatch(entry)
        if spoken is None:
            continue
        role, start, end, words = spoken.groups()
        # A turn without words says nothing in this way of writing.
        if words.strip():
            yield _turn(role, start, end, words.strip())


def _entries(lines: list[str]) -> Iterator[str]:
    """Lines that begin a turn or an event, each with those that go on with it."""
    entry: list[str] = []
    for line in lines:
        if _OLDER.fullmatch(line) or _EVENT.match(line):
            yield "\n".join(entry)
            entry = [line]
        else:
            entry.append(line)
    yield "\n".join(entry)


def _turn(role: str, start: str, end: str, words: str) -> TurnView | None:
    start_ms, end_ms = instant_ms(int(start)), instant_ms(int(end))
    if start_ms is None or end_ms is None or end_ms < start_ms:
        return None
    return TurnView(ROLES[role.lower()], start_ms, end_ms, text(words) or "")

"""An attempt's files, each parsed into records of its own kind; what is damaged is counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from shared.intervals import IntervalSet
from shared.viewer.history.details import Details, details
from shared.viewer.history.files import Files
from shared.viewer.history.gaps import left_out
from shared.viewer.history.said import Said, said_in_rows
from shared.viewer.history.ticks import Ticks, ticks
from shared.viewer.history.trace import Trace, trace
from shared.viewer.history.transcript_text import said_in_text
from shared.viewer.history.turn_rows import TurnRow, TurnRows, turn_rows


@dataclass(frozen=True, slots=True)
class Parsed:
    """What each file holds; ``None`` where there is no file, or nothing of it can be used."""

    files: Files
    details: Details | None
    ticks: Ticks | None
    turns: TurnRows | None
    trace: Trace | None
    transcript: Said | None

    @property
    def rows(self) -> tuple[TurnRow, ...]:
        """The turn rows of their own file, or else those that the details keep."""
        if self.turns is not None and self.turns.rows:
            return self.turns.rows
        return () if self.details is None else self.details.rows.rows

    def said(self, assistant: IntervalSet) -> Said:
        """The turns of the first that has any: details, transcript, rows."""
        told = (None if self.details is None else self.details.said, self.transcript)
        found = next((one for one in told if one is not None and one.turns), None)
        return said_in_rows(self.rows, assistant) if found is None else found

    def damage(self) -> Iterator[str]:
        """How much of each file could not be used, in a sentence each."""
        for name, lines in (
            ("ticks", self.files.ticks),
            ("turn rows", self.files.turns),
            ("event log", self.files.trace),
        ):
            broken = 0 if lines is None else lines.broken
            of = f"of the file of {name}" if name != "event log" else "of the event log"
            surplus = 0 if lines is None else max(0, len(lines.records) - MOST_RECORDS)
            yield from left_out(
                (broken, f"line {of} is no JSON", f"lines {of} are no JSON"),
                (surplus, f"line too many {of} is left out", f"lines too many {of} are left out"),
            )
        yield from left_out(
            (
                0 if self.ticks is None else self.ticks.left_out,
                "tick could not be used whole",
                "ticks could not be used whole",
            ),
            (
                0 if self.turns is None else self.turns.left_out,
                "turn row says not when the turn was",
                "turn rows say not when the turn was",
            ),
            (
                0 if self.trace is None else self.trace.left_out,
                "record of the event log says nothing",
                "records of the event log say nothing",
            ),
            (
                0 if self.details is None else self.details.left_out,
                "counted event of the details names no time",
                "counted events of the details name no time",
            ),
        )


MOST_RECORDS: Final = 400_000
"""Of one file: the longest session in the shortest ticks has fewer lines."""


def parsed(files: Files) -> Parsed:
    """The records of all files, of each kind of line no more than a session can have."""
    return Parsed(
        files,
        details=None if files.details is None else details(files.details),
        ticks=None if files.ticks is None else ticks(files.ticks.records[:MOST_RECORDS]),
        turns=None if files.turns is None else turn_rows(files.turns.records[:MOST_RECORDS]),
        trace=None if files.trace is None else trace(files.trace.records[:MOST_RECORDS]),
        transcript=None if files.transcript is None else said_in_text(files.transcript),
    )

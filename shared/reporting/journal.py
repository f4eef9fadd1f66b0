"""The journal and ``results.json``: after every attempt both hold all that has finished.

A line of the journal is on the disk before the report is replaced whole, so a killed run loses at
most the attempts in flight.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from shared.artifacts import RunDirectory
from shared.json_text import json_text
from shared.reporting.assemble import summarize
from shared.reporting.schema import AttemptResult, PlannedReport, Report, Run

JOURNAL = "journal.jsonl"
RESULTS = "results.json"


class Journal:
    """One run's record on disk. Rows may finish in any order; the report keeps the given one."""

    def __init__(self, directory: RunDirectory, run: Run, planned: Sequence[PlannedReport]) -> None:
        self._directory = directory
        self._run = run
        self._planned = planned
        self._order = {one.key: position for position, one in enumerate(planned)}
        self._rows: dict[str, AttemptResult] = {}
        self._lock = threading.Lock()

    def finished(self, row: AttemptResult) -> None:
        """Keep one finished attempt."""
        with self._lock:
            self._rows[row.attempt.key] = row
            self._directory.append(JOURNAL, json_text(row))
            self._write(self._run)

    def close(self, ended_at: str) -> Report:
        """Write the report with the end of the run."""
        with self._lock:
            return self._write(self._run.model_copy(update={"ended_at": ended_at}))

    def _write(self, run: Run) -> Report:
        rows = sorted(self._rows.values(), key=lambda row: self._order[row.attempt.key])
        missing = [one for one in self._planned if one.key not in self._rows]
        report = Report(
            run=run, summary=summarize(rows), results=rows, not_performed=missing or None
        )
        self._directory.replace(RESULTS, f"{json_text(report, indent=2)}\n".encode())
        return report

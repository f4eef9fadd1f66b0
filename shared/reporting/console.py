"""What the terminal says: results on stdout, progress on stderr, plain lines in a pipe."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from shared.grading.semantic import JUDGE_ASKED, JUDGE_COMPLETED
from shared.plain_text import one_line
from shared.reporting.caller_notes import caller_notes
from shared.reporting.comparison import differences
from shared.reporting.flips import flips_of
from shared.reporting.progress import bar
from shared.reporting.schema import AttemptResult, ConditionSummary, Report
from shared.reporting.wording import (
    OFFLINE,
    SCRIPTED_NOTE,
    SemanticScores,
    condition_columns,
    failed_checks,
    interruption,
    key_figures,
    semantic_line,
    semantic_scores,
    totals,
    why,
)
from shared.values import JsonObject

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

STYLES = {"passed": "green", "failed": "red", "infrastructure_error": "yellow"}
WIDE = 100
"""Columns from which on the reasons have room beside the figures, if keys leave it to them."""
GAP = 2
"""Blanks between two columns."""
ROOM = 40
"""Columns that a reason needs, so that it does not break every few words."""


class Console:
    """Everything one command prints. Attempts report from several threads.

    ``out`` is where results go, stdout unless another stream is given.
    """

    def __init__(self, *, is_verbose: bool, is_json: bool, out: TextIO | None = None) -> None:
        self._is_verbose = is_verbose
        self._is_json = is_json
        self._given = out
        self._lock = threading.Lock()
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._judging: set[str] = set()
        self._told: list[JsonObject] = []
        self._is_together = False

    @property
    def _out(self) -> TextIO:
        return sys.stdout if self._given is None else self._given

    def warn(self, warnings: Sequence[str]) -> None:
        """What may go wrong and is within the rules, on stderr."""
        for line in warnings:
            _write(sys.stderr, f"warning: {line}")

    def begin(self, total: int) -> None:
        """Show progress where somebody watches; a log gets none."""
        if self._is_json or self._is_verbose or (progress := bar()) is None:
            return
        self._progress = progress
        self._task = self._progress.add_task("attempts", total=total)
        self._progress.start()

    def event(self, key: str, row: JsonObject) -> None:
        """One protocol event, when they are asked for; that a judge is at work, in any case."""
        self._note_judging(key, str(row["type"]))
        if not self._is_verbose:
            return
        arrow = {"client_to_server": "->", "server_to_client": "<-"}.get(
            str(row["direction"]), ".."
        )
        at_ms = row["event_time_ms"]
        seconds = at_ms / 1000 if isinstance(at_ms, int | float) else 0.0
        body = json.dumps(row["event"], ensure_ascii=False)
        line = f"{key} {seconds:8.3f} {arrow} {row['type']} {body[:200]}"
        with self._lock:
            self._narrate(line)

    def _note_judging(self, key: str, kind: str) -> None:
        """Say who is waiting for the judge, so that a bar that stands still is no riddle."""
        if kind not in {JUDGE_ASKED, JUDGE_COMPLETED}:
            return
        with self._lock:
            (self._judging.add if kind == JUDGE_ASKED else self._judging.discard)(key)
            if self._progress is not None and self._task is not None:
                waiting = f" (judging {', '.join(sorted(self._judging))})" if self._judging else ""
                self._progress.update(self._task, description=f"attempts{waiting}")

    def finished(self, row: AttemptResult) -> None:
        with self._lock:
            self._judging.discard(row.attempt.key)
            if self._progress is not None and self._task is not None:
                self._progress.advance(self._task)
            if self._is_verbose:
                self._narrate(f"{row.attempt.key} {_outcome(row)}")
                for line in (*flips_of(row), *caller_notes(row)):
                    self._narrate(line)

    def page_progress(self, done: int, total: int) -> None:
        """So many attempts are on the page that is being made."""
        with self._lock:
            if self._progress is not None and self._task is not None:
                self._progress.update(
                    self._task, description="page", completed=done, total=max(total, 1)
                )

    def say_unavailable(self, reason: str) -> None:
        """There is no page, and why."""
        _write(sys.stderr, f"Viewer unavailable: {reason}")

    def end(self, report: Report | None, results_path: str, page_path: str | None = None) -> None:
        """The summary: what came out, in one table, and where everything lies."""
        if self._progress is not None:
            self._progress.stop()
        if report is None:
            return
        if self._is_json:
            self._told.append(_machine_summary(report, results_path, page_path))
            if not self._is_together:
                self._print(json.dumps(self._told.pop()))
            return
        if self._out.isatty():
            self._table(report)
        else:
            for row in report.results:
                self._print(f"{row.attempt.key}\t{_outcome(row)}")
        self._print(totals(report))
        for row in report.results:
            for line in (*flips_of(row), *caller_notes(row)):
                self._print(line)
        is_scripted = report.run.execution_mode == OFFLINE
        self._conditions(report.summary.conditions or (), is_scripted=is_scripted)
        for told in (semantic_line(report), interruption(report)):
            if told is not None:
                self._print(told)
        if is_scripted:
            self._print(SCRIPTED_NOTE)
        self._print(f"Results: {results_path}")
        if page_path is not None:
            self._print(f"Viewer: {page_path}")

    @contextmanager
    def together(self, comparison_id: str) -> Iterator[None]:
        """Several runs are told of as one: for a script, in one object of those that came to
        an end."""
        self._is_together = True
        try:
            yield
        finally:
            self._is_together = False
            # What has finished is told of, whatever kept the others from it.
            if self._is_json and self._told:
                self._print(json.dumps({"comparison": comparison_id, "runs": self._told}))

    def say_side(self, side: str) -> None:
        """The next run of a comparison begins."""
        if not self._is_json:
            self._print(f"--assistant {side}")

    def compare(self, reports: Sequence[Report]) -> None:
        """What came out otherwise under one side than under another."""
        if not self._is_json:
            for line in differences(reports):
                self._print(line)

    def _table(self, report: Report) -> None:
        from rich.console import Console as RichConsole
        from rich.table import Table
        from rich.text import Text

        terminal = RichConsole(file=self._out)
        figures = [key_figures(row) for row in report.results]
        if terminal.width < _longest_key(report) + _widest(report, figures):
            self._stack(report)
            return
        is_wide = terminal.width >= max(
            WIDE, _longest_key(report) + _widest(report, figures) + ROOM
        )
        table = Table(box=None, pad_edge=False)
        # A name is there to be copied, so it is never cut; reasons wrap instead.
        table.add_column("attempt", no_wrap=True, min_width=_longest_key(report))
        is_judged = bool(semantic_scores(report.results).applicable)
        headings = figures[0] if figures else {}
        for heading in ("status", *headings, *(["semantic"] if is_judged else [])):
            table.add_column(heading, no_wrap=True)
        if is_wide:
            table.add_column("why", overflow="fold")
        for row, shown in zip(report.results, figures, strict=True):
            table.add_row(
                Text(row.attempt.key),
                Text(row.status, style=STYLES[row.status]),
                *map(Text, shown.values()),
                *([Text(str(semantic_scores([row])))] if is_judged else []),
                *([Text(_writable(why(row), self._out))] if is_wide else []),
            )
        terminal.print(table)
        for row in report.results:
            if not is_wide and why(row):
                # In a narrow column a reason would break inside its words.
                self._print(f"{row.attempt.key}: {why(row)}")

    def _stack(self, report: Report) -> None:
        """A name to a line and the figures below it, where they do not fit beside each other."""
        from rich.console import Console as RichConsole
        from rich.padding import Padding
        from rich.text import Text

        terminal = RichConsole(file=self._out)
        for row in report.results:
            semantic = semantic_scores([row])
            scored = {"semantic": str(semantic)} if semantic.applicable else {}
            told = (f"{name} {figure}" for name, figure in {**key_figures(row), **scored}.items())
            terminal.print(Text(row.attempt.key), soft_wrap=True)
            below = [Text.assemble((row.status, STYLES[row.status]), *(f"  {one}" for one in told))]
            below += [Text(_writable(why(row), self._out))] if why(row) else []
            for line in below:
                terminal.print(Padding(line, (0, 0, 0, GAP), expand=False))

    def _conditions(self, conditions: Sequence[ConditionSummary], *, is_scripted: bool) -> None:
        """What came out under each acoustic condition, with the counts behind every figure."""
        if not conditions:
            return
        columns = [condition_columns(one, is_scripted=is_scripted) for one in conditions]
        if not self._out.isatty():
            for one, figures in zip(conditions, columns, strict=True):
                told = "\t".join(f"{heading} {figure}" for heading, figure in figures.items())
                self._print(f"condition {one.condition}\t{told}")
            return
        from rich.console import Console as RichConsole
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False)
        table.add_column("condition", no_wrap=True)
        for heading in columns[0]:
            table.add_column(heading)
        for one, figures in zip(conditions, columns, strict=True):
            table.add_row(Text(_writable(one.condition, self._out)), *map(Text, figures.values()))
        terminal = RichConsole(file=self._out)
        terminal.print()
        terminal.print(table)

    def _narrate(self, line: str) -> None:
        """What happens meanwhile: not on stdout when that belongs to one JSON object."""
        _write(sys.stderr if self._is_json else self._out, line)

    def _print(self, line: str) -> None:
        _write(self._out, line)


def _write(stream: TextIO, line: str) -> None:
    try:
        stream.write(f"{_writable(line, stream)}\n")
        stream.flush()
    except OSError:
        # Whoever read this left, or their disk is full: no reason to stop or to spoil an attempt.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _writable(text: str, stream: TextIO) -> str:
    """The text as the stream can carry it, on one line and without commands to a terminal."""
    encoding = stream.encoding or "utf-8"
    # Tabs are ours: they part the columns.
    safe = "\t".join(one_line(part) for part in text.split("\t"))
    return safe.encode(encoding, "replace").decode(encoding)


def _outcome(row: AttemptResult) -> str:
    semantic = semantic_scores([row])
    scored = f"semantic {semantic}" if semantic.applicable else ""
    figures = [f"{heading} {figure}" for heading, figure in key_figures(row).items()]
    return "\t".join(part for part in (row.status, *figures, scored, why(row)) if part)


def _as_json(semantic: SemanticScores) -> JsonObject:
    return {
        "score": semantic.mean,
        "scored": len(semantic.scores),
        "applicable": semantic.applicable,
    }


def _machine_summary(report: Report, results_path: str, page_path: str | None) -> JsonObject:
    return {
        "run": report.run.id,
        "results": results_path,
        "viewer": page_path,
        "summary": report.summary.model_dump(mode="json"),
        "semantic": _as_json(semantic_scores(report.results)),
        "attempts": [
            {
                "key": row.attempt.key,
                "status": row.status,
                "failed_checks": [check.id for check in failed_checks(row)],
                "reasons": [check.reason for check in failed_checks(row)],
                "response_latency_ms": row.metrics.audio.response_latency_ms,
                "semantic": _as_json(semantic_scores([row])),
                "error": None if row.error is None else row.error.model_dump(mode="json"),
            }
            for row in report.results
        ],
    }


def _widest(report: Report, figures: Sequence[Mapping[str, str]]) -> int:
    """Columns of the status and of all figures, with the blanks before them."""
    shown: dict[str, list[str]] = {
        "status": [row.status for row in report.results],
        **{name: [one[name] for one in figures] for name in (figures[0] if figures else {})},
    }
    if semantic_scores(report.results).applicable:
        shown["semantic"] = [str(semantic_scores([row])) for row in report.results]
    return sum(GAP + max(len(name), *map(len, texts)) for name, texts in shown.items())


def _longest_key(report: Report) -> int:
    return max((len(row.attempt.key) for row in report.results), default=0)

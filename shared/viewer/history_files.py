"""The files an attempt left in its run's folder, read for the course they tell.

Their names stand in the report or in the attempt's details; a debug trace that neither names is
looked for beside the recording, where every build wrote it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any, Final

from shared.json_text import json_value, portable
from shared.values import JsonValue
from shared.viewer.history.files import Files, Lines, Source
from shared.viewer.history.reconstruction import Reconstructed, reconstructed
from shared.viewer.recording import RecordingError, recorded_frames
from shared.viewer.saved_row import SavedRow
from shared.viewer.saved_run import NotHereError, SavedRun
from shared.viewer.withheld import private

UNNAMED: Final = "is not named in the report"
LONGEST_LINE: Final = 20_000_000
"""Characters; whatever is longer is no event."""


def history_files(run: SavedRun, row: SavedRow, recording: Path | None) -> Files:
    """Everything there is of an attempt, and of what is not there the reason."""
    reasons: dict[Source, str] = {}
    names = _Names(run, row, reasons)
    ticks = names.lines(Source.TICKS, "ticks", "conversation.ticks.jsonl")
    return Files(
        details=names.details,
        ticks=ticks,
        turns=names.lines(Source.TURNS, "turns", "conversation.turns.jsonl"),
        trace=names.lines(Source.TRACE, "events"),
        transcript=names.text(Source.TRANSCRIPT, "conversation_transcript", "transcript"),
        reconstructed=None if ticks is not None else _heard(recording, reasons),
        reasons=reasons,
    )


class _Names:
    """Where the files of one attempt are, and what kept one from being read."""

    def __init__(self, run: SavedRun, row: SavedRow, reasons: dict[Source, str]) -> None:
        self._run = run
        self._reasons = reasons
        self._row = {name: place for name, place in row.artifacts.items() if place}
        self.details = self._object(Source.DETAILS, "details")
        told = None if self.details is None else self.details.get("artifacts")
        self._told = told if isinstance(told, Mapping) else {}

    def lines(self, source: Source, name: str, beside: str | None = None) -> Lines | None:
        """A file of one JSON value a line; what is none is counted."""
        content = self._content(source, name, beside=beside)
        if content is None:
            return None
        records: list[JsonValue] = []
        broken = 0
        for line in content.decode("utf-8", "replace").split("\n"):
            if not line.strip():
                continue
            try:
                if len(line) > LONGEST_LINE:
                    raise ValueError("too long")  # noqa: TRY301 - counted with the others
                records.append(portable(json_value(line)))
            except (ValueError, RecursionError):
                broken += 1
        return Lines(records, broken)

    def text(self, source: Source, *names: str) -> str | None:
        content = self._content(source, *names)
        return None if content is None else content.decode("utf-8", "replace")

    def _object(self, source: Source, name: str) -> dict[str, Any] | None:
        place = self._row.get(name)
        if place is None:
            self._reasons[source] = UNNAMED
            return None
        try:
            return self._run.json(place)
        except NotHereError as refusal:
            self._reasons[source] = str(refusal)
            return None

    def _content(self, source: Source, *names: str, beside: str | None = None) -> bytes | None:
        place = self._place(names, beside)
        if place is None:
            self._reasons[source] = UNNAMED
            return None
        try:
            return self._run.read(place)
        except NotHereError as refusal:
            self._reasons[source] = str(refusal)
            return None

    def _place(self, names: tuple[str, ...], beside: str | None) -> str | None:
        for name in names:
            told = self._row.get(name) or self._told.get(name)
            if isinstance(told, str) and told:
                return told
        audio = self._row.get("conversation_audio")
        if beside is None or audio is None:
            return None
        try:
            place = str(PurePath(audio).with_name(beside))
            self._run.located(place)
        except ValueError:  # no such file, or nothing that a file could stand beside
            return None
        return place


def _heard(recording: Path | None, reasons: dict[Source, str]) -> Reconstructed | None:
    if recording is None:
        return None
    try:
        with recorded_frames(recording) as (frames, rate_hz):
            return reconstructed(frames, rate_hz)
    except RecordingError as refusal:
        reasons[Source.RECORDING] = f"cannot be heard again: {refusal}"
        return None


def told_in(files: Files) -> Iterator[JsonValue]:
    """What passed between programs in an attempt, by the names that builds of all ages gave it."""
    if files.details is not None:
        yield from private(dict(files.details))
    for lines in (files.ticks, files.turns, files.trace):
        if lines is not None:
            yield from private(list(lines.records))


def rubric_version_in(files: Files) -> str | None:
    """By which rubric an attempt's scores came about, where its details tell."""
    rubric = (files.details or {}).get("rubric_metrics")
    version = rubric.get("version") if isinstance(rubric, Mapping) else None
    return version if isinstance(version, str) else None

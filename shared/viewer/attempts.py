"""The attempts of a saved run, each with its course and the recording it was heard in.

Stored evidence tells the course exactly. Where there is none, or another version measured it, the
course is read from what was told of it at the time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path

from shared.attempts.details import Judgeable, decode_details
from shared.metrics.interaction import METRICS_VERSION
from shared.observability.codec import DamagedEvidenceError
from shared.values import JsonObject, JsonValue
from shared.viewer.attempt import attempt_view
from shared.viewer.evidence_course import course_of_evidence
from shared.viewer.export import Shown
from shared.viewer.history.course import course_of_history
from shared.viewer.history_files import history_files, rubric_version_in, told_in
from shared.viewer.run import audio_origin
from shared.viewer.saved_row import SavedAudio, SavedRow
from shared.viewer.saved_run import NotHereError, SavedRun
from shared.viewer.withheld import PRIVATE, private

EVIDENCE = ("evidence", "details")
"""Where an attempt's evidence is stored: under the first name after a conversation, else under the
second."""
KEY = b'"evidence"'


def attempts(run: SavedRun) -> Iterator[Shown]:
    """Every attempt of a run in the order of its report, whatever became of it."""
    rows = [SavedRow.model_validate(raw) for raw in run.report.results]
    keys = told_apart(row.attempt.key or row.scenario_id or "attempt" for row in rows)
    for raw, row, key in zip(run.report.results, rows, keys, strict=True):
        yield _shown(run, raw, row, key)


def told_apart(names: Iterable[str]) -> Iterator[str]:
    """The names in order, with a number behind each that was there before."""
    last: dict[str, int] = {}
    for name in names:
        key = name
        while key in last:
            last[name] += 1
            key = f"{name}#{last[name]}"
        last[key] = 1
        yield key


def _shown(run: SavedRun, raw: JsonObject, row: SavedRow, key: str) -> Shown:
    missing: list[str] = []
    recording = _recording(run, row, missing)
    stored = _evidence(run, row, missing)
    if stored is not None:
        course, secrets, rubric_version = course_of_evidence(stored), tuple(_withheld(stored)), None
    else:
        files = history_files(run, row, recording)
        course = course_of_history(raw, files)
        secrets = (*told_in(files), *_told_in_damaged(run, row))
        rubric_version = rubric_version_in(files)
    condition = run.report.run.configuration.get("condition")
    view = attempt_view(
        row,
        course,
        key=key,
        audio_origin=audio_origin(run.report.run),
        withheld=secrets,
        condition=condition if isinstance(condition, str) else None,
        rubric_version=rubric_version,
        missing=missing,
    )
    return Shown(view, recording)


def _evidence(run: SavedRun, row: SavedRow, missing: list[str]) -> Judgeable | None:
    """The stored evidence, where this version measured it; else there is none to be had."""
    version = SavedAudio.model_validate(row.metrics.audio).metrics_version
    place = next((at for name in EVIDENCE if (at := row.artifacts.get(name))), None)
    if place is None or version not in {None, METRICS_VERSION}:
        return None
    try:
        content = run.read(place)
        # Builds of before there was evidence stored other details under this name.
        return decode_details(content) if KEY in content else None
    except NotHereError as refusal:
        missing.append(f"The file with the evidence {refusal}.")
    except DamagedEvidenceError:
        # What is wrong with it would be told by quoting it.
        missing.append("The stored evidence cannot be used: it is not as this version writes it.")
    return None


def _told_in_damaged(run: SavedRun, row: SavedRow) -> Iterator[JsonValue]:
    """What passed between programs by evidence that is not used: sentences may quote it still."""
    for place in filter(None, map(row.artifacts.get, EVIDENCE)):
        with contextlib.suppress(NotHereError):
            yield from private(run.json(place))


def _recording(run: SavedRun, row: SavedRow, missing: list[str]) -> Path | None:
    place = row.artifacts.get("conversation_audio")
    if place is None:
        missing.append("There is no recording of the conversation.")
        return None
    try:
        return run.located(place)
    except NotHereError as refusal:
        missing.append(f"The recording {refusal}.")
        return None


def _withheld(stored: Judgeable) -> Iterator[JsonValue]:
    """What passed between programs, and by what ids."""
    evidence = stored.evidence
    for seen in (*evidence.observations, *evidence.caller_observations):
        yield from (
            value
            for one in fields(seen)
            if one.name in PRIVATE and (value := getattr(seen, one.name))
        )
    yield from (evidence.state_before, evidence.state_after)

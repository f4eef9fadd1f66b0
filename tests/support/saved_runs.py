"""The saved runs of ``tests/data``, placed in a folder of their own and read plainly."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import soundfile

from shared.audio.pcm import SAMPLE_RATE_HZ
from shared.values import JsonObject, JsonValue
from shared.viewer.history.files import Files, Lines, Source
from shared.viewer.history.reconstruction import reconstructed
from tests.support.old_runs import KEY, RUN_HERE, SAVED_RUNS

PATHS = {
    Source.DETAILS: "details",
    Source.TICKS: "ticks",
    Source.TURNS: "turns",
    Source.TRACE: "events",
    Source.TRANSCRIPT: "conversation_transcript",
    Source.RECORDING: "conversation_audio",
}


def placed(name: str, folder: Path) -> Path:
    """A copy of the run in a folder of its name, with what lies beside it and must not be read."""
    run = folder / name
    shutil.copytree(SAVED_RUNS / name, run)
    report = run / "results.json"
    report.write_text(report.read_text("utf-8").replace(RUN_HERE, str(run)), "utf-8")
    for outside in ("outside.json", "outside.jsonl"):
        (folder / outside).write_text('{"transcript": "WITHHELD outside"}\n', "utf-8")
    if name == "escaping_paths":
        (run / "events").mkdir(exist_ok=True)
        (run / "events" / "link.jsonl").symlink_to(folder / "outside.jsonl")
    return run


def first_row(run: Path) -> JsonObject:
    report = json.loads((run / "results.json").read_text("utf-8"))
    row: JsonObject = report["results"][0]
    return row


def files_of(run: Path, row: JsonObject) -> Files:
    """What the row's files hold; of each that is missing, why."""
    artifacts = row["artifacts"]
    assert isinstance(artifacts, dict)
    found: dict[Source, Path] = {}
    reasons: dict[Source, str] = {}
    for source, name in PATHS.items():
        told = artifacts.get(name)
        if told is None:
            reasons[source] = "is not named in the report"
            continue
        path = (run / str(told)).resolve()
        if not path.is_relative_to(run.resolve()):
            reasons[source] = "lies outside of the run"
        elif not path.exists():
            reasons[source] = "is not there"
        else:
            found[source] = path
    return Files(
        details=_read(found.get(Source.DETAILS), lambda path: json.loads(path.read_bytes())),
        ticks=_read(found.get(Source.TICKS), _lines),
        turns=_read(found.get(Source.TURNS), _lines),
        trace=_read(found.get(Source.TRACE), _lines),
        transcript=_read(found.get(Source.TRANSCRIPT), lambda path: path.read_text("utf-8")),
        reconstructed=_read(
            found.get(Source.RECORDING),
            lambda path: reconstructed(
                soundfile.blocks(path, blocksize=1_000, dtype="int16"), SAMPLE_RATE_HZ
            ),
        ),
        reasons=reasons,
    )


def _read[Content](path: Path | None, read: Callable[[Path], Content]) -> Content | None:
    return None if path is None else read(path)


def _lines(path: Path) -> Lines:
    records: list[JsonValue] = []
    broken = 0
    for line in path.read_bytes().splitlines():
        try:
            records.append(json.loads(line))
        except ValueError:
            broken += 1
    return Lines(records, broken)


__all__ = ["KEY", "files_of", "first_row", "placed"]

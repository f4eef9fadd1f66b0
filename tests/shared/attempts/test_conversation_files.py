"""A conversation's files: made again from what is stored, and none of them can lose an attempt."""

from __future__ import annotations

import errno
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shared.attempts.files
from shared.artifacts import RunDirectory
from shared.attempts.assess import assess
from shared.attempts.conversation_files import Recordings, result_file, tick_file, turn_file
from shared.attempts.details import Judgeable, decode_details, encode_details
from shared.attempts.files import AttemptFiles
from shared.audio.pcm import Pcm
from shared.grading.assessment import Assessment
from tests.support.builders import an_evidence
from tests.support.judged import Exchange, a_call, a_conversation, a_stored_attempt

TALK = a_stored_attempt(
    Exchange.of("C: a table", "A: for when", "C: noon", a_call(), "A: booked").evidence,
    a_conversation(),
)
NEVER_BEGAN = a_stored_attempt(an_evidence(failure="refused", extent_ms=0), a_conversation())
FOLDER = "audio/a_request"
RESULT, TICKS, TURNS = (
    f"{FOLDER}/conversation.{name}" for name in ("result.json", "ticks.jsonl", "turns.jsonl")
)


def judged(stored: Judgeable) -> Assessment:
    return assess(stored.evidence, stored.scenario, stored.policy, stored.judgments)


def steady(level: int, duration_ms: int) -> Pcm:
    return np.full(duration_ms * 24, level, np.int16)


HEARD = Recordings(steady(100, 20_000), steady(0, 450))


def rows(content: bytes) -> list[Any]:
    return [json.loads(line) for line in content.decode().splitlines()]


def test_all_of_them_are_made_again_from_the_stored_file_to_the_byte() -> None:
    again = decode_details(encode_details(TALK, judged(TALK)))
    for stored in (TALK, again):
        assert result_file(stored, judged(stored), 200) == result_file(TALK, judged(TALK), 200)
        assert turn_file(stored, judged(stored)) == turn_file(TALK, judged(TALK))
        assert tick_file(stored, judged(stored), 33) == tick_file(TALK, judged(TALK), 33)


def test_levels_are_those_of_the_recordings_and_all_else_is_the_evidence_s() -> None:
    heard = rows(tick_file(TALK, judged(TALK), 200, HEARD))
    deaf = rows(tick_file(TALK, judged(TALK), 200))

    assert [one["user"].pop("rms") for one in heard] == [100.0] * 100
    assert [one["assistant"].pop("rms") for one in heard] == [0.0] * 3 + [None] * 97
    assert {(one["user"].pop("rms"), one["assistant"].pop("rms")) for one in deaf} == {(None, None)}
    assert heard == deaf


def test_of_what_was_never_observed_there_is_no_line() -> None:
    assert tick_file(NEVER_BEGAN, judged(NEVER_BEGAN), 200, HEARD) == b""
    assert turn_file(NEVER_BEGAN, judged(NEVER_BEGAN)) == b""


def written(
    root: Path, stored: Judgeable = TALK, tick_ms: int | None = None
) -> tuple[AttemptFiles, Path]:
    directory = RunDirectory.create(root, "run")
    files = AttemptFiles(directory, "a_request")
    files.conversation(stored, judged(stored), HEARD, tick_ms)
    return files, directory.path


@pytest.mark.parametrize(
    ("stored", "tick_ms", "files"),
    [
        pytest.param(TALK, None, {"details": RESULT}, id="the-result-always"),
        pytest.param(
            TALK,
            200,
            {"details": RESULT, "ticks": TICKS, "turns": TURNS},
            id="ticks-and-turns-when-asked-for",
        ),
        pytest.param(NEVER_BEGAN, 200, {"details": RESULT}, id="none-of-what-was-never-observed"),
    ],
)
def test_it_leaves(
    stored: Judgeable, tick_ms: int | None, files: dict[str, str], tmp_path: Path
) -> None:
    left, folder = written(tmp_path, stored, tick_ms)

    assert (left.written, left.missing) == (files, [])
    assert {one.name for one in (folder / FOLDER).iterdir()} == {
        Path(path).name for path in files.values()
    }
    result = json.loads((folder / RESULT).read_bytes())
    assert result["artifacts"] == {**files, "evidence": "transcripts/a_request.json"}
    shown = tick_ms if "ticks" in files else None
    assert result["run_metadata"]["analysis_tick_ms"] == shown


@pytest.mark.parametrize("name", ["result_file", "tick_file", "turn_file"])
def test_a_file_that_cannot_be_made_is_missing_and_the_others_are_there(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> bytes:
        raise KeyError("SECRET")

    monkeypatch.setattr(shared.attempts.files, name, broken)
    left, _ = written(tmp_path, tick_ms=200)

    missing = {"result_file": "details", "tick_file": "ticks", "turn_file": "turns"}[name]
    assert left.missing == [f"{missing} could not be made: unexpected KeyError"]
    assert left.written.keys() == {"details", "ticks", "turns"} - {missing}


def test_a_file_that_cannot_be_written_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = RunDirectory.write

    def refused(directory: RunDirectory, relative: str, content: bytes) -> str:
        if relative == TICKS:
            raise PermissionError(errno.EACCES, "no permission", relative)
        return write(directory, relative, content)

    monkeypatch.setattr(RunDirectory, "write", refused)
    left, folder = written(tmp_path, tick_ms=200)

    assert left.missing == ["ticks could not be written: no permission"]
    assert json.loads((folder / RESULT).read_bytes())["run_metadata"]["analysis_tick_ms"] is None


def test_of_a_conversation_the_stored_file_derives_its_grades_alone() -> None:
    derived = json.loads(encode_details(TALK, judged(TALK)))["derived"]
    assert derived.keys() == {"checks"}
    single = a_stored_attempt()
    assert "caller_turns" in json.loads(encode_details(single, judged(single)))["derived"]


def test_warnings_reach_neither_ticks_nor_turns() -> None:
    warned = replace(TALK, evidence=replace(TALK.evidence, warnings=("late",)))
    assert turn_file(warned, judged(warned)) == turn_file(TALK, judged(TALK))

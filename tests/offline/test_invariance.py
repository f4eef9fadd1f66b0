"""What the numbers do not rest on: where a conversation lies on the track, and how audio is cut."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistants.frontend.fixture.conversation import Conversation
from assistants.frontend.fixture.timing import OUTPUT_PIECE_MS
from shared.audio.pcm import SAMPLES_PER_MS
from tests.support.runs import FinishedRun, Row, differing, evaluate_here, judged

INSTANTS = {"media_ms", "provider_ms", "start_ms", "end_ms", "extent_ms"}


def shifted(value: Any, by_ms: int, key: str = "") -> Any:
    """Evidence with every interval and every observation that much later on the caller's track."""
    match value:
        case dict():
            return {name: shifted(inner, by_ms, name) for name, inner in value.items()}
        case list() if key == "voiced":
            return [[start_ms + by_ms, end_ms + by_ms] for start_ms, end_ms in value]
        case list():
            return [shifted(inner, by_ms) for inner in value]
        case int() if key in INSTANTS:
            return value + by_ms
        case int() if key == "start_sample":
            return value + by_ms * SAMPLES_PER_MS
        case _:
            return value


def figures(row: Row) -> dict[str, Any]:
    """Every number and every check, without the moments they point to, which do lie elsewhere."""
    checks = {one["id"]: (one["status"], one["reason"]) for one in row["assessment"]["checks"]}
    return {"status": row["status"], "metrics": row["metrics"], "checks": checks}


@given(data=st.data(), by_ms=st.integers(0, 24 * 3_600_000))
@settings(max_examples=60)
def test_a_shift_of_everything_changes_no_number(
    data: st.DataObject, by_ms: int, sound_run: FinishedRun, defects_run: FinishedRun
) -> None:
    run = data.draw(st.sampled_from([sound_run, defects_run]))
    key = data.draw(st.sampled_from(sorted(path.stem for path in run.folder.glob("events/*"))))
    details = json.loads(run.details(key))
    details["evidence"] = shifted(details["evidence"], by_ms)
    again = figures(judged(details))
    # Silence before all of it is observed as well.
    again["metrics"]["audio"]["extended"]["observed_ms"] -= by_ms
    assert again == figures(run.rows[key])


def v2_numbers(run: FinishedRun) -> dict[str, Any]:
    """Without the extended block, which counts the chunks, and the fixture's own bill."""
    numbers = {}
    for key, row in run.rows.items():
        audio = {name: one for name, one in row["metrics"]["audio"].items() if name != "extended"}
        numbers[key] = {"status": row["status"], "task": row["metrics"]["task"], "audio": audio}
    return numbers


@pytest.mark.parametrize("chunk_ms", [20, 330])
def test_chunks_of_another_size_change_no_v2_number(
    chunk_ms: int, sound_run: FinishedRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert chunk_ms != OUTPUT_PIECE_MS
    monkeypatch.setattr(Conversation.speak_piece, "__defaults__", (chunk_ms,))
    run, _ = evaluate_here(tmp_path / "results", max_examples=6)
    theirs = v2_numbers(run)
    ours = {key: numbers for key, numbers in v2_numbers(sound_run).items() if key in theirs}
    assert len(ours) == 6
    assert differing(ours, theirs) == []

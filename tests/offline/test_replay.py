"""Evidence suffices: a finished run is judged again from its details files, to the same bytes.

The copy that is judged has no recordings, no stored figures and no report to look anything up in.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistants.frontend.fixture.library import DEFECTS, ScriptLibrary
from shared.attempts.bench import judge_again
from shared.attempts.details import decode_details, result_json
from shared.dataset import load_dataset
from tests.support.runs import DATA, FinishedRun, Row, judged, rewrite

SOUND_KEYS = [scenario.id for scenario in load_dataset(DATA / "scenarios.json").scenarios]
DEFECT_KEYS = [
    f"{name}@{named.name}"
    for name in SOUND_KEYS
    for named in ScriptLibrary(DATA).chosen(name, DEFECTS)
]
MOVED_MS = 100

type Details = dict[str, Any]


def bared(run: FinishedRun, folder: Path) -> Path:
    """A copy of a run without recordings, derived figures and stored metrics."""
    shutil.copytree(run.folder, folder)
    shutil.rmtree(folder / "audio")
    shutil.rmtree(folder / "events")
    (folder / "journal.jsonl").unlink()
    for path in (folder / "transcripts").iterdir():
        rewrite(path, lambda content: {**content, "derived": None})
    rewrite(folder / "results.json", _without_metrics)
    return folder


def _without_metrics(report: Any) -> Any:
    kept = ("scenario_id", "attempt", "title", "artifacts")
    return {**report, "results": [{key: row[key] for key in kept} for row in report["results"]]}


@pytest.fixture(scope="module")
def bare(
    sound_run: FinishedRun, defects_run: FinishedRun, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """The bared details file of every attempt, by its key."""
    folder = tmp_path_factory.mktemp("bare")
    copies = [bared(sound_run, folder / "sound"), bared(defects_run, folder / "defects")]
    assert list(folder.rglob("*.wav")) == []
    return {path.stem: path for copy in copies for path in (copy / "transcripts").iterdir()}


@pytest.fixture(scope="module")
def stored(sound_run: FinishedRun, defects_run: FinishedRun) -> tuple[dict[str, Row], set[str]]:
    """What the runs came to: their rows, and the lines of their journals."""
    return sound_run.rows | defects_run.rows, {*sound_run.journal, *defects_run.journal}


def test_every_attempt_is_here(bare: dict[str, Path]) -> None:
    assert set(bare) == {*SOUND_KEYS, *DEFECT_KEYS}


@pytest.mark.parametrize("key", [*SOUND_KEYS, *DEFECT_KEYS])
def test_judging_again_gives_the_row_byte_for_byte(
    key: str, bare: dict[str, Path], stored: tuple[dict[str, Row], set[str]]
) -> None:
    rows, journal = stored
    result = judge_again(decode_details(bare[key].read_bytes()))
    assert json.dumps(result_json(result)) == json.dumps(rows[key])
    assert result.model_dump_json() in journal


def latency_ms(row: Row) -> int:
    audio = row["metrics"]["audio"]
    assert audio["response_opportunities"]["response_count"] == 1
    latency: float = audio["response_latency_ms"]
    assert latency == audio["extended"]["response_latency_ms"]["maximum"]
    return round(latency)


def the_callers_end(evidence: Details, by_ms: int) -> None:
    """Move the caller's last voiced end."""
    span = evidence["caller"]["voiced"][-1]
    assert span[1] - span[0] > MOVED_MS
    span[1] += by_ms


def the_answers_start(evidence: Details, by_ms: int) -> None:
    """Move the start of what the assistant says first after the caller's end."""
    end_ms = evidence["caller"]["voiced"][-1][1]
    span = next(span for span in evidence["assistant"]["voiced"] if span[0] >= end_ms)
    assert span[1] - span[0] > MOVED_MS
    span[0] += by_ms


@pytest.mark.parametrize("key", SOUND_KEYS)
@pytest.mark.parametrize(
    ("move", "by_ms", "latency_moves_by_ms"),
    [
        pytest.param(the_callers_end, MOVED_MS, -MOVED_MS, id="a-later-request-end"),
        pytest.param(the_callers_end, -MOVED_MS, MOVED_MS, id="an-earlier-request-end"),
        pytest.param(the_answers_start, MOVED_MS, MOVED_MS, id="a-later-answer"),
        pytest.param(the_answers_start, -MOVED_MS, -MOVED_MS, id="an-earlier-answer"),
    ],
)
def test_moving_one_stored_edge_moves_the_latency(
    move: Callable[[Details, int], None],
    by_ms: int,
    latency_moves_by_ms: int,
    key: str,
    bare: dict[str, Path],
    stored: tuple[dict[str, Row], set[str]],
) -> None:
    details = json.loads(bare[key].read_bytes())
    move(details["evidence"], by_ms)
    assert latency_ms(judged(details)) - latency_ms(stored[0][key]) == latency_moves_by_ms

"""When a run over a socket is made again: for lateness alone, and never for what it came to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.beside import MOST_TRIES, WITHIN_MS, measured, why_again
from tests.support.runs import FinishedRun

KEY = "request"


def a_run(folder: Path, *edges: int, stage: str | None = None) -> FinishedRun:
    """A run of one attempt whose assistant sounds between these instants."""
    (folder / "transcripts").mkdir(parents=True)
    error = None if stage is None else {"stage": stage, "message": "late"}
    row: dict[str, Any] = {"attempt": {"key": KEY}, "error": error}
    voiced = [list(edges)] if edges else []
    evidence = {"caller": {"voiced": []}, "assistant": {"voiced": voiced}, "observations": []}
    (folder / "results.json").write_text(json.dumps({"results": [row]}))
    (folder / "transcripts" / f"{KEY}.json").write_text(json.dumps({"evidence": evidence}))
    return FinishedRun(folder, 0, "", "")


@pytest.mark.parametrize(
    ("edges", "stage", "is_made_again"),
    [
        pytest.param((100, 900), None, False, id="every-time-is-where-it-was"),
        pytest.param((100, 900 + WITHIN_MS), None, False, id="off-by-as-much-as-is-allowed"),
        pytest.param((100, 901 + WITHIN_MS), None, True, id="off-by-one-more"),
        pytest.param((), None, False, id="nothing-was-heard"),
        pytest.param((100, 900), "audio_pacing", True, id="our-own-audio-was-late"),
        pytest.param((100, 900), "client_assistant", False, id="something-else-went-wrong"),
    ],
)
def test_a_run_is_made_again_because_it_was_late(
    edges: tuple[int, ...], stage: str | None, *, is_made_again: bool, tmp_path: Path
) -> None:
    ours = a_run(tmp_path / "ours", 100, 900)
    theirs = a_run(tmp_path / "theirs", *edges, stage=stage)
    assert (why_again(KEY, ours, theirs) is not None) is is_made_again


def test_what_is_late_every_time_counts_as_it_is(tmp_path: Path) -> None:
    ours, first = a_run(tmp_path / "ours", 100, 900), a_run(tmp_path / "0", 100, 1_900)
    last, reasons = measured(
        KEY, ours, first, lambda number: a_run(tmp_path / str(number), 100, 1_900 + number)
    )
    assert last.folder == tmp_path / str(MOST_TRIES - 1)
    assert len(reasons) == MOST_TRIES - 1


def test_the_first_that_is_a_measurement_counts(tmp_path: Path) -> None:
    ours, first = a_run(tmp_path / "ours", 100, 900), a_run(tmp_path / "0", 100, 1_900)
    last, reasons = measured(KEY, ours, first, lambda _: a_run(tmp_path / "1", 100, 900))
    assert (last.folder, len(reasons)) == (tmp_path / "1", 1)

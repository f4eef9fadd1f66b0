"""A run told from its evidence, and from what was told of it: the same course."""

from __future__ import annotations

import json
import shutil

import pytest

from run_harness.suite import RUN
from shared.viewer.attempts import attempts
from shared.viewer.saved_run import open_run
from shared.viewer.view import AttemptView, TimingSource
from tests.support.runs import evaluate_here

CONVERSATIONS = {
    "restaurant_booking_complete": "sound",
    "restaurant_interrupted_explanation": "sound",
    "restaurant_backchannel": "stops_for_a_murmur",
    "restaurant_cancel_six_digits": "talks_over_the_caller",
}


@pytest.fixture(scope="module", params=CONVERSATIONS)
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[AttemptView, AttemptView]:
    folder = tmp_path_factory.mktemp("run")
    script = CONVERSATIONS[request.param]
    flags = {"example": request.param, "offline_script": script, "debug_artifacts": True}
    run, _ = evaluate_here(folder / "results", RUN, **flags)
    without = folder / "without"
    shutil.copytree(run.folder, without)
    report = json.loads((without / "results.json").read_bytes())
    for row in report["results"]:
        (without / row["artifacts"].pop("evidence")).unlink()
    (without / "results.json").write_text(json.dumps(report))
    (evidence,), (history,) = (list(attempts(open_run(one))) for one in (run.folder, without))
    return evidence.view, history.view


def test_they_differ_in_what_they_were_read_from(both: tuple[AttemptView, AttemptView]) -> None:
    evidence, history = (one.course for one in both)
    assert evidence.timing_source is TimingSource.EVIDENCE
    assert history.timing_source is TimingSource.DEBUG_TRACE
    assert history.delegation_timing_source == evidence.delegation_timing_source


@pytest.mark.parametrize(
    "part",
    ["extent_ms", "overlaps", "floor_hold", "turns", "opportunities", "floor_events", "tools"],
)
def test_each_part_of_the_course_is_the_same(
    part: str, both: tuple[AttemptView, AttemptView]
) -> None:
    evidence, history = (getattr(one.course, part) for one in both)
    assert history == evidence


def test_both_hear_the_same(both: tuple[AttemptView, AttemptView]) -> None:
    evidence, history = (one.course for one in both)
    assert history.caller.voiced == evidence.caller.voiced
    assert history.assistant.voiced == evidence.assistant.voiced


def test_both_know_the_same_of_delegated_work(both: tuple[AttemptView, AttemptView]) -> None:
    evidence, history = (
        [
            (work.target, work.status, work.at_ms, work.work, work.texts)
            for work in one.course.delegations
        ]
        for one in both
    )
    assert history == evidence


def test_every_figure_and_check_is_told_alike(both: tuple[AttemptView, AttemptView]) -> None:
    evidence, history = both
    assert history.figures == evidence.figures
    assert history.verdict == evidence.verdict
    assert history.entry == evidence.entry

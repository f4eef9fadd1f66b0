"""What a page tells of a stored attempt is what judged it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from crawl_harness.suite import CRAWL
from run_harness.suite import RUN
from shared.attempts.assess import assess
from shared.attempts.details import Judgeable, decode_details
from shared.intervals import IntervalSet
from shared.viewer.evidence_course import UNOBSERVED, course_of_evidence
from shared.viewer.view import Span, TimingSource
from tests.support.runs import evaluate_here
from walk_harness.suite import WALK

CASES = {
    "a request": (CRAWL, "restaurant_001", {}),
    "a recorded request in noise": (WALK, "restaurant_001", {}),
    "a booking": (RUN, "restaurant_booking_complete", {}),
    "an interrupted explanation": (RUN, "restaurant_interrupted_explanation", {}),
    "a murmur it stops for": (
        RUN,
        "restaurant_backchannel",
        {"offline_script": "stops_for_a_murmur"},
    ),
    "an assistant that talks over": (
        RUN,
        "restaurant_cancel_six_digits",
        {"offline_script": "talks_over_the_caller"},
    ),
    "a line that broke": (RUN, "restaurant_booking_complete", {"offline_script": "assistant_cut"}),
    "a session that never was": (
        RUN,
        "restaurant_booking_complete",
        {"offline_script": "assistant_start_refused"},
    ),
}


@pytest.fixture(scope="module", params=CASES, ids=str)
def stored(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[Judgeable]:
    suite, example, flags = CASES[request.param]
    results = tmp_path_factory.mktemp("run") / "results"
    run, _ = evaluate_here(results, suite, example=example, **flags)
    return list(_stored(run.folder))


def _stored(folder: Path) -> Iterator[Judgeable]:
    found = sorted((folder / "transcripts").glob("*.json"))
    assert found
    for path in found:
        yield decode_details(path.read_bytes())


def spans(intervals: IntervalSet) -> tuple[Span, ...]:
    return tuple((one.start_ms, one.end_ms) for one in intervals)


def test_the_course_is_the_timeline_that_was_judged(stored: list[Judgeable]) -> None:
    for one in stored:
        course = course_of_evidence(one)
        observed = assess(one.evidence, one.scenario, one.policy, one.judgments).observed
        if observed is None:
            assert (course.timing_source, course.missing) == (TimingSource.NONE, (UNOBSERVED,))
            continue
        timeline, measured = observed.timeline, observed.interaction
        assert course.timing_source is TimingSource.EVIDENCE
        assert course.missing == ()
        assert course.extent_ms == timeline.extent.end_ms
        assert course.caller.voiced == spans(timeline.caller)
        assert course.assistant.voiced == spans(timeline.assistant)
        assert course.overlaps == spans(timeline.caller & timeline.assistant)
        assert course.floor_hold == spans(measured.floor_hold)
        work = IntervalSet.of(span for told in course.delegations for span in told.work)
        assert work == timeline.work


def test_the_course_has_every_moment_that_the_figures_count(stored: list[Judgeable]) -> None:
    for one in stored:
        course = course_of_evidence(one)
        observed = assess(one.evidence, one.scenario, one.policy, one.judgments).observed
        if observed is None:
            continue
        measured = observed.interaction
        outcomes = [asked.outcome for asked in course.opportunities]
        kinds = [event.kind for event in course.floor_events]
        answered = [asked for asked in course.opportunities if asked.outcome == "answered"]
        assert outcomes.count("answered") == measured.response_count
        assert outcomes.count("missed") == measured.no_response_count
        assert outcomes.count("excluded") == measured.response_excluded_count
        assert kinds.count("interruption") == measured.interruption_count
        assert kinds.count("yield") == measured.yield_rate.total
        assert kinds.count("backchannel") == measured.backchannel_rate.total
        assert tuple(asked.latency_ms for asked in answered) == measured.response_latencies_ms
        assert len(course.tools) == len(observed.tools)
        assert len(course.turns) == len(observed.timeline.caller_turns) + len(
            observed.timeline.assistant_turns
        )


def test_everything_is_in_order_of_time_and_inside_the_observation(
    stored: list[Judgeable],
) -> None:
    for course in map(course_of_evidence, stored):
        for instants in (
            [turn.start_ms for turn in course.turns],
            [asked.request_end_ms for asked in course.opportunities],
            [event.at_ms for event in course.floor_events],
            [tool.at_ms or 0 for tool in course.tools],
        ):
            assert instants == sorted(instants)
            assert all(0 <= instant <= course.extent_ms for instant in instants)


def test_an_answer_lies_as_far_behind_its_request_as_its_latency(stored: list[Judgeable]) -> None:
    for course in map(course_of_evidence, stored):
        onsets = {start for start, _ in course.assistant.voiced}
        for asked in course.opportunities:
            if asked.answer_at_ms is not None and asked.latency_ms is not None:
                assert asked.answer_at_ms - asked.request_end_ms == asked.latency_ms
                assert asked.answer_at_ms in onsets

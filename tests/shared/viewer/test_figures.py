"""Every figure of a report is told with its unit and population, or with why it is unknown."""

from __future__ import annotations

from typing import Any

import pytest

from shared.viewer.figures import figure_groups
from shared.viewer.saved_row import SavedMetrics
from shared.viewer.view import (
    Course,
    FigureView,
    FloorEventView,
    OpportunityView,
    TimingSource,
    TrackView,
)

COURSE = Course(
    extent_ms=20_000,
    timing_source=TimingSource.EVIDENCE,
    delegation_timing_source=None,
    caller=TrackView(()),
    assistant=TrackView(()),
    opportunities=(
        OpportunityView(0, 1_000, "answered", None, 6_000, 400, 1_400),
        OpportunityView(3_000, 4_000, "missed", None, 9_000, 5_001, 9_001),
        OpportunityView(10_000, 11_000, "excluded", "backchannel"),
    ),
    floor_events=(FloorEventView("interruption", 3_500, 3_900, "interruption"),),
)


def figures(**parts: Any) -> dict[str, FigureView]:
    groups = figure_groups(SavedMetrics.model_validate(parts), COURSE)
    return {figure.name: figure for group in groups for figure in group.figures}


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        pytest.param("response_latency_ms", 810.0, "810 ms", id="a mean in ms"),
        pytest.param("response_latency_ms", 1513.333, "1,513.333 ms", id="a fraction of a ms"),
        pytest.param("response_rate", 0.6667, "66.67 %", id="a rate"),
        pytest.param("response_rate", 1.0, "100 %", id="the whole is a share"),
        pytest.param("response_rate", 0, "0 %", id="nothing of something is a share"),
        pytest.param("interruption_rate", 1.5, "1.5", id="a rate above 1 is no share"),
        pytest.param("interruption_count", 0, "0", id="nothing counted is 0"),
        pytest.param(
            "speaking_duration_ms",
            {"cumulative": 4200, "maximum": 1600},
            "4,200 ms, longest 1,600 ms",
            id="durations",
        ),
        pytest.param("tool_calls", {"actual": 2, "expected": 1}, "2, expected 1", id="a pair"),
        pytest.param(
            "tool_calls", {"actual": 2, "expected": None}, "2, expected unknown", id="half a pair"
        ),
        pytest.param(
            "latency_ms",
            {"count": 2, "p50": 5, "p90": 9.5, "p99": None, "maximum": 10},
            "p50 5 ms, p90 9.5 ms, maximum 10 ms (of 2)",
            id="a distribution",
        ),
        pytest.param("latencies_ms", list(range(14)), None, id="a list is told in part"),
        pytest.param("task_completed", True, "yes", id="a truth"),
        pytest.param("normaliser", "ours", "ours", id="a text of a known name"),
        pytest.param(
            "entities",
            [{"expected": "Maya", "heard": True}, {"expected": "19:30", "heard": False}],
            "1 of 2 heard; not heard: 19:30",
            id="entities",
        ),
    ],
)
def test_a_value_is_told_by_its_kind_and_the_unit_in_its_name(
    key: str, value: object, told: str | None
) -> None:
    expected = told or "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 ms and 2 more"
    assert figures(audio={key: value})[f"audio.{key}"].value == expected


@pytest.mark.parametrize(
    ("key", "value"),
    [
        pytest.param("secret", "a text", id="a text of an unknown name"),
        pytest.param("texts", ["a", "b"], id="a list of texts"),
        pytest.param("<img src=x>", 1, id="a name that is none"),
        pytest.param("speech", {"caller": 1}, id="what stands elsewhere"),
        pytest.param("deep", {"a": {"b": {"c": {"d": {"e": {"f": 1}}}}}}, id="too deep"),
    ],
)
def test_what_is_no_figure_does_not_enter(key: str, value: object) -> None:
    assert figures(audio={key: value}) == {}


def test_a_figure_of_an_unknown_version_is_told_all_the_same() -> None:
    groups = figure_groups(
        SavedMetrics.model_validate({"audio": {"metrics_version": "9.1", "novel_share": 0.5}}),
        COURSE,
    )
    assert [(group.version, group.figures[0].value) for group in groups] == [("9.1", "50 %")]


def test_a_version_nobody_told_is_unknown() -> None:
    (group,) = figure_groups(SavedMetrics.model_validate({"audio": {"response_rate": 1}}), COURSE)
    assert group.version == "unknown"


def test_what_figures_were_counted_from_is_told_apart_as_detail() -> None:
    audio = {"response_rate": 1.0, "response_opportunities": COUNTS, "interruption_count": 0}
    groups = figure_groups(SavedMetrics.model_validate({"audio": audio}), COURSE)
    assert [(group.title, group.is_detail, len(group.figures)) for group in groups] == [
        ("Interaction", False, 1),
        ("Interaction, counted", True, 4),
    ]


@pytest.mark.parametrize(
    ("unavailable", "gap"),
    [
        pytest.param({"audio.response_rate": "no request"}, "no request", id="its own reason"),
        pytest.param({"audio": "nothing was heard"}, "nothing was heard", id="its group's reason"),
        pytest.param({}, "the report does not say", id="no reason"),
    ],
)
def test_an_unknown_figure_says_why(unavailable: dict[str, str], gap: str) -> None:
    found = figures(audio={"response_rate": None}, unavailable=unavailable)["audio.response_rate"]
    assert (found.value, found.gap, found.population) == (None, gap, None)


COUNTS = {"response_count": 1, "response_total": 2, "response_eligible_count": 3}


@pytest.mark.parametrize(
    ("key", "population", "instants_ms"),
    [
        pytest.param("response_rate", "1 of 2 requests", [1_000, 4_000], id="rate"),
        pytest.param("response_latency_ms", "mean over 1 timely answers", [1_400], id="latency"),
        pytest.param("interruption_rate", "1 in 3 eligible requests", [3_500], id="interruptions"),
    ],
)
def test_a_figure_leads_to_its_population_and_its_moments(
    key: str, population: str, instants_ms: list[int]
) -> None:
    audio = {key: 0.5, "interruption_count": 1, "response_opportunities": COUNTS}
    found = figures(audio=audio)[f"audio.{key}"]
    assert found.population == population
    assert [moment.at_ms for moment in found.moments] == instants_ms


def test_what_was_excluded_is_a_moment_of_that_alone() -> None:
    counts = {"response_excluded_count": 1, "response_total": 2}
    found = figures(audio={"response_opportunities": counts})
    excluded = found["audio.response_opportunities.response_excluded_count"].moments
    assert [(one.at_ms, one.what) for one in excluded] == [
        (11_000, "request excluded: backchannel")
    ]


def test_late_answers_are_their_own_moments() -> None:
    found = figures(audio={"late_response_latencies_ms": [5_001]})
    (moment,) = found["audio.late_response_latencies_ms"].moments
    assert (moment.at_ms, moment.what) == (9_001, "late answer after 5001 ms")


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        pytest.param("calls", {"actual": None, "expected": 2}, None, id="an unknown of a pair"),
        pytest.param("held", {"cumulative": None, "maximum": 2}, None, id="an unknown in all"),
        pytest.param("wait_ms", {"count": 0, "p50": None}, None, id="a distribution of nothing"),
        pytest.param(
            "wait_ms", {"count": None, "p50": 3}, "p50 3 ms (of an unknown number)", id="no count"
        ),
        pytest.param("waits_ms", [1, None, 3], "1, unknown, 3 ms", id="an unknown among others"),
        pytest.param("waits_ms", [None], None, id="nothing but an unknown"),
        pytest.param("cost", 0.00001, "1e-05", id="too small for four places"),
        pytest.param("cost", 0.0, "0", id="a zero"),
        pytest.param("cost", 0.0001, "0.0001", id="just large enough for four places"),
    ],
)
def test_no_unknown_vanishes_and_nothing_becomes_a_zero(
    name: str, value: object, told: str | None
) -> None:
    metrics = SavedMetrics(task={name: value})
    course = Course(0, TimingSource.NONE, None, TrackView(()), TrackView(()))
    shown = [one.value for group in figure_groups(metrics, course) for one in group.figures]
    assert shown == ([told] if value != [None] else [])


@pytest.mark.parametrize(
    ("parts", "label"),
    [
        pytest.param({"task": {"tool_accuracy": 1}}, "Tool accuracy", id="words"),
        pytest.param({"audio": {"response_latency_ms": 1}}, "Response latency", id="no unit"),
        pytest.param(
            {"audio": {"counts_ms": {"all_ms": 1}}}, "Counts, all", id="a part of a figure"
        ),
        pytest.param({"audio": {"extended": {"talk_over_ms": 1}}}, "Talk over", id="extended"),
        pytest.param({"consumption": {"backend": {"tokens": 1}}}, "Backend, tokens", id="a part"),
    ],
)
def test_a_figure_is_called_by_its_name_as_words(parts: dict[str, Any], label: str) -> None:
    assert [figure.label for figure in figures(**parts).values()] == [label]

"""Attempts pooled by acoustic condition: counts are added, and every rate has its population."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from shared.observability.observations import Caption, Speaker
from shared.reporting.assemble import summarize
from shared.reporting.conditions import condition_summaries
from shared.reporting.schema import AttemptResult, ConditionSummary, ErrorReport
from tests.support.builders import at, spans
from tests.support.judged import a_recording, a_row, a_scenario, an_attempt

SCENARIO = a_scenario(input__text="For two on July third")


def recorded(
    condition: str = "clean",
    *,
    heard: str | None = "For two on July 3",
    latency_ms: int | None = 400,
    error: str | None = None,
) -> AttemptResult:
    """One attempt with a recording; without a latency it was not answered, and failed."""
    captions = [] if heard is None else [Caption(at(1_000), Speaker.CALLER, heard, 0, 1_000)]
    assistant = None if latency_ms is None else spans((1_000 + latency_ms, 3_000))
    row = a_row(an_attempt(assistant=assistant, observations=captions), SCENARIO)
    row = row.model_copy(update={"recording": a_recording(condition=condition)})
    if error is None:
        return row
    failure = ErrorReport(stage=error, message="it broke")
    return row.model_copy(update={"status": "infrastructure_error", "error": failure})


def only(rows: Sequence[AttemptResult]) -> ConditionSummary:
    summaries = condition_summaries(rows)
    assert summaries is not None
    (summary,) = summaries
    return summary


def test_rows_without_a_recording_have_no_conditions() -> None:
    assert condition_summaries([a_row()]) is None
    assert condition_summaries([]) is None
    assert "conditions" not in summarize([a_row()]).model_dump()


def test_a_summary_has_them_where_recordings_were_replayed() -> None:
    rows = [recorded("noisy"), a_row()]
    assert summarize(rows).conditions == [only(rows)]
    assert only(rows).total == 1


def test_conditions_come_in_the_order_of_their_presets() -> None:
    names = ["realistic", "zebra", "echo", "clean", "another", "noisy"]
    summaries = condition_summaries([recorded(name) for name in names]) or []
    assert [one.condition for one in summaries] == [
        "clean",
        "noisy",
        "echo",
        "realistic",
        "another",
        "zebra",
    ]


def test_a_pass_rate_is_over_those_that_passed_or_failed() -> None:
    summary = only(
        [
            recorded(),
            recorded(),
            recorded(latency_ms=None),
            recorded(error="response_collection"),
        ]
    )
    assert (summary.total, summary.passed, summary.failed) == (4, 2, 1)
    assert summary.infrastructure_errors == 1
    assert summary.pass_rate == 0.6667


def test_latency_spreads_over_answered_requests_beside_their_share() -> None:
    summary = only([recorded(latency_ms=ms) for ms in (900, 300, 500, None)])
    latency = summary.response_latency_ms
    assert (latency.count, latency.p50, latency.p90, latency.maximum) == (3, 500, 900, 900)
    assert (summary.responses.response_count, summary.responses.response_total) == (3, 4)
    assert summary.responses.response_rate == 0.75


def test_words_and_entities_are_counted_together() -> None:
    summary = only([recorded(), recorded(heard="For you on July 4 then")])
    assert summary.word_error is not None
    assert summary.word_error.model_dump() == {
        "hits": 8,
        "substitutions": 2,
        "deletions": 0,
        "insertions": 1,
        "reference_words": 10,
        "rate": 0.3,
        "normaliser": "words-v1",
        "normaliser_version": "1",
    }
    assert summary.entities is not None
    assert summary.entities.model_dump() == {"heard": 2, "total": 4, "share": 0.5}


def test_an_attempt_without_captions_is_in_no_word_count() -> None:
    summary = only([recorded(), recorded(heard=None)])
    assert (summary.measured, summary.transcribed) == (2, 1)
    assert summary.word_error is not None
    assert summary.word_error.reference_words == 5


def test_without_any_captions_there_are_no_word_figures() -> None:
    summary = only([recorded(heard=None)])
    assert (summary.transcribed, summary.word_error, summary.entities) == (0, None, None)


def test_a_service_that_heard_nothing_lost_every_word() -> None:
    summary = only([recorded(heard="")])
    assert summary.word_error is not None
    assert (summary.word_error.deletions, summary.word_error.rate) == (5, 1.0)
    assert summary.entities is not None
    assert summary.entities.share == 0


@pytest.mark.parametrize(
    ("stage", "measured"),
    [
        pytest.param("response_collection", 0, id="a-line-that-broke-measured-nothing"),
        pytest.param("audio_pacing", 0, id="nor-did-a-late-sender"),
        pytest.param("semantic_judge", 1, id="a-lost-judge-takes-nothing-from-the-line"),
    ],
)
def test_of_infrastructure_errors(stage: str, measured: int) -> None:
    summary = only([recorded(error=stage)])
    assert (summary.total, summary.infrastructure_errors) == (1, 1)
    assert summary.pass_rate is None
    assert (summary.measured, summary.transcribed) == (measured, measured)
    assert summary.response_latency_ms.count == measured
    assert summary.responses.response_total == measured


def test_an_attempt_that_never_began_is_counted_and_measures_nothing() -> None:
    row = a_row(an_attempt(extent_ms=0), SCENARIO)
    summary = only([row.model_copy(update={"recording": a_recording()})])
    assert (summary.total, summary.measured) == (1, 0)
    assert summary.responses.response_rate is None

"""``summary.md``: what went wrong comes first, what is unknown is said, and nothing in it acts."""

from __future__ import annotations

from typing import Any

import pytest

from shared.reporting.schema import AttemptResult, CallerFidelityReport, Report
from shared.reporting.summary import summary
from shared.reporting.wording import SCRIPTED_NOTE
from tests.support.builders import spans
from tests.support.judged import a_recording, a_row, an_attempt
from tests.support.rendered import Rendered, rendered
from tests.support.reports import (
    HOSTILE,
    a_check,
    a_hostile_report,
    a_report,
    broken,
    failed,
    never_began,
    passed,
    unfit,
)

MIXED = a_report(passed(), failed(), broken(), unfit(), never_began(), missing=["six", "seven"])


def shown(*rows: AttemptResult, **parts: Any) -> Rendered:
    return rendered(summary(a_report(*rows, **parts)))


def cells(found: Rendered, attempt: str) -> dict[str, str]:
    """The row of an attempt's figures by their headings."""
    headings: list[str] = []
    for row in found.rows:
        headings = row if row[0] in {"attempt", "scenario", "condition", "run"} else headings
        if row[0].startswith(attempt):
            return dict(zip(headings, row, strict=True))
    raise AssertionError(f"{attempt} has no row")


def test_the_title_is_the_verdict_with_its_counts() -> None:
    assert rendered(summary(MIXED)).headings[0] == (
        "CRAWL: 1 of 5 passed, 1 failed, 3 infrastructure errors"
    )


def test_what_went_wrong_comes_first_and_the_faults_of_others_stand_apart() -> None:
    assert rendered(summary(MIXED)).headings[1:] == [
        "Failed: 1",
        "Infrastructure errors: 2",
        "Unfit callers: 1",
        "Not performed: 2",
        "Passed: 1",
        "Figures",
        "Look closer",
    ]


def test_a_sound_run_has_no_heading_for_what_did_not_happen() -> None:
    assert shown(passed()).headings[1:] == ["Passed: 1", "Figures", "Look closer"]


@pytest.mark.parametrize(
    ("mode", "is_said"), [("offline_fixture", True), ("live", False)], ids=["offline", "live"]
)
def test_a_fixture_is_named_as_one(mode: str, is_said: bool) -> None:
    prose = "".join(shown(passed(), execution_mode=mode).prose)

    assert (SCRIPTED_NOTE in prose) is is_said


@pytest.mark.parametrize(
    ("report", "note"),
    [
        pytest.param(MIXED, "Interrupted: 5 of 7 attempts finished and are kept.", id="cut"),
        pytest.param(
            a_report(missing=["one"]),
            "Interrupted: 0 of 1 attempts finished and are kept.",
            id="cut-before-anything-finished",
        ),
        pytest.param(a_report(passed()), None, id="whole"),
    ],
)
def test_an_interrupted_run_says_so(report: Report, note: str | None) -> None:
    prose = "".join(rendered(summary(report)).prose)

    assert ("Interrupted" in prose) is (note is not None)
    assert note is None or note in prose


def test_what_was_not_performed_is_named() -> None:
    assert {"six", "seven"} <= set(rendered(summary(MIXED)).codes)


def test_a_failed_attempt_has_its_checks_with_reasons_and_moments() -> None:
    checks = [a_check("wrong_day", "it is the 3rd", 6_640, 6_640, 65_001), a_check("no_moment")]
    why = cells(shown(failed("two", *checks)), "two")["what failed, and when"]

    assert why == "wrong_day: it is the 3rd at 00:06.640, 01:05.001no_moment: it differs"


def test_many_checks_and_many_moments_are_counted() -> None:
    checks = [a_check(f"check_{n}", "why", *range(0, 6_000, 1_000)) for n in range(8)]
    why = cells(shown(failed("two", *checks)), "two")["what failed, and when"]

    assert why.endswith(
        "check_5: why at 00:00.000, 00:01.000, 00:02.000, 00:03.000, 2 moreand 2 more"
    )


def test_a_check_that_decides_nothing_is_no_reason() -> None:
    other = a_check("diagnostic").model_copy(update={"required": False})
    why = cells(shown(failed("two", other, a_check("decisive"))), "two")["what failed, and when"]

    assert why == "decisive: it differs"


UNANSWERED = "unknown: no request was answered in time"


@pytest.mark.parametrize(
    ("row", "figures"),
    [
        pytest.param(passed("one"), ("1/1", "400 ms", "0"), id="answered"),
        pytest.param(failed("one"), ("0/1", UNANSWERED, "0"), id="unanswered"),
        pytest.param(
            a_row(an_attempt(caller=spans(), utterances=[]), key="one"),
            ("unknown: no request was scored", "unknown: no caller speech was detected", "0"),
            id="no-request",
        ),
        pytest.param(
            never_began("one").model_copy(update={"status": "failed"}),
            ("unknown: the session never began",) * 3,
            id="not-observed",
        ),
    ],
)
def test_a_figure_that_is_unknown_says_why(row: AttemptResult, figures: tuple[str, ...]) -> None:
    told = cells(shown(row), "one")

    assert (told["answered"], told["latency"], told["interrupted"]) == figures


def test_calls_that_nobody_could_count_are_unknown() -> None:
    row = never_began("one").model_copy(update={"status": "failed"})

    assert cells(shown(row), "one")["tools"] == "unknown: the session never began"
    assert cells(shown(passed("one")), "one")["tools"] == "0/0"


def test_an_error_has_its_stage_and_no_figure_of_the_assistant() -> None:
    told = cells(shown(broken("three")), "three")

    assert list(told) == ["attempt", "stage", "what happened"]
    assert (told["stage"], told["what happened"]) == ("response_collection", "the line broke")


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(unfit("four"), id="by-its-validity-and-stage"),
        pytest.param(broken("four", stage="caller_simulation"), id="by-its-stage"),
        pytest.param(broken("four", validity={"status": "invalid"}), id="by-its-validity"),
    ],
)
def test_an_unfit_caller_is_no_infrastructure_error_and_no_failure(row: AttemptResult) -> None:
    headings = shown(row).headings

    assert "Unfit callers: 1" in headings
    assert not any(one.startswith(("Failed", "Infrastructure")) for one in headings)


def repeat(number: int, row: AttemptResult, **attempt: Any) -> AttemptResult:
    script = attempt.get("script")
    key = "@".join(["request", *([script] if script else []), str(number)])
    named = row.attempt.model_copy(update={"key": key, "repeat": number, **attempt})
    return row.model_copy(update={"attempt": named})


def test_repeats_are_counted_over_what_measured_something() -> None:
    rows = [repeat(1, passed()), repeat(2, failed()), repeat(3, broken()), repeat(4, passed())]

    assert cells_of(shown(*rows), "Repeats") == [["request", "2 of 3 passed", "1"]]


def test_repeats_that_always_passed_come_last_and_others_are_no_repeats() -> None:
    rows = [
        *(repeat(number, passed(), script="good") for number in (1, 2)),
        repeat(1, passed(), script="shaky"),
        repeat(2, failed(), script="shaky"),
        repeat(1, passed(), script="once"),
    ]

    assert cells_of(shown(*rows), "Repeats") == [
        ["request@shaky", "1 of 2 passed", "0"],
        ["request@good", "2 of 2 passed", "0"],
    ]


def cells_of(found: Rendered, heading: str) -> list[list[str]]:
    assert heading in found.headings
    start = next(n for n, row in enumerate(found.rows) if row[0] == "scenario")
    return found.rows[start + 1 :]


def test_conditions_are_told_with_their_counts_and_all_of_them_pooled() -> None:
    clean, noisy = a_recording(condition="clean"), a_recording(condition="noisy")
    found = shown(
        passed("one", recording=clean), failed("two", recording=noisy), broken(recording=noisy)
    )

    assert cells(found, "clean")["passed"] == "1/1"
    noise = cells(found, "noisy")
    assert (noise["passed"], noise["invalid"], noise["answered"]) == ("0/1", "1", "0/1")
    assert noise["latency P50"] == "unknown"
    both = cells(found, "all")
    assert (both["passed"], both["invalid"], both["answered"]) == ("1/2", "1", "1/2")
    assert both["latency P50"] == "400 ms"


def test_a_warning_stands_once_with_the_attempts_that_have_it() -> None:
    rows = [passed(f"a{number}", warnings=["it stalled"]) for number in range(7)]
    lines = [one for one in summary(a_report(*rows)).splitlines() if "it stalled" in one]

    assert lines == ["- `it stalled`: `a0`, `a1`, `a2`, `a3`, `a4`, 2 more"]


def test_a_caller_that_left_its_part_is_noted() -> None:
    fidelity = CallerFidelityReport(never_spoke=True)
    found = shown(passed("one", caller_fidelity=fidelity))

    assert "Notes" in found.headings
    assert "one: its caller was never heard" in found.codes


def test_which_run_it_was_is_told() -> None:
    found = shown(passed(), configuration={"dataset_sha256": "0123456789abcdef"})

    assert found.rows[0] == ["run", "a_run"]
    assert ["dataset", "scenarios.json, SHA-256 0123456789ab"] in found.rows


OURS = {"h1", "h2", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "code", "br"} | {
    "ul",
    "li",
    "details",
    "summary",
}


def test_no_text_of_a_report_acts_in_it() -> None:
    found = rendered(summary(a_hostile_report(2)))

    assert found.tags == OURS
    assert found.attributes == []
    prose = "".join(found.prose)
    assert not any(sign in prose for sign in ("|", "@", "octocat", "onerror", "example.org", "\\x"))
    hostile = [code for code in found.codes if "onerror" in code]
    assert len(hostile) > 50
    assert all("characters left out]" in code for code in hostile)


@pytest.mark.parametrize("text", ["\u202e" * 100_000, "|" * 100_000, HOSTILE * 1_000])
def test_it_fits_the_summary_of_a_job_however_large_the_run_was(text: str) -> None:
    page = summary(a_hostile_report(60, text))

    assert len(page.encode()) < 1_048_576
    found = rendered(page)
    assert "Failed: 60" in found.headings
    assert " more: see " in "".join(found.prose)
    assert found.tags == OURS


def test_five_hundred_ordinary_attempts_are_all_told() -> None:
    rows = [
        failed(f"attempt_{n:03}") if n % 5 == 0 else passed(f"attempt_{n:03}") for n in range(500)
    ]
    page = summary(a_report(*rows))

    assert all(f"`attempt_{n:03}`" in page for n in range(500))
    assert page.index("`attempt_495`") < page.index("<details>") < page.index("`attempt_001`")
    assert page.endswith("\n")
    assert not page.endswith("\n\n")

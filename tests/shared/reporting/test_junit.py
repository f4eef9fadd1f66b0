"""JUnit XML, held against our schema by libxml2 and read as a CI system's library reads it."""

from __future__ import annotations

from decimal import Decimal
from importlib.resources import files
from typing import Any

import junitparser
import pytest
from lxml import etree

from shared.reporting.junit import LONGEST_TEXT, NOT_PERFORMED, junit
from shared.reporting.schema import AttemptResult, Report
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

SCHEMA = etree.XMLSchema(
    etree.fromstring(files("shared.reporting").joinpath("junit.xsd").read_bytes())
)
MIXED = a_report(passed(), failed(), broken(), unfit(), never_began(), missing=["six", "seven"])


def parsed(report: Report) -> Any:
    """The document, once it has proved valid."""
    document = etree.fromstring(junit(report))
    SCHEMA.assertValid(document)
    return document


def read(report: Report) -> junitparser.JUnitXml:
    found = junitparser.JUnitXml.fromstring(junit(report))
    assert isinstance(found, junitparser.JUnitXml)
    return found


def case_of(row: AttemptResult) -> Any:
    (case,) = parsed(a_report(row)).iter("testcase")
    return case


@pytest.mark.parametrize(
    ("report", "counts"),
    [
        pytest.param(MIXED, (7, 1, 3, 2), id="of-every-kind"),
        pytest.param(a_report(), (0, 0, 0, 0), id="no-attempt"),
        pytest.param(a_report(missing=["one"]), (1, 0, 0, 1), id="cut-before-anything-finished"),
        pytest.param(a_report(passed(), passed("b")), (2, 0, 0, 0), id="all-passed"),
        pytest.param(a_report(failed(), failed("b")), (2, 2, 0, 0), id="all-failed"),
        pytest.param(a_report(unfit()), (1, 0, 1, 0), id="an-unfit-caller-is-an-error"),
    ],
)
def test_a_library_counts_what_the_report_counts(
    report: Report, counts: tuple[int, int, int, int]
) -> None:
    parsed(report)
    found = read(report)
    (suite,) = found
    cases = list(suite)
    kinds = [type(one) for case in cases for one in case.result]

    assert (found.tests, found.failures, found.errors, found.skipped) == counts
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == counts
    assert (
        len(cases),
        *(
            kinds.count(kind)
            for kind in (junitparser.Failure, junitparser.Error, junitparser.Skipped)
        ),
    ) == counts


def test_cases_are_named_by_scenario_and_attempt_in_the_order_of_the_plan() -> None:
    (suite,) = read(a_report(passed("one"), failed("two"), missing=["three"], module="walk"))

    assert [(case.classname, case.name) for case in suite] == [
        ("walk.a_request", "one"),
        ("walk.a_request", "two"),
        ("walk.request", "three"),
    ]


def test_a_failure_is_named_by_its_first_check_and_tells_all() -> None:
    row = failed("two", a_check("first", "it is late", 6_640, what="said"), a_check("second"))
    failure = case_of(row).find("failure")

    assert dict(failure.attrib) == {"type": "first", "message": "it is late"}
    assert failure.text == "first: it is late\n  00:06.640 said\nsecond: it differs"


def test_a_failure_without_a_failed_check_is_one_all_the_same() -> None:
    bare = passed(status="failed", assessment=None)

    assert dict(case_of(bare).find("failure").attrib) == {"type": "verdict", "message": ""}


@pytest.mark.parametrize(
    ("row", "stage", "message"),
    [
        pytest.param(broken(), "response_collection", "the line broke", id="a-broken-line"),
        pytest.param(never_began(), "session_start", "HTTP 401", id="no-session"),
        pytest.param(
            unfit(), "caller_simulation", "the simulated caller's backend failed", id="a-caller"
        ),
        pytest.param(
            passed(status="infrastructure_error", error=None), "unknown", "", id="no-reason"
        ),
    ],
)
def test_an_error_is_named_by_its_stage(row: AttemptResult, stage: str, message: str) -> None:
    assert dict(case_of(row).find("error").attrib) == {"type": stage, "message": message}


def test_what_was_not_performed_is_skipped_and_says_why() -> None:
    (case,) = parsed(a_report(missing=["one"])).iter("testcase")

    assert [(one.tag, dict(one.attrib)) for one in case] == [
        ("skipped", {"message": NOT_PERFORMED})
    ]
    assert "time" not in case.attrib


@pytest.mark.parametrize(
    ("row", "time"),
    [
        pytest.param(passed(), "20.000", id="what-was-observed"),
        pytest.param(never_began(), None, id="unknown-is-absent"),
    ],
)
def test_the_time_of_a_case_is(row: AttemptResult, time: str | None) -> None:
    assert case_of(row).get("time") == time


@pytest.mark.parametrize(
    ("run", "time"),
    [
        pytest.param({}, Decimal("11.500"), id="from-start-to-end"),
        pytest.param({"ended_at": None}, None, id="without-an-end"),
        pytest.param({"ended_at": "2027-07-02T17:26:49.122+00:00"}, None, id="an-end-before"),
        pytest.param({"ended_at": "2027-07-02T17:26:49.123+00:00"}, Decimal(0), id="at-once"),
        pytest.param({"ended_at": "2027-07-02T17:27:00"}, None, id="an-end-without-a-zone"),
        pytest.param({"started_at": "yesterday"}, None, id="no-instant"),
    ],
)
def test_the_time_of_a_run_is(run: dict[str, Any], time: Decimal | None) -> None:
    found = parsed(a_report(**run)).get("time")

    assert (None if found is None else Decimal(found)) == time


def test_artifacts_are_named_from_the_folder_of_the_run_on() -> None:
    row = passed(artifacts={"events": "events/one.jsonl", "input_audio": "audio/one/input.wav"})

    assert case_of(row).findtext("system-out") == (
        "events: a_run/events/one.jsonl\ninput_audio: a_run/audio/one/input.wav"
    )


def test_the_run_and_its_versions_are_properties() -> None:
    (suite,) = read(a_report(passed()))
    told = {one.name: one.value for one in suite.properties()}

    assert told["run"] == "a_run"
    assert {"suite", "assistant", "dataset", "versions"} <= set(told)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(HOSTILE, id="all-at-once"),
        pytest.param("]]>", id="the-end-of-a-section"),
        pytest.param("<failure/>&amp;\"'", id="markup"),
        pytest.param("\x00\x01\x08\x0b\x0c\x1f\x7f", id="controls"),
        pytest.param("\ud800 \udfff", id="halves-of-characters"),
        pytest.param("\ufffe\uffff", id="no-characters"),
        pytest.param("\N{GRINNING FACE}\U0010ffff\U0001fffe", id="beyond-the-first-plane"),
        pytest.param("a\nb\tc\rd\x85e\u2028f", id="lines"),
        pytest.param("", id="nothing"),
        pytest.param("x" * 100_000, id="without-end"),
    ],
)
def test_no_text_of_a_report_breaks_it(text: str) -> None:
    report = a_hostile_report(1, text or " ")
    document = parsed(report)

    assert [child.tag for child in document] == ["testsuite"]
    tags = [[one.tag for one in case] for case in document.iter("testcase")]
    assert tags == [
        ["system-out"],
        ["failure", "system-out"],
        ["error", "system-out"],
        ["error", "system-out"],
        ["skipped"],
    ]
    longest = LONGEST_TEXT * len("\\uffff") + len(" [100000 characters left out]")
    assert all(len(value) <= longest for one in document.iter() for value in one.attrib.values())
    assert read(report).tests == 5


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("]]> & <b>", "]]> & <b>", id="markup-comes-out-as-it-was"),
        pytest.param("a\x00\n\ud800\ufffe", "a\\x00\\x0a\\ud800\\ufffe", id="the-rest-is-escaped"),
        pytest.param("\N{GRINNING FACE}", "\N{GRINNING FACE}", id="letters-stay"),
    ],
)
def test_a_message_is_read_back_as(text: str, told: str) -> None:
    assert case_of(broken(message=text)).find("error").get("message") == told


SUITE = '<testsuites name="n" tests="0" failures="0" errors="0" skipped="0">{}</testsuites>'
BODY = (
    '<testsuite name="n" tests="0" failures="0" errors="0" skipped="0"><properties><property'
    ' name="a" value=""/></properties>{}</testsuite>'
)
CASE = '<testcase classname="c" name="n">{}</testcase>'


@pytest.mark.parametrize(
    ("document", "is_valid"),
    [
        pytest.param(SUITE.format(BODY.format("")), True, id="no-case"),
        pytest.param(SUITE.format(BODY.format(CASE.format(""))), True, id="a-case"),
        pytest.param(SUITE.format(""), False, id="no-suite"),
        pytest.param(SUITE.format(BODY.format("") * 2), False, id="two-suites"),
        pytest.param(
            SUITE.format(BODY.format(CASE.format('<skipped message=""/><skipped message=""/>'))),
            False,
            id="skipped-twice",
        ),
        pytest.param(
            SUITE.format(BODY.format(CASE.format('<failure message=""/>'))),
            False,
            id="a-failure-without-a-type",
        ),
        pytest.param(
            SUITE.format(BODY.format('<testcase classname="c" name=""/>')), False, id="no-name"
        ),
        pytest.param(
            SUITE.format(BODY.format('<testcase classname="c" name="n" time="-1"/>')),
            False,
            id="a-time-before-it-began",
        ),
        pytest.param(
            SUITE.format(BODY.format('<testcase classname="c" name="n" file="f"/>')),
            False,
            id="an-attribute-of-others",
        ),
        pytest.param(BODY.format(""), False, id="a-bare-suite"),
    ],
)
def test_the_schema_is_strict(document: str, is_valid: bool) -> None:
    assert SCHEMA.validate(etree.fromstring(document)) is is_valid

"""A run in the XML that CI systems read as the results of tests: one case for each attempt.

An agent's failure is a ``failure``, whatever measured nothing an ``error``, and an attempt that an
interrupt kept from being made is ``skipped``. ``junit.xsd`` beside this file is its schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from xml.etree import ElementTree as ET

from shared.plain_text import one_line, shortened
from shared.reporting.run_identity import run_identity
from shared.reporting.schema import AttemptResult, CheckReport, Report, Run
from shared.reporting.wording import failed_checks, instant

LONGEST_TEXT = 2_000
"""Characters of a foreign text that are told; the others are counted."""
NOT_PERFORMED = "the run was interrupted before this attempt was made"
NO_CHECK = "verdict"
"""The type of a failure that names no check."""


def junit(report: Report) -> bytes:
    """The file, in UTF-8 and ending in a newline.

    Paths in ``system-out`` begin with the run's folder. A time is how long the attempt was observed
    in media time, and absent where that is unknown.
    """
    suites = ET.Element("testsuites", _suite_attributes(report))
    suite = ET.SubElement(suites, "testsuite", _suite_attributes(report))
    started = _when(report.run.started_at)
    if started is not None:
        suite.set("timestamp", started.isoformat(timespec="milliseconds"))
    properties = ET.SubElement(suite, "properties")
    for name, value in (("run", report.run.id), *run_identity(report.run)):
        ET.SubElement(properties, "property", name=name, value=_text(value))
    for row in report.results:
        suite.append(_performed(row, report.run))
    for planned in report.not_performed or ():
        case = _case(planned.scenario_id, planned.key, report.run)
        ET.SubElement(case, "skipped", message=NOT_PERFORMED)
        suite.append(case)
    ET.indent(suites)
    content: bytes = ET.tostring(suites, encoding="utf-8", xml_declaration=True)
    return content + b"\n"


def _suite_attributes(report: Report) -> dict[str, str]:
    summary, skipped = report.summary, len(report.not_performed or ())
    took_s = _duration_s(report.run)
    return {
        "name": report.run.module,
        "tests": str(summary.total + skipped),
        "failures": str(summary.failed),
        "errors": str(summary.infrastructure_errors),
        "skipped": str(skipped),
        **({} if took_s is None else {"time": f"{took_s:.3f}"}),
    }


def _duration_s(run: Run) -> float | None:
    """How long the run took, where both ends are known and in order."""
    started, ended = _when(run.started_at), _when(run.ended_at)
    if started is None or ended is None or ended < started:
        return None
    return (ended - started).total_seconds()


def _when(text: str | None) -> datetime | None:
    """An instant with its zone, or nothing where the text is none."""
    try:
        when = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return when if when.tzinfo is not None else None


def _performed(row: AttemptResult, run: Run) -> ET.Element:
    case = _case(row.scenario_id, row.attempt.key, run)
    extended = row.metrics.audio.extended
    if extended is not None:
        case.set("time", f"{extended.observed_ms / 1_000:.3f}")
    if row.status == "failed":
        case.append(_failure(row))
    elif row.status == "infrastructure_error":
        case.append(_error(row))
    ET.SubElement(case, "system-out").text = "\n".join(_places(row, run))
    return case


def _case(scenario_id: str, key: str, run: Run) -> ET.Element:
    return ET.Element("testcase", classname=_text(f"{run.module}.{scenario_id}"), name=_text(key))


def _failure(row: AttemptResult) -> ET.Element:
    """The first failed check in the attributes, all of them in the text."""
    failed = failed_checks(row)
    rationale = "" if row.assessment is None else row.assessment.rationale
    kind, message = (failed[0].id, failed[0].reason) if failed else (NO_CHECK, rationale)
    element = ET.Element("failure", type=_text(kind), message=_text(message))
    element.text = "\n".join(map(_told, failed))
    return element


def _told(check: CheckReport) -> str:
    at = "".join(f"\n  {instant(one.at_ms)} {_text(one.what)}" for one in check.evidence)
    return f"{_text(check.id)}: {_text(check.reason)}{at}"


def _error(row: AttemptResult) -> ET.Element:
    kind, message = ("unknown", "") if row.error is None else (row.error.stage, row.error.message)
    return ET.Element("error", type=_text(kind), message=_text(message))


def _places(row: AttemptResult, run: Run) -> Iterator[str]:
    for name, path in row.artifacts.items():
        yield f"{_text(name)}: {_text(f'{run.id}/{path}')}"


def _text(text: str) -> str:
    """A foreign text without what XML cannot hold, on one line, and not without end."""
    return one_line(shortened(text, LONGEST_TEXT))

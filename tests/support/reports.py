"""Reports of a few rows: some passed, failed, broken, called by an unfit caller, or never made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shared.reporting.assemble import summarize
from shared.reporting.schema import (
    AttemptResult,
    CheckReport,
    ErrorReport,
    Moment,
    PlannedReport,
    Report,
)
from tests.support.builders import spans
from tests.support.judged import a_row, a_run, an_attempt

ANSWERED = an_attempt(assistant=spans((1_400, 2_000)))
TIMES = {
    "started_at": "2027-07-02T17:26:49.123+00:00",
    "ended_at": "2027-07-02T17:27:00.623+00:00",
}


def passed(key: str = "one", **parts: Any) -> AttemptResult:
    return a_row(ANSWERED, key=key).model_copy(update=parts)


def failed(key: str = "two", *checks: CheckReport, **parts: Any) -> AttemptResult:
    """Nobody answered; or, with checks, these failed."""
    row = a_row(an_attempt(), key=key)
    if checks:
        assert row.assessment is not None
        parts["assessment"] = row.assessment.model_copy(update={"checks": list(checks)})
    return row.model_copy(update=parts)


def a_check(id_: str, reason: str = "it differs", *at_ms: int, what: str = "it") -> CheckReport:
    moments = [Moment(at_ms=one, what=what) for one in at_ms]
    return CheckReport(id=id_, status="failed", required=True, reason=reason, evidence=moments)


def broken(
    key: str = "three",
    message: str = "the line broke",
    stage: str = "response_collection",
    **parts: Any,
) -> AttemptResult:
    error = ErrorReport(stage=stage, message=message)
    return passed(key, status="infrastructure_error", error=error, **parts)


def never_began(key: str = "five") -> AttemptResult:
    """A row in which nothing was measured."""
    return a_row(an_attempt(extent_ms=0), key=key).model_copy(
        update={
            "status": "infrastructure_error",
            "error": ErrorReport(stage="session_start", message="HTTP 401"),
        }
    )


def unfit(key: str = "four") -> AttemptResult:
    return broken(
        key, "the simulated caller's backend failed", "caller_simulation", validity=INVALID
    )


INVALID = {"status": "invalid", "reason": "caller_backend_failed"}


def a_report(*rows: AttemptResult, missing: Sequence[str] = (), **run: Any) -> Report:
    """``missing`` are keys of attempts that were not made."""
    return Report(
        run=a_run(**{"attempts_planned": len(rows) + len(missing), **TIMES, **run}),
        summary=summarize(rows),
        results=list(rows),
        not_performed=[PlannedReport(scenario_id="request", key=key) for key in missing] or None,
    )


HOSTILE = (
    "a | b `c` <img src=x onerror=alert(1)> ]]> </details> @octocat #12"
    " https://example.org\n\u2028\u202e\x00\x0b\ud800\ufffe\uffff \N{GRINNING FACE} "
)


def a_hostile_report(count: int, text: str = HOSTILE * 50) -> Report:
    """So many rows of each kind, in which everything that can hold a text holds this one."""
    recording = {"id": text, "path": text, "condition": text, "sha256": text}
    made = {
        "title": text,
        "scenario_id": text,
        "warnings": [text],
        "artifacts": {text: text},
    }
    checks = [a_check(text, text, *range(20), what=text) for _ in range(20)]
    rows: list[AttemptResult] = []
    for number in range(count):
        key = f"{number}@{text}"
        rows += [
            _recorded(passed(f"p{key}", **made), recording),
            _recorded(failed(f"f{key}", *checks, **made), recording),
            broken(f"b{key}", text, text, **made),
            broken(f"u{key}", text, "caller_simulation", **made),
        ]
    missing = [f"m{number}@{text}" for number in range(count)]
    held = {"model": text, "dataset_sha256": text, "semantic_judge": {"model": text}}
    run = {"id": text, "dataset": text, "configuration": held, "execution_mode": "live"}
    return a_report(*rows, missing=missing, **run)


def _recorded(row: AttemptResult, recording: dict[str, str]) -> AttemptResult:
    return AttemptResult.model_validate(row.model_dump() | {"recording": recording})

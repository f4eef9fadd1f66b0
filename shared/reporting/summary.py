"""``summary.md``: what a reviewer of a change reads about a run, beginning with what went wrong.

Infrastructure errors and unfit callers stand apart, because they count for and against nobody. All
of it fits the mebibyte that GitHub takes as the summary of a job, however large the run was.
"""

from __future__ import annotations

from collections.abc import Sequence

from shared.errors import Stage
from shared.reporting.caller_notes import caller_notes
from shared.reporting.conditions import condition_summary
from shared.reporting.flips import flips_of
from shared.reporting.markdown import bullets, inert, table
from shared.reporting.run_identity import run_identity
from shared.reporting.schema import AttemptResult, CheckReport, Report
from shared.reporting.wording import (
    NONE,
    OFFLINE,
    SCRIPTED_NOTE,
    condition_columns,
    failed_checks,
    gap,
    instant,
    interruption,
    key_figures,
    semantic_line,
    semantic_scores,
    totals,
)

SUMMARY = "summary.md"
MOST_CHECKS = 6
MOST_MOMENTS = 4
MOST_NAMES = 5
KIB = 1_024
"""Rooms of the sections are given in it; together they stay below 1024."""

LEGEND = (
    "`passed` is over attempts that measured something, `answered` over requests that count;"
    " latencies are of those answered. `interrupted` counts interruptions by the assistant, `tools`"
    " calls made against calls expected. Unknown here is what had nothing to be counted over."
)
FURTHER = (
    "## Look closer\n\nIn this run's folder `results.json` has every check and figure, and"
    " `audio/<attempt>/conversation.wav` both voices. `run-view --results results.json`, started"
    " there, makes a page of it with sound, `viewer.html`."
)


def summary(report: Report) -> str:
    """The page, ending in a newline; every text of the report is inert in it."""
    sections = (
        _verdict(report),
        _identity(report),
        _failed(_with_status(report, "failed")),
        _broken(
            [row for row in _with_status(report, "infrastructure_error") if not _is_unfit(row)]
        ),
        _unfit([row for row in _with_status(report, "infrastructure_error") if _is_unfit(row)]),
        _not_performed(report),
        _passed(_with_status(report, "passed")),
        _figures(report),
        _repeats(report.results),
        _notes(report.results),
        _warnings(report.results),
        FURTHER,
    )
    return "\n\n".join(section for section in sections if section) + "\n"


def _verdict(report: Report) -> str:
    is_scripted = report.run.execution_mode == OFFLINE
    notes = (SCRIPTED_NOTE if is_scripted else None, interruption(report), semantic_line(report))
    lines = [f"# {report.run.module.upper()}: {totals(report)}", *(f"**{n}**" for n in notes if n)]
    return "\n\n".join(lines)


def _identity(report: Report) -> str:
    rows = [(name, inert(told)) for name, told in run_identity(report.run)]
    return table(("run", inert(report.run.id)), rows, room_bytes=32 * KIB)


def _failed(rows: Sequence[AttemptResult]) -> str | None:
    if not rows:
        return None
    figures = _columns(rows)
    headings = ("attempt", "what failed, and when", *figures[0])
    lines = [
        (_titled(row), _reasons(row), *told.values())
        for row, told in zip(rows, figures, strict=True)
    ]
    return f"## Failed: {len(rows)}\n\n{table(headings, lines, room_bytes=384 * KIB)}"


def _broken(rows: Sequence[AttemptResult]) -> str | None:
    about = "No measurement: they count for and against nobody."
    return _errors("Infrastructure errors", about, rows, 128 * KIB)


def _unfit(rows: Sequence[AttemptResult]) -> str | None:
    about = (
        "No measurement, because the caller was at fault: they say nothing of the assistant."
        " The title counts them as infrastructure errors."
    )
    return _errors("Unfit callers", about, rows, 96 * KIB)


def _errors(title: str, about: str, rows: Sequence[AttemptResult], room_bytes: int) -> str | None:
    if not rows:
        return None
    lines = [(_titled(row), *_error(row)) for row in rows]
    told = table(("attempt", "stage", "what happened"), lines, room_bytes=room_bytes)
    return f"## {title}: {len(rows)}\n\n{about}\n\n{told}"


def _not_performed(report: Report) -> str | None:
    planned = report.not_performed or ()
    if not planned:
        return None
    names = bullets([inert(one.key) for one in planned], room_bytes=64 * KIB)
    return f"## Not performed: {len(planned)}\n\n{_folded('their names', names)}"


def _passed(rows: Sequence[AttemptResult]) -> str | None:
    if not rows:
        return None
    figures = _columns(rows)
    lines = [
        (inert(row.attempt.key), *told.values()) for row, told in zip(rows, figures, strict=True)
    ]
    told = table(("attempt", *figures[0]), lines, room_bytes=96 * KIB)
    return f"## Passed: {len(rows)}\n\n{_folded('their figures', told)}"


def _figures(report: Report) -> str | None:
    """All attempts pooled, and those of each condition, with the counts behind every figure."""
    if not report.results:
        return None
    pooled = [*(report.summary.conditions or ()), condition_summary("all", report.results)]
    is_scripted = report.run.execution_mode == OFFLINE
    columns = [condition_columns(one, is_scripted=is_scripted) for one in pooled]
    lines = [
        (inert(one.condition), *("unknown" if it == NONE else it for it in figures.values()))
        for one, figures in zip(pooled, columns, strict=True)
    ]
    told = table(("condition", *columns[0]), lines, room_bytes=16 * KIB)
    return f"## Figures\n\n{told}\n\n{LEGEND}"


def _repeats(rows: Sequence[AttemptResult]) -> str | None:
    """Each scenario that was attempted several times, those that did not always pass first."""
    groups: dict[tuple[str | None, ...], list[AttemptResult]] = {}
    for row in rows:
        attempt = row.attempt
        key = (row.scenario_id, attempt.recording, attempt.script)
        groups.setdefault(key, []).append(row)
    repeated = [
        group for group in groups.values() if len({row.attempt.repeat for row in group}) > 1
    ]
    if not repeated:
        return None
    lines = [_repeated(group) for group in sorted(repeated, key=_is_always_passed)]
    told = table(("scenario", "passed", "no measurement"), lines, room_bytes=64 * KIB)
    return f"## Repeats\n\n{told}"


def _repeated(group: Sequence[AttemptResult]) -> Sequence[str]:
    statuses = [row.status for row in group]
    passed, invalid = statuses.count("passed"), statuses.count("infrastructure_error")
    name = group[0].attempt.key.removesuffix(f"@{group[0].attempt.repeat}")
    return inert(name), f"{passed} of {len(group) - invalid} passed", str(invalid)


def _is_always_passed(group: Sequence[AttemptResult]) -> bool:
    return all(row.status == "passed" for row in group)


def _notes(rows: Sequence[AttemptResult]) -> str | None:
    """What comes out otherwise by a second detector, and where a caller left its part."""
    notes = [inert(line) for row in rows for line in (*flips_of(row), *caller_notes(row))]
    return f"## Notes\n\n{bullets(notes, room_bytes=48 * KIB)}" if notes else None


def _warnings(rows: Sequence[AttemptResult]) -> str | None:
    """Each warning once, with the attempts that have it."""
    having: dict[str, list[str]] = {}
    for row in rows:
        for warning in row.warnings:
            having.setdefault(warning, []).append(inert(row.attempt.key))
    if not having:
        return None
    lines = [f"{inert(text)}: {_listed(keys, MOST_NAMES)}" for text, keys in having.items()]
    return f"## Warnings\n\n{bullets(lines, room_bytes=48 * KIB)}"


def _with_status(report: Report, status: str) -> list[AttemptResult]:
    return [row for row in report.results if row.status == status]


def _is_unfit(row: AttemptResult) -> bool:
    """Whether it was the caller that made this no measurement."""
    is_invalid = row.validity is not None and row.validity.get("status") == "invalid"
    is_at_fault = row.error is not None and row.error.stage == Stage.CALLER_SIMULATION.value
    return is_invalid or is_at_fault


def _titled(row: AttemptResult) -> str:
    return f"{inert(row.attempt.key)}<br>{inert(row.title)}"


def _error(row: AttemptResult) -> tuple[str, str]:
    if row.error is None:
        return "unknown", "no reason was given"
    return inert(row.error.stage), inert(row.error.message)


def _reasons(row: AttemptResult) -> str:
    failed = failed_checks(row)
    shown = [_reason(check) for check in failed[:MOST_CHECKS]]
    left_out = len(failed) - len(shown)
    return "<br>".join((*shown, *([f"and {left_out} more"] if left_out else [])))


def _reason(check: CheckReport) -> str:
    said = f"{inert(check.id)}: {inert(check.reason)}"
    moments = list(dict.fromkeys(instant(one.at_ms) for one in check.evidence))
    return f"{said} at {_listed(moments, MOST_MOMENTS)}" if moments else said


def _columns(rows: Sequence[AttemptResult]) -> list[dict[str, str]]:
    """The figures of each row by their headings, which all have alike."""
    is_judged = bool(semantic_scores(rows).applicable)
    return [_told(row, is_judged=is_judged) for row in rows]


def _told(row: AttemptResult, *, is_judged: bool) -> dict[str, str]:
    """What is told of an attempt that measured something, by its headings."""
    audio, figures = row.metrics.audio, key_figures(row)
    counts, semantic = audio.response_opportunities, semantic_scores([row])
    interrupted = audio.interruption_count
    answered = (
        _unknown(row, "audio.response_rate", "audio")
        if counts is None or not counts.response_total
        else f"{counts.response_count}/{counts.response_total}"
    )
    latency, tools = figures["latency"], figures["tools"]
    return {
        "answered": answered,
        "latency": _unknown(row, "audio.response_latency_ms", "audio")
        if latency == NONE
        else latency,
        "interrupted": _unknown(row, "audio") if interrupted is None else str(interrupted),
        "tools": _unknown(row, "task.tool_calls") if tools == NONE else tools,
        **({"semantic": str(semantic)} if is_judged else {}),
    }


def _unknown(row: AttemptResult, *figures: str) -> str:
    return f"unknown: {inert(gap(row, *figures))}"


def _listed(names: Sequence[str], most: int) -> str:
    left_out = len(names) - most
    return ", ".join((*names[:most], *([f"{left_out} more"] if left_out > 0 else [])))


def _folded(title: str, content: str) -> str:
    return f"<details>\n<summary>{title}</summary>\n\n{content}\n\n</details>"

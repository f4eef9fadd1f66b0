"""Runs of one comparison beside each other: which attempts came out otherwise.

A difference of one attempt each way is no finding: how sure anybody can be takes repeats.
"""

from __future__ import annotations

from collections.abc import Sequence

from shared.reporting.schema import Report
from shared.reporting.wording import failed_checks, totals


def differences(reports: Sequence[Report]) -> list[str]:
    """A line for each side with its totals, then one for each attempt that differs between them.

    An attempt that one of them does not have differs in nothing. Fewer than two runs are none.
    """
    if len(reports) < 2:  # noqa: PLR2004 - it takes two
        return []
    sides = [side_of(report) for report in reports]
    lines = [f"{side}: {totals(report)}" for side, report in zip(sides, reports, strict=True)]
    rows = [{row.attempt.key: row for row in report.results} for report in reports]
    for key in rows[0]:
        if any(key not in one for one in rows):
            continue
        outcomes = [
            (one[key].status, *sorted(check.id for check in failed_checks(one[key])))
            for one in rows
        ]
        if len(set(outcomes)) > 1:
            told = [
                f"{side} {status}{f' ({", ".join(checks)})' if checks else ''}"
                for side, (status, *checks) in zip(sides, outcomes, strict=True)
            ]
            lines.append(f"differs: {key}: {'; '.join(told)}")
    return lines


def side_of(report: Report) -> str:
    """What a run is called in its comparison."""
    return report.run.id if report.run.comparison is None else report.run.comparison.side

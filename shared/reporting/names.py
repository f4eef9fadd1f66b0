"""Names of runs: a label and the instant of the start, in UTC to the millisecond."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from shared.errors import UsageError

LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def run_name(label: str, at: datetime) -> str:
    """``<label>_YYYYMMDD_HHMMSS_mmmZ``; the label must be portable."""
    if not LABEL.fullmatch(label):
        raise UsageError(
            f"--run-name: {label!r}: start with a letter or digit and use only letters, digits,"
            " dot, underscore and hyphen (at most 100)"
        )
    utc = at.astimezone(UTC)
    return f"{label}_{utc:%Y%m%d_%H%M%S}_{utc.microsecond // 1000:03}Z"

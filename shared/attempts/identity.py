"""Who called, as one hash: rows of equal callers can be compared, and rows of others told apart."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from shared.reporting.schema import CallerReport
from shared.values import JsonValue


def caller_report(identity: Mapping[str, JsonValue]) -> CallerReport:
    """The caller of an attempt by everything that makes it another one; ``kind`` names its kind.

    The hash is of the object as JSON with sorted keys, without spaces, in ASCII.
    """
    canonical = json.dumps(identity, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return CallerReport.model_validate(
        {"kind": identity["kind"], "sha256": hashlib.sha256(canonical.encode()).hexdigest()}
    )

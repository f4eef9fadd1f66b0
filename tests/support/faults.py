"""What an attempt came to, in the words in which a fault script says what it must come to."""

from __future__ import annotations

import json
from typing import Any

from tests.support.runs import FinishedRun, Row, failed_checks

ORDINARY_CLOSE = "close_requested"
STALLED = "stalled"


def outcome_of(run: FinishedRun, key: str) -> dict[str, Any]:
    """Everything a fault may change, exactly: nothing more may have happened and nothing less."""
    row = run.rows[key]
    evidence: dict[str, Any] = json.loads(run.details(key))["evidence"]
    error = row["error"] or {}
    return {
        "status": row["status"],
        "stage": error.get("stage"),
        "checks": sorted(failed_checks(row)) if row["assessment"] else [],
        "recorded": sorted({name for one in evidence["observations"] if (name := _trouble(one))}),
        "kept": sorted(_kept(row, evidence)),
    }


def expected_of(expects: dict[str, Any]) -> dict[str, Any]:
    """The same from a script's ``expects``."""
    return {
        "status": expects["status"],
        "stage": expects.get("stage"),
        "checks": sorted(expects.get("checks", ())),
        "recorded": sorted(expects.get("recorded", ())),
        "kept": sorted(expects.get("kept", ())),
    }


def warnings_are_of(run: FinishedRun, row: Row, warns: str | None) -> bool:
    """Whether a row warns of what its script says, one thing "and" another, and of nothing else.

    Over a socket the service is a process of this machine. Where that is busy elsewhere, audio
    stalls and the row says so, which is true and nothing the script did.
    """
    warnings = [
        one
        for one in row["warnings"]
        if STALLED not in one or warns == STALLED or run.report["run"]["execution_mode"] != "live"
    ]
    if warns is None:
        return not warnings
    said = warns.split(" and ")
    return all(any(part in one for part in said) for one in warnings) and all(
        any(part in one for one in warnings) for part in said
    )


def _trouble(seen: dict[str, Any]) -> str | None:
    """The name of an observation that no sound session leaves, with what tells it apart."""
    match seen["observation"]:
        case "Faulted":
            return f"Faulted.{seen['kind']}"
        case "CommandRejected":
            return f"CommandRejected.{seen['code'] or 'uncoded'}"
        case "ResponseEnded" if seen["status"] != "completed":
            return f"ResponseEnded.{seen['status']}"
        case "SessionClosed" if seen["reason"] != ORDINARY_CLOSE:
            return f"SessionClosed.{seen['reason']}"
        case "ConnectionLost" | "ContinuationRefused":
            return str(seen["observation"])
        case _:
            return None


def _kept(row: Row, evidence: dict[str, Any]) -> set[str]:
    """What of the session is there."""
    seen = [one["observation"] for one in evidence["observations"]]
    assistant_words = [
        one
        for one in evidence["observations"]
        if one["observation"] == "Caption" and one["speaker"] == "assistant"
    ]
    state = {one["id"]: one["status"] for one in (row["assessment"] or {}).get("checks", ())}
    there = {
        "speech": bool(evidence["assistant"]["voiced"]) and "output_audio" in row["artifacts"],
        "captions": bool(assistant_words),
        "calls": "ToolReturned" in seen,
        "state": state.get("application_state") == "passed",
        "usage": bool(row["metrics"]["consumption"].get("frontend", {}).get("audio_duration_ms")),
    }
    return {name for name, is_there in there.items() if is_there}

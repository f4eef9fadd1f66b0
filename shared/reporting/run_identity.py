"""Which run it was: what somebody must know of it to compare it with another, line by line."""

from __future__ import annotations

from collections.abc import Mapping

from shared.reporting.schema import Run
from shared.reporting.wording import OFFLINE

UNKNOWN = "unknown"
SHORT = 12
"""Digits of a hash that are told: enough to tell datasets apart."""


def run_identity(run: Run) -> list[tuple[str, str]]:
    """Names with what they are in this run, in order; what the report does not hold is unknown."""
    held = run.configuration
    is_offline = run.execution_mode == OFFLINE
    condition = [("condition", _told(held, "condition"))] if "condition" in held else []
    return [
        ("suite", f"{run.module.upper()}, {'offline fixture' if is_offline else 'live'}"),
        ("time", f"{run.started_at} to {run.ended_at or UNKNOWN}"),
        (
            "assistant",
            f"a scripted fixture, no model, delegation by {_told(held, 'assistant_mode')}"
            if is_offline
            else _assistant(held),
        ),
        *(() if run.comparison is None else [("comparison", run.comparison.id)]),
        ("caller", _caller(held, is_offline=is_offline)),
        *condition,
        ("judge", _judge(held)),
        ("dataset", f"{run.dataset}, SHA-256 {_told(held, 'dataset_sha256')[:SHORT]}"),
        ("versions", _versions(held)),
    ]


def _assistant(held: Mapping[str, object]) -> str:
    model, voice, mode, backend, effort = (
        _told(held, name)
        for name in (
            *("model", "voice", "assistant_mode", "backend_model"),
            "backend_reasoning_effort",
        )
    )
    return f"{model}, voice {voice}, delegation by {mode}, backend {backend} at effort {effort}"


def _caller(held: Mapping[str, object], *, is_offline: bool) -> str:
    source = _told(held, "audio_source")
    is_scripted = is_offline or held.get("caller_script") is not None
    is_led_by_a_model = "simulator_model" in held and not is_scripted
    if is_led_by_a_model:
        return f"{source}, {_told(held, 'simulator_model')}"
    return f"{source}, scripted" if is_offline and "simulator_model" in held else source


def _judge(held: Mapping[str, object]) -> str:
    judge = held.get("semantic_judge")
    if not isinstance(judge, Mapping):
        return "nobody"
    return f"{_told(judge, 'model')} at effort {_told(judge, 'reasoning_effort')}"


def _versions(held: Mapping[str, object]) -> str:
    packages, detector = held.get("package_versions"), held.get("detector")
    package = _told(packages, "gpt-live-evals") if isinstance(packages, Mapping) else UNKNOWN
    heard_by = _told(detector, "name") if isinstance(detector, Mapping) else UNKNOWN
    return (
        f"gpt-live-evals {package}, metrics {_told(held, 'metrics_version')},"
        f" extended {_told(held, 'extended_version')}, grading {_told(held, 'grading_version')},"
        f" detector {heard_by}"
    )


def _told(held: Mapping[str, object], name: str) -> str:
    value = held.get(name)
    return value if isinstance(value, str) and value else UNKNOWN

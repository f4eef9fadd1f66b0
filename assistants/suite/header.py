"""The head of a report: what was run, and everything that could change a number."""

from __future__ import annotations

import hashlib
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from assistants.resources import client_prompt_digests
from assistants.suite.detectors import second_for_assistant
from assistants.suite.plan import Plan
from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.detection.port import Detector
from shared.grading.judge import Judge, prompt_hashes
from shared.grading.rubric import RUBRIC_VERSION
from shared.metrics.extended import EXTENDED_VERSION
from shared.metrics.interaction import METRICS_VERSION
from shared.observability.redaction import Masker
from shared.reporting.schema import ComparisonReport, Run
from shared.settings import Kind, Settings


def run_header(
    plan: Plan, name: str, started: datetime, comparison: ComparisonReport | None = None
) -> Run:
    """The head as it stands when the run begins, without credentials."""
    head = Run(
        id=name,
        module=plan.suite.name,
        execution_mode="offline_fixture" if plan.is_offline else "live",
        interaction=plan.suite.interaction,
        dataset=_shown_path(plan.settings, "data", plan.dataset_path),
        attempts_planned=len(plan.attempts),
        started_at=started.isoformat(timespec="milliseconds"),
        comparison=comparison,
        configuration=_configuration(plan),
    )
    return Run.model_validate(Masker(plan.secrets).texts(head.model_dump(mode="json")))


def _configuration(plan: Plan) -> dict[str, object]:
    """Everything that could change a number, and where each setting came from.

    ``callers`` has whoever called by the hash that rows have of it, ``caller`` what all had alike.
    ``detector`` and ``second_detector`` measure the assistant's track, ``caller`` names those of
    the caller's, and ``requested_detector`` is the setting, ``None`` where nothing was asked for.
    """
    recorded = {
        "requested_detector" if name == "detector" else name: entry
        for name, entry in plan.settings.recorded().items()
    }
    application, opening = plan.kit.application, plan.kit.opening_prompt
    second = second_for_assistant(plan.settings)
    shown = {
        row.name: _shown_path(plan.settings, row.name, Path(named))
        for row in plan.settings.rows
        if row.is_recorded and row.kind is Kind.PATH and (named := plan.settings.path(row.name))
    }
    return {
        **{name: entry["value"] for name, entry in recorded.items()},
        **shown,
        "data": _shown_path(plan.settings, "data", plan.dataset_path),
        "application": _as_text(application.name),
        "origins": {name: entry["origin"] for name, entry in recorded.items()},
        "audio_source": plan.caller.source,
        "caller": plan.caller.recorded(),
        "callers": _callers(plan),
        "is_scripted_fixture": plan.is_offline,
        "dataset_sha256": plan.dataset.sha256,
        "application_sha256": dict(application.digests),
        "voice_prompt_sha256": _sha256(plan.kit.voice_prompt),
        "assistant_opening_prompt_sha256": None if opening is None else _sha256(opening),
        "client_delegation": _client_delegation(plan),
        "detector": _named(EnergyV1()),
        "second_detector": None if second is None else _named(second),
        "metrics_version": METRICS_VERSION,
        "extended_version": EXTENDED_VERSION,
        "grading_version": plan.policy.grading_version,
        "semantic_judge": None if plan.judge is None else _judge(plan.judge, plan),
        **plan.suite.recorded(plan.settings),
        "response_deadline_ms": plan.policy.metrics.response_deadline_ms,
        "package_versions": {
            package: version(package)
            for package in ("gpt-live-evals", "numpy", "openai", "pydantic", "websockets")
        },
    }


def _client_delegation(plan: Plan) -> dict[str, object] | None:
    """What client mode adds to a run and the other mode has not, beside its own settings."""
    if plan.kit.client is None:
        return None
    return {**plan.kit.client.recorded, "prompt_sha256": client_prompt_digests()}


def _callers(plan: Plan) -> dict[str, object]:
    """Each identity once, as it was hashed."""
    return {
        planned.attempt.caller.sha256: dict(planned.caller)
        for planned in plan.attempts
        if planned.attempt.caller is not None
    }


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _named(detector: Detector) -> dict[str, object]:
    return {"name": detector.id.name, "version": detector.id.version}


def _judge(judge: Judge, plan: Plan) -> dict[str, object]:
    """Everything about the judge that could change a score, or lose one."""
    settings, is_conversation = plan.settings, plan.suite.interaction == "multi_turn"
    return {
        "rubric_version": RUBRIC_VERSION,
        "model": judge.model,
        "reasoning_effort": judge.reasoning_effort,
        "timeout_seconds": settings.number("judge_timeout_seconds"),
        "retries": settings.integer("judge_retries"),
        "repetitions": settings.integer("judge_repetitions"),
        "prompt_sha256": prompt_hashes(is_conversation=is_conversation),
    }


def _shown_path(settings: Settings, name: str, path: Path) -> str:
    """A path as written when it is relative, else its last part: no machine's folders are named."""
    written = settings.values[name].written
    is_path = next(row.kind for row in settings.rows if row.name == name) is Kind.PATH
    if written is not None and is_path and not Path(written).is_absolute():
        return _as_text(written)
    return _as_text(path.name)


def _as_text(name: str) -> str:
    """A file's name as text; on disk it may be bytes that are none."""
    return name.encode("utf-8", "replace").decode()

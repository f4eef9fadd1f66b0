"""The run's part of the page: who was asked, by which versions, and what came out in all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from shared.viewer.saved_row import SavedHead, SavedReport
from shared.viewer.view import AudioOrigin, RunView, Setting

SHOWN: Final = (
    "assistant_mode",
    "model",
    "voice",
    "backend_model",
    "backend_reasoning_effort",
    "simulator_model",
    "simulator_voice",
    "simulator_backend_model",
    "simulator_backend_reasoning_effort",
    "first_speaker",
    "audio_source",
    "synthesizer",
    "offline_script",
    "condition",
    "audio_condition",
    "noise_rms",
    "noise_snr_db",
    "background_gain",
    "echo_delay_ms",
    "echo_decay",
    "packet_loss_rate",
    "packet_loss_burst",
    "packet_loss_fill",
    "cough_every_ms",
    "non_directed_every_ms",
    "seed",
    "repeats",
    "concurrency",
    "max_duration_seconds",
    "response_deadline_ms",
    "playout_hold_ms",
    "tick_ms",
    "semantic_drain",
    "completion_model",
    "drain_ms",
    "judge",
    "judge_model",
    "judge_reasoning_effort",
    "judge_repetitions",
    "metrics_version",
    "extended_version",
    "grading_version",
    "dataset_sha256",
)
"""What a page tells of a run's configuration; prompts, places and addresses are not among it."""
ORIGINS: Final[Mapping[str | None, AudioOrigin]] = {
    "offline_fixture": AudioOrigin.SYNTHETIC_FIXTURE,
    "live": AudioOrigin.LIVE,
}


def audio_origin(head: SavedHead) -> AudioOrigin:
    """Whose voices the recordings hold; a mode nobody knows tells nothing."""
    return ORIGINS.get(head.execution_mode, AudioOrigin.UNKNOWN)


def run_view(report: SavedReport, folder: str) -> RunView:
    """``folder`` names a run that has no name of its own."""
    head, summary = report.run, report.summary
    version = head.configuration.get("metrics_version")
    return RunView(
        id=head.id or folder,
        module=head.module.lower(),
        execution_mode=head.execution_mode or "unknown",
        audio_origin=audio_origin(head),
        schema_version=report.schema_version,
        metrics_version=version if isinstance(version, str) else None,
        started_at=head.started_at,
        total=summary.total,
        passed=summary.passed,
        failed=summary.failed,
        infrastructure_errors=summary.infrastructure_errors,
        settings=tuple(_settings(head.configuration)),
    )


def _settings(configuration: Mapping[str, Any]) -> Iterator[Setting]:
    for name in SHOWN:
        value = configuration.get(name)
        if isinstance(value, bool):
            yield Setting(name, "yes" if value else "no")
        elif isinstance(value, str | int | float) and value != "":
            yield Setting(name, str(value))

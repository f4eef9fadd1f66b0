"""What a row says of a simulated caller: was it fit to call, did it do its part, what did it cost?

Whoever watched it belongs to it. Nothing here is a figure of the assistant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from shared.grading.assessment import Observed
from shared.grading.fidelity import CallerFidelity, StrayFact, Untold, caller_fidelity
from shared.grading.validity import caller_validity
from shared.metrics.consumption import (
    ToldUsage,
    backend_usage,
    frontend_audio_ms,
    observer_usage,
)
from shared.observability.evidence import Evidence
from shared.plain_text import shortened
from shared.reporting.procedure import LONGEST_REASON
from shared.reporting.schema import (
    CallerFidelityReport,
    CallerUsage,
    ObserverUsage,
    SimulationUsage,
    StrayFactReport,
    TokenCounts,
    ToldTokens,
)
from shared.scenarios import Scenario

NO_FINAL_USAGE: Final = "the provider gave no final usage"
NO_RESPONSE: Final = "no response of the caller's backend was completed"
NOT_ASKED: Final = "no observer was asked"
NO_USAGE: Final = "no call told its usage"
PARTIAL_USAGE: Final = "a call that told its usage left it out"


def validity_report(evidence: Evidence) -> dict[str, object] | None:
    """Of a caller with a session of its own; nothing of another."""
    if not evidence.caller_observations:
        return None
    return dict(caller_validity(evidence).as_json())


def fidelity_report(
    evidence: Evidence, scenario: Scenario, observed: Observed | None
) -> CallerFidelityReport | None:
    """Of a caller with a session of its own whose conversation began; nothing of another."""
    if observed is None or not evidence.caller_observations:
        return None
    timeline = observed.timeline
    found = caller_fidelity(
        scenario,
        evidence.caller.voiced,
        timeline.caller_turns,
        timeline.assistant_turns,
        evidence.decisions,
    )
    drifted_ms = _told(found.out_of_role_ms)
    return CallerFidelityReport(
        never_spoke=found.is_silent,
        drifted_into_assistant_role=None if drifted_ms is None else bool(drifted_ms),
        drifted_at_ms=None if drifted_ms is None else list(drifted_ms),
        contradicted_facts=_stray_facts(_told(found.stray_facts)),
        planned_interruptions=_told(found.planned_interruptions),
        planned_interruptions_missed=_told(found.missed_interruptions),
        interruptions_at_ms=list(found.interruptions_ms),
        unavailable=_untold(found),
    )


def _told[T](finding: T | Untold) -> T | None:
    return None if isinstance(finding, Untold) else finding


def _untold(found: CallerFidelity) -> dict[str, str]:
    """Why findings are null, by their keys."""
    findings = {
        "drifted_into_assistant_role": found.out_of_role_ms,
        "drifted_at_ms": found.out_of_role_ms,
        "contradicted_facts": found.stray_facts,
        "planned_interruptions": found.planned_interruptions,
        "planned_interruptions_missed": found.missed_interruptions,
    }
    return {key: one.reason for key, one in findings.items() if isinstance(one, Untold)}


def _stray_facts(stray: Sequence[StrayFact] | None) -> list[StrayFactReport] | None:
    if stray is None:
        return None
    return [
        StrayFactReport(at_ms=one.start_ms, said=shortened(one.said, LONGEST_REASON))
        for one in stray
    ]


def usage_report(evidence: Evidence) -> SimulationUsage | None:
    """Of a caller with a session of its own and whoever watched it; nothing of another."""
    if not evidence.caller_observations:
        return None
    audio_duration_ms = frontend_audio_ms(evidence.caller_observations)
    backend = _told_tokens(backend_usage(evidence.caller_observations))
    observer = _told_tokens(observer_usage(evidence.decisions))
    unavailable = {
        **({} if audio_duration_ms is not None else {"caller.audio_duration_ms": NO_FINAL_USAGE}),
        **_untold_tokens("caller.backend", backend, NO_RESPONSE),
        **_untold_tokens("observer", observer, NOT_ASKED),
    }
    return SimulationUsage(
        caller=CallerUsage(audio_duration_ms=audio_duration_ms, backend=backend),
        observer=None if observer is None else ObserverUsage(**dict(observer)),
        unavailable=unavailable,
    )


def _told_tokens(usage: ToldUsage | None) -> ToldTokens | None:
    if usage is None:
        return None
    return ToldTokens(
        calls=usage.calls,
        calls_with_usage=usage.told,
        tokens=TokenCounts.model_validate(asdict(usage.tokens)),
    )


def _untold_tokens(path: str, told: ToldTokens | None, no_calls: str) -> dict[str, str]:
    """Why token counts at a path are null, by their paths."""
    if told is None:
        return {path: no_calls}
    if not told.calls_with_usage:
        return {f"{path}.tokens": NO_USAGE}
    missing = (name for name, count in told.tokens if count is None)
    return {f"{path}.tokens.{name}": PARTIAL_USAGE for name in missing}

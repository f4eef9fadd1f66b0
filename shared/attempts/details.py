"""``transcripts/<key>.json``: all that judging an attempt again needs, and what it came to.

Evidence, scenario, policy and judgments are the input, the dossier is what a judge was or can be
shown; ``derived`` is output for people and is never read.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import TypeAdapter

from shared.grading.assessment import Assessment
from shared.grading.dossier import Dossier
from shared.grading.judge import Judgments
from shared.grading.policy import EvaluationPolicy
from shared.json_text import json_text
from shared.metrics.turn_record import row
from shared.observability.codec import DamagedEvidenceError, decode_evidence, encode_evidence
from shared.observability.delegation import TIMING_SOURCE
from shared.observability.evidence import Evidence
from shared.reporting.schema import AttemptReport, AttemptResult, RecordingReport
from shared.scenarios import Scenario, is_single_turn
from shared.values import JsonObject, JsonValue

DETAILS_VERSION = "2.0"


@dataclass(frozen=True, slots=True)
class Judgeable:
    """One stored attempt. ``dossier`` is absent when nothing was observed that could be judged."""

    attempt: AttemptReport
    audio_source: str
    artifacts: dict[str, str]
    evidence: Evidence
    scenario: Scenario
    policy: EvaluationPolicy
    dossier: Dossier | None = None
    judgments: Judgments | None = None
    recording: RecordingReport | None = None


def encode_details(stored: Judgeable, assessment: Assessment) -> bytes:
    """The file's content: UTF-8, two-space indent, final newline."""
    content: dict[str, Any] = {
        "schema_version": DETAILS_VERSION,
        "attempt": stored.attempt.model_dump(mode="json"),
        "recording": None if stored.recording is None else stored.recording.model_dump(mode="json"),
        "audio_source": stored.audio_source,
        "artifacts": stored.artifacts,
        "scenario": scenario_json(stored.scenario),
        "policy": _POLICY.dump_python(stored.policy, mode="json"),
        "evidence": encode_evidence(stored.evidence),
        "dossier": None if stored.dossier is None else stored.dossier.content,
        "judgments": _JUDGMENTS.dump_python(stored.judgments, mode="json"),
        "derived": _derived(stored.scenario, assessment),
    }
    return f"{json_text(content, indent=2)}\n".encode()


def decode_details(content: bytes) -> Judgeable:
    """Read a details file; :class:`DamagedEvidenceError` when it is not one of this version."""
    try:
        stored = json.loads(content)
        if stored["schema_version"] != DETAILS_VERSION:
            raise DamagedEvidenceError(f"details of version {stored['schema_version']!r}")
        return Judgeable(
            attempt=AttemptReport.model_validate(stored["attempt"]),
            audio_source=str(stored["audio_source"]),
            artifacts=dict(stored["artifacts"]),
            evidence=decode_evidence(stored["evidence"]),
            scenario=Scenario.model_validate(stored["scenario"]),
            policy=_POLICY.validate_python(stored["policy"]),
            # Files of before there was a judge have neither of these.
            dossier=_dossier(stored.get("dossier")),
            # Strictly, and as JSON, where a list may stand for a tuple.
            judgments=_JUDGMENTS.validate_json(json.dumps(stored.get("judgments")), strict=True),
            # Files of before there were recordings do not name one.
            recording=_RECORDING.validate_python(stored.get("recording")),
        )
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise DamagedEvidenceError(f"stored details are damaged: {error}") from None


def scenario_json(scenario: Scenario) -> JsonObject:
    content: JsonObject = scenario.model_dump(mode="json", exclude_unset=True)
    return content


def result_json(result: AttemptResult) -> JsonObject:
    content: JsonObject = result.model_dump(mode="json")
    return content


_POLICY = TypeAdapter(EvaluationPolicy)
_JUDGMENTS: TypeAdapter[Judgments | None] = TypeAdapter(Judgments | None)
_RECORDING: TypeAdapter[RecordingReport | None] = TypeAdapter(RecordingReport | None)


def _dossier(content: JsonObject | None) -> Dossier | None:
    return None if content is None else Dossier(dict(content))


def _derived(scenario: Scenario, assessment: Assessment) -> JsonValue:
    """What it came to. A conversation's figures and turns have a file of their own."""
    observed = assessment.observed
    if observed is None:
        return None
    checks = [asdict(check) for check in assessment.verdict.checks]
    if not is_single_turn(scenario):
        return {"checks": checks}
    measured = observed.interaction
    return {
        "caller_turns": [row(turn, measured.metrics_version) for turn in measured.turns],
        "assistant_turns": [
            {"start_ms": turn.span.start_ms, "end_ms": turn.span.end_ms, "transcript": turn.text}
            for turn in observed.timeline.assistant_turns
        ],
        "delegation_timing_source": TIMING_SOURCE,
        "delegated_work_ms": [[s.start_ms, s.end_ms] for s in observed.timeline.work],
        "floor_hold_intervals_ms": [[s.start_ms, s.end_ms] for s in measured.floor_hold],
        "checks": checks,
    }

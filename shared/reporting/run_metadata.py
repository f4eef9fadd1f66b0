"""Under which circumstances a conversation was held, as far as its evidence and policy tell.

What a service said of itself is what it said, and not what it was asked for: settings are in the
report's ``run.configuration``. What nobody knows is null. The caller's own session appears in it as
counts and names alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from shared.audio.pcm import FRAME_MS, SAMPLE_BYTES, SAMPLE_RATE_HZ
from shared.audio.playout import PAUSE_MS
from shared.grading.assessment import Assessment
from shared.grading.policy import EvaluationPolicy
from shared.grading.validity import caller_validity
from shared.metrics.interaction import METRICS_VERSION
from shared.observability.evidence import Evidence, Leg
from shared.observability.observations import (
    AudioReceived,
    Observation,
    ResponseEnded,
    SessionOpened,
)
from shared.reporting.lifecycle import lifecycle_events
from shared.reporting.rounding import rounded_ms
from shared.scenarios import Scenario
from shared.values import JsonObject

CLEAN = "clean"


def run_metadata(
    evidence: Evidence,
    scenario: Scenario,
    policy: EvaluationPolicy,
    assessment: Assessment,
    *,
    audio_source: str,
    tick_ms: int | None,
) -> JsonObject:
    """The object ``run_metadata``. ``tick_ms`` is that of the tick file, where one was written."""
    failure, observed = assessment.verdict.failure, assessment.observed
    agenda = None if observed is None else observed.agenda
    return {
        "scenario_id": scenario.id,
        "interaction": scenario.interaction.value,
        "audio_source": audio_source,
        "audio_condition": condition_of(evidence),
        "sample_rate_hz": SAMPLE_RATE_HZ,
        "audio_format": "pcm16",
        "api_version": "v3",
        "metrics_version": METRICS_VERSION,
        "metric_derivation": "post_hoc_audio_and_events",
        "turn_derivation": "local_audio_and_transcript",
        "audio_timing_source": "local_relay_playout",
        "caller_action_sources": _action_sources(assessment),
        "response_deadline_ms": policy.metrics.response_deadline_ms,
        **_frames(evidence, tick_ms),
        "relay_transport": _relay_transport(evidence),
        "agent_model": model_of(evidence.observations),
        "delegation_backend_models": _backend_models(evidence.observations),
        "caller_frontend_model": model_of(evidence.caller_observations),
        "simulator_backend_models": _backend_models(evidence.caller_observations),
        "first_speaker": evidence.first_speaker and evidence.first_speaker.value,
        "caller_agenda_completed": None if agenda is None else list(agenda.completed),
        "semantic_completion": _semantic_completion(evidence),
        "simulator_validity": caller_validity(evidence).as_json()
        if evidence.caller_observations
        else None,
        "delegation_lifecycle_events": lifecycle_events(evidence.observations),
        **_shutdown(evidence),
        "failure": None
        if failure is None
        else {"stage": failure.stage.value, "message": failure.message},
    }


def condition_of(evidence: Evidence) -> str | None:
    """Under which name the caller was heard; nothing of an attempt that had no line."""
    if evidence.condition is not None:
        return evidence.condition.name
    return None if evidence.transport is None else CLEAN


def model_of(observations: Iterable[Observation]) -> str | None:
    """The voice model that a session said it had."""
    opened = (seen.model for seen in observations if isinstance(seen, SessionOpened))
    return next(opened, None) or None


def _backend_models(observations: Iterable[Observation]) -> Sequence[str]:
    """Every model that answered for a backend, each once."""
    named = {seen.model for seen in observations if isinstance(seen, ResponseEnded)}
    return sorted(one for one in named if one)


def _action_sources(assessment: Assessment) -> JsonObject:
    """Who or what named the actions of how many caller turns."""
    turns = () if assessment.observed is None else assessment.observed.timeline.caller_turns
    return dict(sorted(Counter(turn.source for turn in turns if turn.source).items()))


def _frames(evidence: Evidence, tick_ms: int | None) -> JsonObject:
    """The sizes of what is sent, processed and shown, and what an event without a time has."""
    return {
        "transport_frame_ms": evidence.pacing.frame_ms,
        "audio_realism_processing_frame_ms": None if evidence.condition is None else FRAME_MS,
        "analysis_tick_ms": tick_ms,
        "untimed_event_clock": "relay_media_position_at_receipt",
        "untimed_event_resolution_ms": evidence.pacing.frame_ms,
    }


def _relay_transport(evidence: Evidence) -> JsonObject | None:
    """How the line did, per side: what was sent to it, and how its own voice was played."""
    transport = evidence.transport
    if transport is None:
        return None
    return {
        "synchronization": "paired_send",
        "delivery_evidence": "send_completed",
        "playout_buffer_refill_silence_ms": PAUSE_MS,
        "caller": _side(transport.caller, evidence.caller_observations),
        "assistant": _side(transport.assistant, evidence.observations),
    }


def _side(leg: Leg, observations: Iterable[Observation]) -> JsonObject:
    playout = leg.playout
    waited = [
        seen.held_ms
        for seen in observations
        if isinstance(seen, AudioReceived) and seen.held_ms is not None
    ]
    return {
        "frames_sent": leg.frames,
        "max_send_ms": _most_ms(leg.send_latency_us),
        "max_send_lateness_ms": _most_ms(leg.send_lateness_us),
        "playout_hold_ms": playout.hold_ms,
        "max_audio_queue_delay_ms": rounded_ms(max(waited, default=None)),
        "played_chunks": playout.chunks,
        "held_samples": playout.held_samples,
        "underflow_samples": playout.underflow_samples,
        "underflow_in_speech_samples": playout.underflow_in_speech_samples,
        "dropped_silence_samples": playout.dropped_samples,
        "unplayed_sound_samples": playout.unplayed_sound_samples,
        "max_buffered_audio_bytes": playout.high_water_samples * SAMPLE_BYTES,
    }


def _most_ms(times_us: Sequence[int]) -> float | None:
    return rounded_ms(max(times_us) / 1_000) if times_us else None


def _semantic_completion(evidence: Evidence) -> JsonObject:
    """What became of the questions to the observer, by count; each of them is in the evidence."""
    outcomes = Counter(decision.status.value for decision in evidence.decisions)
    return {"enabled": bool(evidence.decisions), "assessments": dict(sorted(outcomes.items()))}


def _shutdown(evidence: Evidence) -> JsonObject:
    """How the end of the conversation was brought about; older evidence tells less of it."""
    ended, settlement, cleanup = evidence.termination, evidence.settlement, evidence.cleanup
    return {
        "capture_ending": evidence.ending.value,
        "caller_completion_policy": None if ended is None else ended.policy,
        "completion_signal": None if ended is None else ended.signal,
        "work_settlement": None if settlement is None else settlement.as_json(),
        "cleanup": None if cleanup is None else cleanup.as_json(),
    }

"""Evidence as JSON and back. What is read back is what was written, to the byte.

Every observation is an object with its kind; spans are ``[start_ms, end_ms]`` pairs. Reading is
strict about shapes, because a file may have been edited.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from shared.intervals import Interval, IntervalSet
from shared.observability.evidence import (
    Condition,
    Cue,
    Decision,
    Ending,
    Evidence,
    Failure,
    MeasuredOn,
    Pacing,
    SecondOpinion,
    Termination,
    Track,
    Transport,
    Utterance,
)
from shared.observability.observations import KINDS, AudioReceived, Observation, Speaker
from shared.observability.shutdown import Cleanup, WorkSettlement
from shared.values import JsonObject, JsonValue

KIND = "observation"
"""Under which an observation says what it is; no kind has a field of this name."""
_BY_NAME: Mapping[str, Any] = {kind.__name__: kind for kind in KINDS}
_LATER: Mapping[str, JsonValue] = {
    "second_opinion": None,
    "caller_observations": (),
    "cues": (),
    "decisions": (),
    "first_speaker": None,
    "transport": None,
    "condition": None,
    "settlement": None,
    "cleanup": None,
    "termination": None,
}
"""What evidence has learnt to hold since it was first written, as files from before mean it."""
_SINCE_ADDED: Mapping[type[Observation], JsonObject] = {
    AudioReceived: {"held_ms": None, "dropped_samples": 0},
}
"""What an observation means by fields that were not there yet when it was written."""


class DamagedEvidenceError(ValueError):
    """The stored evidence is not what this version writes."""


def encode_evidence(evidence: Evidence) -> JsonObject:
    """The evidence as plain JSON."""
    return {
        "scenario_id": evidence.scenario_id,
        "extent_ms": evidence.extent_ms,
        "ending": evidence.ending.value,
        "failure": _dump(Failure, evidence.failure) if evidence.failure else None,
        "warnings": list(evidence.warnings),
        "caller": _encode_track(evidence.caller),
        "assistant": _encode_track(evidence.assistant),
        "second_opinion": _encode_second_opinion(evidence.second_opinion),
        "utterances": [_dump(Utterance, utterance) for utterance in evidence.utterances],
        "pacing": _dump(Pacing, evidence.pacing),
        "state_before": evidence.state_before,
        "state_after": evidence.state_after,
        "observations": [encode_observation(seen) for seen in evidence.observations],
        "caller_observations": [encode_observation(one) for one in evidence.caller_observations],
        "cues": [_dump(Cue, cue) for cue in evidence.cues],
        "decisions": [_dump(Decision, decision) for decision in evidence.decisions],
        "first_speaker": evidence.first_speaker.value if evidence.first_speaker else None,
        "transport": _dump(Transport, evidence.transport) if evidence.transport else None,
        "condition": _dump(Condition, evidence.condition) if evidence.condition else None,
        "settlement": _dump(WorkSettlement, evidence.settlement) if evidence.settlement else None,
        "cleanup": _dump(Cleanup, evidence.cleanup) if evidence.cleanup else None,
        "termination": _dump(Termination, evidence.termination) if evidence.termination else None,
    }


def decode_evidence(stored: JsonObject) -> Evidence:
    """Read evidence; :class:`DamagedEvidenceError` when it cannot be."""
    try:
        return _decode(stored)
    except (KeyError, TypeError, ValueError) as error:  # pydantic's are ValueErrors
        raise DamagedEvidenceError(f"stored evidence is damaged: {error}") from None


def encode_observation(seen: Observation) -> JsonObject:
    return {KIND: type(seen).__name__, **_dump(type(seen), seen)}


def decode_observation(stored: JsonObject) -> Observation:
    kind = _BY_NAME[str(stored[KIND])]
    body = {name: value for name, value in stored.items() if name != KIND}
    body = {**_SINCE_ADDED.get(kind, {}), **body}
    _check_keys(kind, body)
    seen: Observation = _adapter(kind).validate_python(body)
    return seen


def _decode(stored: JsonObject) -> Evidence:
    plain: dict[str, Any] = {**_LATER, **stored}
    _check_keys(Evidence, plain)
    return Evidence(
        scenario_id=str(plain["scenario_id"]),
        extent_ms=_adapter(int).validate_python(plain["extent_ms"]),
        ending=Ending(plain["ending"]),
        failure=_read(Failure, plain["failure"]),
        warnings=tuple(plain["warnings"]),
        caller=_decode_track(plain["caller"]),
        assistant=_decode_track(plain["assistant"]),
        second_opinion=_decode_second_opinion(plain["second_opinion"]),
        utterances=tuple(_adapter(Utterance).validate_python(u) for u in plain["utterances"]),
        pacing=_adapter(Pacing).validate_python(plain["pacing"]),
        state_before=plain["state_before"],
        state_after=plain["state_after"],
        observations=tuple(decode_observation(seen) for seen in plain["observations"]),
        caller_observations=tuple(decode_observation(one) for one in plain["caller_observations"]),
        cues=tuple(_adapter(Cue).validate_python(cue) for cue in plain["cues"]),
        decisions=tuple(_adapter(Decision).validate_python(one) for one in plain["decisions"]),
        first_speaker=_read(Speaker, plain["first_speaker"]),
        transport=_read(Transport, plain["transport"]),
        condition=_read(Condition, plain["condition"]),
        settlement=_read(WorkSettlement, plain["settlement"]),
        cleanup=_read(Cleanup, plain["cleanup"]),
        termination=_read(Termination, plain["termination"]),
    )


def _read(kind: Any, stored: object) -> Any:
    """A record that may be absent."""
    return None if stored is None else _adapter(kind).validate_python(stored)


def _check_keys(kind: Any, stored: Mapping[str, Any]) -> None:
    known = _names(kind)
    if stored.keys() != known:
        raise KeyError(f"keys differ: {sorted(stored.keys() ^ known)}")


def _encode_track(track: Track) -> JsonObject:
    return {
        "voiced": [[span.start_ms, span.end_ms] for span in track.voiced],
        "samples": track.samples,
        "detector": {
            "name": track.detector.name,
            "version": track.detector.version,
            "parameters": dict(track.detector.parameters),
        },
        "measured_on": track.measured_on.value,
    }


def _decode_track(stored: Mapping[str, Any]) -> Track:
    from shared.audio.detection.port import DetectorId

    spans = _adapter(list[tuple[int, int]]).validate_python(stored["voiced"])
    return Track(
        voiced=IntervalSet(tuple(Interval(start, end) for start, end in spans)),
        samples=_adapter(int).validate_python(stored["samples"]),
        detector=_adapter(DetectorId).validate_python(stored["detector"]),
        measured_on=MeasuredOn(stored["measured_on"]),
    )


def _encode_second_opinion(second: SecondOpinion | None) -> JsonValue:
    if second is None:
        return None
    return {"caller": _encode_track(second.caller), "assistant": _encode_track(second.assistant)}


def _decode_second_opinion(stored: Mapping[str, Any] | None) -> SecondOpinion | None:
    if stored is None:
        return None
    _check_keys(SecondOpinion, stored)
    return SecondOpinion(_decode_track(stored["caller"]), _decode_track(stored["assistant"]))


@cache
def _names(kind: Any) -> frozenset[str]:
    return frozenset(field.name for field in fields(kind))


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _dump(kind: type, value: object) -> Mapping[str, JsonValue]:
    body: Mapping[str, JsonValue] = _adapter(kind).dump_python(value, mode="json")
    return body

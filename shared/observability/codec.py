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
    Ending,
    Evidence,
    Failure,
    MeasuredOn,
    Pacing,
    SecondOpinion,
    Track,
    Utterance,
)
from shared.observability.observations import KINDS, AudioReceived, Observation
from shared.values import JsonObject, JsonValue

KIND = "observation"
"""Under which an observation says what it is; no kind has a field of this name."""
_BY_NAME: Mapping[str, Any] = {kind.__name__: kind for kind in KINDS}
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
    # Evidence from before there were second opinions has none.
    plain: dict[str, Any] = {"second_opinion": None, **stored}
    failure = plain["failure"]
    _check_keys(Evidence, plain)
    return Evidence(
        scenario_id=str(plain["scenario_id"]),
        extent_ms=_adapter(int).validate_python(plain["extent_ms"]),
        ending=Ending(plain["ending"]),
        failure=None if failure is None else _adapter(Failure).validate_python(failure),
        warnings=tuple(plain["warnings"]),
        caller=_decode_track(plain["caller"]),
        assistant=_decode_track(plain["assistant"]),
        second_opinion=_decode_second_opinion(plain["second_opinion"]),
        utterances=tuple(_adapter(Utterance).validate_python(u) for u in plain["utterances"]),
        pacing=_adapter(Pacing).validate_python(plain["pacing"]),
        state_before=plain["state_before"],
        state_after=plain["state_after"],
        observations=tuple(decode_observation(seen) for seen in plain["observations"]),
    )


def _check_keys(kind: Any, stored: Mapping[str, Any]) -> None:
    known = {field.name for field in fields(kind)}
    if set(stored) != known:
        raise KeyError(f"keys differ: {sorted(set(stored) ^ known)}")


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
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _dump(kind: type, value: object) -> Mapping[str, JsonValue]:
    body: Mapping[str, JsonValue] = _adapter(kind).dump_python(value, mode="json")
    return body

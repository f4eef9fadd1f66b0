"""Sealing: mask, write, read back. Only what came back is judged, live and in every replay."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite

from shared.observability.codec import decode_evidence, encode_evidence
from shared.observability.evidence import Evidence, Utterance
from shared.observability.observations import (
    BackendText,
    Caption,
    CommandRejected,
    ConnectionLost,
    Faulted,
    Observation,
    ResponseEnded,
    SessionClosed,
    ToolCalled,
    ToolReturned,
)
from shared.observability.redaction import Masker
from shared.values import JsonValue

_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


def seal(evidence: Evidence, masker: Masker) -> Evidence:
    """The evidence with credentials masked, exactly as a reader of its file will see it."""
    failure = evidence.failure
    masked = replace(
        evidence,
        utterances=tuple(_utterance(one, masker) for one in evidence.utterances),
        observations=tuple(_observation(seen, masker) for seen in evidence.observations),
        state_before=masker.object(evidence.state_before),
        state_after=masker.object(evidence.state_after),
        failure=failure and replace(failure, message=masker.machine_text(failure.message)),
    )
    return decode_evidence(json.loads(json.dumps(_portable(encode_evidence(masked)))))


def _portable(value: JsonValue) -> JsonValue:
    """The value as every reader of JSON in UTF-8 can hold it: no half characters, no infinity."""
    match value:
        case str():
            return _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)
        case float():
            return value if isfinite(value) else None
        case Mapping():
            return {str(_portable(key)): _portable(inner) for key, inner in value.items()}
        case Sequence():
            return [_portable(inner) for inner in value]
        case _:
            return value


def _utterance(one: Utterance, masker: Masker) -> Utterance:
    return replace(one, text=masker.prose(one.text))


def _observation(seen: Observation, masker: Masker) -> Observation:
    match seen:
        case Caption() | BackendText():
            return replace(seen, text=masker.prose(seen.text))
        case ToolCalled():
            arguments = seen.arguments
            return replace(
                seen,
                arguments=None if arguments is None else masker.object(arguments),
                raw_arguments=masker.machine_text(seen.raw_arguments),
            )
        case ToolReturned():
            return replace(seen, output=masker.value(seen.output), state=masker.object(seen.state))
        case CommandRejected():
            return replace(seen, message=masker.machine_text(seen.message))
        case Faulted() | ConnectionLost():
            return replace(seen, detail=masker.machine_text(seen.detail))
        case ResponseEnded(detail=str(detail)):
            return replace(seen, detail=masker.machine_text(detail))
        case SessionClosed():
            return replace(seen, reason=masker.machine_text(seen.reason))
        case _:
            return seen

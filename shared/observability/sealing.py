"""Sealing: mask, write, read back. Only what came back is judged, live and in every replay."""

from __future__ import annotations

import json
from dataclasses import replace

from shared.observability.codec import decode_evidence, encode_evidence
from shared.observability.evidence import Evidence, Utterance
from shared.observability.observations import (
    Caption,
    CommandRejected,
    ConnectionLost,
    Faulted,
    Observation,
    ResponseEnded,
    ToolCalled,
    ToolReturned,
)
from shared.observability.redaction import Masker
from shared.strict_json import JsonSyntaxError, parse


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
    return decode_evidence(json.loads(json.dumps(encode_evidence(masked))))


def _utterance(one: Utterance, masker: Masker) -> Utterance:
    return replace(one, text=masker.prose(one.text))


def _observation(seen: Observation, masker: Masker) -> Observation:
    match seen:
        case Caption():
            return replace(seen, text=masker.prose(seen.text))
        case ToolCalled():
            arguments = seen.arguments
            return replace(
                seen,
                arguments=None if arguments is None else masker.object(arguments),
                raw_arguments=_raw(seen.raw_arguments, masker),
            )
        case ToolReturned():
            return replace(seen, output=masker.value(seen.output), state=masker.object(seen.state))
        case CommandRejected():
            return replace(seen, message=masker.machine_text(seen.message))
        case Faulted() | ConnectionLost():
            return replace(seen, detail=masker.machine_text(seen.detail))
        case ResponseEnded(detail=str(detail)):
            return replace(seen, detail=masker.machine_text(detail))
        case _:
            return seen


def _raw(text: str, masker: Masker) -> str:
    """Argument text: by field where it is an object, else as machine text."""
    try:
        document = parse(text)
    except JsonSyntaxError:
        return masker.machine_text(text)
    masked = masker.value(document.value)
    if masked == document.value:
        return text
    return json.dumps(masked, ensure_ascii=False, separators=(",", ":"))

"""Sealing: mask, write, read back. Only what came back is judged, live and in every replay.

Every text of the evidence is masked, whoever gave it: names, ids and keys too. The scenario is
masked by the same masker, so that an expectation and what meets it stay equal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import cache
from typing import Any

from pydantic import ValidationError

from shared.errors import UsageError
from shared.json_text import json_text, portable
from shared.matching import single_values
from shared.observability.codec import decode_evidence, encode_evidence
from shared.observability.evidence import Evidence
from shared.observability.observations import BackendText, Caption, ContextSent, Observation
from shared.observability.redaction import Masker
from shared.scenarios import Scenario
from shared.values import JsonObject, JsonValue


def conceal(scenario: Scenario, secrets: Sequence[str]) -> tuple[Scenario, Masker]:
    """The scenario as it may be kept, and the masker for all that its attempt leaves.

    What is masked in the scenario is masked wherever it turns up. Raises :class:`UsageError` when
    a credential is a part that cannot be replaced: a name of a file, a pattern, a word of the
    scenario format, a comparator's date.
    """
    masker = Masker(secrets, expected=_expected_values(scenario))
    _masked_scenario(scenario, masker)
    masker = masker.knowing(masker.masked)
    return _masked_scenario(scenario, masker), masker


def seal(evidence: Evidence, masker: Masker) -> Evidence:
    """The evidence with credentials masked, exactly as a reader of its file will see it."""
    masked = _masked_evidence(evidence, masker)
    keys = masker.new_keys
    if keys:
        # A key that only its field's name told may stand elsewhere as well.
        masked = _masked_evidence(evidence, masker.knowing(keys))
    return decode_evidence(json.loads(json_text(portable(encode_evidence(masked)))))


def _expected_values(scenario: Scenario) -> Iterator[JsonValue]:
    expected = scenario.expected
    steps = expected.procedure.steps if expected.procedure is not None else ()
    for arguments in (
        *(call.arguments for call in (*expected.tools.required, *expected.tools.prohibited)),
        *(step.arguments for step in steps),
    ):
        yield from single_values(arguments)
    yield from single_values(expected.state)


def _masked_scenario(scenario: Scenario, masker: Masker) -> Scenario:
    document: JsonObject = scenario.model_dump(mode="json", exclude_unset=True)
    # What is expected is graded, so the names of its fields mask nothing there.
    masked = {**masker.object({**document, "expected": None}), "expected": None}
    masked["expected"] = masker.texts(document["expected"])
    try:
        kept = Scenario.model_validate(masked)
    except ValidationError:
        kept = None
    if kept is None or _fixed_texts(kept) != _fixed_texts(scenario):
        raise UsageError(
            f'scenario "{masker.prose(scenario.id)}": its id, a pattern, a date or a word of the'
            " format is a credential (perhaps the value of an environment variable); change one"
        )
    return kept


def _fixed_texts(scenario: Scenario) -> tuple[object, ...]:
    """What a placeholder cannot stand for: it would name another file, or match anything."""
    expected = scenario.expected
    claims = expected.confirmation_patterns or ()
    return scenario.id, expected.refusal_patterns, [claim.patterns for claim in claims]


def _masked_evidence(evidence: Evidence, masker: Masker) -> Evidence:
    return replace(
        evidence,
        utterances=tuple(_masked_record(one, masker) for one in evidence.utterances),
        observations=_masked_observations(evidence.observations, masker),
        caller_observations=_masked_observations(evidence.caller_observations, masker),
        decisions=tuple(_masked_record(one, masker) for one in evidence.decisions),
        condition=evidence.condition and _masked_record(evidence.condition, masker),
        cleanup=evidence.cleanup and _masked_record(evidence.cleanup, masker),
        termination=evidence.termination and _masked_record(evidence.termination, masker),
        state_before=masker.object(evidence.state_before),
        state_after=masker.object(evidence.state_after),
        failure=evidence.failure and _masked_record(evidence.failure, masker),
        warnings=tuple(masker.machine_text(warning) for warning in evidence.warnings),
    )


_PIECES = (Caption, BackendText, ContextSent)


def _masked_observations(
    observations: Sequence[Observation], masker: Masker
) -> tuple[Observation, ...]:
    """Texts of one source come in pieces that somebody joins, so they are masked as one."""
    masked = [_masked_record(seen, masker) for seen in observations]
    sources: dict[str, list[int]] = {}
    for index, seen in enumerate(observations):
        if isinstance(seen, _PIECES):
            source = seen.speaker.value if isinstance(seen, Caption) else type(seen).__name__
            sources.setdefault(source, []).append(index)
    for indexes in sources.values():
        texts = masker.pieces([_text_of(observations[index]) for index in indexes])
        for index, text in zip(indexes, texts, strict=True):
            masked[index] = replace(masked[index], text=text)  # type: ignore[call-arg]
    return tuple(masked)


def _text_of(seen: Observation) -> str:
    return seen.text if isinstance(seen, _PIECES) else ""


def _masked_record[T](record: T, masker: Masker) -> T:
    """Any record with all of its texts masked, by what each field is."""
    changed = {}
    kind: type = type(record)
    for name in _names(kind):
        before = getattr(record, name)
        after = _masked_field(name, before, masker)
        if after is not before:
            changed[name] = after
    return replace(record, **changed) if changed else record  # type: ignore[type-var]


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _masked_field(name: str, value: Any, masker: Masker) -> Any:
    match value:
        case Enum():
            return value
        case str() if name == "text":
            return masker.prose(value)
        case str() if name != "output":
            return masker.machine_text(value)
        case tuple() if name != "output":
            return tuple(_masked_field(name, one, masker) for one in value)
        case str() | Mapping() | list() | tuple():
            return masker.value(value)
        case _ if is_dataclass(value):
            return _masked_record(value, masker)
        case int() | float() if name == "output":
            return masker.value(value)
        case _:
            return value

"""How each kind of procedure step is found in the evidence.

A finder gives a status, a reason and the moments at which the step was taken, in order. It fails a
step only by what was done, or was said at a wrong time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from shared.grading.case import Case, ToolUse
from shared.grading.checks import completed_calls, grounded_response
from shared.grading.spoken import claims, occurrences, utterances
from shared.grading.verdict import CheckStatus, Ref
from shared.matching import matches, same_call, single_values, state_matches
from shared.metrics.transcription.mentions import is_recognizable, is_said
from shared.scenarios import ExpectedToolCall, ProcedureStep, StepKind
from shared.values import JsonObject, JsonValue

PASSED, FAILED, NOT_APPLICABLE, UNSCORED = CheckStatus


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """When a step was taken: from its first sign on, and by ``end_ms`` for certain."""

    start_ms: int
    end_ms: int
    what: str

    @property
    def ref(self) -> Ref:
        return Ref(self.start_ms, self.what)


@dataclass(frozen=True, slots=True)
class Finding:
    """``refs`` are moments of another kind than the step's own: what speaks against it."""

    status: CheckStatus
    because: str
    moments: tuple[Moment, ...] = ()
    refs: tuple[Ref, ...] = ()


def _tool(case: Case, step: ProcedureStep) -> Finding:
    """A call like this completed."""
    wanted = ExpectedToolCall(name=step.tool or "", arguments=step.arguments)
    made = [use for use in case.tools if same_call(wanted, use.observed)]
    if made:
        moments = tuple(_moment(use) for use in made)
        return Finding(PASSED, f"{wanted.name} completed", moments)
    refs = tuple(_ref(use) for use in case.tools if use.call.name == wanted.name)
    return Finding(FAILED, f"no such call of {wanted.name} completed", refs=refs)


def _clarification(case: Case, step: ProcedureStep) -> Finding:
    """What was missing was asked for, unless the caller said it unasked."""
    field = str(step.arguments.get("field", ""))
    asked = _assistant_words(case, step.patterns or _question_about(field))
    if asked:
        return Finding(PASSED, "it was asked for", asked)
    caller = case.scenario.simulation_parameters
    value = caller.known_facts.get(field) if caller else None
    if value is None or not is_recognizable(value):
        return Finding(UNSCORED, "no words ask for it that are known to")
    if is_said(value, case.scenario.context_text):
        return Finding(NOT_APPLICABLE, "it was known from before")
    told = _said_by_caller(case, [value])
    used = [use for use in case.tools if use.call.arguments and field in use.call.arguments]
    if not told:
        return Finding(UNSCORED, "no words ask for it that are known to, and none tell it")
    hasty = [use for use in used if use.call.stamp.media_ms < told[0].start_ms]
    if hasty:
        because = "it was used before the caller had said it"
        return Finding(FAILED, because, refs=tuple(_ref(use) for use in hasty))
    return Finding(NOT_APPLICABLE, "the caller said it unasked")


def _correction(case: Case, step: ProcedureStep) -> Finding:
    """Once the caller had corrected a field, every call that carries it has the corrected value."""
    field, value = str(step.arguments.get("field", "")), step.arguments.get("value")
    uses = [use for use in case.tools if use.call.arguments and field in use.call.arguments]
    right = [use for use in uses if matches(value, (use.call.arguments or {})[field])]
    said = _caller_moments(case, step, [value])
    if not said:
        if uses and right == uses:
            return Finding(PASSED, "every call has the corrected value")
        return Finding(UNSCORED, "no words of the caller are known to correct it")
    first = said[0]
    wrong = [use for use in uses if use.call.stamp.media_ms >= first.end_ms and use not in right]
    if wrong:
        refs = tuple(_ref(use) for use in wrong)
        return Finding(FAILED, "a call after the correction has another value", said, refs)
    if any(use.call.stamp.media_ms >= first.start_ms for use in right):
        return Finding(PASSED, "every call after the correction has its value", said)
    return Finding(UNSCORED, "nothing was done with it after the correction", said)


def _authorization(case: Case, step: ProcedureStep) -> Finding:
    """What was done about a subject was the caller's to ask for, and the caller had asked for it.

    The subject is every argument but ``authorized``. Where that is false, nothing may be tried.
    """
    subject = {key: value for key, value in step.arguments.items() if key != "authorized"}
    uses = [use for use in case.tools if subject and matches(subject, use.call.arguments or {})]
    refs = tuple(_ref(use) for use in uses)
    said = _caller_moments(case, step, list(single_values(subject)))
    if step.arguments.get("authorized", True) is False:
        if uses:
            return Finding(FAILED, "it was tried, and it is not the caller's to ask for", refs=refs)
        return Finding(PASSED, "nothing of the kind was tried", said)
    if not said:
        if subject and not uses:
            return Finding(NOT_APPLICABLE, "nothing was done about it")
        return Finding(UNSCORED, "no words of the caller are known to ask for it", refs=refs)
    hasty = [use for use in uses if use.call.stamp.media_ms < said[0].start_ms]
    if hasty:
        because = "it was done before the caller had asked for it"
        return Finding(FAILED, because, refs=tuple(_ref(use) for use in hasty))
    return Finding(PASSED, "the caller asked for it", said)


def _state(case: Case, step: ProcedureStep) -> Finding:
    """The application ended as the step has it. An end has no moment and no order."""
    is_so = state_matches(
        step.arguments, before=case.evidence.state_before, after=case.evidence.state_after
    )
    if is_so:
        return Finding(PASSED, "the final state has it")
    return Finding(FAILED, "the final state has it not")


def _grounded_confirmation(case: Case, step: ProcedureStep) -> Finding:
    """After a tool had completed, the assistant said what came of it, and not before."""
    wanted = step.tool or step.arguments.get("tool")
    completed = {
        index: use
        for index, use in completed_calls(case).items()
        if wanted is None or use.call.name == wanted
    }
    made = [claim for claim in claims(case) if wanted is None or wanted in claim.tools]
    early = [
        claim
        for claim in made
        if not any(
            index < claim.index and use.call.name in claim.tools for index, use in completed.items()
        )
    ]
    if early:
        refs = tuple(Ref(claim.at_ms, f"said: {claim.words}") for claim in early)
        return Finding(FAILED, "success was claimed before the result", refs=refs)
    if not completed:
        return Finding(NOT_APPLICABLE, "no tool completed")
    if made:
        moments = tuple(Moment(c.at_ms, c.at_ms, f"said: {c.words}") for c in made)
        return Finding(PASSED, "the success was told after the result", moments)
    spoken = grounded_response(case)
    if spoken.status is FAILED:
        return Finding(FAILED, spoken.because, refs=spoken.refs)
    if case.policy.confirmations:
        return Finding(UNSCORED, "nothing was said that is known to tell of success")
    *_, onset = spoken.refs
    moment = Moment(onset.at_ms, onset.at_ms, onset.what)
    return Finding(PASSED, "the assistant spoke after the result", (moment,))


def _refusal(case: Case, step: ProcedureStep) -> Finding:
    """A call was not even tried, and the refusal was spoken, as often as asked.

    Arguments but ``tool`` and ``minimum_count`` say which calls are meant.
    """
    tool = step.tool or step.arguments.get("tool")
    meant = {k: v for k, v in step.arguments.items() if k not in {"tool", "minimum_count"}}
    tried = [use for use in case.tools if use.call.name == tool and _is_meant(meant, use)]
    if tried:
        refs = tuple(_ref(use) for use in tried)
        return Finding(FAILED, "it was tried, and it had to be refused", refs=refs)
    minimum = step.arguments.get("minimum_count", 1)
    least = minimum if isinstance(minimum, int) else 1
    refused = _assistant_words(case, step.patterns or case.policy.refusal_patterns)
    if len(refused) < max(1, least):
        because = f"{len(refused)} of {least} refusal(s) are known by their words"
        return Finding(UNSCORED, because, refused)
    return Finding(PASSED, "it was refused and not tried", refused[least - 1 :])


def _is_meant(meant: JsonObject, use: ToolUse) -> bool:
    """Broken arguments are meant where any are."""
    return not meant or matches(meant, use.call.arguments or {})


FINDERS: Final[Mapping[StepKind, Callable[[Case, ProcedureStep], Finding]]] = {
    StepKind.CLARIFICATION: _clarification,
    StepKind.TOOL: _tool,
    StepKind.CORRECTION: _correction,
    StepKind.AUTHORIZATION: _authorization,
    StepKind.STATE: _state,
    StepKind.GROUNDED_CONFIRMATION: _grounded_confirmation,
    StepKind.REFUSAL: _refusal,
}


def _question_about(field: str) -> tuple[str, ...]:
    """A question with the field's own name in it, where a scenario says nothing better."""
    words = r"\s+".join(re.escape(word) for word in field.replace("_", " ").split())
    return (rf"\b{words}\b[^.?!]*\?",) if words else ()


def _assistant_words(case: Case, patterns: Iterable[str]) -> tuple[Moment, ...]:
    """Sentences of the assistant that match a pattern, each once."""
    phrases = tuple(patterns)
    moments = []
    for utterance in utterances(case):
        found = [hit for one in phrases if (hit := next(occurrences(one, utterance.text), None))]
        if found:
            first = min(found, key=lambda hit: hit.start())
            index = utterance.received_at(first.start())
            at_ms = case.evidence.observations[index].stamp.media_ms
            moments.append(Moment(at_ms, at_ms, f"said: {first.group().strip()}"))
    return tuple(sorted(moments))


def _caller_moments(
    case: Case, step: ProcedureStep, values: Sequence[JsonValue]
) -> tuple[Moment, ...]:
    """When the caller took a step: by its patterns, else by the values, else by an observer."""
    if step.patterns:
        found = tuple(
            Moment(turn.span.start_ms, turn.span.end_ms, "the caller's words")
            for turn in case.timeline.caller_turns
            if any(any(True for _ in occurrences(one, turn.text)) for one in step.patterns)
        )
    else:
        found = _said_by_caller(case, values)
    return found or _observed(case, step.objective)


def _said_by_caller(case: Case, values: Sequence[JsonValue]) -> tuple[Moment, ...]:
    """Turns in which the caller said all the values, a turn with the one before it included.

    A value may be read out in two halves, with a pause that makes two turns of it.
    """
    plain = [value for one in values for value in _plain(one)]
    if not plain or not all(is_recognizable(value) for value in plain):
        return ()
    turns = case.timeline.caller_turns
    moments = [
        Moment(turn.span.start_ms, turn.span.end_ms, "the caller said it")
        for turn in turns
        if all(is_said(value, turn.text) for value in plain)
    ]
    spoken = {moment.start_ms for moment in moments}
    for earlier, turn in pairwise(turns):
        is_known = {earlier.span.start_ms, turn.span.start_ms} & spoken
        if not is_known and all(is_said(v, f"{earlier.text} {turn.text}") for v in plain):
            moments.append(Moment(turn.span.start_ms, turn.span.end_ms, "the caller said it"))
    return tuple(sorted(moments))


def _plain(expected: JsonValue) -> list[JsonValue]:
    """The values in an expectation: a comparator stands for what it compares with."""
    return [
        value.get("value") if isinstance(value, Mapping) else value
        for value in single_values(expected)
    ]


def _observed(case: Case, objective: str | None) -> tuple[Moment, ...]:
    """Where an observer saw an objective expressed."""
    return tuple(
        Moment(one.span.start_ms, one.span.end_ms, f"observer: {one.id}")
        for one in case.objectives
        if one.id == objective and one.is_expressed and one.span is not None
    )


def _moment(use: ToolUse) -> Moment:
    ref = _ref(use)
    return Moment(ref.at_ms, ref.at_ms, ref.what)


def _ref(use: ToolUse) -> Ref:
    return Ref(use.call.stamp.media_ms, f"{use.call.name} ({use.call.call_id})")

"""Deterministic checks: what happened, what was said, and what state the application is in.

Each is a pure function of a :class:`Case`. Which of them make up a verdict is the suite's list.
What counts as a claim of success or as a refusal comes with the policy; no phrase stands here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shared.differences import first_change, first_difference
from shared.grading.case import Case, ToolUse
from shared.grading.spoken import claims, occurrences, utterances
from shared.grading.verdict import Check, CheckStatus, Ref
from shared.matching import state_matches
from shared.metrics.task import delegations
from shared.observability.evidence import Ending
from shared.observability.turns import NEW_SPEECH_AFTER_MS, is_answer
from shared.scenarios import DelegationPolicy

REFUSAL_TYPE = "refusal"


def conversation_completed(case: Case) -> Check:
    """The answer came to an end before the response timeout did."""
    name = "conversation_completed"
    if case.evidence.ending is Ending.ANSWER_SETTLED:
        return _passed(name, "the answer settled")
    if case.evidence.ending is Ending.FAILED:
        because = "the session broke, so nobody can tell"
        return Check(name, CheckStatus.UNSCORED, because, _end_of(case))
    has_work = bool(delegations(case.evidence.observations))
    if not has_work and not _heard_after(case, case.request_end_ms):
        return _not_applicable(name, "nothing was begun that could be completed")
    return _failed(name, "the response timeout came before the answer was whole", _end_of(case))


def assistant_responded(case: Case) -> Check:
    """The assistant was heard after the request."""
    name = "assistant_responded"
    if case.request_end_ms is None:
        return _not_applicable(name, "no caller speech was detected, so nothing was asked")
    heard = _answers(case, case.request_end_ms)
    if heard:
        return _passed(name, "the assistant was heard after the request", heard)
    if _heard_after(case, case.request_end_ms):
        because = "only a short sound across the request's end was heard, and nothing after it"
        return _failed(name, because, _end_of(case))
    return _failed(name, "the assistant was not heard after the request", _end_of(case))


def application_state(case: Case) -> Check:
    """The application ended in the expected state."""
    name = "application_state"
    expected = case.expected.state
    if not expected:
        return _not_applicable(name, "no final state is expected")
    is_so = state_matches(
        expected, before=case.evidence.state_before, after=case.evidence.state_after
    )
    refs = tuple(_ref(use) for use in case.tools)
    if is_so:
        return _passed(name, "the final state is the expected one", refs)
    because = f"the final state differs: {_state_difference(case)}"
    return _failed(name, because, refs or _end_of(case))


def delegation_policy(case: Case) -> Check:
    """Work was delegated when it had to be, and not when it must not be."""
    name = "delegation_policy"
    begun_ms = delegations(case.evidence.observations).values()
    refs = tuple(Ref(at_ms, "delegation") for at_ms in begun_ms)
    match case.expected.delegation:
        case DelegationPolicy.REQUIRED if not refs:
            return _failed(name, "nothing was delegated, and it had to be", _end_of(case))
        case DelegationPolicy.FORBIDDEN if refs:
            return _failed(name, "work was delegated, and it must not be", refs)
        case DelegationPolicy.OPTIONAL:
            return _not_applicable(name, "either choice is right")
        case _:
            return _passed(name, "the decision kept to the policy", refs)


def authorized_actions(case: Case) -> Check:
    """No prohibited call was attempted, not even one that the application refused."""
    name = "authorized_actions"
    bad = case.prohibited
    if bad:
        return _failed(name, f"prohibited: {_names(bad)}", tuple(_ref(use) for use in bad))
    return _passed(name, "nothing prohibited was attempted")


def tool_contract(case: Case) -> Check:
    """The calls are the required ones, in order and with no other, and ended as required."""
    name = "tool_contract"
    refs = tuple(_ref(use) for use in case.tools)
    if case.matching.in_order:
        return _passed(name, f"{case.matching.matched} required call(s), in order", refs)
    failed = [use for use in case.tools if not use.is_completed]
    if failed:
        return _failed(name, "; ".join(_why_failed(use) for use in failed), refs)
    problems = [*_missing_calls(case), *_extra_calls(case)]
    because = "; ".join(problems) or "the calls came in another order"
    return _failed(name, because, refs or _end_of(case))


def _missing_calls(case: Case) -> list[str]:
    """Required calls that nothing stands for, each against the call that came nearest."""
    extra = [case.tools[index] for index in case.matching.unexpected]
    problems = []
    for index in case.matching.missing:
        wanted = case.expected.tools.required[index]
        near = next((use for use in extra if use.call.name == wanted.name), None)
        differs = near and first_difference(wanted.arguments, near.call.arguments)
        problems.append(f"{wanted.name}: {differs}" if differs else f"missing: {wanted.name}")
    return problems


def _extra_calls(case: Case) -> list[str]:
    missing = {case.expected.tools.required[index].name for index in case.matching.missing}
    extra = [case.tools[index] for index in case.matching.unexpected]
    others = [use for use in extra if use.call.name not in missing]
    return [f"not asked for: {_names(others)}"] if others else []


def _why_failed(use: ToolUse) -> str:
    """What the tool answered in place of a result."""
    output = use.returned.output if use.returned is not None else None
    error = output.get("error") if isinstance(output, Mapping) else None
    return f"{use.call.name} failed: {error or 'it never returned'}"


def _state_difference(case: Case) -> str:
    before, after = case.evidence.state_before, case.evidence.state_after
    if case.expected.is_state_unchanged:
        return first_change(before, after) or "it did not stay as it was"
    return first_difference(case.expected.state, after) or "it is another one"


def grounded_response(case: Case) -> Check:
    """The assistant began to speak anew after the last completed tool had returned.

    Speech that only runs on over the result is the filler still being said: what it can know of
    the result cannot be told. Speech is new after a pause of ``NEW_SPEECH_AFTER_MS``.
    """
    name = "grounded_response"
    completed = completed_calls(case)
    if not completed:
        return _not_applicable(name, "no tool completed")
    last = max(completed)
    returned = Ref(
        case.evidence.observations[last].stamp.media_ms, f"{completed[last].call.name} returned"
    )
    stretches = case.timeline.assistant.merged(gaps_below_ms=NEW_SPEECH_AFTER_MS)
    onset = next((one for one in stretches if one.start_ms >= returned.at_ms), None)
    if onset is None:
        return _failed(name, "nothing new was said after the result", (returned,))
    refs = (returned, Ref(onset.start_ms, "assistant speech"))
    return _passed(name, "the assistant spoke after the result", refs)


def grounded_confirmation(case: Case) -> Check:
    """No success was claimed before a tool that makes it true had completed."""
    name = "grounded_confirmation"
    if not case.policy.confirmations:
        return _not_applicable(name, "no phrase counts as a claim of success")
    claimed = claims(case)
    refs = tuple(dict.fromkeys(Ref(claim.at_ms, f"said: {claim.words}") for claim in claimed))
    completed = completed_calls(case)
    for claim in claimed:
        if not any(
            index < claim.index and use.call.name in claim.tools for index, use in completed.items()
        ):
            tools = " or ".join(claim.tools)
            said = Ref(claim.at_ms, f"said: {claim.words}")
            return _failed(name, f"success was claimed, and no {tools} had completed", (said,))
    moments = len({claim.index for claim in claimed})
    return _passed(name, f"{moments} claim(s), all of them true when made", refs)


def refusal_stated(case: Case) -> Check:
    """A request that must be refused was refused in words."""
    name = "refusal_stated"
    patterns = case.policy.refusal_patterns
    if case.scenario.scenario_type != REFUSAL_TYPE or not patterns:
        return _not_applicable(name, "no refusal is expected")
    for utterance in utterances(case):
        for pattern in patterns:
            found = next(occurrences(pattern, utterance.text), None)
            if found:
                ref = Ref(utterance.begun_at_ms, found.group())
                return _passed(name, "the refusal was spoken", (ref,))
    return _failed(name, "no words of refusal were spoken", _end_of(case))


def _answers(case: Case, request_end_ms: int) -> tuple[Ref, ...]:
    """The first speech that can answer the request, from the request's end on."""
    for span in case.timeline.assistant:
        if is_answer(span, request_end_ms):
            return (Ref(max(span.start_ms, request_end_ms), "assistant speech"),)
    return ()


def completed_calls(case: Case) -> dict[int, ToolUse]:
    """Calls that completed, by their outcome's place in the evidence."""
    return {
        use.returned_index: use
        for use in case.tools
        if use.is_completed and use.returned_index is not None
    }


def _heard_after(case: Case, instant_ms: int | None) -> tuple[Ref, ...]:
    """Where the assistant was voiced at or after an instant; the first such moment."""
    if instant_ms is None:
        return ()
    for span in case.timeline.assistant:
        if span.end_ms > instant_ms:
            return (Ref(max(span.start_ms, instant_ms), "assistant speech"),)
    return ()


def _ref(use: ToolUse) -> Ref:
    return Ref(use.call.stamp.media_ms, f"{use.call.name} ({use.call.call_id})")


def _names(uses: Sequence[ToolUse]) -> str:
    return ", ".join(use.call.name for use in uses)


def _end_of(case: Case) -> tuple[Ref, ...]:
    return (Ref(case.evidence.extent_ms, "end of observation"),)


def _passed(name: str, because: str, refs: tuple[Ref, ...] = ()) -> Check:
    return Check(name, CheckStatus.PASSED, because, refs)


def _failed(name: str, because: str, refs: tuple[Ref, ...] = ()) -> Check:
    return Check(name, CheckStatus.FAILED, because, refs)


def _not_applicable(name: str, because: str) -> Check:
    return Check(name, CheckStatus.NOT_APPLICABLE, because)

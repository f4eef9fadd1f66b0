"""Deterministic checks: what happened, what was said, and what state the application is in.

Each is a pure function of a :class:`Case`. Which of them make up a verdict is the suite's list.
What counts as a claim of success or as a refusal comes with the policy; no phrase stands here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from shared.grading.case import Case, ToolUse
from shared.grading.verdict import Check, CheckStatus, Ref
from shared.matching import state_matches
from shared.metrics.task import delegation_count
from shared.observability.evidence import Ending
from shared.observability.observations import Caption, DelegationBegan, Speaker
from shared.scenarios import DelegationPolicy

REFUSAL_TYPE = "refusal"


def conversation_completed(case: Case) -> Check:
    """The answer came to an end before the response timeout did."""
    name = "conversation_completed"
    if case.evidence.ending is Ending.ANSWER_SETTLED:
        return _passed(name, "the answer settled")
    has_work = delegation_count(case.evidence.observations) > 0
    if not has_work and not _heard_after(case, case.request_end_ms):
        return _not_applicable(name, "nothing was begun that could be completed")
    return _failed(name, "the response timeout came before the answer was whole", _end_of(case))


def assistant_responded(case: Case) -> Check:
    """The assistant was heard after the request."""
    name = "assistant_responded"
    if case.request_end_ms is None:
        return _not_applicable(name, "no caller speech was detected, so nothing was asked")
    heard = _heard_after(case, case.request_end_ms)
    if heard:
        return _passed(name, "the assistant was heard after the request", heard)
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
    return _failed(name, "the final state is not the expected one", refs)


def delegation_policy(case: Case) -> Check:
    """Work was delegated when it had to be, and not when it must not be."""
    name = "delegation_policy"
    delegations = case.evidence.of(DelegationBegan)
    refs = tuple(Ref(one.stamp.media_ms, "delegation") for one in delegations)
    match case.expected.delegation:
        case DelegationPolicy.REQUIRED if not delegations:
            return _failed(name, "nothing was delegated, and it had to be")
        case DelegationPolicy.FORBIDDEN if delegations:
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
        return _failed(name, f"not completed: {_names(failed)}", refs)
    required = case.expected.tools.required
    missing = ", ".join(required[index].name for index in case.matching.missing)
    extra = _names([case.tools[index] for index in case.matching.unexpected])
    parts = [
        f"{what}: {which}"
        for what, which in (("missing", missing), ("not asked for", extra))
        if which
    ]
    return _failed(name, "; ".join(parts) or "the calls came in another order", refs)


def grounded_response(case: Case) -> Check:
    """The assistant spoke, in new words, after the last completed tool had returned."""
    name = "grounded_response"
    completed = [use for use in case.tools if use.is_completed]
    last = max(completed, key=lambda use: use.returned_index or 0, default=None)
    if last is None or last.returned is None:
        return _not_applicable(name, "no tool completed")
    after_ms = last.returned.stamp.media_ms
    words = [
        seen
        for seen in case.evidence.observations[(last.returned_index or 0) + 1 :]
        if isinstance(seen, Caption) and seen.speaker is Speaker.ASSISTANT and seen.text.strip()
    ]
    heard = _heard_after(case, after_ms)
    if words and heard:
        return _passed(name, "the assistant spoke after the result", (_ref(last), *heard))
    return _failed(name, "the assistant said nothing new after the result", (_ref(last),))


def grounded_confirmation(case: Case) -> Check:
    """No success was claimed before a tool that makes it true had completed."""
    name = "grounded_confirmation"
    if not case.policy.confirmations:
        return _not_applicable(name, "no phrase counts as a claim of success")
    claims = _claims(case)
    refs = tuple(Ref(claim.at_ms, f"said: {claim.words}") for claim in claims)
    for claim, ref in zip(claims, refs, strict=True):
        is_true = any(
            use.is_completed
            and use.call.name in claim.tools
            and (use.returned_index or 0) < claim.index
            for use in case.tools
        )
        if not is_true:
            tools = " or ".join(claim.tools)
            return _failed(name, f"success of {tools} was claimed before it was so", (ref,))
    return _passed(name, f"{len(claims)} claim(s), all of them true when made", refs)


def refusal_stated(case: Case) -> Check:
    """A request that must be refused was refused in words."""
    name = "refusal_stated"
    patterns = case.policy.refusal_patterns
    if case.scenario.scenario_type != REFUSAL_TYPE or not patterns:
        return _not_applicable(name, "no refusal is expected")
    for utterance in _utterances(case):
        for pattern in patterns:
            found = re.search(pattern, utterance.text, re.IGNORECASE)
            if found:
                at_ms = utterance.pieces[0].stamp.media_ms
                return _passed(name, "the refusal was spoken", (Ref(at_ms, found.group()),))
    return _failed(name, "no words of refusal were spoken", _end_of(case))


class _Utterance:
    """Captions of the assistant that belong together, and where each character came from."""

    def __init__(self, pieces: Sequence[Caption], indexes: Sequence[int]) -> None:
        self.pieces = pieces
        self.indexes = indexes
        self.text = "".join(piece.text for piece in pieces)

    def received_at(self, character: int) -> int:
        """The place in the evidence of the piece that holds a character."""
        end = 0
        for piece, index in zip(self.pieces, self.indexes, strict=True):
            end += len(piece.text)
            if character < end:
                return index
        return self.indexes[-1]


UTTERANCE_GAP_MS = 600
"""Fragments run into one another without blanks; only a gap in time tells two sentences apart."""


def _utterances(case: Case) -> list[_Utterance]:
    groups: list[tuple[list[Caption], list[int]]] = []
    for index, seen in enumerate(case.evidence.observations):
        if not isinstance(seen, Caption) or seen.speaker is not Speaker.ASSISTANT:
            continue
        if groups and seen.start_ms - groups[-1][0][-1].end_ms < UTTERANCE_GAP_MS:
            groups[-1][0].append(seen)
            groups[-1][1].append(index)
        else:
            groups.append(([seen], [index]))
    return [_Utterance(pieces, indexes) for pieces, indexes in groups]


@dataclass(frozen=True, slots=True, order=True)
class _Claim:
    """Words that claim success; ``index`` is the place in the evidence of the first of them."""

    index: int
    at_ms: int
    words: str
    tools: tuple[str, ...]


def _claims(case: Case) -> list[_Claim]:
    claims = set()
    for utterance in _utterances(case):
        for rule in case.policy.confirmations:
            for pattern in rule.patterns:
                for found in re.finditer(pattern, utterance.text, re.IGNORECASE):
                    index = utterance.received_at(found.start())
                    at_ms = case.evidence.observations[index].stamp.media_ms
                    claims.add(_Claim(index, at_ms, found.group().strip(), rule.tools))
    return sorted(claims)


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

"""How the task stood at an instant of an attempt, by what had happened until then.

For people who follow a conversation turn by turn. Nothing here decides: the verdict is that of the
whole attempt.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from shared.grading.case import ToolUse, matching_of, prohibited_uses, tool_uses
from shared.matching import CallMatching, state_matches
from shared.metrics.task import delegations
from shared.metrics.transcription.mentions import is_said
from shared.observability.evidence import Evidence
from shared.observability.observations import ToolReturned
from shared.reporting.rounding import rounded_rate
from shared.scenario_types import DelegationPolicy
from shared.scenarios import Scenario
from shared.values import JsonObject, JsonValue, Rate

ALTERNATIVES = "|"
"""Stands between the words any of which is a diagnostic term."""


@dataclass(frozen=True, slots=True)
class Standing:
    """``said`` has one entry per diagnostic term; ``prohibited`` counts attempts."""

    scenario: Scenario
    tools: tuple[ToolUse, ...]
    matching: CallMatching
    said: tuple[bool, ...]
    is_state_met: bool
    is_delegated: bool
    prohibited: int

    @property
    def evidence_coverage(self) -> Rate:
        """Diagnostic terms the assistant had said."""
        return Rate(sum(self.said), len(self.said))

    @property
    def tool_call_coverage(self) -> Rate:
        """Required calls that had been made."""
        return Rate(self.matching.matched, self.matching.expected)

    @property
    def is_satisfied(self) -> bool:
        """Whether state, calls and the decision to delegate were as they should be by then.

        Terms have no part in it: what they say can be said in other words.
        """
        return (
            self.is_state_met
            and not self.matching.missing
            and not self.prohibited
            and self.is_delegated in _ALLOWED[self.scenario.expected.delegation]
        )


_ALLOWED = {
    DelegationPolicy.REQUIRED: (True,),
    DelegationPolicy.FORBIDDEN: (False,),
    DelegationPolicy.OPTIONAL: (True, False),
}


def standing(
    evidence: Evidence, scenario: Scenario, spoken: str, until_ms: int | None = None
) -> Standing:
    """The task as it stood at ``until_ms``, exclusive, or at the end of the attempt.

    ``spoken`` is what the assistant had said by then.
    """
    then = evidence if until_ms is None else _cut(evidence, until_ms)
    tools = tool_uses(then)
    return Standing(
        scenario=scenario,
        tools=tools,
        matching=matching_of(scenario, tools),
        said=tuple(_is_any_said(term, spoken) for term in scenario.expected.diagnostic_terms),
        is_state_met=state_matches(
            scenario.expected.state, before=then.state_before, after=then.state_after
        ),
        is_delegated=bool(delegations(then.observations)),
        prohibited=len(prohibited_uses(scenario, tools)),
    )


def task_row(now: Standing, before: Standing | None, *, is_completed: bool | None) -> JsonObject:
    """The object ``task`` of a turn: what was new since ``before``, and how things stood then.

    ``is_completed`` is the verdict's, which nobody knows before the end.
    """
    expected = now.scenario.expected
    terms, required = expected.diagnostic_terms, expected.tools.required
    earlier = {} if before is None else {use.call.call_id: use.returned for use in before.tools}
    was_said = (False,) * len(terms) if before is None else before.said
    matched = {index for index, _ in now.matching.pairs}
    was_matched = set() if before is None else {index for index, _ in before.matching.pairs}
    return {
        "new_evidence": _named(
            terms, [a and not b for a, b in zip(now.said, was_said, strict=True)]
        ),
        "matched_evidence": _named(terms, now.said),
        "missing_evidence": _named(terms, [not one for one in now.said]),
        "evidence_coverage": rounded_rate(now.evidence_coverage.value),
        "tool_calls": [
            _call(use) for use in now.tools if earlier.get(use.call.call_id, ...) != use.returned
        ],
        "new_matched_tool_calls": [required[i].name for i in sorted(matched - was_matched)],
        "matched_tool_calls": [required[i].name for i in sorted(matched)],
        "missing_tool_calls": [required[i].name for i in now.matching.missing],
        "tool_call_coverage": rounded_rate(now.tool_call_coverage.value),
        **policy_of(now),
        "requirements_satisfied": now.is_satisfied,
        "task_completed": is_completed,
    }


def policy_of(now: Standing) -> JsonObject:
    """What was asked of the decision to delegate, and what it was."""
    policy = now.scenario.expected.delegation
    return {
        "delegation_required": policy is DelegationPolicy.REQUIRED,
        "delegation_prohibited": policy is DelegationPolicy.FORBIDDEN,
        "delegation_observed": now.is_delegated,
    }


def _cut(evidence: Evidence, until_ms: int) -> Evidence:
    """The evidence as if nothing had happened at or after an instant."""
    seen = tuple(one for one in evidence.observations if one.stamp.media_ms < until_ms)
    states = [one.state for one in seen if isinstance(one, ToolReturned)]
    return replace(
        evidence, observations=seen, state_after=states[-1] if states else evidence.state_before
    )


def _is_any_said(term: str, spoken: str) -> bool:
    return any(is_said(one, spoken) for one in term.split(ALTERNATIVES))


def _named(terms: tuple[str, ...], chosen: list[bool] | tuple[bool, ...]) -> list[JsonValue]:
    return [term for term, is_chosen in zip(terms, chosen, strict=True) if is_chosen]


def _call(use: ToolUse) -> JsonObject:
    """A call by its id, which leads to its arguments and its result in the evidence."""
    returned = use.returned
    return {
        "call_id": use.call.call_id,
        "name": use.call.name,
        "status": "called" if returned is None else returned.status.value,
        "called_ms": use.call.stamp.media_ms,
        "returned_ms": None if returned is None else returned.stamp.media_ms,
    }

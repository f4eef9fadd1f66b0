"""What a check may read: one attempt's evidence, what was expected, and what was measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from shared.grading.policy import EvaluationPolicy
from shared.matching import CallMatching, ObservedCall, match_calls, same_request
from shared.metrics.extended import ExtendedMeasurements
from shared.metrics.interaction import InteractionMeasurements
from shared.observability.evidence import Evidence, Objective
from shared.observability.observations import ToolCalled, ToolReturned, ToolStatus
from shared.observability.timeline import Timeline
from shared.scenarios import Expected, ExpectedToolCall, Scenario


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One call with its outcome; ``returned_index`` is the outcome's place in the evidence."""

    call: ToolCalled
    returned: ToolReturned | None
    called_index: int
    returned_index: int | None

    @property
    def is_completed(self) -> bool:
        return self.returned is not None and self.returned.status is ToolStatus.COMPLETED

    @property
    def observed(self) -> ObservedCall:
        return ObservedCall(self.call.name, self.call.arguments, self.is_completed)


@dataclass(frozen=True, slots=True)
class Case:
    """One observed attempt, ready for checking.

    ``objectives`` are what an observer said of the caller's agenda, where one was asked.
    """

    evidence: Evidence
    scenario: Scenario
    policy: EvaluationPolicy
    timeline: Timeline
    measured: InteractionMeasurements
    extended: ExtendedMeasurements
    tools: tuple[ToolUse, ...]
    matching: CallMatching
    objectives: tuple[Objective, ...] = ()

    @property
    def expected(self) -> Expected:
        return self.scenario.expected

    @property
    def request_end_ms(self) -> int | None:
        """The caller's last voiced instant."""
        extent = self.timeline.caller.extent
        return None if extent is None else extent.end_ms

    @property
    def prohibited(self) -> tuple[ToolUse, ...]:
        """Calls that were forbidden, whatever came of them."""
        return prohibited_uses(self.scenario, self.tools)


def prohibited_uses(scenario: Scenario, uses: Iterable[ToolUse]) -> tuple[ToolUse, ...]:
    """Those calls that were forbidden, whatever came of them."""
    forbidden = scenario.expected.tools.prohibited
    return tuple(use for use in uses if any(_is_prohibited(bad, use) for bad in forbidden))


def _is_prohibited(bad: ExpectedToolCall, use: ToolUse) -> bool:
    """Broken arguments match no arguments; a tool prohibited with any needs none to be matched."""
    is_any_call = not bad.arguments and use.call.name == bad.name
    return is_any_call or same_request(bad, use.observed)


def tool_uses(evidence: Evidence) -> tuple[ToolUse, ...]:
    """Every call once, in order of the calls, joined with its outcome by call id."""
    calls: dict[str, tuple[int, ToolCalled]] = {}
    outcomes: dict[str, tuple[int, ToolReturned]] = {}
    for index, seen in enumerate(evidence.observations):
        if isinstance(seen, ToolCalled):
            calls.setdefault(seen.call_id, (index, seen))
        elif isinstance(seen, ToolReturned):
            outcomes.setdefault(seen.call_id, (index, seen))
    uses = []
    for call_id, (called_index, call) in calls.items():
        returned_index, returned = outcomes.get(call_id, (None, None))
        uses.append(ToolUse(call, returned, called_index, returned_index))
    return tuple(uses)


def matching_of(scenario: Scenario, uses: tuple[ToolUse, ...]) -> CallMatching:
    """How the calls meet the required ones. A call nobody answered is a call all the same."""
    return match_calls(scenario.expected.tools.required, [use.observed for use in uses])

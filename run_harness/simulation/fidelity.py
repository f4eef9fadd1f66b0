"""How faithful the simulated caller was to its part: diagnostic, and no gate.

What nobody can tell is null. Nothing here changes a verdict; it tells whoever reads a result
whether the caller it was measured with did what the scenario says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from shared.intervals import IntervalSet
from shared.metrics.transcription.entities import (
    DIGITS_IN_A_ROW,
    Entity,
    EntityKind,
    entities,
)
from shared.observability.evidence import CallerAction, Decision, DecisionStatus
from shared.observability.turns import Turn
from shared.scenarios import AgendaAction, Scenario
from shared.values import CountPair, JsonObject


@dataclass(frozen=True, slots=True)
class StrayFact:
    """A date, time or number as the caller said it, which nobody could have told it."""

    start_ms: int
    said: str


@dataclass(frozen=True, slots=True)
class CallerFidelity:
    """What can be told of a caller. Absent: nobody looked, or nothing could be compared."""

    is_silent: bool
    is_out_of_role: bool | None
    stray_facts: tuple[StrayFact, ...] | None
    interruptions: CountPair | None

    def as_json(self) -> JsonObject:
        """The object ``caller_fidelity`` of results."""
        stray = self.stray_facts
        planned = self.interruptions
        return {
            "never_spoke": self.is_silent,
            "drifted_into_assistant_role": self.is_out_of_role,
            "contradicted_facts": None
            if stray is None
            else [{"at_ms": one.start_ms, "said": one.said} for one in stray],
            "planned_interruptions": None if planned is None else planned.expected,
            "planned_interruptions_missed": None
            if planned is None
            else max(0, planned.expected - planned.actual),
        }


def caller_fidelity(
    scenario: Scenario,
    voiced: IntervalSet,
    caller_turns: Sequence[Turn],
    assistant_turns: Sequence[Turn],
    decisions: Sequence[Decision] = (),
) -> CallerFidelity:
    """Compare a conversation with the caller's part in it. Turns are in order of onset."""
    return CallerFidelity(
        is_silent=not voiced,
        is_out_of_role=_is_out_of_role(decisions),
        stray_facts=_stray_facts(scenario, caller_turns, assistant_turns),
        interruptions=_interruptions(scenario, caller_turns),
    )


def _is_out_of_role(decisions: Sequence[Decision]) -> bool | None:
    """The observer's word, where it gave one: a caller that strayed once has strayed."""
    words = [
        decision.is_caller_in_role
        for decision in decisions
        if decision.status is DecisionStatus.ANSWERED and decision.is_caller_in_role is not None
    ]
    return not all(words) if words else None


def _stray_facts(
    scenario: Scenario, caller_turns: Sequence[Turn], assistant_turns: Sequence[Turn]
) -> tuple[StrayFact, ...] | None:
    """Dates, times and numbers that stand in none of the caller's papers and were not heard before.

    They are compared by what they mean, where that is certain. Nothing comes of a caller that named
    nothing to compare.
    """
    papers = " . ".join(_papers(scenario))
    stray: list[StrayFact] = []
    is_decidable = False
    for turn in caller_turns:
        heard = " . ".join(
            other.text for other in assistant_turns if other.span.start_ms < turn.span.end_ms
        )
        for said in entities(turn.text, "", ()):
            if _may_be_part_of_another(said, f"{papers} . {heard}"):
                continue
            is_decidable = True
            if not _is_told(said.expected, papers) and not _is_told(said.expected, heard):
                stray.append(StrayFact(turn.span.start_ms, said.expected))
    return tuple(stray) if is_decidable else None


def _may_be_part_of_another(said: Entity, known: str) -> bool:
    """Whether a short number may be half of a known time or date: "seven" is said of 19:00 too."""
    if said.kind is not EntityKind.NUMBER:
        return False
    length = sum(map(str.isdecimal, said.expected)) or len(said.expected.split())
    kinds = {one.kind for one in entities(known, "", ())}
    return length < DIGITS_IN_A_ROW and bool(kinds & {EntityKind.TIME, EntityKind.DATE})


def _is_told(said: str, text: str) -> bool:
    """Whether a text tells what was said; what cannot be read by itself counts as told."""
    return all(one.is_heard for one in entities(said, text, ()))


def _papers(scenario: Scenario) -> Iterator[str]:
    """Everything the caller was given."""
    yield scenario.input.text
    caller = scenario.simulation_parameters
    if caller is None:
        return
    yield caller.goal
    yield from (str(fact) for fact in caller.known_facts.values())
    yield from caller.expectations
    for item in caller.agenda:
        yield from (item.trigger_condition, item.commitment, item.response_hint)


def _interruptions(scenario: Scenario, caller_turns: Sequence[Turn]) -> CountPair | None:
    """How often the caller broke in against how often it was to; nothing where it was not to."""
    caller = scenario.simulation_parameters
    planned = sum(
        item.action is AgendaAction.INTERRUPT for item in (caller.agenda if caller else ())
    )
    if not planned:
        return None
    return CountPair(sum(turn.action is CallerAction.INTERRUPT for turn in caller_turns), planned)

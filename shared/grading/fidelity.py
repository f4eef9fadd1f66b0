"""How faithful the simulated caller was to its part: diagnostic, and no gate.

What nobody can tell is ``Untold``, with the reason. Nothing here changes a verdict; it tells
whoever reads a result whether the caller it was measured with did what the scenario says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

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

NOBODY_LOOKED: Final = "no observer listened to the caller"
NO_WORD_ON_ROLE: Final = "no observer's answer says whether the caller kept its role"
NOTHING_TRANSCRIBED: Final = "no word of the caller was transcribed"
NOTHING_TO_COMPARE: Final = "the caller named no date, time or number"
ONLY_PARTS: Final = "each number the caller named may be part of a known date or time"
NONE_PLANNED: Final = "the scenario plans no interruption"


@dataclass(frozen=True, slots=True)
class Untold:
    """Why nobody can tell."""

    reason: str


@dataclass(frozen=True, slots=True)
class StrayFact:
    """A date, time or number as the caller said it, which nobody could have told it."""

    start_ms: int
    said: str


@dataclass(frozen=True, slots=True)
class CallerFidelity:
    """What can be told of a caller, each finding with its moments in media ms.

    ``out_of_role_ms`` are the instants up to which the observer had listened when it said that the
    caller spoke as the other party; ``interruptions_ms`` the onsets at which it broke in.
    """

    is_silent: bool
    out_of_role_ms: tuple[int, ...] | Untold
    stray_facts: tuple[StrayFact, ...] | Untold
    planned_interruptions: int | Untold
    interruptions_ms: tuple[int, ...]

    @property
    def missed_interruptions(self) -> int | Untold:
        """How many of the planned ones there were too few."""
        if isinstance(self.planned_interruptions, Untold):
            return self.planned_interruptions
        return max(0, self.planned_interruptions - len(self.interruptions_ms))


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
        out_of_role_ms=_out_of_role_ms(decisions),
        stray_facts=_stray_facts(scenario, caller_turns, assistant_turns),
        planned_interruptions=_planned_interruptions(scenario),
        interruptions_ms=tuple(
            turn.span.start_ms for turn in caller_turns if turn.action is CallerAction.INTERRUPT
        ),
    )


def _out_of_role_ms(decisions: Sequence[Decision]) -> tuple[int, ...] | Untold:
    """The observer's word, where it gave one: a caller that strayed once has strayed."""
    if not decisions:
        return Untold(NOBODY_LOOKED)
    told = [
        decision
        for decision in decisions
        if decision.status is DecisionStatus.ANSWERED and decision.is_caller_in_role is not None
    ]
    if not told:
        return Untold(NO_WORD_ON_ROLE)
    return tuple(decision.asked_ms for decision in told if not decision.is_caller_in_role)


def _stray_facts(
    scenario: Scenario, caller_turns: Sequence[Turn], assistant_turns: Sequence[Turn]
) -> tuple[StrayFact, ...] | Untold:
    """Dates, times and numbers that stand in none of the caller's papers and were not heard before.

    They are compared by what they mean, where that is certain.
    """
    named = [(turn, said) for turn in caller_turns for said in entities(turn.text, "", ())]
    if not named:
        is_transcribed = any(turn.text for turn in caller_turns)
        return Untold(NOTHING_TO_COMPARE if is_transcribed else NOTHING_TRANSCRIBED)
    papers = " . ".join(_papers(scenario))
    stray: list[StrayFact] = []
    is_decidable = False
    for turn, said in named:
        heard = _begun_before(turn.span.end_ms, assistant_turns)
        if _may_be_part_of_another(said, f"{papers} . {heard}"):
            continue
        is_decidable = True
        if not _is_told(said.expected, papers) and not _is_told(said.expected, heard):
            stray.append(StrayFact(turn.span.start_ms, said.expected))
    return tuple(stray) if is_decidable else Untold(ONLY_PARTS)


def _begun_before(end_ms: int, turns: Sequence[Turn]) -> str:
    return " . ".join(turn.text for turn in turns if turn.span.start_ms < end_ms)


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


def _planned_interruptions(scenario: Scenario) -> int | Untold:
    """How often the caller was to break in."""
    caller = scenario.simulation_parameters
    agenda = caller.agenda if caller else ()
    planned = sum(item.action is AgendaAction.INTERRUPT for item in agenda)
    return planned or Untold(NONE_PLANNED)

"""What of an attempt rests on the detector: its numbers and checks by a second one, and what flips.

Nothing here decides. Contract: ``docs/metrics-contract.md``, "A second detector".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from shared.grading.verdict import Check, CheckStatus
from shared.intervals import Interval
from shared.metrics.interaction import InteractionMeasurements
from shared.metrics.responses import Opportunity, Outcome
from shared.metrics.turn_record import TurnRecord
from shared.observability.evidence import Evidence, SecondOpinion
from shared.observability.turns import numbered_turns


@dataclass(frozen=True, slots=True)
class ResponseFlip:
    """One utterance whose response opportunity is of another class by the second detector.

    ``utterance`` counts from 0. In a conversation it is a turn as the first detector has it; what
    only the second has comes after these. No outcome means that a detector found no voice in it.
    ``request_end_ms`` is by the first detector that did.
    """

    utterance: int
    request_end_ms: int
    first: Outcome | None
    second: Outcome | None


@dataclass(frozen=True, slots=True)
class CheckFlip:
    """One check that comes out otherwise."""

    id: str
    first: CheckStatus
    second: CheckStatus


@dataclass(frozen=True, slots=True)
class Reading:
    """An attempt as one detector has it: the evidence, what was measured, what was checked."""

    evidence: Evidence
    measured: InteractionMeasurements
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The second detector's tracks and v2 numbers, and every flip in order."""

    tracks: SecondOpinion
    interaction: InteractionMeasurements
    responses: tuple[ResponseFlip, ...]
    checks: tuple[CheckFlip, ...]

    @property
    def has_flips(self) -> bool:
        return bool(self.responses or self.checks)


def compared(first: Reading, second: Reading) -> Sensitivity:
    """Two readings of one attempt, judged by one policy."""
    return Sensitivity(
        tracks=SecondOpinion(second.evidence.caller, second.evidence.assistant),
        interaction=second.measured,
        responses=tuple(_response_flips(first, second)),
        checks=tuple(_check_flips(first.checks, second.checks)),
    )


def _response_flips(first: Reading, second: Reading) -> list[ResponseFlip]:
    mine, theirs = _opportunities(first, first), _opportunities(second, first)
    flips = []
    for number in sorted(mine | theirs):
        one, other = mine.get(number), theirs.get(number)
        if _outcome(one) is not _outcome(other):
            ends_ms = [known.request.end_ms for known in (one, other) if known]
            flips.append(ResponseFlip(number, ends_ms[0], _outcome(one), _outcome(other)))
    return flips


def _outcome(opportunity: Opportunity | None) -> Outcome | None:
    return None if opportunity is None else opportunity.outcome


def _opportunities(reading: Reading, first: Reading) -> dict[int, Opportunity]:
    """Every opportunity by the number of its utterance, or of the turn that the first heard."""
    evidence, records = reading.evidence, reading.measured.turns
    if evidence.caller_observations:
        numbers = _heard_numbers(records, first.measured.turns)
    else:
        voiced = evidence.caller.voiced.clip(Interval(0, evidence.extent_ms))
        numbers = [number for number, _ in numbered_turns(evidence.utterances, voiced)]
    return {number: record.opportunity for number, record in zip(numbers, records, strict=True)}


def _heard_numbers(heard: Sequence[TurnRecord], first: Sequence[TurnRecord]) -> list[int]:
    """For each turn the number of the first one that it touches and no other turn has."""
    numbers: list[int] = []
    unknown = count(len(first))
    for record in heard:
        touched = (
            number
            for number, one in enumerate(first)
            if number not in numbers and one.turn.span.overlaps(record.turn.span)
        )
        number = next(touched, None)
        numbers.append(next(unknown) if number is None else number)
    return numbers


def _check_flips(first: Sequence[Check], second: Sequence[Check]) -> list[CheckFlip]:
    """Both lists are of the same checks, in the same order."""
    return [
        CheckFlip(one.id, one.status, other.status)
        for one, other in zip(first, second, strict=True)
        if one.status is not other.status
    ]

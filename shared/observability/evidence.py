"""Evidence: the sealed record of one attempt, and all that judging may read.

A session seals it; metrics, checks, verdict, report and viewer are pure functions of it and can be
run again from disk with the recordings deleted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from shared.audio.detection.port import DetectorId as DetectorId  # noqa: PLC0414 - re-exported
from shared.errors import Stage
from shared.intervals import Interval, IntervalSet
from shared.observability.observations import Observation
from shared.values import JsonObject


class CallerAction(StrEnum):
    """What a caller's utterance did; the last two ask for no answer."""

    OPENING = "OPENING"
    SPEAK = "SPEAK"
    INTERRUPT = "INTERRUPT"
    BACKCHANNEL = "BACKCHANNEL"
    STOP = "STOP"


@dataclass(frozen=True, slots=True)
class Utterance:
    """What the caller said and where on the caller's track; it never creates speech.

    ``source`` names who labelled it (a script, a recording, an observer).
    """

    span: Interval
    text: str
    action: CallerAction
    source: str


class MeasuredOn(StrEnum):
    """Which signal the voiced spans of a track were measured on."""

    CLEAN_SOURCE = "clean_source"
    RECORDING = "recording"
    RECEIVED = "received"


@dataclass(frozen=True, slots=True)
class Track:
    """One party's audio as measured: where it was voiced, and by which detector."""

    voiced: IntervalSet
    samples: int
    detector: DetectorId
    measured_on: MeasuredOn


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """Both tracks by a second detector, to tell what rests on the choice of the first.

    A track whose truth was known beforehand, or that was not measured twice, is the first one's.
    """

    caller: Track
    assistant: Track


class Ending(StrEnum):
    """Why an attempt stopped listening."""

    ANSWER_SETTLED = "answer_settled"
    RESPONSE_TIMEOUT = "response_timeout"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt is not a measurement."""

    stage: Stage
    message: str


@dataclass(frozen=True, slots=True)
class Pacing:
    """How late our sender was, frame by frame, in microseconds after each frame was due."""

    frame_ms: int
    lateness_us: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything one attempt left behind. ``extent_ms`` is the caller-track time observed."""

    scenario_id: str
    extent_ms: int
    caller: Track
    assistant: Track
    utterances: tuple[Utterance, ...]
    observations: tuple[Observation, ...]
    state_before: JsonObject
    state_after: JsonObject
    pacing: Pacing
    ending: Ending
    failure: Failure | None
    warnings: tuple[str, ...] = ()
    second_opinion: SecondOpinion | None = None

    def of[T: Observation](self, kind: type[T]) -> tuple[T, ...]:
        """All observations of one kind, in order of receipt."""
        return tuple(seen for seen in self.observations if isinstance(seen, kind))

    @property
    def by_second_opinion(self) -> Evidence | None:
        """The same attempt as the second detector heard it; nothing where none did."""
        second = self.second_opinion
        if second is None:
            return None
        return replace(self, caller=second.caller, assistant=second.assistant, second_opinion=None)

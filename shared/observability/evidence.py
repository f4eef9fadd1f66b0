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
from shared.observability.observations import Observation, Speaker, TokenUsage
from shared.observability.shutdown import Cleanup, WorkSettlement
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


class LabelSource(StrEnum):
    """Who or what named a caller turn's action: the first three say so, the others are rules."""

    SCRIPT = "script"
    CALLER = "caller"
    OBSERVER = "observer"
    FIRST_TURN = "first_turn"
    ACKNOWLEDGEMENT = "acknowledgement"
    OVERLAP = "overlap"


EXPLICIT = (LabelSource.SCRIPT, LabelSource.CALLER, LabelSource.OBSERVER)
"""Who may say outright what a turn is, the one believed first in front."""


@dataclass(frozen=True, slots=True)
class Cue:
    """An explicit label on the caller's track: over ``[start_ms, end_ms)``, or at an instant.

    At an instant both are equal. It never creates speech.
    """

    start_ms: int
    end_ms: int
    action: CallerAction
    source: LabelSource

    def __post_init__(self) -> None:
        if self.end_ms < self.start_ms:
            raise ValueError(f"a cue ends before it starts: [{self.start_ms}, {self.end_ms})")
        if self.source not in EXPLICIT:
            raise ValueError(f"a rule gives no cue: {self.source.value}")

    @property
    def span(self) -> Interval | None:
        """What it spans; nothing at an instant."""
        return None if self.start_ms == self.end_ms else Interval(self.start_ms, self.end_ms)


class DecisionStatus(StrEnum):
    """What became of a question to the completion observer; the first is still open."""

    ASKED = "asked"
    ANSWERED = "answered"
    STALE = "stale"
    FAILED = "failed"


class Resolution(StrEnum):
    """How the caller's business stands, as the completion observer sees it."""

    RESOLVED = "resolved"
    REFUSED = "refused"
    UNRESOLVED = "unresolved"


@dataclass(frozen=True, slots=True)
class Closing:
    """The caller turn that an observer took for the farewell, as far as it went by then."""

    span: Interval
    carries_request: bool


@dataclass(frozen=True, slots=True)
class Objective:
    """Whether the caller has brought up an item of its agenda, as an observer sees it.

    ``span`` is the caller turn it was in; there is none for what lies before the turns it saw.
    """

    id: str
    is_expressed: bool
    span: Interval | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """One question to the completion observer. Instants are media time in ms.

    ``revision`` numbers the evidence it was asked about. What was not answered has neither
    ``should_drain`` nor ``outcome``; ``reason`` is the observer's, or says why there is none.
    ``objectives`` are the agenda items it was asked about. ``is_caller_in_role`` is its word on
    whether the caller still speaks as one who calls.
    """

    asked_ms: int
    settled_ms: int | None
    revision: int
    status: DecisionStatus
    should_drain: bool | None = None
    outcome: Resolution | None = None
    reason: str = ""
    closing: Closing | None = None
    objectives: tuple[Objective, ...] = ()
    is_caller_in_role: bool | None = None
    usage: TokenUsage | None = None


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
    CONVERSATION_COMPLETED = "response_completed"
    DURATION_LIMIT = "duration_limit"
    CALLER_UNFIT = "caller_unfit"
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
class PlayoutRecord:
    """What one party's playout did in all; how long each chunk was held stands with the chunk.

    ``chunks`` were placed. Silence was played for ``held_samples`` while a chunk was held, and for
    ``underflow_samples`` because nothing was there; a word went on after
    ``underflow_in_speech_samples`` of these. ``dropped_samples`` of silence were left out. The most
    that ever waited is ``high_water_samples``; what sounds in ``unplayed_sound_samples`` was never
    heard.
    """

    hold_ms: int
    chunks: int
    held_samples: int
    underflow_samples: int
    underflow_in_speech_samples: int
    dropped_samples: int
    high_water_samples: int
    unplayed_sound_samples: int


@dataclass(frozen=True, slots=True)
class Leg:
    """One party's end of the relay: the frames sent to it, and how its own voice was played.

    Per frame in microseconds: how long sending took, and how late after it was due it began. The
    last frame may never have been taken; it has no latency then.
    """

    frames: int
    send_latency_us: tuple[int, ...]
    send_lateness_us: tuple[int, ...]
    playout: PlayoutRecord


@dataclass(frozen=True, slots=True)
class Transport:
    """Both legs of a conversation."""

    caller: Leg
    assistant: Leg


@dataclass(frozen=True, slots=True)
class Condition:
    """The acoustic condition between caller and assistant: its name, and what it came to."""

    name: str
    applied: JsonObject


@dataclass(frozen=True, slots=True)
class Termination:
    """How it was decided that a conversation is over: by which policy, and what said so at last.

    ``signal`` is absent where nothing did, ``gave_up`` why the observer was no longer asked where
    it was given up.
    """

    policy: str
    signal: str | None = None
    gave_up: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything one attempt left behind. ``extent_ms`` is the caller-track time observed.

    What follows ``second_opinion`` is there after a conversation only. ``caller_observations`` are
    the caller's own session's, in order of receipt: in them ``Speaker.ASSISTANT`` is that session's
    voice, which is the caller, and ``Speaker.CALLER`` is what it heard.
    """

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
    caller_observations: tuple[Observation, ...] = ()
    cues: tuple[Cue, ...] = ()
    decisions: tuple[Decision, ...] = ()
    first_speaker: Speaker | None = None
    transport: Transport | None = None
    condition: Condition | None = None
    settlement: WorkSettlement | None = None
    cleanup: Cleanup | None = None
    termination: Termination | None = None

    def of[T: Observation](self, kind: type[T]) -> tuple[T, ...]:
        """All observations of one kind, in order of receipt."""
        return tuple(seen for seen in self.observations if isinstance(seen, kind))

    def of_caller[T: Observation](self, kind: type[T]) -> tuple[T, ...]:
        """All observations of one kind in the caller's own session, in order of receipt."""
        return tuple(seen for seen in self.caller_observations if isinstance(seen, kind))

    @property
    def by_second_opinion(self) -> Evidence | None:
        """The same attempt as the second detector heard it; nothing where none did."""
        second = self.second_opinion
        if second is None:
            return None
        return replace(self, caller=second.caller, assistant=second.assistant, second_opinion=None)

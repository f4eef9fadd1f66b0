"""What a viewer page may hold, field by field: nothing enters a page that has no place here.

Shown are recordings, words, tools by name and outcome, delegation targets with the backend's final
texts, figures, checks and the moments they rest on. Structured arguments, raw results, requests to
a backend, ids of calls, private instructions, reasoning and event logs have no field, so no page
can hold them. Nothing here is computed: every number is a metric's, under its own name.

Times are whole milliseconds of media time; a span is ``(start_ms, end_ms)``, half-open. What is
unknown is ``None``, and ``missing`` of its attempt names what is missing in a sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

type Span = tuple[int, int]


class Role(StrEnum):
    CALLER = "caller"
    ASSISTANT = "assistant"


class Standing(StrEnum):
    """How an attempt ended, for the index. ``UNKNOWN`` is a report that does not say."""

    PASSED = "passed"
    FAILED = "failed"
    INFRASTRUCTURE_ERROR = "infrastructure_error"
    UNKNOWN = "unknown"


class TimingSource(StrEnum):
    """What the spans of an attempt were read from."""

    EVIDENCE = "evidence"
    DEBUG_TRACE = "debug_trace"
    RECONSTRUCTED_AUDIO = "reconstructed_audio"
    NONE = "none"


class AudioOrigin(StrEnum):
    """Whose voices a recording holds."""

    SYNTHETIC_FIXTURE = "synthetic_fixture"
    LIVE = "live"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Setting:
    """One line of the run's configuration, as it is told."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class RunView:
    """The run: which suite, in what mode, by which versions. Counts are the report's own."""

    id: str
    module: str
    execution_mode: str
    audio_origin: AudioOrigin
    schema_version: str | None
    metrics_version: str | None
    started_at: str | None
    total: int | None
    passed: int | None
    failed: int | None
    infrastructure_errors: int | None
    settings: tuple[Setting, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """An attempt's line in the index. ``reason`` says in a line why it ended as it did.

    ``is_valid`` is false where the caller was unfit, so that nothing is said of the assistant.
    ``answered`` and ``asked`` are the response rate's counts, ``latency_ms`` its mean latency.
    """

    key: str
    scenario_id: str
    title: str
    standing: Standing
    reason: str
    is_valid: bool | None = None
    repeat: int | None = None
    condition: str | None = None
    script: str | None = None
    duration_ms: int | None = None
    answered: int | None = None
    asked: int | None = None
    latency_ms: float | None = None
    interruptions: int | None = None


@dataclass(frozen=True, slots=True)
class TrackView:
    """Where one party was voiced, by which detector and on which signal, where that is told."""

    voiced: tuple[Span, ...]
    detector: str | None = None
    measured_on: str | None = None


@dataclass(frozen=True, slots=True)
class Waveform:
    """How loud both sides of a recording are: one byte per ``PEAK_MS`` from its start, the square
    root of the loudest sample's share of full scale, times 255."""

    caller: bytes
    assistant: bytes


@dataclass(frozen=True, slots=True)
class TurnView:
    """What one party said in a stretch. ``action`` and its source are the caller's only."""

    role: Role
    start_ms: int
    end_ms: int
    text: str
    action: str | None = None
    action_source: str | None = None
    overlap_ms: int | None = None


@dataclass(frozen=True, slots=True)
class OpportunityView:
    """One request and what became of it. ``outcome`` is answered, missed, censored or excluded,
    ``reason`` the contract's. ``answer_at_ms`` is the first qualifying sound, timely or late."""

    start_ms: int
    request_end_ms: int
    outcome: str
    reason: str | None
    deadline_at_ms: int | None = None
    latency_ms: int | None = None
    answer_at_ms: int | None = None


@dataclass(frozen=True, slots=True)
class FloorEventView:
    """A yield, an interruption by the assistant or a backchannel. ``kind`` is ``yield``,
    ``interruption`` or ``backchannel``; ``outcome`` is the metric's own word for it."""

    kind: str
    at_ms: int
    end_ms: int | None
    outcome: str
    latency_ms: int | None = None


@dataclass(frozen=True, slots=True)
class ToolView:
    """One call by name and outcome. ``status`` is completed, failed, called (it never returned) or
    unknown. ``delegation`` is the place of the delegation that it served, where that is known."""

    name: str
    status: str
    at_ms: int | None
    returned_at_ms: int | None = None
    delegation: int | None = None


@dataclass(frozen=True, slots=True)
class DelegationView:
    """Work handed to a backend. ``work`` is when it held the floor, ``texts`` are final answers.

    ``is_timeline_only`` says that only the moment is known. ``responses`` is absent where unknown.
    """

    target: str
    status: str
    at_ms: int | None
    work: tuple[Span, ...]
    texts: tuple[str, ...]
    responses: int | None = None
    is_timeline_only: bool = False


@dataclass(frozen=True, slots=True)
class DecisionView:
    """One look of the completion observer at the conversation, and what it said."""

    asked_ms: int
    settled_ms: int | None
    status: str
    should_drain: bool | None
    outcome: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class MomentView:
    """A moment that something rests on."""

    at_ms: int
    what: str


@dataclass(frozen=True, slots=True)
class CheckView:
    id: str
    status: str
    is_required: bool
    reason: str
    moments: tuple[MomentView, ...]


@dataclass(frozen=True, slots=True)
class StepView:
    """One step of the scenario's procedure."""

    id: str
    kind: str
    status: str
    is_required: bool
    is_critical: bool
    reason: str
    moments: tuple[MomentView, ...]


@dataclass(frozen=True, slots=True)
class DimensionView:
    """One dimension put to a judge. ``version`` is its rubric's; absent is unknown."""

    name: str
    status: str
    score: float | None
    reason: str
    version: str | None
    judge_model: str | None


@dataclass(frozen=True, slots=True)
class VerdictView:
    """``passed`` is absent where nothing was decided. ``source`` says whether a judge had part."""

    passed: bool | None
    source: str | None
    rationale: str
    checks: tuple[CheckView, ...]
    steps: tuple[StepView, ...]
    dimensions: tuple[DimensionView, ...]


@dataclass(frozen=True, slots=True)
class FigureView:
    """One number of the report, already told with its unit; ``value`` is absent where unknown.

    ``population`` says over what it is ("3 of 4 requests"), ``gap`` why there is no value.
    ``moments`` are the instants it was made from.
    """

    name: str
    label: str
    value: str | None
    population: str | None = None
    gap: str | None = None
    moments: tuple[MomentView, ...] = ()


@dataclass(frozen=True, slots=True)
class FigureGroup:
    """Figures of one kind. ``version`` is that of the contract they were measured by, "unknown"
    where the report does not tell, and absent where figures of this kind have none.

    ``is_detail`` says that a reader asks for them rather than finds them.
    """

    title: str
    version: str | None
    figures: tuple[FigureView, ...]
    is_detail: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """What went wrong with the attempt itself: ``stage`` and a sentence; ``at_ms`` if known."""

    stage: str
    message: str
    at_ms: int | None = None


@dataclass(frozen=True, slots=True)
class ValidityView:
    """Whether the caller was fit to call, and what there is to say about it."""

    is_valid: bool | None
    reason: str
    notes: tuple[MomentView, ...] = ()


@dataclass(frozen=True, slots=True)
class Course:
    """What happened in an attempt, and when. ``extent_ms`` is how long it was observed.

    ``opportunities``, ``floor_events``, ``tools`` and ``decisions`` are in order of time, turns in
    order of onset with the caller first. ``missing`` names in a sentence each what is not known.
    """

    extent_ms: int
    timing_source: TimingSource
    delegation_timing_source: str | None
    caller: TrackView
    assistant: TrackView
    overlaps: tuple[Span, ...] = ()
    floor_hold: tuple[Span, ...] = ()
    turns: tuple[TurnView, ...] = ()
    opportunities: tuple[OpportunityView, ...] = ()
    floor_events: tuple[FloorEventView, ...] = ()
    delegations: tuple[DelegationView, ...] = ()
    tools: tuple[ToolView, ...] = ()
    decisions: tuple[DecisionView, ...] = ()
    ending: str | None = None
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AttemptView:
    """Everything a page tells of one attempt. ``missing`` names what is missing besides."""

    entry: Entry
    audio_origin: AudioOrigin
    course: Course
    waveform: Waveform | None
    verdict: VerdictView | None
    figures: tuple[FigureGroup, ...]
    validity: ValidityView | None
    problem: Problem | None
    warnings: tuple[str, ...]
    missing: tuple[str, ...]


PEAK_MS = 10
"""How much of a recording one byte of a waveform stands for."""

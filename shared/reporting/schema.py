"""The portable report, schema 2.0: what ``results.json`` holds, key by key.

Unknown is null, and ``unavailable`` says why; only ``consumption`` leaves out what is unavailable.
Paths are relative to the run directory. The JSON Schema shipped beside this file is generated from
these types.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

_T = TypeVar("_T")

SCHEMA_VERSION = "2.0"


def _is_absent(value: object) -> bool:
    return value is None


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


# No ``type`` alias: pydantic would not see into it, and write null where nothing belongs.
Figure = Annotated[_T | None, Field(exclude_if=_is_absent)]


class Pair(Part):
    """How many happened against how many were expected."""

    actual: int
    expected: int


class Extremes(Part):
    """Milliseconds in all and at most."""

    cumulative: int
    maximum: int


class SemanticQuality(Part):
    """``score`` is the mean of ``dimensions``, which holds those that were scored."""

    score: float | None = None
    dimensions: dict[str, float] = {}


class TaskMetrics(Part):
    task_completed: bool
    semantic_quality: SemanticQuality = SemanticQuality()
    tool_accuracy: float | None = None
    tool_calls: Pair | None = None
    delegation_accuracy: float | None = None
    delegations: Pair | None = None
    turns: Pair | None = None


class Opportunities(Part):
    caller_turn_count: int
    response_eligible_count: int
    response_censored_count: int
    response_excluded_count: int
    response_late_count: int
    response_total: int
    response_count: int
    no_response_count: int


class SpeechSource(Part):
    """Which detector measured a track, and on which signal."""

    detector: str
    detector_version: str
    measured_on: str


class Percentiles(Part):
    count: int
    p50: float | None = None
    p90: float | None = None
    p99: float | None = None
    maximum: float | None = None


class SettledYieldMetrics(Part):
    """Yields that needed 300 ms of silence, with the latencies of those that yielded."""

    yielded: int
    not_yielded: int
    censored: int
    latency_ms: Percentiles


class ResponseCounts(Part):
    response_count: int
    response_total: int
    response_rate: float | None = None


class WordErrorCounts(Part):
    """Words of a transcript against its reference; ``rate`` is errors per word of the reference.

    ``normaliser`` says what counts as the same word.
    """

    hits: int
    substitutions: int
    deletions: int
    insertions: int
    reference_words: int
    rate: float | None = None
    normaliser: str
    normaliser_version: str


class EntityReport(Part):
    """One name, date, time or number of the request, as it stands in the reference."""

    kind: Literal["name", "date", "time", "number"]
    expected: str
    heard: bool


class InteractionFigures(Part):
    """The v2 numbers, and by which detectors."""

    response_rate: float | None = None
    response_latency_ms: float | None = None
    interruption_rate: float | None = None
    speaking_duration_ms: Extremes | None = None
    floor_hold_silence_ms: Extremes | None = None
    metrics_version: str
    response_deadline_ms: int
    response_opportunities: Opportunities | None = None
    response_exclusion_reasons: dict[str, int] = {}
    response_latencies_ms: list[int] = []
    late_response_latencies_ms: list[int] = []
    interruption_count: int | None = None
    speech: dict[Literal["caller", "assistant"], SpeechSource] = {}


class ResponseFlip(Part):
    """An utterance, counted from 0, whose request has another status by the second detector.

    ``unheard`` says that a detector found no voice in it.
    """

    utterance: int
    request_end_ms: int
    status: str
    second_status: str


class CheckFlip(Part):
    id: str
    status: str
    second_status: str


class Flips(Part):
    responses: list[ResponseFlip] = []
    checks: list[CheckFlip] = []


class SensitivityMetrics(InteractionFigures):
    """The same numbers by a second detector, and what comes out otherwise by it."""

    flips: Flips = Flips()


class DirectionMetrics(Part):
    """One party's voice on its way to the other: how frames were handed over, and of the playout
    that fed them how long pieces waited in it and the most that did, what it lacked, also inside
    words, and what it left out."""

    frames: int
    send_lateness_ms: Percentiles
    send_latency_ms: Percentiles
    queue_delay_ms: Percentiles
    high_water_ms: float
    underflow_ms: float
    underflow_in_speech_ms: float
    dropped_silence_ms: float


class TransportMetrics(Part):
    frame_ms: int
    caller_to_assistant: DirectionMetrics
    assistant_to_caller: DirectionMetrics


class ExtendedMetrics(Part):
    """``observed_ms`` is how much media time all of it rests on. ``playout_holds_ms`` says of each
    of ``response_latencies_ms``, in their order, how much of it was our own playout's hold. It,
    ``playout_hold_ms`` and ``transport`` are null where no playout or relay had a part."""

    version: str
    observed_ms: int
    response_latency_ms: Percentiles
    playout_hold_ms: Percentiles | None = None
    playout_holds_ms: list[float | None] | None = None
    transport: TransportMetrics | None = None
    sender_lateness_ms: Percentiles
    receive_lateness_ms: Percentiles
    stall_count: int
    requests_spoken_through: int
    response_expecting_requests: int
    interruption_episodes: int
    talk_over_ms: int
    response_expecting_speech_ms: int
    talk_over_share: float | None = None
    yields: SettledYieldMetrics
    responses_with_closings: ResponseCounts
    word_error: WordErrorCounts | None = None
    entities: list[EntityReport] | None = None
    sensitivity: SensitivityMetrics | None = None


class AudioMetrics(InteractionFigures):
    extended: ExtendedMetrics | None = None


class InputTokens(Part):
    total_tokens: Figure[int] = None
    cached_tokens: Figure[int] = None
    cache_write_tokens: Figure[int] = None


class OutputTokens(Part):
    total_tokens: Figure[int] = None
    reasoning_tokens: Figure[int] = None


class Tokens(Part):
    total_tokens: Figure[int] = None
    input: Figure[InputTokens] = None
    output: Figure[OutputTokens] = None


class BackendConsumption(Tokens):
    models: Figure[dict[str, Tokens]] = None


class FrontendConsumption(Part):
    audio_duration_ms: Figure[int] = None


class ConsumptionMetrics(Part):
    frontend: FrontendConsumption = FrontendConsumption()
    backend: BackendConsumption = BackendConsumption()


class Metrics(Part):
    task: TaskMetrics
    audio: AudioMetrics
    consumption: ConsumptionMetrics
    unavailable: dict[str, str] = {}


class Moment(Part):
    at_ms: int
    what: str


class CheckReport(Part):
    id: str
    status: Literal["passed", "failed", "not_applicable", "unscored"]
    required: bool
    reason: str
    evidence: list[Moment] = []


class JudgeUsage(Part):
    """Tokens of the judge, which count in no figure about the assistant."""

    source: Literal["evaluation_judge"] = "evaluation_judge"
    total_tokens: int | None = None
    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None


class SemanticEvidence(Part):
    """What a judgment rests on: ``support_found`` of the quotes stand in what the judge saw."""

    support: list[str] = []
    support_found: int = 0
    rubric_version: str
    judge_model: str
    reasoning_effort: str
    prompt_sha256: str
    latency_ms: int
    calls: int
    is_cached: bool


class SemanticSample(Part):
    """One of several times that a dimension was asked about."""

    status: Literal["passed", "failed", "unscored"]
    score: float | None = None
    rationale: str | None = None
    reason: str | None = None


class ScoreSpread(Part):
    """How far apart repetitions are about one dimension, of those that gave it a score."""

    lowest: float
    highest: float
    scored: int


class SemanticDimension(Part):
    """One dimension put to the judge; ``reason`` says why there is no score.

    Of several repetitions ``score`` is the mean and ``passed`` what most of them say; ``samples``
    has each, and ``spread`` how far they are apart.

    ``usage`` is what this run spent. A cached judgment spent nothing now, and ``original_usage`` is
    what it had cost.
    """

    status: Literal["passed", "failed", "unscored"]
    passed: bool | None = None
    score: float | None = None
    rationale: str | None = None
    reason: str | None = None
    evidence: SemanticEvidence
    usage: JudgeUsage | None = None
    original_usage: JudgeUsage | None = None
    samples: Figure[list[SemanticSample]] = None
    spread: Figure[ScoreSpread] = None


StepStatus = Literal["passed", "failed", "not_applicable", "unscored"]


class ProcedureStepReport(Part):
    """One step. ``critical_status`` is its part in the verdict; only a critical step has one.

    ``at_ms`` is when the step was taken, where that is one moment.
    """

    id: str
    kind: str
    status: StepStatus
    required: bool
    critical: bool
    critical_status: StepStatus | None = None
    reason: str
    at_ms: int | None = None
    unmet_dependencies: list[str] = []
    out_of_order_dependencies: list[str] = []
    evidence: list[Moment] = []


class ProcedureReport(Part):
    """How the procedure went. ``passed`` is null while a required step is unscored.

    ``adherence`` is the share of required steps that passed among those that passed or failed.
    """

    id: str
    passed: bool | None = None
    adherence: float | None = None
    critical_passed: bool | None = None
    critical_violations: list[str] = []
    steps: list[ProcedureStepReport]


class AssessmentReport(Part):
    """``source`` says whether a judge had a part in the verdict.

    Checks that are not ``required`` decide nothing. ``procedure`` is there where a scenario has
    one.
    """

    passed: bool
    source: Literal["deterministic", "semantic_judge"] = "deterministic"
    rationale: str
    checks: list[CheckReport]
    semantic: dict[str, SemanticDimension] = {}
    procedure: Figure[ProcedureReport] = None


class CallerReport(Part):
    """Who called. ``sha256`` is of everything that makes it this caller: equal for equal callers.

    A ``simulated`` caller is a session that a model leads, a ``scripted`` one plays a script, a
    ``synthesized`` one speaks one text, a ``recorded`` one is replayed.
    """

    kind: Literal["simulated", "scripted", "synthesized", "recorded"]
    sha256: str


class AttemptReport(Part):
    key: str
    repeat: int
    recording: str | None = None
    script: str | None = None
    seed: int | None = None
    caller: CallerReport | None = None


class RecordingReport(Part):
    """A recorded request as it was replayed. ``path`` is as written, or its last part if absolute;
    ``sha256`` is of the file. ``metadata`` is the dataset's own."""

    id: str
    path: str
    condition: str
    metadata: dict[str, object] = {}
    sha256: str


class TokenCounts(Part):
    """Tokens that are no part of the product's consumption; what nobody told is null."""

    total_tokens: int | None = None
    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None


class ToldTokens(Part):
    """``tokens`` of the ``calls_with_usage``, out of all ``calls``, and of no other."""

    calls: int
    calls_with_usage: int
    tokens: TokenCounts


class CallerUsage(Part):
    """What the caller's own session consumed. Calls of its ``backend`` are completed responses."""

    source: Literal["caller_gpt_live"] = "caller_gpt_live"
    audio_duration_ms: int | None = None
    backend: ToldTokens | None = None


class ObserverUsage(ToldTokens):
    """What the completion observer consumed. Its calls are all questions that were asked."""

    source: Literal["completion_observer"] = "completion_observer"


class SimulationUsage(Part):
    """What it cost to have a caller and an observer. None of it is in ``consumption``.

    ``unavailable`` says why something is null, by its path.
    """

    caller: CallerUsage
    observer: ObserverUsage | None = None
    unavailable: dict[str, str] = {}


class StrayFactReport(Part):
    """A date, time or number that the caller said at ``at_ms`` and that nobody had told it."""

    at_ms: int
    said: str


class CallerFidelityReport(Part):
    """Whether a simulated caller did its part. It decides nothing.

    ``drifted_at_ms`` are the instants up to which the observer had listened when it found the
    caller in the assistant's role, ``interruptions_at_ms`` the onsets at which the caller broke in.
    What nobody can tell is null, and ``unavailable`` has the reason by its key.
    """

    never_spoke: bool
    drifted_into_assistant_role: bool | None = None
    drifted_at_ms: list[int] | None = None
    contradicted_facts: list[StrayFactReport] | None = None
    planned_interruptions: int | None = None
    planned_interruptions_missed: int | None = None
    interruptions_at_ms: list[int] = []
    unavailable: dict[str, str] = {}


class ErrorReport(Part):
    stage: str
    message: str


class AttemptResult(Part):
    """One attempt. ``validity`` says of a simulated caller whether it was fit to call,
    ``caller_fidelity`` whether it kept to its part, ``simulation_usage`` what it cost."""

    scenario_id: str
    attempt: AttemptReport
    title: str
    recording: RecordingReport | None = None
    status: Literal["passed", "failed", "infrastructure_error"]
    metrics: Metrics
    artifacts: dict[str, str]
    error: ErrorReport | None = None
    assessment: AssessmentReport | None = None
    observability: dict[str, object] | None = None
    validity: dict[str, object] | None = None
    caller_fidelity: CallerFidelityReport | None = None
    simulation_usage: SimulationUsage | None = None
    warnings: list[str] = []


class EntityCounts(Part):
    heard: int
    total: int
    share: float | None = None


class ConditionSummary(Part):
    """All attempts with recordings of one acoustic condition.

    ``pass_rate`` is over those that passed or failed. Figures below it are pooled over ``measured``
    attempts, which are those that measured the line, and of them the words over ``transcribed``.
    """

    condition: str
    total: int
    passed: int
    failed: int
    infrastructure_errors: int
    pass_rate: float | None = None
    measured: int
    responses: ResponseCounts
    response_latency_ms: Percentiles
    transcribed: int
    word_error: WordErrorCounts | None = None
    entities: EntityCounts | None = None


class Summary(Part):
    """Counts of attempts. ``conditions`` are there where recordings were replayed."""

    total: int
    passed: int
    failed: int
    infrastructure_errors: int
    conditions: Figure[list[ConditionSummary]] = None


class Run(Part):
    id: str
    module: Literal["crawl", "walk", "run"]
    execution_mode: Literal["live", "offline_fixture"]
    interaction: Literal["single_turn", "multi_turn"]
    dataset: str
    attempts_planned: int
    started_at: str
    ended_at: str | None = None
    comparison: Figure[ComparisonReport] = None
    configuration: dict[str, object]


class ComparisonReport(Part):
    """What this run is one side of. Runs of one comparison share ``id``."""

    id: str
    side: str
    sides: list[str]


class PlannedReport(Part):
    """An attempt that was to be made, by the names its row would have."""

    scenario_id: str
    key: str


class Report(Part):
    """One run of one suite. ``results`` has one row per attempt, in order of the dataset.

    ``not_performed`` are the attempts without a row, in the same order; it is absent where all
    finished.
    """

    schema_version: Literal["2.0"] = "2.0"
    run: Run
    summary: Summary
    results: list[AttemptResult]
    not_performed: Figure[list[PlannedReport]] = None

"""A saved report as its readers know it: whatever version wrote it, and whatever became of it.

Every field may be absent, and what is not of its kind counts as absent: an older report is read for
what it has. Only what a page tells is read at all. Shapes: ``docs/metrics-contract.md`` and
``shared/viewer/history`` for those of earlier versions.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    StrictBool,
    StrictInt,
    StrictStr,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
    field_validator,
)
from pydantic_core.core_schema import ValidationInfo

type Count = Annotated[StrictInt, Field(ge=0)]
LONGEST_MS = 7 * 24 * 60 * 60 * 1_000
"""No attempt lasts a week; a later instant is no instant of one."""
type InstantMs = Annotated[StrictInt, Field(ge=0, le=LONGEST_MS)]


def _each_alone(kind: Any) -> BeforeValidator:
    """A list without those of its items that are not of its kind."""

    def kept(value: object) -> list[object]:
        adapter = TypeAdapter(kind)
        found = []
        for one in value if isinstance(value, list) else ():
            try:
                found.append(adapter.validate_python(one))
            except ValidationError:
                continue
        return found

    return BeforeValidator(kept)


class Saved(BaseModel):
    """A record of which any part may be missing or of another kind."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    @field_validator("*", mode="wrap")
    @classmethod
    def _or_absent(
        cls, value: object, read: ValidatorFunctionWrapHandler, info: ValidationInfo
    ) -> object:
        try:
            return read(value)
        except ValidationError:
            return cls.model_fields[str(info.field_name)].get_default(call_default_factory=True)


class SavedMoment(Saved):
    at_ms: InstantMs | None = None
    what: StrictStr = ""


class SavedCheck(Saved):
    id: StrictStr = ""
    status: StrictStr = "unknown"
    required: StrictBool = True
    reason: StrictStr = ""
    evidence: Annotated[list[SavedMoment], _each_alone(SavedMoment)] = []


class SavedStep(Saved):
    id: StrictStr = ""
    kind: StrictStr = ""
    status: StrictStr = "unknown"
    required: StrictBool = False
    critical: StrictBool = False
    reason: StrictStr = ""
    evidence: Annotated[list[SavedMoment], _each_alone(SavedMoment)] = []


class SavedProcedure(Saved):
    steps: Annotated[list[SavedStep], _each_alone(SavedStep)] = []


class SavedJudgment(Saved):
    rubric_version: StrictStr | None = None
    judge_model: StrictStr | None = None


class SavedDimension(Saved):
    status: StrictStr = "unknown"
    score: FiniteFloat | None = None
    rationale: StrictStr | None = None
    reason: StrictStr | None = None
    evidence: SavedJudgment = SavedJudgment()


class SavedAssessment(Saved):
    passed: StrictBool | None = None
    source: StrictStr | None = None
    rationale: StrictStr = ""
    checks: Annotated[list[SavedCheck], _each_alone(SavedCheck)] = []
    semantic: dict[str, SavedDimension] = {}
    procedure: SavedProcedure | None = None


class SavedQuality(Saved):
    score: FiniteFloat | None = None
    dimensions: dict[str, FiniteFloat | None] = {}


class SavedTask(Saved):
    task_completed: StrictBool | None = None
    semantic_quality: SavedQuality = SavedQuality()


class SavedOpportunities(Saved):
    response_total: Count | None = None
    response_count: Count | None = None


class SavedAudio(Saved):
    metrics_version: StrictStr | None = None
    response_latency_ms: FiniteFloat | None = None
    interruption_count: Count | None = None
    response_opportunities: SavedOpportunities = SavedOpportunities()


class SavedMetrics(Saved):
    """``unavailable`` says by dotted name why a figure is unknown."""

    task: dict[str, Any] = {}
    audio: dict[str, Any] = {}
    consumption: dict[str, Any] = {}
    unavailable: dict[str, str] = {}


class SavedAttempt(Saved):
    key: StrictStr | None = None
    repeat: Count | None = None
    script: StrictStr | None = None


class SavedRecording(Saved):
    condition: StrictStr | None = None


class SavedError(Saved):
    stage: StrictStr = "unknown"
    message: StrictStr = ""


class SavedCall(Saved):
    name: StrictStr = ""
    status: StrictStr = "unknown"
    arguments: Any = None
    result: Any = None
    output: Any = None
    call_id: StrictStr | None = None


class SavedTools(Saved):
    executed: Annotated[list[SavedCall], _each_alone(SavedCall)] = []


class SavedCompletion(Saved):
    rationale: StrictStr = ""


class SavedObservability(Saved):
    tools: SavedTools = SavedTools()
    completion: SavedCompletion = SavedCompletion()


class SavedValidity(Saved):
    status: StrictStr | None = None
    reason: StrictStr | None = None


class SavedStrayFact(Saved):
    at_ms: InstantMs | None = None
    said: StrictStr = ""


class SavedFidelity(Saved):
    never_spoke: StrictBool | None = None
    drifted_at_ms: Annotated[list[InstantMs], _each_alone(InstantMs)] = []
    contradicted_facts: Annotated[list[SavedStrayFact], _each_alone(SavedStrayFact)] = []


class SavedRow(Saved):
    """One row of a report."""

    scenario_id: StrictStr = ""
    title: StrictStr = ""
    status: StrictStr = "unknown"
    attempt: SavedAttempt = SavedAttempt()
    recording: SavedRecording = SavedRecording()
    metrics: SavedMetrics = SavedMetrics()
    artifacts: dict[str, StrictStr | None] = {}
    error: SavedError | None = None
    assessment: SavedAssessment | None = None
    observability: SavedObservability = SavedObservability()
    validity: SavedValidity | None = None
    caller_fidelity: SavedFidelity | None = None
    warnings: Annotated[list[StrictStr], _each_alone(StrictStr)] = []


class SavedSummary(Saved):
    total: Count | None = None
    passed: Count | None = None
    failed: Count | None = None
    infrastructure_errors: Count | None = None


class SavedHead(Saved):
    """The run. A report of before there was a choice of suites is RUN's."""

    id: StrictStr | None = None
    module: StrictStr = "run"
    execution_mode: StrictStr | None = None
    started_at: StrictStr | None = None
    configuration: dict[str, Any] = {}


class SavedReport(Saved):
    """A whole report; ``results`` are its rows as they stand, for each is read alone."""

    schema_version: StrictStr | None = None
    run: SavedHead = SavedHead()
    summary: SavedSummary = SavedSummary()
    results: Annotated[list[dict[str, Any]], _each_alone(dict[str, Any])] = []

"""The shape of scenario contract 1.0, as frozen types: which keys there are and what each holds.

Nothing is coerced and no unknown key is let through. What one part demands of another is in
``scenario_rules``; ``scenarios`` puts the two together.
"""

from __future__ import annotations

import re
import warnings
from enum import StrEnum
from math import isfinite
from typing import Annotated, Any, Final, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    PlainValidator,
    Strict,
    model_validator,
)
from pydantic_core import PydanticCustomError

from shared.faults import described
from shared.matching import UNCHANGED_KEY, CallStatus

T = TypeVar("T")

RULE_ERROR: Final = "rule"
"""The pydantic error type under which our own sentences travel, in ``ctx["problem"]``."""

ARTIFACT_ID_PATTERN: Final = (
    r"^(?![Cc][Oo][Nn](\.|$)|[Pp][Rr][Nn](\.|$)|[Aa][Uu][Xx](\.|$)|[Nn][Uu][Ll](\.|$)"
    r"|[Cc][Oo][Mm][1-9](\.|$)|[Ll][Pp][Tt][1-9](\.|$))"
    r"[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?$"
)


def rule_error(problem: str) -> PydanticCustomError:
    """An error whose message is already plain words with a fix."""
    return PydanticCustomError(RULE_ERROR, "{problem}", {"problem": problem})


def _artifact_id(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", text) or text.endswith("."):
        problem = (
            f"is no artifact id ({described(text)}); use 1 to 100 ASCII letters, digits, '.', '_' "
            "and '-', the first a letter or digit, the last no '.'"
        )
        raise rule_error(problem)
    if not is_artifact_id(text):
        problem = f"is no artifact id: {described(text)} is a device name on Windows; rename it"
        raise rule_error(problem)
    return text


def is_artifact_id(text: str) -> bool:
    """Whether a text may name a file everywhere."""
    return re.fullmatch(ARTIFACT_ID_PATTERN, text) is not None


def _pattern(text: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled = re.compile(text, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        problem = f"is no regular expression ({error}); mend {described(text)}"
        raise rule_error(problem) from None
    if compiled.search(""):
        problem = (
            f"matches even the empty text; write a pattern that needs words, not {described(text)}"
        )
        raise rule_error(problem)
    return text


def _path(text: str) -> str:
    if "\0" in text:
        raise rule_error("holds a NUL character, which no path can; remove it")
    return text


def _fact(value: object) -> str | int | float | bool:
    if isinstance(value, float) and not isfinite(value):
        raise rule_error("must be a finite number; write one, or text")
    if isinstance(value, str | int | float):
        return value
    problem = f"must be text, a number, true or false, is {described(value)}; write one of those"
    raise rule_error(problem)


Text = Annotated[str, Field(min_length=1, pattern=r"\S")]
ArtifactId = Annotated[
    str, AfterValidator(_artifact_id), Field(json_schema_extra={"pattern": ARTIFACT_ID_PATTERN})
]
RecordingPath = Annotated[Text, AfterValidator(_path)]
Pattern = Annotated[
    str, AfterValidator(_pattern), Field(json_schema_extra={"format": "regex", "minLength": 1})
]
Count = Annotated[int, Field(ge=0)]
Milliseconds = Annotated[int, Field(ge=0, le=600_000)]
Share = Annotated[float, Field(ge=0, le=1)]
JsonMap = dict[str, JsonValue]
Fact = Annotated[
    str | int | float | bool,
    PlainValidator(_fact, json_schema_input_type=str | int | float | bool),
]
# JSON has lists and words where we have tuples and enums; only these two steps are lenient.
Listed = Annotated[tuple[T, ...], Strict(strict=False)]
Named = Annotated[T, Strict(strict=False)]


class Part(BaseModel):
    """Any object of the contract."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Interaction(StrEnum):
    SINGLE_TURN = "single_turn"
    MULTI_TURN = "multi_turn"


class AcousticCondition(StrEnum):
    CLEAN = "clean"
    NOISY = "noisy"
    TELEPHONY = "telephony"
    BACKGROUND_SPEECH = "background_speech"
    ECHO = "echo"
    PACKET_LOSS = "packet_loss"
    REALISTIC = "realistic"


class Recording(Part):
    """A saved rendition of the request. ``path`` is as written; the dataset resolves it."""

    id: Text
    path: RecordingPath
    condition: Named[AcousticCondition] = AcousticCondition.CLEAN
    metadata: JsonMap = Field(default_factory=dict)


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


class HistoryMessage(Part):
    """One message of the text conversation that went before."""

    role: Named[Role]
    text: Text


class ContextMode(StrEnum):
    NONE = "none"
    SUMMARY = "summary"
    HISTORY = "history"
    SUMMARY_AND_HISTORY = "summary_and_history"


class Context(Part):
    """What the assistant is authorized to know of an earlier conversation."""

    summary: str = ""
    history: Listed[HistoryMessage] = ()

    @property
    def has_summary(self) -> bool:
        return bool(self.summary.strip())


class ScenarioInput(Part):
    """The caller's request: text to speak, reviewed transcript of a recording, or opening."""

    text: Text
    recordings: Listed[Recording] = ()
    context: Context | None = None


class Application(Part):
    """The state of the application before the conversation."""

    initial_state: JsonMap = Field(default_factory=dict)


class ExpectedToolCall(Part):
    """A tool call to be matched: ``arguments`` is the subset that matters, none means any."""

    name: Text
    arguments: JsonMap = Field(default_factory=dict)
    status: Named[CallStatus] = CallStatus.COMPLETED


class ExpectedTools(Part):
    """Calls that must happen, in this order for one request, and calls that must not."""

    required: Listed[ExpectedToolCall] = ()
    prohibited: Listed[ExpectedToolCall] = ()


class GoldenPath(Part):
    """The reference course of the conversation. Without ``turns``, each step is one turn."""

    turns: Count = 0
    delegations: Count | None = None
    steps: Listed[str] = ()

    @model_validator(mode="before")
    @classmethod
    def _count_steps_as_turns(cls, raw: Any) -> Any:
        if not isinstance(raw, dict):
            return raw
        turns, steps = raw.get("turns", 0), raw.get("steps")
        is_open = isinstance(turns, int) and not isinstance(turns, bool) and turns == 0
        if not (is_open and isinstance(steps, list | tuple)):
            return raw
        return {**raw, "turns": len(steps)}


class DelegationPolicy(StrEnum):
    REQUIRED = "required"
    FORBIDDEN = "forbidden"
    OPTIONAL = "optional"


class StepKind(StrEnum):
    CLARIFICATION = "clarification"
    TOOL = "tool"
    CORRECTION = "correction"
    AUTHORIZATION = "authorization"
    STATE = "state"
    GROUNDED_CONFIRMATION = "grounded_confirmation"
    REFUSAL = "refusal"


class ProcedureStep(Part):
    """One step of a procedure; ``after`` names earlier steps it depends on.

    ``patterns`` are case-insensitive regular expressions of the words that show the step was taken,
    by whichever party takes it; ``objective`` names the caller's objective that amounts to it.
    """

    id: Text
    kind: Named[StepKind]
    tool: Text | None = None
    arguments: JsonMap = Field(default_factory=dict)
    after: Listed[str] = ()
    required: bool = True
    critical: bool = False
    patterns: Listed[Pattern] = ()
    objective: Text | None = None


class Procedure(Part):
    """How a conversation ought to proceed. Only its critical steps can decide a verdict."""

    id: Text
    steps: Listed[ProcedureStep] = Field(json_schema_extra={"minItems": 1})


class ConfirmationPhrases(Part):
    """Words that claim a success, and the tools any of which makes them true."""

    tools: Listed[Text] = Field(json_schema_extra={"minItems": 1})
    patterns: Listed[Pattern] = Field(json_schema_extra={"minItems": 1})


class InteractionLimits(Part):
    """Interaction figures this scenario insists on, both ends included; absent means no limit."""

    response_rate_min: Share | None = None
    response_latency_max_ms: Milliseconds | None = None
    interruptions_max: Count | None = None
    yield_latency_max_ms: Milliseconds | None = None
    false_yields_max: Count | None = None
    floor_hold_max_ms: Milliseconds | None = None


class Expected(Part):
    """Evaluator-owned ground truth; no participant ever sees it.

    ``state`` is a subset of the final application state. ``{"unchanged": true}`` asks instead for
    exactly the initial state and stands alone: beside it any other key would go unread, so other
    keys are refused. The pattern lists are case-insensitive regular expressions; absent means the
    application's own, an empty list means that no phrase counts.
    """

    answer: Text
    criteria: Listed[str] = ()
    tools: ExpectedTools = ExpectedTools()
    golden_path: GoldenPath = GoldenPath()
    diagnostic_terms: Listed[str] = ()
    delegation: Named[DelegationPolicy] = DelegationPolicy.OPTIONAL
    state: JsonMap = Field(default_factory=dict)
    procedure: Procedure | None = None
    interaction: InteractionLimits = InteractionLimits()
    confirmation_patterns: Listed[ConfirmationPhrases] | None = None
    refusal_patterns: Listed[Pattern] | None = None

    @property
    def is_state_unchanged(self) -> bool:
        """Whether the application must end in the state it began with."""
        return self.state.get(UNCHANGED_KEY) is True


class Persona(Part):
    """Who is calling, and how they talk."""

    id: str = "default"
    description: str = "A friendly caller who keeps to the point and hangs up when all is settled."
    voice: str = "coral"
    speech_instructions: str = (
        "Talk as on an everyday phone call: relaxed, natural, easy to follow."
    )
    verbosity: str = "brief"
    interrupt_tendency: Share = 0.15
    backchannel_tendency: Share = 0.25
    backchannels: Listed[str] = ("mm-hm", "right")


class CompletionBasis(StrEnum):
    EXPRESSION = "expression"
    LIVE_CONTEXT = "live_context"


class WordingPolicy(StrEnum):
    ADAPT_TO_LIVE_CONTEXT = "adapt_to_live_context"
    SOURCE_EXACT_PREFERRED = "source_exact_preferred"


class AgendaAction(StrEnum):
    ANSWER = "answer"
    CORRECT = "correct"
    BACKCHANNEL = "backchannel"
    INTERRUPT = "interrupt"
    FINISH = "finish"
    WAIT = "wait"


class AgendaItem(Part):
    """One thing the caller means to do; ``after`` names earlier items it follows."""

    id: Text
    commitment: Text
    trigger_condition: Text
    completion_condition: Text
    completion_basis: Named[CompletionBasis] = CompletionBasis.EXPRESSION
    wording_policy: Named[WordingPolicy] = WordingPolicy.ADAPT_TO_LIVE_CONTEXT
    action: Named[AgendaAction]
    facts: Listed[str] = ()
    response_hint: str = ""
    after: Listed[str] = ()
    required: bool = True

    @property
    def is_substantive(self) -> bool:
        """Whether the item moves the conversation on, rather than ending or waiting."""
        return self.action not in {AgendaAction.FINISH, AgendaAction.WAIT}


class SimulationParameters(Part):
    """Caller-owned: what the simulated caller wants, knows and means to do."""

    goal: str = ""
    known_facts: dict[str, Fact] = Field(default_factory=dict)
    agenda: Listed[AgendaItem] = ()
    persona: Persona = Persona()
    expectations: Listed[str] = ()


class ScenarioShape(Part):
    """One task with its fixture and its expectations, as far as keys and types go."""

    id: ArtifactId
    title: Text
    type: Text | None = None
    interaction: Named[Interaction]
    tags: Listed[str] = ()
    input: ScenarioInput
    application: Application = Field(default_factory=Application)
    expected: Expected
    simulation_parameters: SimulationParameters | None = None

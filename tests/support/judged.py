"""Attempts ready for judging: a scenario, what happened, and the case made of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from shared.attempts.bench import judge_again
from shared.attempts.details import Judgeable
from shared.grading.case import Case, matching_of, tool_uses
from shared.grading.dossier import Dossier
from shared.grading.judge import Judgments
from shared.grading.policy import EvaluationPolicy
from shared.intervals import IntervalSet
from shared.metrics.extended import measure_extended
from shared.metrics.interaction import measure
from shared.metrics.transcription.reference import Reference
from shared.observability.evidence import CallerAction, Ending, Evidence, Objective, Utterance
from shared.observability.observations import (
    DelegationBegan,
    Observation,
    ToolCalled,
    ToolReturned,
    ToolStatus,
)
from shared.observability.timeline import Timeline
from shared.phrases import ConfirmationRule
from shared.reporting.schema import AttemptReport, AttemptResult, RecordingReport, Run
from shared.scenarios import Scenario
from shared.values import JsonObject
from tests.support.builders import a_caption, an_evidence, an_utterance, at, spans
from tests.support.scenario_documents import CONVERSATION, REQUEST, edited

REQUEST_SPAN = (0, 1_000)
BOOK = "book"


def a_scenario(**edits: Any) -> Scenario:
    """A lawful request; edits go by dotted paths, with two underscores for a dot."""
    return Scenario.model_validate(edited(REQUEST, _dotted(edits)))


def a_conversation(**edits: Any) -> Scenario:
    """A lawful conversation, in which every limit can be declared."""
    return Scenario.model_validate(edited(CONVERSATION, _dotted(edits)))


def _dotted(edits: Mapping[str, Any]) -> dict[str, Any]:
    return {path.replace("__", "."): value for path, value in edits.items()}


def a_delegation(at_ms: int = 1_100, delegation_id: str = "d1") -> DelegationBegan:
    return DelegationBegan(at(at_ms), delegation_id, "responses", None)


def a_call(
    name: str = BOOK,
    arguments: JsonObject | None = None,
    *,
    at_ms: int = 1_500,
    call_id: str = "c1",
    is_broken: bool = False,
) -> ToolCalled:
    return ToolCalled(
        at(at_ms), call_id, name, "{", None if is_broken else arguments or {}, None, "d1"
    )


def a_return(
    name: str = BOOK, *, at_ms: int = 2_000, call_id: str = "c1", is_completed: bool = True
) -> ToolReturned:
    status = ToolStatus.COMPLETED if is_completed else ToolStatus.FAILED
    return ToolReturned(at(at_ms), call_id, name, status, {}, {})


def a_tool_use(
    name: str = BOOK,
    arguments: JsonObject | None = None,
    *,
    at_ms: int = 1_500,
    call_id: str = "c1",
    is_completed: bool = True,
) -> tuple[Observation, Observation]:
    """A call and, 500 ms later, its outcome."""
    return (
        a_call(name, arguments, at_ms=at_ms, call_id=call_id),
        a_return(name, at_ms=at_ms + 500, call_id=call_id, is_completed=is_completed),
    )


def an_attempt(
    *,
    caller: IntervalSet | None = None,
    assistant: IntervalSet | None = None,
    utterances: Iterable[Utterance] | None = None,
    observations: Iterable[Observation] = (),
    ending: Ending = Ending.ANSWER_SETTLED,
    **parts: Any,
) -> Evidence:
    """One request from 0 to 1000 ms and what came of it; ``parts`` replace fields of evidence."""
    evidence = an_evidence(
        caller=spans(REQUEST_SPAN) if caller is None else caller,
        assistant=assistant,
        utterances=[an_utterance(*REQUEST_SPAN, CallerAction.OPENING)]
        if utterances is None
        else utterances,
        observations=observations,
        extent_ms=20_000,
    )
    return replace(evidence, ending=ending, **parts)


def a_policy(
    *,
    confirmations: Sequence[tuple[Sequence[str], Sequence[str]]] = (),
    refusals: Sequence[str] = (),
) -> EvaluationPolicy:
    """``confirmations`` pair tools with the patterns that claim their success."""
    return EvaluationPolicy(
        confirmations=tuple(ConfirmationRule(tuple(t), tuple(p)) for t, p in confirmations),
        refusal_patterns=tuple(refusals),
    )


def a_case(
    evidence: Evidence | None = None,
    scenario: Scenario | None = None,
    policy: EvaluationPolicy | None = None,
    objectives: Iterable[Objective] = (),
) -> Case:
    """Everything a check may read, measured as an assessment does."""
    evidence, scenario = evidence or an_attempt(), scenario or a_scenario()
    policy = policy or EvaluationPolicy()
    timeline = Timeline.of(evidence, scenario.backchannels)
    measured = measure(timeline, policy.metrics)
    tools = tool_uses(evidence)
    return Case(
        evidence=evidence,
        scenario=scenario,
        policy=policy,
        timeline=timeline,
        measured=measured,
        extended=measure_extended(evidence, timeline, measured, Reference.of(scenario)),
        tools=tools,
        matching=matching_of(scenario, tools),
        objectives=tuple(objectives),
    )


@dataclass(frozen=True)
class Exchange:
    """A conversation told in its order: who says or does what, each 1000 ms after the last.

    Everything said lasts 600 ms. A call returns 100 ms later.
    """

    evidence: Evidence

    @classmethod
    def of(cls, *events: str | ToolCalled, **parts: Any) -> Self:
        """``C: words`` of the caller, ``A: words`` of the assistant, and calls."""
        utterances, observations, caller, assistant = [], [], [], []
        for number, event in enumerate(events, 1):
            begins = 1_000 * number
            match event:
                case ToolCalled():
                    observations += [
                        replace(event, stamp=at(begins), call_id=f"c{number}"),
                        a_return(event.name, at_ms=begins + 100, call_id=f"c{number}"),
                    ]
                case str() if event.startswith("C: "):
                    caller.append((begins, begins + 600))
                    utterances.append(an_utterance(begins, begins + 600, text=event[3:]))
                case _:
                    assistant.append((begins, begins + 600))
                    observations.append(a_caption(begins, begins + 600, event[3:], begins))
        told = {"ending": Ending.CONVERSATION_COMPLETED, **parts}
        return cls(
            an_attempt(
                caller=spans(*caller),
                assistant=spans(*assistant),
                utterances=utterances,
                observations=observations,
                **told,
            )
        )


def a_stored_attempt(
    evidence: Evidence | None = None,
    scenario: Scenario | None = None,
    policy: EvaluationPolicy | None = None,
    *,
    judgments: Judgments | None = None,
    dossier: Dossier | None = None,
    key: str = "a_request",
) -> Judgeable:
    """An attempt with all that judging it needs."""
    return Judgeable(
        attempt=AttemptReport(key=key, repeat=1, script="sound"),
        audio_source="crawl.synthetic",
        artifacts={"details": f"transcripts/{key}.json"},
        evidence=evidence or an_attempt(assistant=spans((1_400, 2_000))),
        scenario=scenario or a_scenario(),
        policy=policy or EvaluationPolicy(),
        judgments=judgments,
        dossier=dossier,
    )


def a_row(
    evidence: Evidence | None = None,
    scenario: Scenario | None = None,
    policy: EvaluationPolicy | None = None,
    *,
    judgments: Judgments | None = None,
    key: str = "a_request",
) -> AttemptResult:
    """The row of a judged attempt."""
    return judge_again(a_stored_attempt(evidence, scenario, policy, judgments=judgments, key=key))


def a_recording(**parts: Any) -> RecordingReport:
    return RecordingReport(
        **{
            "id": "caller_recording",
            "path": "audio/one.wav",
            "condition": "clean",
            "sha256": "0" * 64,
            **parts,
        }
    )


def a_run(**parts: Any) -> Run:
    return Run(
        **{
            "id": "a_run",
            "module": "crawl",
            "execution_mode": "offline_fixture",
            "interaction": "single_turn",
            "dataset": "scenarios.json",
            "attempts_planned": 1,
            "started_at": "2027-07-02T17:26:49.123+00:00",
            "configuration": {"model": "gpt-live-1"},
            **parts,
        }
    )

"""``conversation.result.json``: what a conversation came to, for people and viewers.

Made from the sealed evidence, the scenario, the policy and the judgments, and read by no judging.
What it rests on is stored once, in ``transcripts/<key>.json``: there are the state, the arguments
and results of calls by their ``call_id``, both sessions' observations and the judge's reasons.
Contract: ``docs/metrics-contract.md``, "Details of a conversation".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shared.audio.pcm import SAMPLES_PER_MS
from shared.grading.assessment import Assessment, Observed
from shared.grading.judge import Judgments
from shared.grading.policy import EvaluationPolicy
from shared.grading.semantic import quality, scores
from shared.grading.verdict import Status, Verdict
from shared.metrics.task import delegations
from shared.metrics.turn_count import substantive_turns
from shared.observability.evidence import Ending, Evidence
from shared.observability.observations import (
    BackendText,
    DelegationBegan,
    DelegationEnded,
    Observation,
    ResponseEnded,
    Speaker,
    ToolCalled,
    ToolReturned,
)
from shared.observability.timeline import Timeline
from shared.observability.turns import Turn
from shared.reporting.conversation_figures import (
    caller_actions,
    caller_mode,
    efficiency_metrics,
    interaction_metrics,
    task_metrics,
)
from shared.reporting.rounding import rounded_rate
from shared.reporting.run_metadata import condition_of, model_of, run_metadata
from shared.reporting.schema import SCHEMA_VERSION, AttemptReport
from shared.reporting.standing import standing
from shared.reporting.termination import termination_reason
from shared.reporting.ticks import turn_rows
from shared.reporting.usage_entries import usage_entries
from shared.scenarios import Scenario
from shared.values import JsonObject

TASK_STATUSES = {Status.PASSED: "passed", Status.FAILED: "incomplete"}
UNOBSERVED = (
    "task_metrics",
    "transcript",
    "agent_events",
    "delegation_count",
    "tool_event_count",
    "overlap_ms",
    "assistant_turns",
    "user_turns",
    "total_turns",
    "efficiency_metrics",
    "caller_actions",
    "response_latencies_ms",
    "yield_latencies_ms",
    "interaction_metrics",
    "turn_metrics",
    "caller_audio_ms",
)
"""What is unknown, hence null, of an attempt that was never observed."""


def conversation_result(
    evidence: Evidence,
    scenario: Scenario,
    policy: EvaluationPolicy,
    assessment: Assessment,
    *,
    attempt: AttemptReport,
    audio_source: str,
    artifacts: dict[str, str],
    tick_ms: int | None = None,
) -> JsonObject:
    """The whole content, with the same names whatever happened.

    ``artifacts`` maps names to paths relative to the run directory. ``tick_ms`` is that of the tick
    file, where one was written; no figure depends on it.
    """
    verdict, observed = assessment.verdict, assessment.observed
    return {
        "schema_version": SCHEMA_VERSION,
        "scenario_id": scenario.id,
        "attempt": attempt.model_dump(mode="json"),
        "interaction_mode": scenario.interaction.value,
        "caller_mode": caller_mode(attempt, audio_source),
        "caller_model": model_of(evidence.caller_observations),
        "audio_source": audio_source,
        "audio_condition": condition_of(evidence),
        "task_status": TASK_STATUSES.get(verdict.status, "error"),
        "termination_reason": termination_reason(evidence, verdict),
        **_observed(evidence, scenario, verdict, observed),
        "rubric_metrics": _rubric(assessment.judgments),
        "usage": usage_entries(evidence),
        "artifacts": artifacts,
        "run_metadata": run_metadata(
            evidence, scenario, policy, assessment, audio_source=audio_source, tick_ms=tick_ms
        ),
    }


def _observed(
    evidence: Evidence, scenario: Scenario, verdict: Verdict, observed: Observed | None
) -> JsonObject:
    if observed is None:
        return dict.fromkeys(UNOBSERVED)
    timeline, measured = observed.timeline, observed.interaction
    is_completed = verdict.status is Status.PASSED
    spoken = " ".join(turn.text for turn in timeline.assistant_turns)
    rows = turn_rows(measured, timeline, evidence, scenario, is_completed=is_completed)
    events = agent_events(evidence.observations)
    return {
        "task_metrics": task_metrics(
            standing(evidence, scenario, spoken),
            is_completed=is_completed,
            has_ended=evidence.ending is Ending.CONVERSATION_COMPLETED,
        ),
        "transcript": _transcript(timeline),
        "agent_events": events,
        "delegation_count": len(delegations(evidence.observations)),
        "tool_event_count": sum(event["kind"] == "tool" for event in events),
        "overlap_ms": (timeline.caller & timeline.assistant).total_ms,
        "assistant_turns": len(timeline.assistant_turns),
        "user_turns": len(timeline.caller_turns),
        "total_turns": substantive_turns(timeline.caller_turns, timeline.assistant_turns),
        "efficiency_metrics": efficiency_metrics(evidence, observed, rows),
        "caller_actions": caller_actions(timeline),
        "response_latencies_ms": list(measured.response_latencies_ms),
        "yield_latencies_ms": list(measured.yield_latencies_ms),
        "interaction_metrics": interaction_metrics(measured),
        "turn_metrics": rows,
        "caller_audio_ms": evidence.caller.samples // SAMPLES_PER_MS,
    }


def agent_events(observations: Iterable[Observation]) -> list[JsonObject]:
    """What was done on the assistant's behalf, in order of receipt; each call is told of twice.

    Arguments, results and texts are in the evidence.
    """
    return [event for seen in observations if (event := _agent_event(seen)) is not None]


def _agent_event(seen: Observation) -> JsonObject | None:
    told: dict[str, str | None]
    match seen:
        case DelegationBegan(delegation_id=d, target=target):
            kind, event_type = "delegation", "session.delegation.created"
            told = {"name": target, "delegation_id": d}
        case DelegationEnded(delegation_id=d, outcome=outcome):
            kind, event_type = "delegation", f"client_delegation.{outcome.value}"
            told = {"delegation_id": d}
        case ToolCalled(call_id=c, name=name, response_id=r, delegation_id=d):
            kind, event_type = "tool", "tool.called"
            told = {"name": name, "call_id": c, "response_id": r, "delegation_id": d}
        case ToolReturned(call_id=c, name=name, status=status):
            kind, event_type = "tool", f"tool.{status.value}"
            told = {"name": name, "call_id": c}
        case BackendText(response_id=r, delegation_id=d):
            kind, event_type = "backend_result", "response.output_item.done"
            told = {"response_id": r, "delegation_id": d}
        case ResponseEnded(response_id=r, delegation_id=d, status=status, code=code):
            kind, event_type = "backend_result", f"response.{status.value}"
            told = {"response_id": r, "delegation_id": d, "error": code}
        case _:
            return None
    return {
        "timestamp_ms": seen.stamp.media_ms,
        "event_type": event_type,
        "kind": kind,
        **{name: value for name, value in told.items() if value is not None},
    }


def _transcript(timeline: Timeline) -> list[JsonObject]:
    """Who said what, in order of onset; of two that begin together the caller comes first."""
    turns: Sequence[Turn] = (*timeline.caller_turns, *timeline.assistant_turns)
    ordered = sorted(turns, key=lambda turn: turn.span.start_ms)
    return [_said(turn, timeline) for turn in ordered]


def _said(turn: Turn, timeline: Timeline) -> JsonObject:
    is_callers = turn.speaker is Speaker.CALLER
    other = timeline.assistant if is_callers else timeline.caller
    entry: JsonObject = {
        "role": "user" if is_callers else "assistant",
        "start_ms": turn.span.start_ms,
        "end_ms": turn.span.end_ms,
        "text": turn.text,
        "overlap_ms": (turn.voiced & other).total_ms,
    }
    return {**entry, "action": turn.action, "action_source": turn.source} if is_callers else entry


def _rubric(judgments: Judgments | None) -> JsonObject | None:
    """The judge's scores, where one was asked; its reasons are with the judgments."""
    if judgments is None:
        return None
    mean = quality(judgments)
    return {
        "version": judgments.rubric_version,
        "score": rounded_rate(mean),
        "dimensions": {name: rounded_rate(one) for name, one in scores(judgments).items()},
    }

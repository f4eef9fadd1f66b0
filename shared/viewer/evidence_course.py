"""The course of an attempt from its stored evidence: the timeline and its measured turns, told.

Nothing is measured here that a metric does not own: the same pure functions that judged the attempt
are asked again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from shared.attempts.details import Judgeable
from shared.intervals import IntervalSet
from shared.metrics.interaction import measure
from shared.metrics.responses import Opportunity
from shared.metrics.turn_record import TurnRecord
from shared.observability.delegation import TIMING_SOURCE
from shared.observability.evidence import Decision, Evidence, Track
from shared.observability.observations import Speaker, ToolCalled, ToolReturned
from shared.observability.timeline import Timeline
from shared.observability.turns import Turn
from shared.viewer.delegated import delegations, tool_owners
from shared.viewer.view import (
    Course,
    DecisionView,
    FloorEventView,
    OpportunityView,
    Role,
    Span,
    TimingSource,
    ToolView,
    TrackView,
    TurnView,
)

UNOBSERVED = "Nothing was observed, so there is neither timing nor a figure."


def course_of_evidence(stored: Judgeable) -> Course:
    """What happened in an attempt, to the millisecond."""
    evidence = stored.evidence
    if evidence.extent_ms <= 0:
        return Course(
            extent_ms=0,
            timing_source=TimingSource.NONE,
            delegation_timing_source=None,
            caller=TrackView(()),
            assistant=TrackView(()),
            ending=evidence.ending.value,
            missing=(UNOBSERVED,),
        )
    timeline = Timeline.of(evidence, stored.scenario.backchannels)
    measured = measure(timeline, stored.policy.metrics)
    return Course(
        extent_ms=evidence.extent_ms,
        timing_source=TimingSource.EVIDENCE,
        delegation_timing_source=TIMING_SOURCE,
        caller=_track(timeline.caller, evidence.caller),
        assistant=_track(timeline.assistant, evidence.assistant),
        overlaps=_spans(timeline.caller & timeline.assistant),
        floor_hold=_spans(measured.floor_hold),
        turns=_turns(timeline),
        opportunities=tuple(_opportunity(record.opportunity) for record in measured.turns),
        floor_events=tuple(sorted(_floor_events(measured.turns), key=lambda one: one.at_ms)),
        delegations=delegations(evidence.observations, evidence.extent_ms),
        tools=_tools(evidence),
        decisions=tuple(map(_decision, evidence.decisions)),
        ending=evidence.ending.value,
    )


def _track(voiced: IntervalSet, track: Track) -> TrackView:
    detector = f"{track.detector.name} (version {track.detector.version})"
    return TrackView(_spans(voiced), detector, track.measured_on.value)


def _spans(spans: IntervalSet) -> tuple[Span, ...]:
    return tuple((span.start_ms, span.end_ms) for span in spans)


def _turns(timeline: Timeline) -> tuple[TurnView, ...]:
    turns: Sequence[Turn] = (*timeline.caller_turns, *timeline.assistant_turns)
    ordered = sorted(turns, key=lambda turn: turn.span.start_ms)
    return tuple(_turn(turn, timeline) for turn in ordered)


def _turn(turn: Turn, timeline: Timeline) -> TurnView:
    is_callers = turn.speaker is Speaker.CALLER
    other = timeline.assistant if is_callers else timeline.caller
    return TurnView(
        role=Role(turn.speaker.value),
        start_ms=turn.span.start_ms,
        end_ms=turn.span.end_ms,
        text=turn.text,
        action=None if turn.action is None else turn.action.value,
        action_source=turn.source,
        overlap_ms=(turn.voiced & other).total_ms,
    )


def _opportunity(asked: Opportunity) -> OpportunityView:
    latency_ms = asked.latency_ms
    return OpportunityView(
        start_ms=asked.request.start_ms,
        request_end_ms=asked.request.end_ms,
        outcome=asked.outcome.value,
        reason=asked.reason.value,
        deadline_at_ms=asked.deadline_at_ms,
        latency_ms=latency_ms,
        answer_at_ms=None if latency_ms is None else asked.request.end_ms + latency_ms,
    )


def _floor_events(turns: Iterable[TurnRecord]) -> Iterator[FloorEventView]:
    for record in turns:
        onset_ms, end_ms = record.turn.span.start_ms, record.turn.span.end_ms
        for span in record.interruptions:
            yield FloorEventView("interruption", span.start_ms, span.end_ms, "interruption")
        if record.yielding is not None:
            stopped_ms = onset_ms + max(record.yielding.delay_ms, 0)
            outcome, latency_ms = record.yielding.outcome.value, record.yielding.latency_ms
            yield FloorEventView("yield", onset_ms, stopped_ms, outcome, latency_ms)
        if record.backchannel is not None:
            yield FloorEventView("backchannel", onset_ms, end_ms, record.backchannel.value)


def _tools(evidence: Evidence) -> tuple[ToolView, ...]:
    """Each call once, by its first telling, in order of time."""
    returned: dict[str, ToolReturned] = {}
    for outcome in evidence.of(ToolReturned):
        returned.setdefault(outcome.call_id, outcome)
    calls: dict[str, ToolCalled] = {}
    for call in evidence.of(ToolCalled):
        calls.setdefault(call.call_id, call)
    owners = tool_owners(evidence.observations)
    told = [_tool(call, returned.get(call.call_id), owners) for call in calls.values()]
    return tuple(sorted(told, key=lambda tool: tool.at_ms or 0))


def _tool(call: ToolCalled, returned: ToolReturned | None, owners: Mapping[str, int]) -> ToolView:
    return ToolView(
        name=call.name,
        status="called" if returned is None else returned.status.value,
        at_ms=call.stamp.media_ms,
        returned_at_ms=None if returned is None else returned.stamp.media_ms,
        delegation=owners.get(call.call_id),
    )


def _decision(decision: Decision) -> DecisionView:
    return DecisionView(
        asked_ms=decision.asked_ms,
        settled_ms=decision.settled_ms,
        status=decision.status.value,
        should_drain=decision.should_drain,
        outcome=None if decision.outcome is None else decision.outcome.value,
        reason=decision.reason,
    )

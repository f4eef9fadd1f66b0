"""Which edges of the contract a case lies on, so that a comparison can say what it compared."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from shared.intervals import Interval, IntervalSet
from tests.oracle.conversations import Case, Event

type Turn = dict[str, Any]

OFFSETS = {-1: "one before", 0: "at", 1: "one after"}


def edges(case: Case, told: dict[str, Any]) -> Iterator[str]:
    """Names of what occurs in a case, given what the oracle says of it; a name may repeat."""
    heard = case.conversation
    extent = Interval(0, heard["extent_ms"])
    assistant = IntervalSet.of(heard["assistant"]).clip(extent)
    caller = IntervalSet.of(heard["caller"]).clip(extent)
    yield f"ending {case.ending}"
    for index, turn in enumerate(told["turns"]):
        yield from _response(case, turn, _next_start(told["turns"], index), assistant)
        yield from _floor(case, turn, assistant, caller)
    yield from _tracks(case, told["turns"], assistant, caller)
    yield from _work(case, heard["work"])
    yield f"{min(len(told['floor_hold_intervals_ms']), 2)} silent stretches of work"


def _apart(what: str, measured_ms: int, edge_ms: int) -> Iterator[str]:
    if measured_ms - edge_ms in OFFSETS:
        yield f"{what}: {OFFSETS[measured_ms - edge_ms]}"


def _next_start(turns: list[Turn], index: int) -> int | None:
    later = [
        turn["start_ms"]
        for turn in turns[index + 1 :]
        if turn["outcome"] != "excluded" and turn["start_ms"] >= turns[index]["end_ms"]
    ]
    return later[0] if later else None


def _response(
    case: Case, turn: Turn, next_start: int | None, assistant: IntervalSet
) -> Iterator[str]:
    yield f"outcome {turn['outcome']}"
    yield f"reason {turn['reason']}"
    end, deadline, latency = turn["end_ms"], turn["deadline_at_ms"], turn["latency_ms"]
    for span in assistant:
        if span.start_ms < end:
            yield from _apart("assistant ends, request ends", span.end_ms, end)
    if deadline is None:
        return
    yield from _apart("observation ends, deadline", case.conversation["extent_ms"], deadline)
    starts = [span.start_ms for span in assistant if span.start_ms >= end]
    if starts:
        yield from _apart("audio starts, request ends", starts[0], end)
        yield from _apart("audio starts, deadline", starts[0], deadline)
    if next_start is not None:
        yield from _apart("next request starts, request ends", next_start, end)
        yield from _apart("next request starts, deadline", next_start, deadline)
        if starts:
            yield from _apart("audio starts, next request starts", starts[0], next_start)
    if turn["outcome"] == "missed" and latency is not None:
        yield "late audio"
        if case.ending == "lost" and next_start is None:
            yield "late audio, then a lost socket"


def _floor(case: Case, turn: Turn, assistant: IntervalSet, caller: IntervalSet) -> Iterator[str]:
    start, end = turn["start_ms"], turn["end_ms"]
    for span in assistant:
        yield from _apart("assistant starts, request starts", span.start_ms, start)
        yield from _apart("assistant starts, request ends", span.start_ms, end)
        if start < span.start_ms < end and not caller.contains(span.start_ms):
            resumes = bool(caller.clip(span))
            yield f"assistant starts in a pause that {'ends' if resumes else 'outlasts it'}"
    if len(turn["interruption_starts_ms"]) > 1:
        yield "several interruptions of one request"
    elif turn["interruption_starts_ms"]:
        yield "interruption"
    exposed = [s for s in assistant if s.start_ms < start <= s.end_ms]
    if turn["yield"] is not None:
        outcome, delay = turn["yield"]
        yield f"yield {outcome}"
        yield from _apart("yield, window", delay, case.policy["yield_window_ms"])
        if delay == 0:
            yield "yield without overlap"
    elif exposed and exposed[0].end_ms == start:
        yield "assistant ends exactly at an onset that is no interruption"
    if turn["backchannel"] is not None:
        yield f"backchannel {turn['backchannel']}"
        yield from _apart("backchannel: assistant ends, turn ends", exposed[0].end_ms, end)
        lasted = exposed[0].end_ms - start
        yield from _apart("backchannel, window", lasted, case.policy["backchannel_window_ms"])


def _tracks(
    case: Case, turns: list[Turn], assistant: IntervalSet, caller: IntervalSet
) -> Iterator[str]:
    heard = case.conversation
    bounds = [(turn["start_ms"], turn["end_ms"]) for turn in turns]
    for earlier, later in pairwise(bounds):
        if earlier == later:
            yield "two utterances with the same sound"
        elif later[0] < earlier[1]:
            yield "utterances that overlap"
    if len(turns) < len(heard["utterances"]):
        yield "an utterance without sound"
    if not turns:
        yield "no caller turn"
    for track in ("caller", "assistant"):
        for earlier, later in pairwise(sorted(heard[track])):
            yield from _apart(f"{track} spans touch", later[0], earlier[1])
        if any(start < 0 for start, _ in heard[track]):
            yield f"{track} sounds before the observation"
        if any(end > heard["extent_ms"] for _, end in heard[track]):
            yield f"{track} sounds after the observation"
    for a, b in pairwise(assistant):
        yield from _apart("assistant pauses, a second", b.start_ms - a.end_ms, 1_000)
        if caller.clip(Interval(a.end_ms, b.start_ms)):
            yield "caller sounds in an assistant's pause"


def _work(case: Case, events: list[Event]) -> Iterator[str]:
    told: set[tuple[str, str]] = set()
    responses: set[str] = set()
    calls: set[str] = set()
    for event in events:
        kind = event["kind"]
        subject = next(event[key] for key in event if key.endswith("_id"))
        yield f"work: {kind}"
        if (kind, subject) in told:
            yield f"work: repeated {kind}"
        told.add((kind, subject))
        if kind == "response_ended":
            yield f"work: response {event['status']}"
            if subject not in responses:
                yield "work: ending of a response unknown"
        elif event.get("response_id") is not None:
            responses.add(event["response_id"])
        if kind == "tool_returned" and subject not in calls:
            yield "work: return of a call unknown"
        if kind == "tool_called":
            calls.add(subject)
        if event.get("target") == "client":
            yield "work: delegation to the application"
        if kind == "response_began" and event["previous_response_id"] is not None:
            is_known = event["previous_response_id"] in responses - {subject}
            yield f"work: previous response {'known' if is_known else 'unknown'}"
        if event["at_ms"] < 0:
            yield "work: before the observation"
        yield from _apart("work, observation ends", event["at_ms"], case.conversation["extent_ms"])

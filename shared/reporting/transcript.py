"""The conversation as lines a person reads: who spoke when, and what was done meanwhile."""

from __future__ import annotations

from shared.json_text import json_text
from shared.observability.evidence import Evidence
from shared.observability.observations import (
    CommandRejected,
    ConnectionLost,
    DelegationBegan,
    DelegationEnded,
    Faulted,
    Observation,
    ResultHeldBack,
    Speaker,
    ToolCalled,
    ToolReturned,
)
from shared.observability.timeline import Timeline
from shared.observability.turns import Turn
from shared.plain_text import one_line

LONGEST_VALUE = 240
HEADING = "# milliseconds of the conversation, then who or what"


def transcript(evidence: Evidence, timeline: Timeline | None) -> str:
    """One line per turn and event, in order of media time; milliseconds in front.

    No name, text or message of the other side makes a line of its own or steers a terminal.
    """
    lines = [
        (seen.stamp.media_ms, 1, text) for seen in evidence.observations if (text := _line(seen))
    ]
    if timeline is not None:
        turns = (*timeline.caller_turns, *timeline.assistant_turns)
        lines.extend((turn.span.start_ms, 0, _turn(turn, timeline)) for turn in turns)
    if evidence.failure is not None:
        why = _cut(evidence.failure.message)
        lines.append((evidence.extent_ms, 2, f"NOT A MEASUREMENT {why}"))
    ordered = sorted(lines, key=lambda line: line[:2])
    texts = (HEADING, *(one_line(text) for _, _, text in ordered))
    return "".join(f"{text}\n" for text in texts)


def _turn(turn: Turn, timeline: Timeline) -> str:
    other = timeline.assistant if turn.speaker is Speaker.CALLER else timeline.caller
    mark = " (overlap)" if turn.voiced & other else ""
    text = " ".join(turn.text.split()) or "(no transcript)"
    return f"{turn.span.start_ms}..{turn.span.end_ms} {turn.speaker.value.upper()}{mark}: {text}"


def _line(seen: Observation) -> str | None:
    at = f"{seen.stamp.media_ms}"
    match seen:
        case DelegationBegan():
            return f"{at} DELEGATION to {seen.target}"
        case DelegationEnded(outcome=outcome, detail=detail):
            return f"{at} DELEGATION {outcome.value}{': ' + _cut(detail) if detail else ''}"
        case ResultHeldBack():
            return f"{at} RESULT HELD BACK ({seen.reason}) {_cut(seen.text)}"
        case ToolCalled():
            return f"{at} TOOL {seen.name} called with {_cut(seen.raw_arguments)}"
        case ToolReturned():
            return f"{at} TOOL {seen.name} {seen.status.value}: {_cut(json_text(seen.output))}"
        case CommandRejected():
            return f"{at} REJECTED {seen.code or ''} {_cut(seen.message)}"
        case Faulted():
            return f"{at} FAULT {seen.kind} {_cut(seen.detail)}"
        case ConnectionLost():
            return f"{at} CONNECTION LOST {seen.code or ''} {_cut(seen.detail)}"
        case _:
            return None


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST_VALUE else f"{flat[:LONGEST_VALUE]} ..."

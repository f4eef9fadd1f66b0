"""Twelve conversations placed by hand on the millisecond, each with what has to come of it.

Nothing here is measured. What was said, answered, interrupted and worked on stands where it was
put, and what follows from that was worked out on paper; the oracle reads the same placement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from shared.clock import Stamp
from shared.intervals import Interval
from shared.observability.evidence import (
    CallerAction,
    Closing,
    Cue,
    Decision,
    DecisionStatus,
    Evidence,
    LabelSource,
)
from shared.observability.observations import Caption, Observation, SessionOpened, Speaker
from tests.oracle.conversations import Event, Span
from tests.oracle.engine import observation
from tests.support.builders import an_evidence, at, spans

SOUNDS = ("mm-hm", "right")
CAPTION_LEAD_MS = 300
PROVIDER_OFFSETS_MS = (-1_800, 900, -400)


@dataclass(frozen=True, slots=True)
class Said:
    """One turn of the caller: where it sounds, its words, its true label and who names it.

    ``closing`` is the part an observer took for a farewell, ``asks`` whether it heard a request.
    """

    voiced: tuple[Span, ...]
    text: str
    action: str
    source: str
    closing: Span | None = None
    asks: bool = False

    @property
    def span(self) -> Span:
        return self.voiced[0][0], self.voiced[-1][1]


@dataclass(frozen=True, slots=True)
class Placed:
    """A conversation and its truth.

    ``outcomes`` has what became of each caller turn as a request: its latency where there was
    audio for it. ``floor_hold`` is all silence during work and the longest stretch of it.
    """

    extent_ms: int
    caller: tuple[Said, ...]
    assistant: tuple[Span, ...]
    outcomes: tuple[str, ...]
    work: tuple[Event, ...] = ()
    yields: tuple[tuple[str, int] | None, ...] = ()
    backchannels: tuple[str | None, ...] = ()
    interruptions: tuple[int, ...] = ()
    floor_hold: tuple[int, int] = (0, 0)

    @property
    def told(self) -> dict[str, Any]:
        """The conversation in the oracle's words."""
        return {
            "extent_ms": self.extent_ms,
            "is_cut": False,
            "caller": [span for said in self.caller for span in said.voiced],
            "assistant": list(self.assistant),
            "utterances": [(*said.span, said.action) for said in self.caller],
            "work": list(self.work),
        }

    @property
    def evidence(self) -> Evidence:
        """The same as a session would have left it: no annotation, captions ahead of the voice."""
        return replace(
            an_evidence(
                caller=spans(*(span for said in self.caller for span in said.voiced)),
                assistant=spans(*self.assistant),
                observations=_askew(self.work),
                extent_ms=self.extent_ms,
            ),
            caller_observations=(
                SessionOpened(at(0), "s1", "a-model"),
                *(caption for said in self.caller for caption in _captions(said)),
            ),
            cues=tuple(
                Cue(*said.span, CallerAction(said.action), LabelSource.SCRIPT)
                for said in self.caller
                if said.source == "script"
            ),
            decisions=tuple(
                Decision(
                    said.closing[1] + 700,
                    said.closing[1] + 900,
                    revision,
                    DecisionStatus.ANSWERED,
                    closing=Closing(Interval(*said.closing), said.asks),
                )
                for revision, said in enumerate(self.caller)
                if said.closing is not None
            ),
        )


def moved(placed: Placed, by_ms: int) -> Placed:
    """The same conversation, begun later."""

    def later(span: Span) -> Span:
        return span[0] + by_ms, span[1] + by_ms

    return replace(
        placed,
        extent_ms=placed.extent_ms + by_ms,
        caller=tuple(
            replace(
                said,
                voiced=tuple(map(later, said.voiced)),
                closing=None if said.closing is None else later(said.closing),
            )
            for said in placed.caller
        ),
        assistant=tuple(map(later, placed.assistant)),
        work=tuple({**event, "at_ms": event["at_ms"] + by_ms} for event in placed.work),
    )


def _askew(work: Sequence[Event]) -> list[Observation]:
    """Events of work with a provider's offsets that say another order; they must move nothing."""
    return [
        replace(seen, stamp=Stamp(seen.stamp.media_ms, seen.stamp.wall_us, askew_ms))
        for number, seen in enumerate(map(observation, work))
        for askew_ms in [max(0, seen.stamp.media_ms + PROVIDER_OFFSETS_MS[number % 3])]
    ]


def _captions(said: Said) -> list[Caption]:
    """A fragment per word, blanks in front."""
    start_ms, end_ms = (max(0, edge - CAPTION_LEAD_MS) for edge in said.span)
    words = said.text.split()
    each_ms = (end_ms - start_ms) // len(words)
    return [
        Caption(
            at(start_ms + number * each_ms),
            Speaker.ASSISTANT,
            f" {word}" if number else word,
            start_ms + number * each_ms,
            start_ms + (number + 1) * each_ms,
        )
        for number, word in enumerate(words)
    ]


def _opening(start_ms: int, end_ms: int) -> Said:
    return Said(((start_ms, end_ms),), "A room, please.", "OPENING", "first_turn")


def _speak(*voiced: Span, text: str = "On Friday.", source: str = "overlap") -> Said:
    return Said(voiced, text, "SPEAK", source)


def _sound(start_ms: int, end_ms: int, text: str = "mm-hm") -> Said:
    return Said(((start_ms, end_ms),), text, "BACKCHANNEL", "acknowledgement")


def _bye(start_ms: int, end_ms: int) -> Said:
    span = (start_ms, end_ms)
    return Said((span,), "Thanks, bye.", "STOP", "observer", closing=span)


def _tool_work(name: str, begins_ms: int, ends_ms: int) -> tuple[Event, ...]:
    """Delegated work with one tool call, under way from its first event to its last."""
    d, r, c, after = f"d{name}", f"r{name}", f"c{name}", f"r{name}-after"
    ours = {"response_id": r, "delegation_id": d}
    theirs = {"response_id": after, "delegation_id": d}
    back_ms = ends_ms - 400
    return (
        _delegation(d, None, begins_ms),
        _event("response_began", begins_ms + 20, **ours, previous_response_id=None),
        _event("tool_called", begins_ms + 200, call_id=c, name="look_up", **ours),
        _event("response_ended", begins_ms + 220, **ours, status="completed"),
        _event("tool_returned", back_ms, call_id=c, name="look_up"),
        _event("work_continued", back_ms, **ours),
        _event("response_began", back_ms + 100, **theirs, previous_response_id=r),
        _event("response_ended", ends_ms, **theirs, status="completed"),
    )


def _failed_work(name: str, begins_ms: int, ends_ms: int) -> tuple[Event, ...]:
    d, r = f"d{name}", f"r{name}"
    ended = {"response_id": r, "delegation_id": d, "status": "failed"}
    return (_delegation(d, r, begins_ms), _event("response_ended", ends_ms, **ended))


def _delegation(d: str, r: str | None, at_ms: int) -> Event:
    named = {"delegation_id": d, "target": "responses", "response_id": r}
    return _event("delegation_began", at_ms, **named)


def _event(kind: str, at_ms: int, **named: str | None) -> Event:
    return {"kind": kind, "at_ms": at_ms, **named}


def _in_order(*works: tuple[Event, ...]) -> tuple[Event, ...]:
    events = [event for work in works for event in work]
    return tuple(sorted(events, key=lambda event: int(event["at_ms"])))


CONVERSATIONS: dict[str, Placed] = {
    "every-request-is-answered-and-a-farewell-asks-for-nothing": Placed(
        extent_ms=18_000,
        caller=(
            Said(((500, 1_200), (1_300, 2_000)), "A room, please.", "OPENING", "first_turn"),
            _speak((4_600, 5_600)),
            _bye(9_600, 10_400),
        ),
        assistant=((2_400, 4_000), (5_900, 8_000), (8_100, 9_000)),
        outcomes=("answered 400", "answered 300", "excluded caller_closing"),
    ),
    "a-barge-in-700-ms-into-the-second-answer-is-yielded-to": Placed(
        extent_ms=16_000,
        caller=(
            _opening(0, 1_000),
            _speak((4_500, 5_500)),
            Said(((6_600, 7_600),), "No, Saturday.", "INTERRUPT", "script"),
        ),
        assistant=((1_500, 4_000), (5_900, 7_050), (8_000, 10_000)),
        outcomes=("answered 500", "answered 400", "answered 400"),
        yields=(None, None, ("yielded", 450)),
    ),
    "a-barge-in-is-talked-over": Placed(
        extent_ms=14_500,
        caller=(
            _opening(0, 1_000),
            Said(((3_000, 3_080), (3_150, 4_200)), "Wait, stop.", "INTERRUPT", "overlap"),
            _speak((7_000, 8_000)),
        ),
        assistant=((1_400, 6_000), (8_300, 9_000)),
        outcomes=("answered 400", "excluded assistant_active_at_request_end", "answered 300"),
        yields=(None, ("no_yield", 3_000), None),
    ),
    "of-three-listening-sounds-one-stops-the-assistant": Placed(
        extent_ms=19_000,
        caller=(
            _opening(0, 800),
            _sound(2_000, 2_300),
            _sound(4_600, 4_900, "Right."),
            _sound(6_800, 7_200, "Mm-hm, right."),
            _speak((10_800, 11_800)),
        ),
        assistant=((1_200, 5_000), (5_200, 7_000), (9_000, 10_000), (12_000, 13_000)),
        outcomes=("answered 400", *("excluded backchannel",) * 3, "answered 200"),
        backchannels=(None, "continued", "continued", "false_yield", None),
    ),
    "an-answer-comes-late": Placed(
        extent_ms=18_000,
        caller=(_opening(0, 1_000), _speak((9_700, 10_500))),
        assistant=((7_200, 9_000), (10_900, 12_000)),
        outcomes=("missed deadline_expired 6200", "answered 400"),
    ),
    "work-is-done-in-silence-behind-a-filler": Placed(
        extent_ms=20_000,
        caller=(
            _opening(0, 2_000),
            Said(((16_800, 17_400),), "Thanks.", "STOP", "script"),
        ),
        assistant=((2_300, 2_900), (13_600, 16_000)),
        work=_tool_work("1", 2_500, 14_000),
        outcomes=("answered 300", "excluded caller_closing"),
        floor_hold=(10_700, 10_700),
    ),
    "the-caller-asks-into-the-silence-of-two-works": Placed(
        extent_ms=16_000,
        caller=(_opening(0, 1_000), _speak((4_000, 4_800), text="Are you there?")),
        assistant=((1_400, 2_000), (5_200, 5_700), (8_600, 10_000)),
        work=_in_order(_tool_work("1", 1_600, 7_000), _failed_work("2", 3_000, 9_000)),
        outcomes=("answered 400", "answered 400"),
        floor_hold=(5_300, 2_900),
    ),
    "the-assistant-speaks-into-a-thinking-pause": Placed(
        extent_ms=14_000,
        caller=(
            _opening(0, 1_000),
            _speak((3_000, 4_500), (5_500, 7_000), text="It is two, five.", source="script"),
        ),
        assistant=((1_300, 2_000), (4_900, 6_200), (7_400, 8_000)),
        outcomes=("answered 300", "answered 400"),
        interruptions=(4_900,),
    ),
    "one-request-is-overtaken-and-the-last-is-cut-off": Placed(
        extent_ms=9_020,
        caller=(_opening(0, 1_000), _speak((3_500, 4_500)), _speak((8_000, 9_000))),
        assistant=((1_500, 2_500),),
        outcomes=(
            "answered 500",
            "missed next_eligible_request",
            "censored observation_ended_before_deadline",
        ),
    ),
    "a-greeting-is-cut-short-and-a-farewell-still-asks": Placed(
        extent_ms=14_000,
        caller=(
            _opening(2_500, 3_600),
            Said(
                ((5_600, 6_600),), "Thanks, and is Sunday free?", "SPEAK", "overlap",
                closing=(5_600, 6_600), asks=True,
            ),
        ),
        assistant=((200, 3_000), (4_000, 5_000), (7_000, 8_000)),
        outcomes=("answered 400", "answered 400"),
        yields=(("yielded", 500), None),
    ),
    "giving-way-without-overlap-takes-an-explicit-interruption": Placed(
        extent_ms=15_000,
        caller=(
            _opening(0, 1_000),
            Said(((4_000, 5_000),), "No, Saturday.", "INTERRUPT", "script"),
            _speak((7_000, 8_000)),
        ),
        assistant=((1_400, 4_000), (5_500, 7_000), (8_200, 9_000)),
        outcomes=("answered 400", "answered 500", "answered 200"),
        yields=(None, ("yielded", 0), None),
    ),
    "a-farewell-is-taken-back-and-work-never-ends": Placed(
        extent_ms=15_000,
        caller=(
            _opening(0, 1_000),
            _speak((3_000, 3_180), text="Yes."),
            Said(
                ((6_000, 6_600), (7_100, 8_000)), "Bye. Oh, and Sunday?", "SPEAK", "overlap",
                closing=(6_000, 6_600),
            ),
            _bye(12_000, 12_500),
        ),
        assistant=((1_500, 2_500), (3_500, 5_000), (8_300, 9_000)),
        work=_tool_work("1", 8_500, 30_000)[:3],
        outcomes=("answered 500", "answered 320", "answered 300", "excluded caller_closing"),
        floor_hold=(5_500, 3_000),
    ),
}  # fmt: skip

"""Random conversations in which every boundary of the contract occurs often.

Instants are drawn around one another, a window or a deadline apart, and one millisecond to either
side. Everything follows from the number of the case.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

type Span = tuple[int, int]
type Said = tuple[int, int, str]
type Event = dict[str, Any]
type Ending = Literal["settled", "lost", "lost_afterwards", "failed_otherwise"]

ACTIONS = ("OPENING", "SPEAK", "SPEAK", "SPEAK", "INTERRUPT", "BACKCHANNEL", "STOP")
ENDINGS: tuple[Ending, ...] = ("settled", "settled", "lost", "lost_afterwards", "failed_otherwise")
LONGEST_MS = 2_900


@dataclass(frozen=True, slots=True)
class Case:
    """One conversation in the oracle's plain words, the policy, and how the attempt ended."""

    number: int
    conversation: dict[str, Any]
    policy: dict[str, int]
    ending: Ending


def case(number: int) -> Case:
    draw = random.Random(number)
    policy = {
        "response_deadline_ms": draw.choice((20, 50, 100, 300)),
        "yield_window_ms": draw.choice((1, 30, 80)),
        "backchannel_window_ms": draw.choice((1, 20, 60)),
    }
    told = _dialogue(draw, policy) if draw.random() < 0.6 else _noise(draw, policy)
    ending = draw.choice(ENDINGS)
    conversation = {
        "extent_ms": told.extent_ms,
        "is_cut": ending == "lost",
        "caller": told.caller,
        "assistant": told.assistant,
        "utterances": told.utterances,
        "work": _work(draw, told.extent_ms),
    }
    return Case(number, conversation, policy, ending)


# sound


@dataclass(frozen=True, slots=True)
class _Told:
    extent_ms: int
    caller: list[Span]
    assistant: list[Span]
    utterances: list[Said]


def _near(draw: random.Random, instant: int) -> int:
    return instant + draw.choice((-1, 0, 0, 1))


def _dialogue(draw: random.Random, policy: dict[str, int]) -> _Told:
    """Requests one after another, each answered at some edge, spoken into, or left alone."""
    deadline = policy["response_deadline_ms"]
    caller: list[Span] = []
    assistant: list[Span] = []
    utterances: list[Said] = []
    clock = draw.choice((0, 1, draw.randrange(60)))
    for _ in range(draw.choice((1, 1, 2, 2, 3, 4))):
        start = clock
        end = start + draw.choice((1, 2, 40, 41, 80, draw.randrange(1, 120)))
        _voice(draw, caller, start, end)
        action = draw.choice(ACTIONS)
        padding = draw.choice((0, 0, 1, 25))
        utterances.append((start - padding, end + draw.choice((0, 0, padding)), action))
        if draw.random() < (0.4 if action == "SPEAK" else 0.7):  # spoken into
            is_short = action == "BACKCHANNEL"
            window = policy["backchannel_window_ms" if is_short else "yield_window_ms"]
            until = _near(draw, draw.choice((start, start + window, start + window, end)))
            since = draw.choice((_near(draw, start), until - draw.randrange(1, 80)))
            _add(assistant, since, until)
        for _ in range(draw.choice((0, 0, 0, 0, 1, 1, 3))):  # broken into
            since = _near(draw, draw.choice((start, end, (start + end) // 2)))
            _add(assistant, since, draw.choice((since + 1, _near(draw, end), since + 20)))
        clock = _near(draw, end + draw.choice((1, 10, deadline, deadline, 2 * deadline)))
        late = end + 2 * deadline
        answer = draw.choice((end, end + deadline, end + deadline, clock, clock, late, None))
        if answer is not None:
            since = _near(draw, answer) if draw.random() < 0.6 else answer
            _add(assistant, since, since + draw.choice((1, 15, deadline, 2 * deadline)))
    last = max(end for _, end, _ in utterances)
    tail = draw.choice((0, 1, deadline, deadline, deadline, deadline + 200))
    if draw.random() < 0.25:  # a pause that may or may not part two assistant turns
        last = _part(draw, caller, assistant)
    extent = _near(draw, draw.choice((last, max(end for _, end in caller))) + tail)
    return _Told(_extent(extent), caller, assistant, _shuffled(draw, utterances))


def _voice(draw: random.Random, caller: list[Span], start: int, end: int) -> None:
    """Sound from start to end: in one piece, in touching pieces, or with a pause."""
    if end - start < 4 or draw.random() < 0.4:
        caller.append((start, end))
        return
    pause_at = draw.randrange(start + 1, end - 1)
    resumes = min(end - 1, pause_at + draw.choice((0, 1, 20)))
    caller += [(start, pause_at), (resumes, end)]


def _part(draw: random.Random, caller: list[Span], assistant: list[Span]) -> int:
    """Two more assistant spans about a second apart, after all others; the end of the second."""
    first = max((end for _, end in [*caller, *assistant]), default=0)
    again = first + 30 + draw.choice((999, 1_000, 1_001))
    assistant += [(first + 10, first + 30), (again, again + 25)]
    between = draw.choice(((first + 20, first + 30), (first + 29, first + 31), (again, again + 5)))
    if draw.random() < 0.5:
        caller.append(between)
    return again + 25


def _noise(draw: random.Random, policy: dict[str, int]) -> _Told:
    """Spans over a handful of instants that lie around one another, and any utterances on them."""
    gaps = (0, 1, 7, 40, *policy.values())
    instants = [draw.randrange(-5, 200)]
    for _ in range(draw.randrange(3, 12)):
        apart = draw.choice(gaps) * draw.choice((-1, 1, 1))
        instants.append(_near(draw, draw.choice(instants) + apart))
    caller: list[Span] = []
    assistant: list[Span] = []
    for track in (caller, assistant):
        for _ in range(draw.randrange(6)):
            _add(track, draw.choice(instants), draw.choice(instants))
    said: list[Span] = []
    for _ in range(draw.randrange(1, 6)):
        _add(said, draw.choice(instants), draw.choice(instants))
    said += [span for span in caller if draw.random() < 0.5]
    utterances = [(start, end, draw.choice(ACTIONS)) for start, end in said]
    extent = max(instants) + draw.choice((-20, 0, 0, 1, 60))
    return _Told(_extent(extent), caller, assistant, _shuffled(draw, utterances))


def _add(track: list[Span], start: int, end: int) -> None:
    if start < end:
        track.append((start, end))


def _extent(instant: int) -> int:
    return min(max(instant, 1), LONGEST_MS)


def _shuffled[T](draw: random.Random, items: list[T]) -> list[T]:
    return draw.sample(items, len(items))


# delegated work


def _work(draw: random.Random, extent: int) -> list[Event]:
    style = draw.random()
    if style < 0.2:
        return []
    if style < 0.6:
        told = _rounds(draw)
    elif style < 0.8:
        told = _disturbed(draw, _rounds(draw))
    else:
        told = [draw.choice(KINDS)(draw) for _ in range(draw.randrange(1, 16))]
    grid = sorted(draw.randrange(-2, extent + 20) for _ in range(4))
    instants = sorted(_near(draw, draw.choice((*grid, draw.randrange(extent)))) for _ in told)
    return [{**event, "at_ms": at_ms} for event, at_ms in zip(told, instants, strict=True)]


def _rounds(draw: random.Random) -> list[Event]:
    """What a session can record: delegations that run their rounds, mingled in order of receipt."""
    told = [_round(draw, number) for number in range(draw.choice((1, 1, 2, 3)))]
    mingled: list[Event] = []
    while any(told):
        mingled.append(draw.choice([story for story in told if story]).pop(0))
    return mingled


def _round(draw: random.Random, number: int) -> list[Event]:
    d = f"d{number}"
    is_named = draw.random() < 0.7
    story = [_delegation(d, f"{d}.r0" if is_named else None)]
    previous = None
    for count in range(draw.choice((1, 2, 2, 3))):
        r = f"{d}.r{count}"
        story.append(_began(r, d, previous if draw.random() < 0.7 else None))
        calls = [f"{r}.c{n}" for n in range(draw.choice((0, 1, 1, 2)))]
        story += [_called(c, r, d) for c in calls]
        status = draw.choice(("completed", "completed", "completed", "failed", "incomplete"))
        ending = _ended(r, d, status)
        returns = [_returned(c) for c in _shuffled(draw, calls)]
        mingled = [*returns]
        mingled.insert(draw.randrange(len(returns) + 1), ending)
        story += mingled
        if not calls or status != "completed":
            break
        story.append(_continued(r, d))
        previous = r
    return story[: draw.choice((len(story), len(story), draw.randrange(1, len(story) + 1)))]


def _disturbed(draw: random.Random, story: list[Event]) -> list[Event]:
    """The same with events lost, repeated, moved and told of others."""
    for _ in range(draw.randrange(1, 5)):
        at = draw.randrange(len(story))
        match draw.randrange(4):
            case 0 if len(story) > 1:
                story.pop(at)
            case 1:
                story.insert(draw.randrange(at, len(story)) + 1, dict(story[at]))
            case 2:
                story.insert(draw.randrange(len(story)), story.pop(at))
            case _:
                _retell(draw, story, at)
    return story


def _retell(draw: random.Random, story: list[Event], at: int) -> None:
    """Let an event name what another names, a stranger, or, where it may, nothing."""
    subject, *named = [key for key in story[at] if key.endswith("_id")]
    key = draw.choice((subject, *named))
    told = draw.choice((draw.choice(story).get(key), "stranger", None))
    if told is not None or key != subject:
        story[at] = {**story[at], key: told}


def _delegation(d: str, r: str | None, target: str = "responses") -> Event:
    return {"kind": "delegation_began", "delegation_id": d, "target": target, "response_id": r}


def _began(r: str, d: str | None, previous: str | None) -> Event:
    return {
        "kind": "response_began",
        "response_id": r,
        "delegation_id": d,
        "previous_response_id": previous,
    }


def _called(c: str, r: str | None, d: str | None, name: str = "look_up") -> Event:
    return {
        "kind": "tool_called",
        "call_id": c,
        "name": name,
        "response_id": r,
        "delegation_id": d,
    }


def _returned(c: str, name: str = "look_up") -> Event:
    return {"kind": "tool_returned", "call_id": c, "name": name}


def _continued(r: str, d: str | None) -> Event:
    return {"kind": "work_continued", "response_id": r, "delegation_id": d}


def _ended(r: str, d: str | None, status: str) -> Event:
    return {"kind": "response_ended", "response_id": r, "delegation_id": d, "status": status}


def _any_r(draw: random.Random) -> str:
    return draw.choice(("r1", "r2", "r3"))


def _maybe[T](draw: random.Random, value: T) -> T | None:
    return value if draw.random() < 0.6 else None


def _any_d(draw: random.Random) -> str:
    return draw.choice(("d1", "d1", "d2"))


def _any_name(draw: random.Random) -> str:
    return draw.choice(("look_up", "book"))


KINDS: tuple[Callable[[random.Random], Event], ...] = (
    lambda draw: _delegation(
        _any_d(draw),
        _maybe(draw, _any_r(draw)),
        "client" if draw.random() < 0.06 else "responses",
    ),
    lambda draw: _began(
        _any_r(draw), _maybe(draw, _any_d(draw)), _maybe(draw, draw.choice(("r1", "r2", "rX")))
    ),
    lambda draw: _called(
        draw.choice(("c1", "c2", "c3")),
        _maybe(draw, _any_r(draw)),
        _maybe(draw, _any_d(draw)),
        _any_name(draw),
    ),
    lambda draw: _returned(draw.choice(("c1", "c2", "c3")), _any_name(draw)),
    lambda draw: _continued(_any_r(draw), _maybe(draw, _any_d(draw))),
    lambda draw: _ended(
        _any_r(draw),
        _maybe(draw, _any_d(draw)),
        draw.choice(("completed", "completed", "failed", "incomplete")),
    ),
)

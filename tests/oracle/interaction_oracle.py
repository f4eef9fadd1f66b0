"""Brute-force oracle for the interaction metrics, contract version 2.0.

Every millisecond of the observation is one cell of a boolean array, every span is found by
scanning cells, and every question is put to the cells directly. Delegated work is a plain list of
facts: how busy it is after the first k events is worked out from those k events anew each time.
Slow and obvious on purpose.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

type Marks = NDArray[np.bool_]
type Span = tuple[int, int]
type Event = dict[str, Any]
type Turn = dict[str, Any]

ASSISTANT_TURN_SILENCE_MS = 1000

SUBJECT = {
    "delegation_began": "delegation_id",
    "response_began": "response_id",
    "tool_called": "call_id",
    "tool_returned": "call_id",
    "work_continued": "response_id",
    "response_ended": "response_id",
}


# milliseconds


def mark(spans: Iterable[Sequence[int]], extent: int) -> Marks:
    """One cell per observed millisecond, true where any of the spans sounds; what lies outside is
    not observed.
    """
    # ruling: "only what is inside was observed" - a span reaching outside counts as starting /
    # ending at the edge.
    cells: Marks = np.zeros(extent, dtype=np.bool_)
    for start, end in spans:
        for at in range(max(0, start), min(extent, end)):
            cells[at] = True
    return cells


def runs(cells: Marks) -> list[Span]:
    """Maximal stretches of true cells, found by walking along them."""
    found: list[Span] = []
    start: int | None = None
    for at, is_on in enumerate(cells.tolist()):
        if is_on and start is None:
            start = at
        if not is_on and start is not None:
            found.append((start, at))
            start = None
    if start is not None:
        found.append((start, len(cells)))
    return found


def instants(cells: Marks, start: int, end: int) -> list[int]:
    """The true milliseconds within [start, end), cut to what was observed."""
    return [at for at in range(max(0, start), min(len(cells), end)) if cells[at]]


# caller turns


def find_turns(utterances: Iterable[Sequence[Any]], caller: Marks) -> list[Turn]:
    """Utterances the caller was heard in, from first to last voiced instant, in order."""
    turns: list[Turn] = []
    for start, end, action in utterances:
        voiced = instants(caller, start, end)
        if voiced:
            turns.append(
                {
                    "start_ms": voiced[0],
                    "end_ms": voiced[-1] + 1,
                    "action": action,
                    "user_speech_ms": len(voiced),
                }
            )
    return sorted(turns, key=lambda turn: (turn["start_ms"], turn["end_ms"]))  # the sort is stable


def exclusion_reason(turn: Turn, assistant: Marks) -> str | None:
    """Why the turn opens no response opportunity, or None when it does."""
    # ruling: both reasons may hold at once; the table names the caller's action first, so the
    # action is the reason.
    if turn["action"] == "BACKCHANNEL":
        return "backchannel"
    if turn["action"] == "STOP":
        return "caller_closing"
    # A segment that began before the end and reaches at least to it sounds in the millisecond just
    # before the end.
    if assistant[turn["end_ms"] - 1]:
        return "assistant_active_at_request_end"
    return None


def classify_response(
    turn: Turn,
    next_start: int | None,
    assistant_starts: list[int],
    extent: int,
    is_cut: bool,
    deadline_ms: int,
) -> dict[str, Any]:
    """Outcome of one eligible request; next_start is where the next eligible one begins (None when
    none begins at or after this one's end).
    """
    end: int = turn["end_ms"]
    deadline = end + deadline_ms
    after = [
        at for at in assistant_starts if at >= end and (next_start is None or at <= next_start)
    ]
    first = after[0] if after else None
    latency = None if first is None else first - end
    if first is not None and first <= deadline:
        outcome, reason = "answered", "response_received"
    elif next_start is not None:
        # ruling: the next request closes the opportunity "first" only if it starts strictly before
        # the deadline;
        # starting exactly at it, the deadline is the reason.
        outcome, reason = (
            "missed",
            "next_eligible_request" if next_start < deadline else "deadline_expired",
        )
    elif extent < deadline:
        outcome, reason = "censored", "observation_ended_before_deadline"
    elif is_cut and first is None:
        # ruling: "an attempt cut by a lost socket censors its last request" is about a silence
        # that only seemed to
        # last; audio heard after the deadline proves the silence real, and late audio "does not
        # erase" a miss.
        # ruling: an observation ending exactly at the deadline did not end before it, so the cut
        # is the reason there.
        outcome, reason = "censored", "connection_lost"
    else:
        outcome, reason = "missed", "deadline_expired"
    return {"outcome": outcome, "reason": reason, "latency_ms": latency, "deadline_at_ms": deadline}


def segment_at(turn: Turn, segments: list[Span], may_just_have_ended: bool) -> Span | None:
    """First assistant segment that began before the caller's start and still sounds at it (or ends
    exactly there).
    """
    at = turn["start_ms"]
    for start, end in segments:
        if start < at and (at < end or (may_just_have_ended and at == end)):
            return start, end
    return None


def judge_yield(turn: Turn, segments: list[Span], window_ms: int) -> tuple[str, int] | None:
    # ruling: any other action than BACKCHANNEL and STOP can be exposed (OPENING too), eligible for
    # a response or not.
    if turn["action"] in ("BACKCHANNEL", "STOP"):
        return None
    exposed_to = segment_at(turn, segments, may_just_have_ended=turn["action"] == "INTERRUPT")
    if exposed_to is None:
        return None
    # ruling: a segment still sounding when observation ends ends there ("segment end minus caller
    # start"); censoring
    # of yields is named for the extended block only, which "never changes the v2 numbers".
    delay = exposed_to[1] - turn["start_ms"]
    return ("yielded" if delay <= window_ms else "no_yield", delay)


def judge_backchannel(turn: Turn, segments: list[Span], window_ms: int) -> str | None:
    if turn["action"] != "BACKCHANNEL":
        return None
    exposed_to = segment_at(turn, segments, may_just_have_ended=False)
    if exposed_to is None:
        return None
    end = exposed_to[1]
    return (
        "continued"
        if end > turn["end_ms"] or end - turn["start_ms"] >= window_ms
        else "false_yield"
    )


def interrupts(segment: Span, turn: Turn, caller: Marks) -> bool:
    """Begins strictly inside the request and shares at least one millisecond with the caller's
    voice.
    """
    start, end = segment
    return turn["start_ms"] < start < turn["end_ms"] and len(instants(caller, start, end)) > 0


def longest_assistant_turn(segments: list[Span], caller: Marks) -> int:
    """Most voiced milliseconds in one assistant turn: short silences without any caller voice in
    them do not split.
    """
    totals: list[int] = []
    previous_end: int | None = None
    for start, end in segments:
        joins = (
            previous_end is not None
            and start - previous_end < ASSISTANT_TURN_SILENCE_MS
            and not instants(caller, previous_end, start)
        )
        if joins:
            totals[-1] += end - start
        else:
            totals.append(end - start)
        previous_end = end
    return max(totals, default=0)


# delegated work


def is_known(response_id: str, facts: Sequence[Event]) -> bool:
    """Whether one of these facts has told of this response; an ending introduces nothing."""
    # ruling: "unknown" = no earlier event carries it as its response_id; being somebody's previous
    # is no introduction.
    return any(
        fact["kind"] != "response_ended" and fact.get("response_id") == response_id
        for fact in facts
    )


def end_of(response_id: str, facts: Sequence[Event]) -> int | None:
    """Index of the first ending of this response that came once it was known."""
    # ruling: "what ends something unknown ends nothing" - an ending that came too early is void
    # and a later beginning
    # opens all the same; "repeated ids change nothing" - the first valid ending fixes the status
    # for good.
    for at, fact in enumerate(facts):
        if (
            fact["kind"] == "response_ended"
            and fact["response_id"] == response_id
            and is_known(response_id, facts[:at])
        ):
            return at
    return None


def has_failed(response_id: str, facts: Sequence[Event]) -> bool:
    end = end_of(response_id, facts)
    return end is not None and facts[end]["status"] in ("failed", "incomplete")


def without_repeats(events: Sequence[Event]) -> list[Event]:
    """The events less those that tell a second time of the same subject."""
    # ruling: "repeated ids change nothing" - a second event of the same kind and subject is
    # dropped whole, even when it
    # names other things than the first (so it binds nothing either).
    facts: list[Event] = []
    for event in events:
        kind, subject = event["kind"], event[SUBJECT[event["kind"]]]
        if kind == "response_ended":
            is_repeat = end_of(subject, facts) is not None
        elif kind == "tool_returned":
            is_repeat = False  # a return is a mere fact; having two changes no answer below
        else:
            is_repeat = any(
                fact["kind"] == kind and fact[SUBJECT[kind]] == subject for fact in facts
            )
        if not is_repeat:
            facts.append(event)
    return facts


def delegations_of(response_id: str, facts: Sequence[Event]) -> set[str]:
    """Delegations some fact names together with this response."""
    # ruling: "an event that names both binds them" is taken for every kind, in any order, several
    # delegations for one
    # response included, and for the ending of a response nobody knew (which ends no response but
    # does bind).
    return {
        fact["delegation_id"]
        for fact in facts
        if fact.get("response_id") == response_id and fact.get("delegation_id") is not None
    }


def is_bound(delegation_id: str, facts: Sequence[Event]) -> bool:
    return any(
        fact.get("delegation_id") == delegation_id and fact.get("response_id") is not None
        for fact in facts
    )


def has_returned(call_at: int, facts: Sequence[Event]) -> bool:
    """Whether the call at this index came back; a return ahead of its call ends nothing."""
    call_id = facts[call_at]["call_id"]
    return any(
        fact["kind"] == "tool_returned" and fact["call_id"] == call_id
        for fact in facts[call_at + 1 :]
    )


def was_followed(response_id: str, facts: Sequence[Event]) -> bool:
    """Whether the response that had to come after this one has begun."""
    # ruling: once followed stays followed, also when another of its calls comes back only
    # afterwards.
    # ruling: a beginning that names a previous response not known by then settles nothing of it
    # (ending the unknown).
    # ruling: which delegation a response belongs to is judged by all facts so far, those after its
    # beginning included.
    # ruling: "outputs were sent back" = work_continued for it was received before the new response
    # began.
    for at, fact in enumerate(facts):
        if fact["kind"] != "response_began" or fact["response_id"] == response_id:
            continue
        previous = fact["previous_response_id"]
        if previous is not None and is_known(previous, facts[:at]):
            if previous == response_id:
                return True
            continue
        was_sent_back = any(
            earlier["kind"] == "work_continued" and earlier["response_id"] == response_id
            for earlier in facts[:at]
        )
        is_related = delegations_of(response_id, facts) & delegations_of(fact["response_id"], facts)
        if was_sent_back and is_related:
            return True
    return False


def open_things(events: Sequence[Event]) -> list[str]:
    """Everything open once exactly these events have been received, judged from nothing but the
    list.
    """
    facts = without_repeats(events)
    found: list[str] = []
    for at, fact in enumerate(facts):
        if fact["kind"] == "delegation_began":
            if fact["target"] == "client":
                found.append(f"client delegation {fact['delegation_id']}")
            elif not is_bound(fact["delegation_id"], facts):
                found.append(f"unbound delegation {fact['delegation_id']}")
        # ruling: "that its delegation names" = named in the delegation's own beginning; a response
        # only named by a
        # call or a continuation is not thereby open (its call and its continuation may be).
        if fact["kind"] in ("delegation_began", "response_began"):
            named = fact["response_id"]
            if named is not None and end_of(named, facts) is None:
                found.append(f"response {named}")
        if fact["kind"] == "tool_called":
            owner = fact["response_id"]
            # ruling: a failure closes the calls "open" then; a call first heard of after it is
            # open until it returns.
            is_closed_by_failure = (
                owner is not None and has_failed(owner, facts) and at < (end_of(owner, facts) or 0)
            )
            if not has_returned(at, facts):
                if not is_closed_by_failure:
                    found.append(f"call {fact['call_id']}")
            # ruling: a call without a response id makes no response wait for a continuation and no
            # failure closes it.
            # ruling: after a failure the response's continuation stays closed, whatever returns
            # later.
            # ruling: only a returned call asks for a continuation; work_continued alone opens
            # nothing.
            elif (
                owner is not None
                and not has_failed(owner, facts)
                and not was_followed(owner, facts)
            ):
                found.append(f"continuation of {owner}")
    return found


def mark_work(events: Sequence[Event], extent: int) -> Marks:
    """One cell per observed millisecond, true where the events at or before it leave anything
    open.
    """
    cells: Marks = np.zeros(extent, dtype=np.bool_)
    answers: dict[int, bool] = {}
    for at in range(extent):
        count = sum(1 for event in events if event["at_ms"] <= at)
        if count not in answers:
            answers[count] = bool(open_things(events[:count]))
        cells[at] = answers[count]
    return cells


# the measure


def measure(conversation: dict[str, Any], policy: dict[str, Any]) -> dict[str, Any]:
    """All interaction numbers of one conversation under one policy."""
    extent: int = conversation["extent_ms"]
    caller = mark(conversation["caller"], extent)
    assistant = mark(conversation["assistant"], extent)
    segments = runs(assistant)
    assistant_starts = [start for start, _ in segments]
    turns = find_turns(conversation["utterances"], caller)
    reasons_out = [exclusion_reason(turn, assistant) for turn in turns]

    taken_starts: set[int] = set()
    told: list[Turn] = []
    for index, turn in enumerate(turns):
        start, end = turn["start_ms"], turn["end_ms"]
        out = reasons_out[index]
        # ruling: where utterances overlap, a request that begins before this one's end is not the
        # next one: it cannot close an opportunity that had not opened.
        later_eligible = [
            turns[j]["start_ms"]
            for j in range(index + 1, len(turns))
            if reasons_out[j] is None and turns[j]["start_ms"] >= end
        ]
        interruption_starts: list[int] = []
        if out is not None:
            # ruling: interruptions are of "an eligible request's" speech, so an excluded turn
            # lists none.
            response: dict[str, Any] = {
                "outcome": "excluded",
                "reason": out,
                "latency_ms": None,
                "deadline_at_ms": None,
            }
        else:
            response = classify_response(
                turn,
                later_eligible[0] if later_eligible else None,
                assistant_starts,
                extent,
                conversation["is_cut"],
                policy["response_deadline_ms"],
            )
            for segment in segments:
                if interrupts(segment, turn, caller) and segment[0] not in taken_starts:
                    interruption_starts.append(segment[0])
                    taken_starts.add(segment[0])
        window_end = turns[index + 1]["start_ms"] if index + 1 < len(turns) else extent
        told.append(
            {
                "start_ms": start,
                "end_ms": end,
                **response,
                "interruption_starts_ms": interruption_starts,
                "yield": judge_yield(turn, segments, policy["yield_window_ms"]),
                "backchannel": judge_backchannel(turn, segments, policy["backchannel_window_ms"]),
                "user_speech_ms": turn["user_speech_ms"],
                "overlap_ms": len(instants(caller & assistant, start, end)),
                "window_end_ms": window_end,
                "assistant_speech_ms": len(instants(assistant, start, window_end)),
            }
        )

    answered = [turn for turn in told if turn["outcome"] == "answered"]
    missed = [turn for turn in told if turn["outcome"] == "missed"]
    censored = [turn for turn in told if turn["outcome"] == "censored"]
    excluded = [turn for turn in told if turn["outcome"] == "excluded"]
    late = [turn["latency_ms"] for turn in missed if turn["latency_ms"] is not None]
    total = len(answered) + len(missed)
    eligible = total + len(censored)
    # ruling: only reasons that occur get a count.
    exclusion_counts: dict[str, int] = {}
    for turn in excluded:
        exclusion_counts[turn["reason"]] = exclusion_counts.get(turn["reason"], 0) + 1
    interruption_count = sum(len(turn["interruption_starts_ms"]) for turn in told)
    yields = [turn["yield"] for turn in told if turn["yield"] is not None]
    yield_latencies = [delay for verdict, delay in yields if verdict == "yielded"]
    backchannels = [turn["backchannel"] for turn in told if turn["backchannel"] is not None]
    holds = runs(mark_work(conversation["work"], extent) & ~caller & ~assistant)

    return {
        "turns": told,
        "caller_turn_count": len(told),
        "response_count": len(answered),
        "no_response_count": len(missed),
        "response_total": total,
        "response_censored_count": len(censored),
        "response_eligible_count": eligible,
        "response_excluded_count": len(excluded),
        "response_late_count": len(late),
        "response_exclusion_reasons": exclusion_counts,
        "response_rate": (len(answered), total),
        "response_latencies_ms": [turn["latency_ms"] for turn in answered],
        "late_response_latencies_ms": late,
        "interruption_count": interruption_count,
        "interruption_rate": (interruption_count, eligible),
        "yield_rate": (len(yield_latencies), len(yields)),
        "yield_latencies_ms": yield_latencies,
        "backchannel_rate": (backchannels.count("continued"), len(backchannels)),
        "speaking_ms": {
            "cumulative": len(instants(assistant, 0, extent)),
            "maximum": longest_assistant_turn(segments, caller),
        },
        "floor_hold_ms": {
            "cumulative": sum(end - start for start, end in holds),
            "maximum": max((end - start for start, end in holds), default=0),
        },
        "floor_hold_intervals_ms": [[start, end] for start, end in holds],
    }

"""What moves no number: 2,000 conversations for each claim.

Conversations come from the same generator as the comparison with the oracle, so that they lie on
edges. No command takes a tick yet; whatever will take one is a bin for display, and what is claimed
here of ticks is that cutting every voiced span at every tick changes nothing.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.detection.hops import HOP_MS
from shared.audio.pcm import SAMPLE_RATE_HZ, SAMPLES_PER_MS, Pcm, silence
from shared.audio.placement import Placement
from shared.intervals import IntervalSet
from shared.metrics.interaction import MetricPolicy, measure
from shared.observability.delegation import WorkState
from shared.observability.evidence import Evidence
from shared.observability.observations import Observation
from shared.observability.timeline import Timeline
from shared.observability.turns import Turn
from tests.oracle.conversations import Case, Event, Span, case
from tests.oracle.engine import as_told, evidence_of, observation
from tests.oracle.ticks import in_ticks
from tests.support.builders import an_evidence, an_utterance

CASES = settings(max_examples=2_000)
INSTANTS = ("start_ms", "end_ms", "deadline_at_ms", "window_end_ms")
IDS = ("delegation_id", "response_id", "previous_response_id", "call_id")

type Told = dict[str, Any]


def told(evidence: Evidence, one: Case) -> Told:
    return of_timeline(Timeline.of(evidence), one)


def of_timeline(timeline: Timeline, one: Case) -> Told:
    return as_told(measure(timeline, MetricPolicy(**one.policy)))


def inside(one: Case) -> Case:
    """The same conversation with nothing outside what was observed."""
    heard = one.conversation
    extent = heard["extent_ms"]
    within = {
        track: [(max(0, a), min(extent, b)) for a, b in heard[track] if a < extent and b > 0]
        for track in ("caller", "assistant")
    }
    work = [{**e, "at_ms": max(0, e["at_ms"])} for e in heard["work"] if e["at_ms"] < extent]
    return replace(one, conversation={**heard, **within, "work": work})


conversations = st.integers(0, 2**32 - 1).map(case).map(inside)


# a shift


def shifted_spans(spans: Iterable[Span], offset_ms: int) -> list[Span]:
    return [(start + offset_ms, end + offset_ms) for start, end in spans]


def shifted_case(one: Case, offset_ms: int) -> Case:
    """Everything later, after a silent beginning."""
    heard = one.conversation
    return replace(
        one,
        conversation={
            **heard,
            "extent_ms": heard["extent_ms"] + offset_ms,
            "caller": shifted_spans(heard["caller"], offset_ms),
            "assistant": shifted_spans(heard["assistant"], offset_ms),
            "utterances": [(a + offset_ms, b + offset_ms, c) for a, b, c in heard["utterances"]],
            "work": [{**event, "at_ms": event["at_ms"] + offset_ms} for event in heard["work"]],
        },
    )


def shifted_turn(turn: Turn, offset_ms: int) -> Turn:
    return replace(turn, span=turn.span.shifted(offset_ms), voiced=turn.voiced.shifted(offset_ms))


def shifted_timeline(timeline: Timeline, offset_ms: int) -> Timeline:
    """Everything moved, the observation with it: its positions may even be negative."""
    return replace(
        timeline,
        extent=timeline.extent.shifted(offset_ms),
        caller=timeline.caller.shifted(offset_ms),
        assistant=timeline.assistant.shifted(offset_ms),
        work=timeline.work.shifted(offset_ms),
        caller_turns=tuple(shifted_turn(turn, offset_ms) for turn in timeline.caller_turns),
        assistant_turns=tuple(shifted_turn(turn, offset_ms) for turn in timeline.assistant_turns),
    )


def shifted_told(numbers: Told, offset_ms: int) -> Told:
    """Instants move with a shift; every other field is as it was."""
    turns = [
        {
            **turn,
            **{key: turn[key] + offset_ms for key in INSTANTS if turn[key] is not None},
            "interruption_starts_ms": [at + offset_ms for at in turn["interruption_starts_ms"]],
        }
        for turn in numbers["turns"]
    ]
    holds = [[a + offset_ms, b + offset_ms] for a, b in numbers["floor_hold_intervals_ms"]]
    return {**numbers, "turns": turns, "floor_hold_intervals_ms": holds}


@CASES
@given(conversations, st.integers(0, 10_000_000))
def test_a_later_conversation_has_the_same_numbers(one: Case, offset_ms: int) -> None:
    moved = shifted_case(one, offset_ms)
    straight = told(evidence_of(one), one)
    assert told(evidence_of(moved), one) == shifted_told(straight, offset_ms)


@CASES
@given(conversations, st.integers(-10_000_000, 10_000_000))
def test_a_shift_by_any_offset_moves_instants_alone(one: Case, offset_ms: int) -> None:
    timeline = Timeline.of(evidence_of(one))
    moved = shifted_timeline(timeline, offset_ms)
    assert of_timeline(moved, one) == shifted_told(of_timeline(timeline, one), offset_ms)


# ticks


@CASES
@given(conversations, st.integers(1, 1_000))
def test_no_tick_of_1_to_1000_ms_moves_anything(one: Case, tick_ms: int) -> None:
    heard = one.conversation
    cut = {track: in_ticks(heard[track], tick_ms) for track in ("caller", "assistant")}
    binned = replace(one, conversation={**heard, **cut})
    assert told(evidence_of(binned), one) == told(evidence_of(one), one)


# audio

NOISE: Pcm = np.random.default_rng(7).integers(-6_000, 6_000, SAMPLE_RATE_HZ, dtype=np.int16)
TRACK_MS = 580
bursts = st.lists(
    st.tuples(st.integers(0, TRACK_MS - 40), st.integers(20, 300), st.integers(0, 23)), max_size=4
)


def track_of(said: Iterable[tuple[int, int, int]]) -> Pcm:
    """Bursts of noise whose edges lie anywhere between the samples of a millisecond."""
    track = silence(TRACK_MS)
    for start_ms, duration_ms, odd in said:
        start = start_ms * SAMPLES_PER_MS + odd
        burst = track[start : start + duration_ms * SAMPLES_PER_MS]
        burst[:] = NOISE[: burst.size]
    return track


POLICY = MetricPolicy(response_deadline_ms=200, yield_window_ms=100, backchannel_window_ms=50)


def told_of_audio(caller: IntervalSet, assistant: IntervalSet, *, before_ms: int = 0) -> Told:
    """Two utterances of a track each, so that there is a request to close and one to end with."""
    middle, end = before_ms + TRACK_MS // 2, before_ms + TRACK_MS
    evidence = an_evidence(
        caller=caller,
        assistant=assistant,
        utterances=[an_utterance(before_ms, middle), an_utterance(middle, end)],
        extent_ms=end + 100,
    )
    return as_told(measure(Timeline.of(evidence), POLICY))


@CASES
@given(bursts, bursts, st.integers(0, 60))
def test_audio_later_by_whole_hops_has_later_spans_and_the_same_numbers(
    caller: list[tuple[int, int, int]], assistant: list[tuple[int, int, int]], hops: int
) -> None:
    detector, by_ms = EnergyV1(), hops * HOP_MS
    straight = [detector.voiced(track_of(said)) for said in (caller, assistant)]
    moved = [
        detector.voiced(np.concatenate([silence(by_ms), track_of(said)]))
        for said in (caller, assistant)
    ]
    assert moved == [spans.shifted(by_ms) for spans in straight]
    expected = shifted_told(told_of_audio(*straight), by_ms)
    assert told_of_audio(*moved, before_ms=by_ms) == expected


def received(track: Pcm, cuts: Iterable[int]) -> Pcm:
    """The track as placed when it streams in without a break, cut at these samples."""
    placement = Placement()
    start = 0
    for end in (*sorted({cut for cut in cuts if 0 < cut < track.size}), track.size):
        placement.place(track[start:end], start)
        start = end
    return placement.track()


CALLER = EnergyV1().voiced(track_of([(100, 150, 0), (320, 90, 7), (440, 60, 0)]))


@CASES
@given(bursts, st.lists(st.integers(1, TRACK_MS * SAMPLES_PER_MS), max_size=40))
def test_pieces_of_any_size_are_the_same_audio(
    said: list[tuple[int, int, int]], cuts: list[int]
) -> None:
    track, detector = track_of(said), EnergyV1()
    whole, pieces = received(track, ()), received(track, cuts)
    assert np.array_equal(whole, track)
    assert np.array_equal(pieces, track)
    numbers = [told_of_audio(CALLER, detector.voiced(audio)) for audio in (track, pieces)]
    assert numbers[0] == numbers[1]


# the order of what happened at once


def families(events: list[Event]) -> list[int]:
    """For each event a number that it shares with all to which ids relate it, however far."""
    family_of = list(range(len(events)))
    first_with: dict[tuple[str, str], int] = {}
    for at, event in enumerate(events):
        for key in IDS:
            if event.get(key) is None:
                continue
            name = ("response_id" if key == "previous_response_id" else key, event[key])
            old, new = family_of[at], family_of[first_with.setdefault(name, at)]
            family_of = [new if family == old else family for family in family_of]
    return family_of


def mingled_anew(events: list[Event], draw: random.Random) -> list[Event]:
    """The same events; those of one instant in another order, families in their own."""
    family_of = families(events)
    result: list[Event] = []
    for at_ms in sorted({event["at_ms"] for event in events}):
        queues: dict[int, list[Event]] = {}
        for event, family in zip(events, family_of, strict=True):
            if event["at_ms"] == at_ms:
                queues.setdefault(family, []).append(event)
        while queues:
            family = draw.choice(list(queues))
            result.append(queues[family].pop(0))
            if not queues[family]:
                del queues[family]
    return result


@CASES
@given(conversations, st.integers(1, 4), st.randoms(use_true_random=False))
def test_the_order_of_unrelated_events_of_one_instant_moves_nothing(
    one: Case, instants: int, draw: random.Random
) -> None:
    heard = one.conversation
    step = heard["extent_ms"] // instants + 1
    work = [{**event, "at_ms": event["at_ms"] // step * step} for event in heard["work"]]
    coarse = replace(one, conversation={**heard, "work": work})
    mingled = replace(one, conversation={**heard, "work": mingled_anew(work, draw)})
    assert told(evidence_of(mingled), one) == told(evidence_of(coarse), one)


# silence at the end


def observed_longer(one: Case, by_ms: int) -> Case:
    heard = one.conversation
    return replace(one, conversation={**heard, "extent_ms": heard["extent_ms"] + by_ms})


def never_ended(observations: Iterable[Observation]) -> bool:
    work = WorkState()
    for seen in observations:
        work.observe(seen)
    return work.is_active


def with_silence(numbers: Told, one: Case, by_ms: int) -> Told:
    """All that silence beyond every deadline may change, and nothing else.

    Observed longer: the last turn's window, and work that never ended goes on in silence. Censored
    for want of observation: missed, or still censored where a lost socket made the silence.
    """
    ended_ms = one.conversation["extent_ms"]
    turns = [dict(turn) for turn in numbers["turns"]]
    for turn in turns:
        if turn["reason"] == "observation_ended_before_deadline":
            turn["reason"] = "connection_lost" if one.ending == "lost" else "deadline_expired"
            turn["outcome"] = "censored" if one.ending == "lost" else "missed"
    if turns:
        turns[-1]["window_end_ms"] = ended_ms + by_ms
    missed = sum(turn["outcome"] == "missed" for turn in turns)
    total = numbers["response_count"] + missed
    holds = [list(hold) for hold in numbers["floor_hold_intervals_ms"]]
    if never_ended(map(observation, one.conversation["work"])):
        if holds and holds[-1][1] == ended_ms:
            holds[-1][1] += by_ms
        else:
            holds.append([ended_ms, ended_ms + by_ms])
    lengths = [end - start for start, end in holds]
    return {
        **numbers,
        "turns": turns,
        "no_response_count": missed,
        "response_total": total,
        "response_censored_count": numbers["response_eligible_count"] - total,
        "response_rate": (numbers["response_count"], total),
        "floor_hold_intervals_ms": holds,
        "floor_hold_ms": {"cumulative": sum(lengths), "maximum": max(lengths, default=0)},
    }


@CASES
@given(conversations, st.integers(0, 10_000))
def test_silence_beyond_every_deadline_settles_what_was_censored_and_nothing_else(
    one: Case, beyond_ms: int
) -> None:
    by_ms = one.policy["response_deadline_ms"] + beyond_ms
    longer = told(evidence_of(observed_longer(one, by_ms)), one)
    assert longer == with_silence(told(evidence_of(one), one), one, by_ms)

"""Small pictures for tests: spans, turns, timelines and evidence with everything dull filled in."""

from __future__ import annotations

from collections.abc import Iterable

from shared.clock import Stamp
from shared.errors import Stage
from shared.intervals import Interval, IntervalSet
from shared.observability.evidence import (
    CallerAction,
    DetectorId,
    Ending,
    Evidence,
    Failure,
    MeasuredOn,
    Pacing,
    SecondOpinion,
    Track,
    Utterance,
)
from shared.observability.observations import Caption, Observation, Speaker
from shared.observability.timeline import Timeline
from shared.observability.turns import Turn, assistant_turns

DETECTOR = DetectorId("energy", "1", {})
SECOND_DETECTOR = DetectorId("hybrid", "2", {"package": "any"})


def spans(*pairs: tuple[int, int]) -> IntervalSet:
    return IntervalSet.of(pairs)


def at(media_ms: int, provider_ms: int | None = None) -> Stamp:
    return Stamp(media_ms, media_ms * 1_000, provider_ms)


def an_utterance(
    start_ms: int, end_ms: int, action: CallerAction = CallerAction.SPEAK, text: str = "request"
) -> Utterance:
    return Utterance(Interval(start_ms, end_ms), text, action, "script")


def a_request(
    *voiced: tuple[int, int], action: CallerAction = CallerAction.SPEAK, text: str = "request"
) -> Turn:
    """A caller turn that sounds exactly where it is said to."""
    heard = spans(*voiced)
    assert heard.extent is not None
    return Turn(Speaker.CALLER, heard.extent, heard, text, action, "script")


def a_caption(start_ms: int, end_ms: int, text: str, received_ms: int | None = None) -> Caption:
    stamp = at(end_ms if received_ms is None else received_ms, start_ms)
    return Caption(stamp, Speaker.ASSISTANT, text, start_ms, end_ms)


def a_timeline(
    *requests: Turn,
    assistant: IntervalSet | None = None,
    work: IntervalSet | None = None,
    until_ms: int = 60_000,
    is_cut: bool = False,
) -> Timeline:
    """A timeline whose caller sounds only in the requests, observed from 0 to ``until_ms``."""
    caller = IntervalSet.of(span for request in requests for span in request.voiced)
    spoken = assistant or IntervalSet()
    return Timeline(
        extent=Interval(0, until_ms),
        caller=caller,
        assistant=spoken,
        work=work or IntervalSet(),
        caller_turns=tuple(sorted(requests, key=lambda turn: turn.span)),
        assistant_turns=assistant_turns(spoken, caller, ()),
        is_cut=is_cut,
    )


def a_track(voiced: IntervalSet, extent_ms: int) -> Track:
    return Track(voiced, extent_ms * 24, DETECTOR, MeasuredOn.CLEAN_SOURCE)


def a_second_opinion(
    caller: IntervalSet, assistant: IntervalSet, extent_ms: int = 20_000
) -> SecondOpinion:
    """Both tracks by another detector."""
    return SecondOpinion(
        *(
            Track(voiced, extent_ms * 24, SECOND_DETECTOR, MeasuredOn.RECEIVED)
            for voiced in (caller, assistant)
        )
    )


def an_evidence(
    *,
    caller: IntervalSet | None = None,
    assistant: IntervalSet | None = None,
    utterances: Iterable[Utterance] = (),
    observations: Iterable[Observation] = (),
    extent_ms: int = 60_000,
    lateness_us: Iterable[int] = (),
    failure: str | None = None,
) -> Evidence:
    """An attempt that settled, or one that broke while it was listening."""
    return Evidence(
        scenario_id="scenario_1",
        extent_ms=extent_ms,
        caller=a_track(caller or IntervalSet(), extent_ms),
        assistant=a_track(assistant or IntervalSet(), extent_ms),
        utterances=tuple(utterances),
        observations=tuple(observations),
        state_before={},
        state_after={},
        pacing=Pacing(frame_ms=20, lateness_us=tuple(lateness_us)),
        ending=Ending.ANSWER_SETTLED if failure is None else Ending.FAILED,
        failure=None if failure is None else Failure(Stage.RESPONSE_COLLECTION, failure),
    )

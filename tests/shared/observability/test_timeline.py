from __future__ import annotations

import dataclasses

import pytest

from shared.intervals import Interval
from shared.observability.evidence import Ending
from shared.observability.observations import Caption, ConnectionLost, ResponseBegan, Speaker
from shared.observability.timeline import Timeline
from tests.support.builders import a_caption, an_evidence, an_utterance, at, spans

LOST = ConnectionLost(at(3_000), 1006, "abnormal closure")


def test_everything_is_cut_to_what_was_observed() -> None:
    timeline = Timeline.of(
        an_evidence(
            caller=spans((0, 400), (900, 1_200)),
            assistant=spans((500, 1_100)),
            utterances=[an_utterance(0, 2_000)],
            observations=[ResponseBegan(at(800), "r1", None, None)],
            extent_ms=1_000,
        )
    )
    assert timeline.extent == Interval(0, 1_000)
    assert timeline.caller == spans((0, 400), (900, 1_000))
    assert timeline.assistant == spans((500, 1_000))
    assert timeline.work == spans((800, 1_000))
    assert [turn.span for turn in timeline.caller_turns] == [Interval(0, 1_000)]
    assert [turn.span for turn in timeline.assistant_turns] == [Interval(500, 1_000)]


def test_the_callers_captions_are_not_the_assistants_words() -> None:
    heard = Caption(at(700), Speaker.CALLER, "a table please", 500, 700)
    spoken = a_caption(500, 700, "Certainly.")
    evidence = an_evidence(assistant=spans((500, 1_100)), observations=[heard, spoken])
    assert [turn.text for turn in Timeline.of(evidence).assistant_turns] == ["Certainly."]


@pytest.mark.parametrize("extent_ms", [0, -1])
def test_an_attempt_without_observed_time_has_no_timeline(extent_ms: int) -> None:
    evidence = dataclasses.replace(an_evidence(), extent_ms=extent_ms)
    with pytest.raises(ValueError, match="nothing was observed"):
        Timeline.of(evidence)


def test_a_single_millisecond_is_a_timeline() -> None:
    assert Timeline.of(an_evidence(extent_ms=1)).extent == Interval(0, 1)


def test_a_lost_connection_that_ended_the_observation_cuts_it() -> None:
    assert Timeline.of(an_evidence(observations=[LOST], failure="connection lost")).is_cut


def test_a_connection_lost_after_the_observation_cuts_nothing() -> None:
    evidence = an_evidence(observations=[LOST])
    assert not Timeline.of(evidence).is_cut
    timed_out = dataclasses.replace(evidence, ending=Ending.RESPONSE_TIMEOUT)
    assert not Timeline.of(timed_out).is_cut


def test_a_failure_on_an_open_connection_cuts_nothing() -> None:
    assert not Timeline.of(an_evidence(failure="no audio arrived")).is_cut

from __future__ import annotations

import dataclasses

import pytest

from shared.intervals import Interval
from shared.observability.evidence import (
    CallerAction,
    Closing,
    Cue,
    Decision,
    DecisionStatus,
    Ending,
    Evidence,
    LabelSource,
)
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


# A conversation: the caller had a session of its own.

OWN_WORDS = (
    a_caption(0, 900, "A table, please."),
    Caption(at(2_000), Speaker.CALLER, "Certainly.", 1_500, 2_000),
    a_caption(2_500, 2_700, "Mm-hm."),
    a_caption(9_000, 9_800, "Thanks, bye."),
)


def a_conversation(**parts: object) -> Evidence:
    plain = an_evidence(
        caller=spans((100, 1_000), (2_600, 2_800), (9_100, 9_900)),
        assistant=spans((1_500, 5_000)),
        utterances=[an_utterance(0, 60_000, CallerAction.STOP)],
    )
    return dataclasses.replace(plain, caller_observations=OWN_WORDS, **parts)


def told(timeline: Timeline) -> list[tuple[str | None, str | None, str]]:
    return [(turn.action, turn.source, turn.text) for turn in timeline.caller_turns]


def test_a_caller_with_a_session_is_heard_in_its_own_words() -> None:
    assert told(Timeline.of(a_conversation(), ["mm-hm"])) == [
        ("OPENING", "first_turn", "A table, please."),
        ("BACKCHANNEL", "acknowledgement", "Mm-hm."),
        ("SPEAK", "overlap", "Thanks, bye."),
    ]


def test_without_the_callers_own_acknowledgements_none_is_known() -> None:
    assert told(Timeline.of(a_conversation()))[1] == ("INTERRUPT", "overlap", "Mm-hm.")


def test_a_farewell_is_one_where_the_observer_named_it() -> None:
    closing = Closing(Interval(9_100, 9_900), carries_request=False)
    decision = Decision(10_000, 10_500, 4, DecisionStatus.ANSWERED, closing=closing)
    timeline = Timeline.of(a_conversation(decisions=(decision,)))
    assert told(timeline)[2] == ("STOP", "observer", "Thanks, bye.")


def test_a_script_names_and_gathers_turns() -> None:
    cue = Cue(2_500, 10_000, CallerAction.SPEAK, LabelSource.SCRIPT)
    timeline = Timeline.of(a_conversation(cues=(cue,)), ["mm-hm"])
    assert told(timeline)[1:] == [("SPEAK", "script", "Mm-hm. Thanks, bye.")]
    assert timeline.caller_turns[1].span == Interval(2_600, 9_900)


def test_a_callers_words_are_cut_from_no_track_of_the_assistant() -> None:
    assert [turn.text for turn in Timeline.of(a_conversation()).assistant_turns] == [""]


def test_who_named_an_annotated_turn_is_kept() -> None:
    evidence = an_evidence(caller=spans((0, 900)), utterances=[an_utterance(0, 900)])
    assert told(Timeline.of(evidence)) == [("SPEAK", "script", "request")]

"""Cases 18 to 20: short words, listening sounds, unknown latencies and pauses in a request."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.pcm import SAMPLES_PER_MS, Pcm, saturated, silence
from shared.intervals import IntervalSet
from shared.metrics.backchannels import BackchannelOutcome
from shared.metrics.interaction import InteractionMeasurements, MetricPolicy, measure
from shared.metrics.responses import Reason
from shared.observability.evidence import CallerAction, Cue, Evidence, LabelSource
from shared.observability.timeline import Timeline
from shared.speech.tone import ToneSynthesizer
from tests.support.builders import a_caption, a_request, a_timeline, an_evidence, spans
from tests.support.judged import a_row, an_attempt

GRID_MS = 10


def measured(timeline: Timeline) -> InteractionMeasurements:
    return measure(timeline, MetricPolicy())


def a_word(duration_ms: int) -> Pcm:
    """A sung vowel with soft edges: what is left of a word when all that matters is its length."""
    steps = np.arange(duration_ms * SAMPLES_PER_MS) / 24_000
    edge = np.clip(np.minimum(steps, steps[::-1]) / 0.006, 0, 1)
    return saturated(6_000 * edge * (np.sin(2 * np.pi * 180 * steps) + np.sin(np.pi * 720 * steps)))


@pytest.mark.parametrize("duration_ms", [100, 180, 250])
@pytest.mark.parametrize("lead_ms", [0, 1_000, 1_005])
def test_case_18_a_short_word_is_one_interval(duration_ms: int, lead_ms: int) -> None:
    """C2."""
    word = np.concatenate([silence(lead_ms), a_word(duration_ms), silence(1_000)])
    (heard,) = EnergyV1().voiced(word)

    assert abs(heard.start_ms - lead_ms) <= GRID_MS
    assert abs(heard.end_ms - (lead_ms + duration_ms)) <= GRID_MS


def test_case_18_a_spoken_yes_is_one_interval() -> None:
    """C2."""
    speech = ToneSynthesizer().speak("yes")
    track = np.concatenate([silence(800), speech.pcm, silence(800)])

    assert speech.voiced.total_ms <= 200
    (heard,) = EnergyV1().voiced(track)
    assert heard.duration_ms == pytest.approx(speech.voiced.total_ms, abs=2 * GRID_MS)


def test_case_18_a_listening_sound_is_a_backchannel_and_no_request() -> None:
    """C14."""
    listening = a_request((3_000, 3_250), action=CallerAction.BACKCHANNEL, text="mm-hmm")
    found = measured(a_timeline(listening, assistant=spans((1_000, 6_000))))

    assert (found.caller_turn_count, found.response_excluded_count) == (1, 1)
    assert found.response_exclusion_reasons == {Reason.BACKCHANNEL: 1}
    assert (found.response_eligible_count, found.response_total) == (0, 0)
    assert (found.interruption_count, found.interruption_rate) == (0, None)
    assert found.yield_rate.total == 0
    assert found.turns[0].backchannel is BackchannelOutcome.CONTINUED
    assert (found.backchannel_rate.count, found.backchannel_rate.total) == (1, 1)


def test_case_18_it_takes_no_answer_from_the_request_before_it() -> None:
    """C14."""
    request = a_request((0, 900))
    listening = a_request((3_000, 3_250), action=CallerAction.BACKCHANNEL, text="mm-hmm")
    alone = measured(a_timeline(request, assistant=spans((1_000, 6_000))))
    both = measured(a_timeline(request, listening, assistant=spans((1_000, 6_000))))

    assert both.response_rate == alone.response_rate
    assert both.response_latencies_ms == alone.response_latencies_ms == (100,)


def test_case_19_without_a_detected_caller_the_latency_is_null_with_a_reason() -> None:
    """C5, C6."""
    metrics = a_row(an_attempt(caller=spans(), assistant=spans((2_000, 4_000)))).metrics

    assert metrics.audio is not None
    assert metrics.audio.response_latency_ms is None
    assert metrics.audio.response_rate is None
    assert metrics.audio.response_opportunities.caller_turn_count == 0
    assert metrics.unavailable["audio.response_latency_ms"] == "no caller speech was detected"


@given(
    st.lists(st.tuples(st.integers(0, 9_000), st.integers(1, 900)), max_size=4),
    st.lists(st.tuples(st.integers(0, 9_000), st.integers(1, 900)), max_size=4),
)
def test_case_19_a_latency_is_never_negative_and_never_longer_than_the_run(
    caller: list[tuple[int, int]], assistant: list[tuple[int, int]]
) -> None:
    """C5."""
    requests = [a_request((start, start + lasts)) for start, lasts in caller]
    spoken = spans(*((start, start + lasts) for start, lasts in assistant))
    found = measured(a_timeline(*requests, assistant=spoken, until_ms=10_000))

    for latency_ms in (*found.response_latencies_ms, *found.late_response_latencies_ms):
        assert 0 <= latency_ms <= 10_000


def test_case_20_an_answer_into_a_pause_interrupts_one_turn_once() -> None:
    """C16."""
    request = a_request((0, 1_500), (2_500, 4_000))
    found = measured(a_timeline(request, assistant=spans((1_900, 3_200))))

    assert (found.caller_turn_count, found.response_eligible_count) == (1, 1)
    assert [span.start_ms for span in found.turns[0].interruptions] == [1_900]
    assert (found.interruption_count, found.interruption_rate) == (1, 1)
    assert found.response_latencies_ms == ()
    assert found.turns[0].turn.voiced == spans((0, 1_500), (2_500, 4_000)), "the pause stays one"
    assert found.turns[0].overlap_ms == 700


# The same in conversations: turns are heard, labels are found.


def a_conversation(
    *said: tuple[int, int, str],
    caller: IntervalSet,
    assistant: IntervalSet,
    cues: tuple[Cue, ...] = (),
) -> Evidence:
    """A caller with a session of its own, whose captions are ``said``."""
    words = tuple(a_caption(*one) for one in said)
    plain = an_evidence(caller=caller, assistant=assistant, extent_ms=20_000)
    return replace(plain, caller_observations=words, cues=cues)


def test_case_18_in_a_conversation_a_yes_is_a_request_and_a_listening_sound_is_none() -> None:
    """C2, C14."""
    evidence = a_conversation(
        (0, 900, "A room, please."),
        (2_600, 2_800, "Yes."),
        (4_600, 4_850, "Mm-hmm."),
        caller=spans((100, 1_000), (2_700, 2_880), (4_700, 4_950)),
        assistant=spans((1_400, 2_200), (3_300, 8_000)),
    )
    found = measured(Timeline.of(evidence, ["mm-hmm"]))

    assert [one.turn.action for one in found.turns] == ["OPENING", "SPEAK", "BACKCHANNEL"]
    assert found.turns[1].turn.voiced == spans((2_700, 2_880))
    assert found.response_latencies_ms == (400, 420)
    assert found.response_exclusion_reasons == {Reason.BACKCHANNEL: 1}
    assert (found.response_total, found.response_eligible_count) == (2, 2)
    assert (found.backchannel_rate.count, found.backchannel_rate.total) == (1, 1)
    assert found.yield_rate.total == 0


@pytest.mark.parametrize(
    ("pause_ms", "is_annotated"),
    [
        pytest.param(1_000, True, id="of-a-second-by-a-script"),
        pytest.param(999, False, id="shorter-than-a-second-as-heard"),
    ],
)
def test_case_20_in_a_conversation_an_answer_into_a_pause_interrupts_one_turn_once(
    pause_ms: int, is_annotated: bool
) -> None:
    """C16."""
    resumed_ms = 5_500 + pause_ms
    cue = Cue(4_000, resumed_ms + 1_500, CallerAction.SPEAK, LabelSource.SCRIPT)
    evidence = a_conversation(
        (0, 900, "A room, please."),
        (4_000, 5_400, "It is two, "),
        (resumed_ms, resumed_ms + 1_400, "five, seven."),
        caller=spans((0, 1_000), (4_000, 5_500), (resumed_ms, resumed_ms + 1_500)),
        assistant=spans((1_300, 2_500), (5_900, 7_200)),
        cues=(cue,) if is_annotated else (),
    )
    found = measured(Timeline.of(evidence))

    assert [one.turn.action for one in found.turns] == ["OPENING", "SPEAK"]
    assert found.turns[1].turn.text == "It is two, five, seven."
    assert [len(one.interruptions) for one in found.turns] == [0, 1]
    assert found.turns[1].interruptions[0].start_ms == 5_900
    assert found.response_latencies_ms == (300,), "the second was never answered"

"""Cases 18 to 20: short words, listening sounds, unknown latencies and pauses in a request."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.pcm import SAMPLES_PER_MS, Pcm, saturated, silence
from shared.metrics.backchannels import BackchannelOutcome
from shared.metrics.interaction import InteractionMeasurements, MetricPolicy, measure
from shared.metrics.responses import Reason
from shared.observability.evidence import CallerAction
from shared.observability.timeline import Timeline
from shared.speech.tone import ToneSynthesizer
from tests.support.builders import a_request, a_timeline, spans
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

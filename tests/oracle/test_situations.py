"""Six situations in which a nearby benchmark's numbers go wrong, and what ours say of them."""

from __future__ import annotations

import numpy as np
import pytest

from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.pcm import SAMPLES_PER_MS, Pcm, silence
from shared.audio.placement import Placement
from shared.intervals import IntervalSet
from shared.metrics.extended import ExtendedMeasurements, measure_extended
from shared.metrics.interaction import InteractionMeasurements, MetricPolicy, measure
from shared.metrics.interruptions import Yield, YieldOutcome
from shared.metrics.responses import Outcome
from shared.observability.evidence import CallerAction, Evidence, Utterance
from shared.observability.timeline import Timeline
from shared.speech.tone import ToneSynthesizer
from shared.values import Rate
from tests.oracle.ticks import in_ticks
from tests.support.builders import an_evidence, an_utterance, spans

CHUNK_MS = 100


def measured(evidence: Evidence) -> InteractionMeasurements:
    return measure(Timeline.of(evidence), MetricPolicy())


def extended(evidence: Evidence) -> ExtendedMeasurements:
    return measure_extended(evidence, Timeline.of(evidence), measured(evidence))


def heard(
    *requests: Utterance, assistant: IntervalSet, extent_ms: int, caller: IntervalSet | None = None
) -> Evidence:
    """Requests that sound from their first to their last instant, unless the caller is given."""
    return an_evidence(
        caller=caller or IntervalSet.of(one.span for one in requests),
        utterances=requests,
        assistant=assistant,
        extent_ms=extent_ms,
    )


@pytest.mark.parametrize(
    ("tail_ms", "rate", "censored"),
    [
        pytest.param(89_000, Rate(1, 2), 0, id="89-s-of-silence-are-a-miss"),
        pytest.param(5_000, Rate(1, 2), 0, id="so-is-silence-up-to-the-deadline"),
        pytest.param(4_999, Rate(1, 1), 1, id="one-ms-less-is-censored"),
        pytest.param(20, Rate(1, 1), 1, id="20-ms-are-censored"),
    ],
)
def test_situation_a_a_last_request_and_then_silence(
    tail_ms: int, rate: Rate, censored: int
) -> None:
    found = measured(
        heard(
            an_utterance(0, 1_000),
            an_utterance(4_000, 5_000),
            assistant=spans((1_500, 3_000)),
            extent_ms=5_000 + tail_ms,
        )
    )
    assert (found.response_rate, found.response_censored_count) == (rate, censored)


def test_situation_b_an_answer_60_s_later_is_missed_and_its_latency_kept() -> None:
    found = measured(
        heard(an_utterance(0, 1_000), assistant=spans((61_000, 62_000)), extent_ms=90_000)
    )
    assert found.response_rate == Rate(0, 1)
    assert found.response_latency_ms is None
    assert found.late_response_latencies_ms == (60_000,)


@pytest.mark.parametrize("tick_ms", [None, 20, 200], ids="{}-ms-ticks".format)
@pytest.mark.parametrize("shift_ms", [0, 100], ids="shifted-{}-ms".format)
def test_situation_c_speech_around_the_caller_meets_it_nowhere(
    shift_ms: int, tick_ms: int | None
) -> None:
    spoken = [(200 + shift_ms, 220 + shift_ms), (580 + shift_ms, 600 + shift_ms)]
    assistant = IntervalSet.of(spoken if tick_ms is None else in_ticks(spoken, tick_ms))
    request = an_utterance(350 + shift_ms, 370 + shift_ms)
    evidence = heard(request, assistant=assistant, extent_ms=10_000)
    found = measured(evidence)
    (turn,) = found.turns

    assert (found.interruption_count, turn.yielding, turn.overlap_ms) == (0, None, 0)
    assert found.response_latencies_ms == (210,)
    assert extended(evidence).interruption_episodes == 0


def test_situation_d_a_sentence_pause_over_the_caller_is_a_yield_to_exact_spans_alone() -> None:
    evidence = heard(
        an_utterance(1_000, 4_000),
        assistant=spans((0, 1_500), (1_750, 6_000)),
        extent_ms=20_000,
    )
    found, block = measured(evidence), extended(evidence)

    # v2 counts exact spans: the one that was running ended 500 ms after the caller's onset.
    assert found.turns[0].yielding == Yield(YieldOutcome.YIELDED, 500)
    assert found.interruption_count == 0
    # 250 ms are no end of speaking, nor is what follows them a new interruption.
    assert (block.yields.yielded, block.yields.not_yielded, block.yields.censored) == (0, 1, 0)
    assert block.interruption_episodes == 0
    assert block.talk_over == Rate(2_750, 3_000)


@pytest.mark.parametrize(
    ("action", "end_ms", "expected"),
    [
        pytest.param("INTERRUPT", 1_000, Yield(YieldOutcome.YIELDED, 0), id="at-once"),
        pytest.param("INTERRUPT", 999, None, id="a-gap-of-1-ms-is-no-exposure"),
        pytest.param("SPEAK", 1_000, None, id="only-an-explicit-cue-needs-no-overlap"),
    ],
)
def test_situation_e_a_cue_exactly_as_the_assistant_ends(
    action: str, end_ms: int, expected: Yield | None
) -> None:
    cue = an_utterance(1_000, 2_000, CallerAction(action))
    evidence = heard(cue, assistant=spans((0, end_ms)), extent_ms=20_000)
    assert measured(evidence).turns[0].yielding == expected
    assert extended(evidence).yields.yielded == (expected is not None)


def said(text: str) -> tuple[Pcm, IntervalSet]:
    speech = ToneSynthesizer().speak(text)
    assert speech.voiced is not None
    return speech.pcm, speech.voiced


def streamed(track: Pcm) -> Pcm:
    """The track as received: chunk after chunk without a break, digital silence included."""
    placement = Placement()
    for start in range(0, track.size, CHUNK_MS * SAMPLES_PER_MS):
        chunk = track[start : start + CHUNK_MS * SAMPLES_PER_MS]
        placement.place(chunk, start)
    return placement.track()


def test_situation_f_an_assistant_that_streams_silence_is_silent_in_it() -> None:
    greeting, answer = said("Hello there"), said("It is done")
    track = silence(12_000)
    for (sound, _), at_ms in ((greeting, 200), (answer, 4_000)):
        track[at_ms * SAMPLES_PER_MS :][: sound.size] = sound
    words = greeting[1].shifted(200) | answer[1].shifted(4_000)
    last_of_greeting = greeting[1].spans[-1].shifted(200)
    cue_ms = last_of_greeting.start_ms + 50

    evidence = heard(
        an_utterance(cue_ms, 3_000, CallerAction.INTERRUPT),
        an_utterance(6_500, 7_000),
        assistant=EnergyV1().voiced(streamed(track)),
        extent_ms=12_000,
    )
    found = measured(evidence)
    first, last = found.turns

    assert evidence.assistant.voiced == words
    assert first.yielding == Yield(YieldOutcome.YIELDED, last_of_greeting.end_ms - cue_ms)
    assert extended(evidence).yields.yielded == 1
    assert first.opportunity.latency_ms == 1_000
    assert last.opportunity.outcome is Outcome.MISSED
    assert (found.response_rate, found.interruption_count) == (Rate(1, 2), 0)


def test_situation_f_a_stream_of_nothing_but_silence_answers_and_yields_nothing() -> None:
    voiced = EnergyV1().voiced(streamed(silence(12_000)))
    evidence = heard(an_utterance(1_000, 2_000), assistant=voiced, extent_ms=12_000)
    found = measured(evidence)
    assert not np.any(streamed(silence(12_000)))
    assert (found.response_rate, found.turns[0].yielding) == (Rate(0, 1), None)
    assert found.speaking.cumulative_ms == 0

from __future__ import annotations

import pytest

from shared.metrics.extended import ExtendedMeasurements, measure_extended
from shared.metrics.interaction import MetricPolicy, measure
from shared.metrics.percentiles import Spread
from shared.observability.evidence import CallerAction, Evidence
from shared.observability.observations import AudioReceived
from shared.observability.timeline import Timeline
from shared.values import Rate
from tests.support.builders import an_evidence, an_utterance, at, spans


def extended(evidence: Evidence) -> ExtendedMeasurements:
    timeline = Timeline.of(evidence)
    return measure_extended(evidence, timeline, measure(timeline, MetricPolicy()))


def piece(late_ms: float, *, is_stall: bool = False) -> AudioReceived:
    return AudioReceived(at(0), 0, 2_400, late_ms, is_stall)


def test_nothing_observed_leaves_counts_and_no_values() -> None:
    block = extended(an_evidence())
    assert block.version == "4"
    assert block.response_latency_ms == Spread(count=0)
    assert block.sender_lateness_us == Spread(count=0)
    assert block.receive_lateness_ms == Spread(count=0)
    assert block.spoken_through.value is None
    assert block.interruption_episodes == 0
    assert block.talk_over.value is None
    assert (block.yields.yielded, block.yields.not_yielded, block.yields.censored) == (0, 0, 0)
    assert block.responses_with_closings == Rate(0, 0)


def test_latency_spreads_over_timely_answers_only() -> None:
    block = extended(
        an_evidence(
            caller=spans((0, 1_000), (10_000, 11_000), (20_000, 21_000)),
            utterances=[an_utterance(n, n + 1_000) for n in (0, 10_000, 20_000)],
            assistant=spans((1_300, 2_000), (11_500, 12_000), (29_000, 30_000)),
        )
    )
    assert block.response_latency_ms == Spread(count=2, p50=300, p90=500, p99=500, maximum=500)


def held_piece(start_ms: int, end_ms: int, held_ms: float | None) -> AudioReceived:
    samples = (end_ms - start_ms) * 24
    return AudioReceived(at(0), start_ms * 24, samples, 0.0, is_stall=False, held_ms=held_ms)


@pytest.mark.parametrize(
    ("pieces", "held"),
    [
        pytest.param([], None, id="without-audio"),
        pytest.param([(1_300, 2_000, None)], None, id="without-a-playout"),
        pytest.param([(1_300, 2_000, 200.0)], [200.0], id="of-the-piece-that-begins-there"),
        pytest.param([(1_000, 1_301, 180.5)], [180.5], id="of-the-piece-whose-last-ms-it-is"),
        pytest.param([(1_000, 1_300, 180.0)], [], id="not-of-one-that-ended-there"),
        pytest.param([(1_309, 2_000, 180.0)], [180.0], id="of-one-that-begins-within-its-hop"),
        pytest.param([(1_310, 2_000, 180.0)], [], id="nor-of-one-that-begins-after-its-hop"),
        pytest.param(
            [(1_300, 1_300, 7.0), (1_300, 2_000, 200.0)], [200.0], id="not-of-one-left-out"
        ),
        pytest.param(
            [(1_000, 1_300, 5.0), (1_300, 1_320, 200.0), (1_320, 1_400, 6.0)],
            [200.0],
            id="of-one-among-many",
        ),
        pytest.param([(1_300, 2_000, 0.0)], [0.0], id="that-was-none"),
        pytest.param([(9_001, 9_100, 7.0)], [], id="not-of-a-late-answer"),
    ],
)
def test_an_answer_s_onset_was_held(
    pieces: list[tuple[int, int, float | None]], held: list[float] | None
) -> None:
    block = extended(
        an_evidence(
            caller=spans((0, 1_000), (3_000, 4_000)),
            utterances=[an_utterance(n, n + 1_000) for n in (0, 3_000)],
            assistant=spans((1_300, 2_000), (9_001, 9_100)),
            observations=[held_piece(*one) for one in pieces],
        )
    )
    assert block.response_latency_ms.count == 1
    assert block.playout_hold_ms == (None if held is None else Spread.of(held))
    assert block.playout_holds_ms == (None if held is None else tuple(held) or (None,))


def test_lateness_of_both_directions_and_stalls() -> None:
    block = extended(
        an_evidence(
            lateness_us=[*range(100), 70_000],
            observations=[piece(2.5), piece(-1.0), piece(700.0, is_stall=True)],
        )
    )
    assert block.sender_lateness_us == Spread(101, p50=50, p90=90, p99=99, maximum=70_000)
    assert block.receive_lateness_ms.p50 == 2.5
    assert block.receive_lateness_ms.p90 == 700.0
    assert block.stall_count == 1


@pytest.mark.parametrize(
    ("assistant", "action", "expected"),
    [
        pytest.param(spans((501, 2_000)), CallerAction.SPEAK, Rate(1, 1), id="begun-just-inside"),
        pytest.param(spans((500, 2_000)), CallerAction.SPEAK, Rate(0, 1), id="begun-with-it"),
        pytest.param(spans((0, 2_000)), CallerAction.SPEAK, Rate(0, 1), id="begun-before-it"),
        pytest.param(spans((999, 1_000)), CallerAction.SPEAK, Rate(1, 1), id="ended-with-it"),
        pytest.param(spans((600, 999)), CallerAction.SPEAK, Rate(0, 1), id="ended-one-ms-earlier"),
        pytest.param(spans((1_000, 2_000)), CallerAction.SPEAK, Rate(0, 1), id="begun-after-it"),
        pytest.param(spans((600, 2_000)), CallerAction.STOP, Rate(0, 0), id="no-reply-expected"),
    ],
)
def test_a_request_is_spoken_through(assistant, action: CallerAction, expected: Rate) -> None:
    evidence = an_evidence(
        caller=spans((500, 1_000)),
        utterances=[an_utterance(0, 1_500, action)],
        assistant=assistant,
    )
    assert extended(evidence).spoken_through == expected


def test_episodes_of_an_attempt_are_counted() -> None:
    block = extended(
        an_evidence(
            caller=spans((1_000, 2_000), (10_000, 14_000), (20_000, 21_000)),
            utterances=[an_utterance(n, n + 4_000) for n in (1_000, 10_000, 20_000)],
            assistant=spans(
                (500, 1_400), (11_000, 11_500), (11_700, 12_000), (19_000, 22_100), (30_000, 30_100)
            ),
            extent_ms=30_200,
        )
    )
    assert block.interruption_episodes == 1
    assert block.talk_over == Rate(400 + 800 + 1_000, 6_000)
    assert block.yields.latency_ms == Spread(count=1, p50=400, p90=400, p99=400, maximum=400)
    assert (block.yields.not_yielded, block.yields.censored) == (1, 0)


def test_a_yield_without_its_silence_observed_is_censored() -> None:
    request = [an_utterance(1_000, 2_000)]
    caller, assistant = spans((1_000, 2_000)), spans((500, 1_900))
    block = extended(
        an_evidence(caller=caller, utterances=request, assistant=assistant, extent_ms=2_199)
    )
    assert (block.yields.yielded, block.yields.not_yielded, block.yields.censored) == (0, 0, 1)


@pytest.mark.parametrize(
    ("assistant", "expected"),
    [
        pytest.param(spans((1_500, 2_000), (9_500, 9_800)), Rate(2, 2), id="answered-too"),
        pytest.param(spans((1_500, 2_000)), Rate(1, 2), id="left-without-a-word"),
        pytest.param(spans((7_000, 8_000)), Rate(0, 2), id="a-request-answered-too-late"),
        pytest.param(spans((8_500, 9_500)), Rate(0, 1), id="spoken-through"),
        pytest.param(spans((9_500, 9_800)), Rate(1, 2), id="answered-instead-of-the-request"),
    ],
)
def test_a_closing_turn_counted_as_a_request_is(assistant, expected: Rate) -> None:
    evidence = an_evidence(
        caller=spans((0, 1_000), (8_000, 9_000)),
        utterances=[an_utterance(0, 1_000), an_utterance(8_000, 9_000, CallerAction.STOP)],
        assistant=assistant,
    )
    assert extended(evidence).responses_with_closings == expected


def test_a_closing_turn_within_the_deadline_closes_the_request_before_it() -> None:
    evidence = an_evidence(
        caller=spans((0, 1_000), (2_000, 2_500)),
        utterances=[an_utterance(0, 1_000), an_utterance(2_000, 2_500, CallerAction.STOP)],
        assistant=spans((3_000, 4_000)),
    )
    timeline = Timeline.of(evidence)
    assert measure(timeline, MetricPolicy()).response_rate == Rate(1, 1)
    assert extended(evidence).responses_with_closings == Rate(1, 2)

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
    assert block.version == "1"
    assert block.response_latency_ms == Spread(count=0)
    assert block.sender_lateness_us == Spread(count=0)
    assert block.receive_lateness_ms == Spread(count=0)
    assert block.spoken_through.value is None


def test_latency_spreads_over_timely_answers_only() -> None:
    block = extended(
        an_evidence(
            caller=spans((0, 1_000), (10_000, 11_000), (20_000, 21_000)),
            utterances=[an_utterance(n, n + 1_000) for n in (0, 10_000, 20_000)],
            assistant=spans((1_300, 2_000), (11_500, 12_000), (29_000, 30_000)),
        )
    )
    assert block.response_latency_ms == Spread(count=2, p50=300, p90=500, p99=500, maximum=500)


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

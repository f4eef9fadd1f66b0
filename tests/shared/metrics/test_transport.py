"""How audio was carried: which leg a figure is of, and nothing where nothing was relayed."""

from __future__ import annotations

from dataclasses import replace

from shared.metrics.percentiles import Spread
from shared.metrics.transport import DirectionMeasurements, measure_transport
from shared.observability.evidence import Leg, PlayoutRecord, Transport
from shared.observability.observations import AudioReceived
from tests.support.builders import an_evidence, at

TO_CALLER = Leg(3, (40, 50), (0, 1, 2), PlayoutRecord(200, 1, 4_800, 7, 5, 480, 960, 0))
TO_ASSISTANT = Leg(4, (60, 70, 80, 90), (3, 4, 5, 6), PlayoutRecord(200, 2, 0, 8, 6, 0, 24, 9))


def waited(held_ms: float | None) -> AudioReceived:
    return AudioReceived(at(0), 0, 2_400, 0.0, is_stall=False, held_ms=held_ms)


def test_where_nothing_was_relayed_nothing_is_known() -> None:
    assert measure_transport(an_evidence()) is None


def test_a_direction_has_the_speaker_s_playout_and_the_listener_s_frames() -> None:
    evidence = replace(
        an_evidence(observations=[waited(200.0)]),
        caller_observations=(waited(180.0), waited(220.0), waited(None)),
        transport=Transport(TO_CALLER, TO_ASSISTANT),
    )
    measured = measure_transport(evidence)
    assert measured is not None
    assert measured.frame_ms == 20
    assert measured.caller_to_assistant == DirectionMeasurements(
        frames=4,
        send_lateness_us=Spread.of((3, 4, 5, 6)),
        send_latency_us=Spread.of((60, 70, 80, 90)),
        queue_delay_ms=Spread.of((180.0, 220.0)),
        high_water_samples=960,
        underflow_samples=7,
        underflow_in_speech_samples=5,
        dropped_silence_samples=480,
    )
    assert measured.assistant_to_caller == DirectionMeasurements(
        frames=3,
        send_lateness_us=Spread.of((0, 1, 2)),
        send_latency_us=Spread.of((40, 50)),
        queue_delay_ms=Spread.of((200.0,)),
        high_water_samples=24,
        underflow_samples=8,
        underflow_in_speech_samples=6,
        dropped_silence_samples=0,
    )

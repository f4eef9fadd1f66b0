"""How a conversation's audio was carried, in the words of the report."""

from __future__ import annotations

from shared.audio.pcm import SAMPLES_PER_MS
from shared.metrics.extended import ExtendedMeasurements
from shared.metrics.transport import DirectionMeasurements, TransportMeasurements
from shared.reporting.rounding import percentiles
from shared.reporting.schema import DirectionMetrics, TransportMetrics

US_PER_MS = 1_000
NOT_HELD = "no playout held the assistant's voice"
NO_RELAY = "no relay carried two voices"


def transport_metrics(measured: TransportMeasurements | None) -> TransportMetrics | None:
    if measured is None:
        return None
    return TransportMetrics(
        frame_ms=measured.frame_ms,
        caller_to_assistant=_direction(measured.caller_to_assistant),
        assistant_to_caller=_direction(measured.assistant_to_caller),
    )


def not_carried(extended: ExtendedMeasurements) -> dict[str, str]:
    """Why figures are null, by their keys."""
    reasons: dict[str, str] = {}
    if extended.playout_holds_ms is None:
        keys = ("audio.extended.playout_hold_ms", "audio.extended.playout_holds_ms")
        reasons |= dict.fromkeys(keys, NOT_HELD)
    if extended.transport is None:
        reasons["audio.extended.transport"] = NO_RELAY
    return reasons


def _direction(measured: DirectionMeasurements) -> DirectionMetrics:
    return DirectionMetrics(
        frames=measured.frames,
        send_lateness_ms=percentiles(measured.send_lateness_us, per=US_PER_MS),
        send_latency_ms=percentiles(measured.send_latency_us, per=US_PER_MS),
        queue_delay_ms=percentiles(measured.queue_delay_ms),
        high_water_ms=_ms(measured.high_water_samples),
        underflow_ms=_ms(measured.underflow_samples),
        underflow_in_speech_ms=_ms(measured.underflow_in_speech_samples),
        dropped_silence_ms=_ms(measured.dropped_silence_samples),
    )


def _ms(samples: int) -> float:
    return round(samples / SAMPLES_PER_MS, 3)

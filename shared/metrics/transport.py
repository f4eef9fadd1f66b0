"""How a conversation's audio was carried, each way, as the relay and both playouts counted it.

Contract: ``docs/metrics-contract.md``, "Extended block".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from shared.metrics.percentiles import Spread
from shared.observability.evidence import Evidence, Leg, Transport
from shared.observability.observations import AudioReceived


@dataclass(frozen=True, slots=True)
class DirectionMeasurements:
    """One party's voice on its way to the other.

    ``frames`` were handed over, each so late after it was due and taken so much later, in wall
    microseconds. ``queue_delay_ms`` is how long each piece waited to be played. The rest is of the
    playout that fed them, in samples: the most that ever waited; silence because nothing was there,
    and the part of it inside a word; silence left out.
    """

    frames: int
    send_lateness_us: Spread[int]
    send_latency_us: Spread[int]
    queue_delay_ms: Spread[float]
    high_water_samples: int
    underflow_samples: int
    underflow_in_speech_samples: int
    dropped_silence_samples: int


@dataclass(frozen=True, slots=True)
class TransportMeasurements:
    frame_ms: int
    caller_to_assistant: DirectionMeasurements
    assistant_to_caller: DirectionMeasurements


def measure_transport(evidence: Evidence) -> TransportMeasurements | None:
    """Both directions; nothing where no relay carried two voices."""
    match evidence.transport:
        case None:
            return None
        case Transport(caller=caller, assistant=assistant):
            return TransportMeasurements(
                frame_ms=evidence.pacing.frame_ms,
                caller_to_assistant=_direction(
                    evidence.of_caller(AudioReceived), speaks=caller, hears=assistant
                ),
                assistant_to_caller=_direction(
                    evidence.of(AudioReceived), speaks=assistant, hears=caller
                ),
            )


def _direction(
    received: Iterable[AudioReceived], *, speaks: Leg, hears: Leg
) -> DirectionMeasurements:
    playout = speaks.playout
    return DirectionMeasurements(
        frames=hears.frames,
        send_lateness_us=Spread.of(hears.send_lateness_us),
        send_latency_us=Spread.of(hears.send_latency_us),
        queue_delay_ms=Spread.of(one.held_ms for one in received if one.held_ms is not None),
        high_water_samples=playout.high_water_samples,
        underflow_samples=playout.underflow_samples,
        underflow_in_speech_samples=playout.underflow_in_speech_samples,
        dropped_silence_samples=playout.dropped_samples,
    )

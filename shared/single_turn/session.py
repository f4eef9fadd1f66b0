"""Play one spoken request to one assistant, and keep what came of it.

CRAWL and WALK differ only in where the caller's audio comes from; this is the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import override

from shared.audio.detection.energy_v1 import is_voiced_chunk
from shared.audio.pacing import Pacer
from shared.audio.pcm import (
    FRAME_BYTES,
    FRAME_SAMPLES,
    SAMPLES_PER_MS,
    Pcm,
    duration_ms,
    frames,
    from_bytes,
)
from shared.audio.placement import Placement
from shared.clock import Clock
from shared.errors import AttemptError, Stage
from shared.observability.evidence import Ending, Failure, Track
from shared.observability.observations import AudioReceived, Observation, Speaker
from shared.participant import AudioArrived, Monitor, Participant, Party
from shared.relay import Relay
from shared.single_turn.completion import AnswerWatch

DEAD_LINE_SHARE = 3
"""A service sends audio without a break, silence too: a line that has carried none for this part
(one third) of the response timeout carries none."""
LEAST_PAUSE_MS = 1_000
"""Jitter alone holds audio back for longer than a very short timeout."""


@dataclass(frozen=True, slots=True)
class SpokenRequest:
    """The caller's whole part: audio, where it is voiced, and what it says.

    ``source`` names where it comes from. The request ends with the last voiced instant, however
    much silence the audio ends with. ``warnings`` are about the audio, for whoever reads results.
    ``second_track`` is by a second detector; ``speech_file`` keeps what a neural one heard.
    """

    pcm: Pcm
    track: Track
    text: str
    source: str
    warnings: tuple[str, ...] = ()
    second_track: Track | None = None
    speech_file: bytes | None = None

    @property
    def end_ms(self) -> int:
        extent = self.track.voiced.extent
        return extent.end_ms if extent is not None else duration_ms(self.pcm)


class RecordedVoice(Party):
    """Speaks its frames, then silence for ever. It hears nothing and answers nothing."""

    failure: AttemptError | None = None

    def __init__(self, pcm: Pcm, monitor: Monitor | None = None) -> None:
        self._frames = iter(frames(pcm))
        self._monitor = monitor
        self._spoken = 0

    @override
    def speak(self) -> bytes:
        frame = next(self._frames, bytes(FRAME_BYTES))
        if self._monitor is not None:
            self._monitor.caller(self._spoken, from_bytes(frame))
        self._spoken += FRAME_SAMPLES
        return frame

    @override
    async def hear(self, frame: bytes) -> None:
        pass

    @override
    def observed(self) -> Sequence[Observation]:
        return ()


class OneWay(Party):
    """An assistant nobody hears. What it says is placed by its arrival, so none is played."""

    def __init__(self, assistant: Participant) -> None:
        self._assistant = assistant

    @property
    @override
    def failure(self) -> AttemptError | None:
        return self._assistant.failure

    @override
    def speak(self) -> bytes:
        return bytes(FRAME_BYTES)

    @override
    async def hear(self, frame: bytes) -> None:
        await self._assistant.hear(frame)

    @override
    def observed(self) -> Sequence[Observation]:
        return self._assistant.observed()


@dataclass(slots=True)
class Capture:
    """What a session left behind, before it is sealed as evidence."""

    extent_ms: int = 0
    observations: list[Observation] = field(default_factory=list)
    placement: Placement = field(default_factory=Placement)
    lateness_us: tuple[int, ...] = ()
    ending: Ending = Ending.FAILED
    failure: Failure | None = None


async def converse(
    request: SpokenRequest,
    assistant: Participant,
    clock: Clock,
    *,
    timeout_ms: int,
    monitor: Monitor | None = None,
) -> Capture:
    """Speak the request, listen to the answer, close. Never raises for what the session did.

    ``monitor`` is told the caller's frames as they are sent and the assistant's audio as placed.
    """
    capture = Capture()
    try:
        await assistant.connect()
        await _play(request, assistant, clock, timeout_ms, capture, monitor)
    except AttemptError as error:
        capture.ending = Ending.FAILED
        capture.failure = Failure(error.stage, str(error))
    finally:
        await assistant.close()
        capture.observations.extend(_facts(assistant.observed()))
    return capture


async def _play(
    request: SpokenRequest,
    assistant: Participant,
    clock: Clock,
    timeout_ms: int,
    capture: Capture,
    monitor: Monitor | None,
) -> None:
    watch = AnswerWatch(
        request_end_ms=request.end_ms,
        caller_audio_ms=duration_ms(request.pcm),
        timeout_ms=timeout_ms,
    )
    last_audio_ms = 0
    unheard_ms = max(timeout_ms, LEAST_PAUSE_MS)
    dead_after_ms = max(timeout_ms // DEAD_LINE_SHARE, LEAST_PAUSE_MS)

    def take(_: Speaker, observed: Sequence[Observation]) -> None:
        nonlocal last_audio_ms
        for seen in observed:
            if isinstance(seen, AudioArrived):
                last_audio_ms = seen.stamp.media_ms
                pcm = from_bytes(seen.samples)
                placed = _placed(seen, pcm, capture.placement, watch)
                capture.observations.append(placed)
                if monitor is not None:
                    monitor.assistant(placed.start_sample, pcm)
            else:
                watch.observe(seen)
                capture.observations.append(seen)

    def is_over(now_ms: int) -> bool:
        capture.extent_ms = now_ms
        # Counted from the request's end at the earliest: a long request is no stalled answer.
        if now_ms - max(last_audio_ms, request.end_ms) >= unheard_ms:
            raise AttemptError(
                Stage.RESPONSE_COLLECTION, f"no audio came for {unheard_ms / 1000:g} s"
            )
        ending = watch.ending(now_ms)
        if ending is Ending.RESPONSE_TIMEOUT and now_ms - last_audio_ms >= dead_after_ms:
            # Nobody can tell an assistant that says no more from a line that carries no more.
            raise AttemptError(
                Stage.RESPONSE_COLLECTION,
                "the assistant's audio stopped before the answer was whole",
            )
        if ending is not None:
            capture.ending = ending
        return ending is not None

    if monitor is not None:
        monitor.begin()
    take(Speaker.ASSISTANT, assistant.observed())
    pacer = Pacer(clock.now_us())
    relay = Relay(RecordedVoice(request.pcm, monitor), OneWay(assistant), clock, pacer)
    try:
        capture.extent_ms = await relay.run(take=take, is_over=is_over)
    finally:
        capture.lateness_us = pacer.lateness_us
    if assistant.failure is not None:
        raise assistant.failure


def _placed(
    seen: AudioArrived, pcm: Pcm, placement: Placement, watch: AnswerWatch
) -> AudioReceived:
    placed = placement.place(pcm, seen.stamp.media_ms * SAMPLES_PER_MS)
    start_ms = placed.start_sample // SAMPLES_PER_MS
    end_ms = start_ms + duration_ms(pcm)
    watch.received(end_ms)
    if is_voiced_chunk(pcm):
        watch.heard(start_ms, end_ms)
    return AudioReceived(
        seen.stamp,
        start_sample=placed.start_sample,
        samples=placed.samples,
        late_ms=placed.late_ms,
        is_stall=placed.is_stall,
    )


def _facts(observed: Sequence[Observation]) -> list[Observation]:
    """What belongs into evidence: audio after the close was not listened to."""
    return [seen for seen in observed if not isinstance(seen, AudioArrived)]

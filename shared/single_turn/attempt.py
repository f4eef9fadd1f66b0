"""Perform one attempt on a loop of its own, and put together what it left."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from shared.attempts.assistant import Opener
from shared.attempts.cancellation import Cancellation
from shared.attempts.session_warnings import session_warnings
from shared.audio.detection.port import Detector
from shared.audio.pcm import FRAME_MS, Pcm, duration_ms
from shared.clock import Clock
from shared.intervals import Interval
from shared.observability.evidence import (
    CallerAction,
    Evidence,
    MeasuredOn,
    Pacing,
    SecondOpinion,
    Track,
    Utterance,
)
from shared.participant import Monitor
from shared.single_turn.session import Capture, SpokenRequest, converse
from shared.values import JsonObject
from shared.virtual_time import VirtualClock, VirtualLoop
from shared.wall_time import WallClock, wall_loop


@dataclass(frozen=True, slots=True)
class Performed:
    """One attempt's session: what was captured, and the state before and after."""

    capture: Capture
    state_before: JsonObject
    state_after: JsonObject

    @property
    def assistant_pcm(self) -> Pcm:
        """The assistant's track from media time 0, cut to what was observed."""
        return self.capture.placement.track()


def perform(
    request: SpokenRequest,
    opener: Opener,
    *,
    timeout_ms: int,
    is_virtual: bool,
    cancellation: Cancellation,
    monitor: Monitor | None = None,
) -> Performed:
    """Run one session from connect to close in this thread."""

    async def session() -> Performed:
        loop = asyncio.get_running_loop()
        clock: Clock = VirtualClock(loop) if isinstance(loop, VirtualLoop) else WallClock(loop)
        assistant = opener(clock)
        before = assistant.snapshot()
        task = asyncio.current_task()
        if task is not None:
            cancellation.watch(task)
        try:
            capture = await converse(
                request, assistant.participant, clock, timeout_ms=timeout_ms, monitor=monitor
            )
        finally:
            if task is not None:
                cancellation.forget(task)
        return Performed(capture, assistant.state_before(before), assistant.snapshot())

    with asyncio.Runner(loop_factory=VirtualLoop if is_virtual else wall_loop) as runner:
        return runner.run(session())


def evidence_of(
    scenario_id: str,
    request: SpokenRequest,
    performed: Performed,
    detector: Detector,
    second_detector: Detector | None = None,
) -> Evidence:
    """Measure the assistant's track, and put everything together, yet unsealed."""
    capture, assistant = performed.capture, _received(performed.assistant_pcm, detector)
    return Evidence(
        scenario_id=scenario_id,
        extent_ms=capture.extent_ms,
        caller=request.track,
        assistant=assistant,
        utterances=(
            Utterance(
                # The caller's only turn: all that was voiced on the observed track is its.
                Interval(0, max(1, duration_ms(request.pcm), capture.extent_ms)),
                request.text,
                CallerAction.OPENING,
                request.source,
            ),
        ),
        observations=tuple(capture.observations),
        state_before=performed.state_before,
        state_after=performed.state_after,
        pacing=Pacing(FRAME_MS, capture.lateness_us),
        ending=capture.ending,
        failure=capture.failure,
        warnings=(*request.warnings, *session_warnings(capture.observations)),
        second_opinion=_second_opinion(request, performed, assistant, second_detector),
    )


def _received(pcm: Pcm, detector: Detector) -> Track:
    return Track(detector.voiced(pcm), int(pcm.size), detector.id, MeasuredOn.RECEIVED)


def _second_opinion(
    request: SpokenRequest, performed: Performed, assistant: Track, detector: Detector | None
) -> SecondOpinion | None:
    """Both tracks by a second detector; one that was measured once stands as it is."""
    if request.second_track is None and detector is None:
        return None
    return SecondOpinion(
        caller=request.second_track or request.track,
        assistant=assistant if detector is None else _received(performed.assistant_pcm, detector),
    )


def unperformed(state: JsonObject) -> Performed:
    """What an attempt leaves that never reached its session."""
    return Performed(Capture(), state, state)

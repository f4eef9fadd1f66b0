"""What the relay of eight conversations at once costs, against real time.

One event loop on virtual time, so nothing waits and only computing is measured. Per conversation:
two parties that speak in turn, a playout each, three tracks recorded; then also the ``realistic``
condition on the caller's way; then also both session machines and two scripted far ends, with the
JSON text and base64 between them, as offline. Processor time, best of three rounds.
``uv run python benchmarks/duplex.py``
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import override

import numpy as np

from assistants.frontend.fixture.machine import FixtureMachine
from assistants.frontend.fixture.script import ResolvedScript, parse_resolved_script
from assistants.frontend.protocol import LiveSession
from assistants.frontend.session_config import (
    ResponsesConfig,
    ResponsesDelegation,
    SessionConfig,
)
from assistants.frontend.transport import LiveParticipant
from assistants.responses.delegation import ManagedWork
from assistants.runtime import ToolRuntime
from assistants.wire import Connection
from shared.audio.effects.acoustics import Acoustics
from shared.audio.effects.bundled import ambience
from shared.audio.effects.presets import PRESETS
from shared.audio.pacing import Pacer
from shared.audio.pcm import FRAME_MS, SAMPLES_PER_MS, Pcm, silence, to_bytes
from shared.audio.tracks import RecordedTracks
from shared.clock import Clock, Stamp
from shared.errors import AttemptError
from shared.observability.observations import Observation
from shared.participant import AudioArrived, Participant
from shared.party import LiveParty
from shared.relay import Relay
from shared.scenario_types import AcousticCondition
from shared.speech.tone import ToneSynthesizer
from shared.testing.loopback import Loopback
from shared.values import JsonObject
from shared.virtual_time import VirtualClock, VirtualLoop

SECONDS = 60
CONVERSATIONS = 8
ROUNDS = 3
CHUNK_MS = 100
TEXT = "I would like to know, please, whether the last train on Sunday still runs. Thank you!"

type MakeParticipant = Callable[[Clock, int, int], Participant]


class Saying(Participant):
    """Says a track over and over in chunks of 100 ms, each when its time has come."""

    failure: AttemptError | None = None

    def __init__(self, track: Pcm) -> None:
        self._chunks = [
            to_bytes(track[at : at + CHUNK_MS * SAMPLES_PER_MS])
            for at in range(0, track.size, CHUNK_MS * SAMPLES_PER_MS)
        ]
        self._heard_ms = 0
        self._shown: list[Observation] = []

    @override
    async def connect(self) -> None:
        pass

    @override
    async def hear(self, frame: bytes) -> None:
        self._heard_ms += FRAME_MS
        number, rest = divmod(self._heard_ms, CHUNK_MS)
        if not rest:
            samples = self._chunks[number % len(self._chunks)]
            self._shown.append(AudioArrived(Stamp(self._heard_ms, 0), samples))

    @override
    def observed(self) -> Sequence[Observation]:
        shown, self._shown = self._shown, []
        return shown

    @override
    async def close(self) -> None:
        pass


class NoDesk:
    def call(self, name: str, arguments: JsonObject, call_id: str) -> JsonObject:
        raise NotImplementedError

    def snapshot(self) -> JsonObject:
        return {}


def saying(_: Clock, pitch_hz: int, starts_ms: int) -> Participant:
    turn = ToneSynthesizer(pitch_hz).speak(TEXT).pcm
    return Saying(np.concatenate([silence(starts_ms), turn, silence(1_000), np.zeros_like(turn)]))


def in_session(clock: Clock, pitch_hz: int, starts_ms: int) -> Participant:
    far_end = FixtureMachine(
        voice=ToneSynthesizer(pitch_hz),
        session_name=f"{pitch_hz}",
        epoch_s=0,
        script=_script(starts_ms),
    )

    def connect_to(near: LiveSession, on_activity: Callable[[], None]) -> Connection:
        return Loopback(near, far_end, clock, on_activity=on_activity, tap=lambda *_: None)

    delegation = ResponsesDelegation(responses=ResponsesConfig(model="none", tools=()))
    config = SessionConfig(model="none", delegation=delegation)
    session = LiveSession(config, ManagedWork())
    return LiveParticipant(session, connect_to, ToolRuntime(NoDesk(), []), clock)


def _script(starts_ms: int) -> ResolvedScript:
    says = range(starts_ms, SECONDS * 1_000, 14_000)
    steps = [{"say": TEXT, "at": f"start+{at_ms}"} for at_ms in says]
    return parse_resolved_script(
        json.dumps({"format": "gpt-live-script/1", "hears": [], "steps": steps})
    )


async def conversation(clock: Clock, make: MakeParticipant, condition: AcousticCondition) -> None:
    caller, assistant = LiveParty(make(clock, 210, 1_000)), LiveParty(make(clock, 120, 8_000))
    await asyncio.gather(caller.connect(), assistant.connect())
    air, tracks = None, RecordedTracks()
    if condition is not AcousticCondition.CLEAN:
        air = Acoustics(PRESETS[condition], seed=1, scope="benchmark", ambience=ambience())
    relay = Relay(caller, assistant, clock, Pacer(clock.now_us()), air=air, record=tracks.add)
    await relay.run(take=lambda *_: None, is_over=lambda now_ms: now_ms >= SECONDS * 1_000)
    if not (tracks.caller.any() and tracks.assistant.any()):
        raise RuntimeError("nobody said anything")
    await asyncio.gather(caller.close(), assistant.close())


async def all_at_once(make: MakeParticipant, condition: AcousticCondition) -> None:
    loop = asyncio.get_running_loop()
    if not isinstance(loop, VirtualLoop):
        raise TypeError("nothing may wait")
    clock = VirtualClock(loop)
    await asyncio.gather(*(conversation(clock, make, condition) for _ in range(CONVERSATIONS)))


def ratio(kind: str, make: MakeParticipant, condition: AcousticCondition, at_least: int) -> float:
    took = float("inf")
    for _ in range(ROUNDS):
        began = time.process_time()
        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            runner.run(all_at_once(make, condition))
        took = min(took, time.process_time() - began)
    frames = CONVERSATIONS * SECONDS * 1_000 // FRAME_MS
    print(
        f"{kind}: {CONVERSATIONS} conversations of {SECONDS} s in {took:.2f} s,"
        f" {took / frames * 1e6:.0f} us per frame of each;"
        f" ratio: {SECONDS / took:.1f} x real time for all of them (at least {at_least})"
    )
    return SECONDS / took / at_least


def main() -> None:
    clean, realistic = AcousticCondition.CLEAN, AcousticCondition.REALISTIC
    ratios = [
        ratio("relay and playout", saying, clean, 25),
        ratio("under realistic", saying, realistic, 8),
        ratio("with sessions", in_session, realistic, 4),
    ]
    sys.exit(min(ratios) < 1)


if __name__ == "__main__":
    main()

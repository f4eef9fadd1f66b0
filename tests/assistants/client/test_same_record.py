"""An application here and the same one elsewhere leave one record: compared in virtual time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, override

import pytest

import assistants.catalog
from assistants.catalog import AssistantKit, ClientKit, open_client
from assistants.client.desk import Desk, DeskTexts
from assistants.client.memory import Memory
from assistants.client.scripted import ScriptedBackend
from assistants.client.service_server import _OfHarness
from assistants.client.service_session import Phase, ServiceSession
from assistants.client.workshop import Workshop
from assistants.config import LiveAgentSettings
from assistants.frontend.fixture.machine import FixtureMachine
from assistants.frontend.fixture.script import ResolvedScript
from assistants.frontend.fixture.steps import Delegate
from assistants.frontend.vocabulary import VOCABULARY
from assistants.resources import BUNDLED_APPLICATION, load_application
from assistants.responses.session import backend_config
from assistants.runtime import ToolRuntime
from assistants.wire import Address
from shared.attempts.assistant import OpenAssistant
from shared.attempts.cancellation import Cancellation
from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.pcm import FRAME_MS
from shared.clock import Clock, Stamp
from shared.observability.evidence import MeasuredOn, Track
from shared.observability.observations import (
    BackendText,
    ContextSent,
    DelegationEnded,
    HandedOver,
    Observation,
    ResponseBegan,
    ResponseEnded,
    ToolCalled,
    ToolReturned,
    WorkContinued,
)
from shared.observability.redaction import Masker
from shared.observability.trace import Trace
from shared.single_turn.attempt import Performed, perform
from shared.single_turn.session import SpokenRequest
from shared.speech.tone import ToneSynthesizer
from shared.testing.loopback import Loopback
from tests.support.conversations import BOOKS, REQUEST
from tests.support.far_end import EPOCH_S, VOICE
from tests.support.judged import a_scenario
from tests.support.services import on_the_track_of

TEXTS = DeskTexts("Do it.", "That could not be done.")
OF_THE_WORK = (
    *(HandedOver, ResponseBegan, ToolCalled, ToolReturned, WorkContinued, ResponseEnded),
    *(BackendText, DelegationEnded),
)
CHECKS = {
    "name": "check_availability",
    "arguments": {"date": "2027-06-18", "time": "18:30", "party_size": 2},
}
BRIEF = replace(a_scenario().for_assistant(), initial_state={})
SETTINGS = LiveAgentSettings(assistant_mode="client")


def delegate(name: str, at: str, **parts: Any) -> dict[str, Any]:
    return {"delegate": name, "at": at, "reply": "Done.", **parts}


def said_after(name: str) -> dict[str, Any]:
    return {"say": "There you are.", "at": f"{name}.done+200"}


STORIES = {
    "a-round-of-calls": [
        delegate("d1", "caller_end+300", rounds=[{"calls": [CHECKS]}, {"calls": [BOOKS]}]),
        said_after("d1"),
    ],
    "calls-at-once": [
        delegate("d1", "caller_end+300", rounds=[{"calls": [CHECKS, BOOKS]}]),
        said_after("d1"),
    ],
    "a-refused-call": [
        delegate("d1", "caller_end+300", rounds=[{"calls": [{**BOOKS, "arguments": {}}]}]),
        said_after("d1"),
    ],
    "broken-arguments": [
        delegate(
            "d1",
            "caller_end+300",
            rounds=[{"calls": [{"name": "check_availability", "raw_arguments": "{"}]}],
        ),
        said_after("d1"),
    ],
    "no-call": [delegate("d1", "caller_end+300"), said_after("d1")],
    "work-that-fails": [delegate("d1", "caller_end+300", fails="failed"), said_after("d1")],
    "two-one-after-the-other": [
        delegate("d1", "caller_end+300"),
        said_after("d1"),
        delegate("d2", "d1.done+1500", rounds=[{"calls": [BOOKS]}]),
        said_after("d2"),
    ],
}


class Elsewhere(Loopback):
    """A service in memory at the end of a connector's line, built once it is configured."""

    def __init__(
        self, steps: Sequence[Delegate], near: Any, clock: Clock, on_activity: Callable[[], None]
    ) -> None:
        self._service = _Service(steps, clock)
        super().__init__(near, self._service, clock, on_activity=on_activity, tap=lambda *_: None)

    @override
    async def open(self) -> None:
        await super().open()
        self._service.flush = self.flush

    @override
    async def close(self) -> None:
        await self._service.put_away()
        await super().close()


class _Service(ServiceSession):
    def __init__(self, steps: Sequence[Delegate], clock: Clock) -> None:
        super().__init__()
        self._steps = steps
        self._clock = clock
        self._workshop: Workshop | None = None
        self._working: asyncio.Task[None] | None = None
        self.flush: Any = None

    @override
    def receive(self, message: str | bytes, at_us: int) -> None:
        super().receive(message, at_us)
        if self.phase is Phase.CONFIGURED:
            self._build()
        if self._workshop is not None:
            self._workshop.notice(self.noticed())
            self._workshop.stir()

    def _build(self) -> None:
        application = load_application(BUNDLED_APPLICATION)
        tools = ToolRuntime(application.open_session({}, application.facts), application.tools)
        backend = ScriptedBackend(self._steps, backend_config(SETTINGS, application, BRIEF))
        desk = Desk(Memory(self.history), TEXTS)
        self._workshop = Workshop(desk, backend, tools, _OfHarness(self, self._clock))
        self._working = asyncio.create_task(self._workshop.work(self._settled))
        self.ready(tools.snapshot())

    async def _settled(self) -> None:
        self.settle()
        await self.flush()

    async def put_away(self) -> None:
        if self._working is not None:
            self._working.cancel()
            await asyncio.gather(self._working, return_exceptions=True)


def held(script: ResolvedScript, remote: Address | None) -> Performed:
    spoken = ToneSynthesizer().speak(REQUEST)
    track = Track(spoken.voiced, spoken.pcm.size, EnergyV1().id, MeasuredOn.CLEAN_SOURCE)
    kit = AssistantKit(
        SETTINGS,
        load_application(BUNDLED_APPLICATION),
        "Speak.",
        client=ClientKit(TEXTS, remote=remote),
    )

    def opener(clock: Clock) -> OpenAssistant:
        far = FixtureMachine(voice=VOICE, session_name="s", epoch_s=EPOCH_S, script=script)
        return open_client(kit, BRIEF, far, clock, Trace(Masker(), VOCABULARY))

    return perform(
        SpokenRequest(spoken.pcm, track, REQUEST, "tone"),
        opener,
        timeout_ms=20_000,
        is_virtual=True,
        cancellation=Cancellation(),
    )


def of_the_work(performed: Performed) -> list[Observation]:
    return [one for one in performed.capture.observations if isinstance(one, OF_THE_WORK)]


def told(seen: Observation) -> Observation:
    """It without its instant, and without why a failure came about: a service keeps that."""
    changes: dict[str, Any] = {"stamp": Stamp(0, 0)}
    if isinstance(seen, ResponseEnded | DelegationEnded):
        changes["detail"] = None
    return replace(seen, **changes)


@pytest.mark.parametrize("name", STORIES)
def test_the_record_is_the_same_of(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written = json.dumps({"format": "gpt-live-script/1", "steps": STORIES[name]})
    script = on_the_track_of(REQUEST, written)
    steps = [step for step in script.steps if isinstance(step, Delegate)]
    here = held(script, None)

    def connect(_: Address, near: Any, clock: Clock, **options: Any) -> Elsewhere:
        return Elsewhere(steps, near, clock, options["on_activity"])

    monkeypatch.setattr(assistants.catalog, "SocketConnection", connect)
    there = held(script, Address("wss://elsewhere", "a" * 32, is_loopback=False))

    assert here.capture.failure is None
    assert there.capture.failure is None
    ours, theirs = of_the_work(here), of_the_work(there)
    assert ours != []
    assert [told(seen) for seen in theirs] == [told(seen) for seen in ours]
    # What comes at one instant may come just after a frame instead of just before it.
    assert all(
        abs(one.stamp.media_ms - other.stamp.media_ms) <= FRAME_MS
        and one.stamp.wall_us == other.stamp.wall_us
        for one, other in zip(ours, theirs, strict=True)
    )
    assert (there.state_before, there.state_after) == (here.state_before, here.state_after)
    said = [
        [
            (one.text, one.intent)
            for one in each.capture.observations
            if isinstance(one, ContextSent)
        ]
        for each in (here, there)
    ]
    assert said[0] == said[1]
    assert there.capture.extent_ms == here.capture.extent_ms

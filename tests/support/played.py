"""A conversation script played by two fixtures, with real session machines and the real tools.

Both ends hear each other through frames of 20 ms and nothing else. What comes of it is evidence
with the voices' own truth. It is not the harness: nothing is placed, detected, observed or ended.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Final

import assistants
from assistants.application.tools import Application, ToolRefused
from assistants.frontend.events import OutputAudioDelta, decode_audio, parse_server_event
from assistants.frontend.fixture.conversation import Spoken
from assistants.frontend.fixture.conversation_script import ConversationScript
from assistants.frontend.fixture.machine import FixtureMachine
from assistants.frontend.fixture.script import ResolvedScript
from assistants.frontend.fixture.timing import Timing
from assistants.frontend.protocol import LiveSession, State
from assistants.responses.delegation import ManagedWork
from assistants.tool_result import ToolResult
from shared.audio.pcm import FRAME_BYTES, FRAME_MS, SAMPLE_BYTES, SAMPLES_PER_MS
from shared.grading.policy import EvaluationPolicy
from shared.intervals import Interval, IntervalSet
from shared.observability.evidence import CallerAction, Ending, Evidence, Utterance
from shared.observability.observations import Observation, ToolCalled, ToolStatus
from shared.phrases import ConfirmationRule
from shared.scenarios import Scenario
from shared.speech.tone import ToneSynthesizer
from tests.support.builders import an_evidence
from tests.support.far_end import EPOCH_S, responses_work

APPLICATION: Final = Path(assistants.__file__).parent / "application"
FACTS: Final = json.loads((APPLICATION / "facts.json").read_text("utf-8"))
TOOLS: Final = [
    tool["name"] for tool in json.loads((APPLICATION / "tools.json").read_text("utf-8"))
]
PHRASES: Final = json.loads((APPLICATION / "phrases.json").read_text("utf-8"))
POLICY: Final = EvaluationPolicy(
    confirmations=tuple(
        ConfirmationRule(tuple(rule["tools"]), tuple(rule["patterns"]))
        for rule in PHRASES["confirmation_patterns"]
    ),
    refusal_patterns=tuple(PHRASES["refusal_patterns"]),
)
QUIET_MS: Final = 8_000
"""So much silence of both, with no work under way, ends a conversation."""
US_PER_MS: Final = 1_000


class Leg:
    """One session between our machine and the fixture's."""

    def __init__(self, script: ResolvedScript, pitch_hz: int, application: Application) -> None:
        self.session = LiveSession(responses_work(*TOOLS), ManagedWork())
        self.machine = FixtureMachine(
            voice=ToneSynthesizer(pitch_hz=pitch_hz),
            session_name="a-session",
            epoch_s=EPOCH_S,
            script=script,
            timing=None,
        )
        self.application = application
        self.observations: list[Observation] = []
        self.now_us = 0
        self._track = bytearray(Timing().output_from_ms * SAMPLES_PER_MS * SAMPLE_BYTES)
        self.session.start(0)
        self._settle()
        while self.session.state is not State.ACTIVE:
            self._wake()

    def frame(self, number: int) -> bytes:
        """What it says in a frame, counted from 0; what has not come is silence."""
        said = bytes(self._track[number * FRAME_BYTES : (number + 1) * FRAME_BYTES])
        return said.ljust(FRAME_BYTES, b"\0")

    def hear(self, frame: bytes) -> None:
        """Take in a frame of the other end once it has passed."""
        until_us = self.now_us + FRAME_MS * US_PER_MS
        while (due_us := self.machine.wakes_at()) is not None and due_us <= until_us:
            self._wake()
        self.now_us = until_us
        self.machine.wake(until_us)
        self.session.hear(frame)
        self._settle()

    @property
    def spoken(self) -> tuple[Spoken, ...]:
        return self.machine.spoken()

    @property
    def voiced(self) -> IntervalSet:
        return IntervalSet.of(span for one in self.spoken for span in one.voiced or ())

    def _wake(self) -> None:
        due_us = self.machine.wakes_at()
        assert due_us is not None, "the fixture waits for nothing"
        self.now_us = max(self.now_us, due_us)
        self.machine.wake(self.now_us)
        self._settle()

    def _settle(self) -> None:
        """Hand messages over, and run tools, until neither side has anything more to say."""
        while True:
            sent, answered = self.session.messages_to_send(), self.machine.messages_to_send()
            for text in sent:
                self.machine.receive(text, self.now_us)
            for text in answered:
                event = parse_server_event(text)
                if isinstance(event, OutputAudioDelta):
                    self._track += decode_audio(event.delta)
                self.session.receive(text, self.now_us)
            for call in self.session.calls_to_run():
                self.session.returned(call, self._run(call), self.now_us)
            self.observations += self.session.observed()
            if not sent and not answered:
                return

    def _run(self, call: ToolCalled) -> ToolResult:
        try:
            output = self.application.call(call.name, call.arguments or {}, call.call_id)
        except ToolRefused as refusal:
            error = {"ok": False, "error": str(refusal)}
            return ToolResult(ToolStatus.FAILED, error, self.application.snapshot())
        return ToolResult(ToolStatus.COMPLETED, output, self.application.snapshot())


def played(script: ConversationScript, scenario: Scenario, limit_ms: int = 90_000) -> Evidence:
    """The evidence of a conversation that ends in silence, or when its time is up."""
    state = scenario.application.initial_state
    caller = Leg(script.caller.alone(), 210, Application({}, FACTS))
    assistant = Leg(script.assistant.alone(), 140, Application(state, FACTS))
    frames, last_ms = 0, 0
    while frames * FRAME_MS < min(limit_ms, last_ms + QUIET_MS):
        said, answered = caller.frame(frames), assistant.frame(frames)
        assistant.hear(said)
        caller.hear(answered)
        frames += 1
        if any(said) or any(answered) or frames * FRAME_MS < QUIET_MS:
            last_ms = frames * FRAME_MS
    extent_ms = frames * FRAME_MS
    extent = Interval(0, extent_ms)
    evidence = an_evidence(
        caller=caller.voiced.clip(extent),
        assistant=assistant.voiced.clip(extent),
        utterances=_utterances(caller.spoken, extent_ms),
        observations=assistant.observations,
        extent_ms=extent_ms,
    )
    ending = Ending.DURATION_LIMIT if extent_ms >= limit_ms else Ending.CONVERSATION_COMPLETED
    return replace(
        evidence,
        state_before=state,
        state_after=assistant.application.snapshot(),
        ending=ending,
    )


def _utterances(spoken: tuple[Spoken, ...], extent_ms: int) -> list[Utterance]:
    """A sentence is a turn, with the action of its script; the first one opens."""
    return [
        Utterance(
            Interval(one.span.start_ms, min(one.span.end_ms, extent_ms)),
            one.step.say,
            CallerAction.OPENING if number == 0 else one.step.action or CallerAction.SPEAK,
            "script",
        )
        for number, one in enumerate(spoken)
        if one.span.start_ms < extent_ms
    ]

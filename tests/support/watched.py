"""A client in virtual time whose conduct is judged."""

from __future__ import annotations

import contextlib
import json
from typing import Any, override

from assistants.frontend.events import (
    FunctionCallOutput,
    InputMessage,
    MalformedMessage,
    ResponseCreate,
    ResponseItemCreate,
    SessionStart,
)
from assistants.frontend.fixture.conduct import Conduct, Ending, Finding
from assistants.frontend.fixture.rules import Rule, Weight
from assistants.frontend.fixture.script import ResolvedScript
from assistants.frontend.fixture.timing import Timing
from assistants.frontend.fixture.witness import When
from assistants.frontend.session_config import SessionConfig
from tests.support.far_end import Caller, a_script, responses_work

CALLS = {
    "calls": [
        {"name": "look_up", "call_id": "call_a"},
        {"name": "write_down", "call_id": "call_b"},
    ]
}
WORK: dict[str, object] = {
    "delegate": "d",
    "at": "start+1000",
    "rounds": [CALLS],
    "reply": "It is done.",
}
"""The calls are told 1,471 and 1,531 ms from the start; their response is completed at 1,571."""


class Client(Caller):
    """Does as it is told by a test, and answers nothing by itself unless it ``answers``."""

    def __init__(
        self,
        script: ResolvedScript | None = None,
        *,
        config: SessionConfig | None = None,
        answers: bool = False,
        frame_ms: int = 20,
    ) -> None:
        self.findings: list[Finding] = []
        script = script or a_script(WORK)
        self.conduct = Conduct(self.findings.append, script=script, timing=Timing())
        super().__init__(
            script,
            config=config or responses_work("look_up", "write_down"),
            answers=answers,
            frame_ms=frame_ms,
            witness=self.conduct,
        )

    @override
    def take(self) -> None:
        with contextlib.suppress(MalformedMessage):  # scripts may send what is none
            super().take()

    def begin(self) -> Client:
        """Send the start, and wait for nothing."""
        self.send(SessionStart(event_id="start", session=self.config))
        return self

    def send_json(self, kind: str, **fields: Any) -> Client:
        """Send what need not be an event of the protocol."""
        self.send_text(json.dumps({"type": kind, **fields}))
        return self

    def output(self, call_id: str, output: str = "1") -> Client:
        self.send(ResponseItemCreate(item=FunctionCallOutput(call_id=call_id, output=output)))
        return self

    def ask(self) -> Client:
        self.send(ResponseCreate())
        return self

    def type(self, text: str = "And the other one?") -> Client:
        self.send(ResponseItemCreate(item=InputMessage(role="user", content=text)))
        return self

    def leave(self, ending: Ending = Ending.CLIENT) -> Client:
        """The connection ends, as a rule because the client drops it."""
        self.machine.receive_eof(1000, self.now_us)
        self.conduct.ended(ending, When(self.now_us, self.machine.media_ms))
        return self

    def found(self, weight: Weight = Weight.MISTAKE) -> list[Rule]:
        """What was found, as often as it was."""
        return [one.rule for one in self.findings if one.rule.weight is weight]

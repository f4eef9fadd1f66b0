"""The desk against any order of whatever a session and a backend may do.

Steps are drawn from few names, so that repetitions, strangers and late news are common. Each test
run puts in as many steps as ``FUZZ_FRAMES`` says, 5,000 where it says nothing.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from assistants.client.desk import Desk, DeskTexts, DeskTiming
from assistants.client.memory import Memory
from assistants.frontend.backend_events import (
    FunctionCall,
    OutputItemDone,
    ResponseCompleted,
    ResponseCreated,
    ResponseFailed,
    ResponseSnapshot,
)
from shared.clock import Stamp
from shared.observability.delegation import WorkState
from shared.observability.observations import (
    AppendIntent,
    Caption,
    ConnectionLost,
    DelegationBegan,
    DelegationEnded,
    HandedOver,
    SessionClosed,
    Speaker,
    ToolCalled,
    ToolReturned,
    ToolStatus,
)

FRAMES = int(os.environ.get("FUZZ_FRAMES", "5000"))
STEPS_EACH = 50
TIMING = DeskTiming(quiet_us=300_000, wait_us=1_500_000, deadline_us=5_000_000)

KINDS = (
    *("caption", "delegation", "wake", "response", "item", "completed", "response_failed"),
    *("progress", "call", "return", "finish", "fail", "amend", "closed", "lost"),
)


@dataclass(frozen=True, slots=True)
class Step:
    kind: str
    name: str
    other: str
    later_us: int
    text: str


STEPS = st.builds(
    Step,
    kind=st.sampled_from(KINDS),
    name=st.sampled_from("abcd"),
    other=st.sampled_from("xyz"),
    later_us=st.sampled_from([0, 1, 299_999, 300_000, 1_500_000, 5_000_000]),
    text=st.text(max_size=8),
)


class Watched:
    """A desk, and what must hold of it after every step."""

    def __init__(self) -> None:
        self.desk = Desk(Memory(), DeskTexts("Do it.", "It failed."), TIMING)
        self.now_us = 0
        self.run = Counter[str]()
        self.ended = Counter[str]()
        self.handed = set[str]()
        self.asked = set[str]()
        self.work = WorkState()
        self.is_over = False

    def put_in(self, step: Step) -> None:
        self.now_us += step.later_us
        at = Stamp(self.now_us // 1_000, self.now_us, self.now_us // 1_000)
        desk, name = self.desk, step.name
        snapshot = ResponseSnapshot(id=step.other, status="completed")
        match step.kind:
            case "caption":
                speaker = Speaker.CALLER if step.other == "x" else Speaker.ASSISTANT
                start_ms = at.media_ms - len(step.text) * 100
                desk.notice(Caption(at, speaker, step.text, start_ms, start_ms + 200))
            case "delegation":
                target = "responses" if step.text == "r" else "client"
                began = DelegationBegan(at, name, target, None)
                desk.notice(began)
                self.work.observe(began)
            case "response":
                event = ResponseCreated(response=snapshot, sequence_number=0)
                desk.emitted(name, event, at)
            case "item":
                call = FunctionCall(
                    id=step.text, status="completed", arguments="{}", call_id=step.other, name="t"
                )
                desk.emitted(name, OutputItemDone(output_index=0, item=call, sequence_number=0), at)
            case "completed":
                event = ResponseCompleted(response=snapshot, sequence_number=0)
                desk.emitted(name, event, at)
            case "response_failed":
                event = ResponseFailed(response=snapshot, sequence_number=0)
                desk.emitted(name, event, at)
            case "progress":
                desk.progressed(name, step.text)
            case "call":
                desk.called(name, "t", step.text, step.other, at)
            case "return" if step.other in self.asked:
                done = ToolReturned(at, step.other, "t", ToolStatus.COMPLETED, {}, {})
                desk.returned(done, "{}")
            case "finish":
                desk.finished(name, step.text, at)
            case "fail":
                desk.failed(name, "no luck", at)
            case "amend":
                desk.amendment(name)
            case "closed":
                self._over(SessionClosed(at, "over", None))
            case "lost":
                self._over(ConnectionLost(at, None, ""))
            case _:
                pass
        desk.wake(at)
        self._hold(at)

    def _over(self, seen: SessionClosed | ConnectionLost) -> None:
        self.desk.notice(seen)
        self.is_over = True

    def _hold(self, at: Stamp) -> None:
        was_over = self.is_over
        calls = [call.call_id for call in self.desk.calls_to_run()]
        self.run.update(calls)
        self.asked.update(calls)
        assert max(self.run.values(), default=0) <= 1, "a tool is run once"
        assert not (was_over and calls), "nobody acts when nobody listens"
        handed = self.desk.handed_over()
        assert not self.handed & {one.delegation_id for one in handed}, "handed over once"
        self.handed |= {one.delegation_id for one in handed}
        for append in self.desk.appends():
            assert append.delegation_id in self.handed
            assert append.text.strip()
            assert append.intent is not AppendIntent.INSTRUCTIONS
        for seen in self.desk.observed():
            self.work.observe(seen)
            match seen:
                case DelegationEnded(delegation_id=name):
                    self.ended[name] += 1
                case HandedOver(delegation_id=name) | ToolCalled(delegation_id=name):
                    assert not self.ended[str(name)], "after its end nothing happens to it"
        assert max(self.ended.values(), default=0) <= 1, "a delegation ends once"
        assert set(self.desk.cancelled()) <= self.handed
        due_us = self.desk.wakes_at()
        assert due_us is None or due_us > at.wall_us, "nothing due is left undone"
        self.desk.continued()

    def wait_for_the_end(self) -> None:
        """Whatever is open comes to its end by itself while the session lasts."""
        while (due_us := self.desk.wakes_at()) is not None:
            assert due_us <= self.now_us + TIMING.wait_us + TIMING.deadline_us
            self.put_in(Step("wake", "a", "x", due_us - self.now_us, ""))


@settings(max_examples=max(1, FRAMES // STEPS_EACH))
@given(st.lists(STEPS, min_size=STEPS_EACH, max_size=STEPS_EACH))
def test_whatever_a_session_and_a_backend_do_the_desk_holds(steps: list[Step]) -> None:
    watched = Watched()
    for step in steps:
        watched.put_in(step)
    watched.wait_for_the_end()
    if not watched.is_over:
        assert set(watched.ended) >= watched.handed
        assert not watched.work.is_active, "what has ended leaves no work open"

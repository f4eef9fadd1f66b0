"""Both ends of the contract with a remote application against anything, and against each other.

Whole and mangled messages in any order, at any instants. More of them:

    FUZZ_FRAMES=100000 uv run pytest -q tests/fuzz/test_remote_application.py
"""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistants.client.contract import (
    MESSAGE_BYTES_MAX,
    message_to_application,
    message_to_harness,
)
from assistants.client.desk import Append, Desk, DeskTexts
from assistants.client.memory import Memory
from assistants.client.remote import Call, Phase, RemoteApplication, RemoteIntake, RemoteTiming
from assistants.client.service_session import Phase as ServicePhase
from assistants.client.service_session import ServiceLimits, ServiceSession
from shared.clock import Stamp
from shared.errors import Stage
from shared.observability.delegation import WorkState
from shared.observability.observations import (
    AppendIntent,
    Caption,
    DelegationBegan,
    DelegationEnded,
    Observation,
    SessionClosed,
    Speaker,
    ToolCalled,
    ToolReturned,
    ToolStatus,
)
from tests.fuzz.mangling import mangled

FRAMES = int(os.environ.get("FUZZ_FRAMES", "5000"))
AT_LEAST_EACH = 25
TIMING = RemoteTiming(ready_us=2_000_000, delegation_us=3_000_000, close_us=1_000_000)
LIMITS = ServiceLimits(
    pending=3, delegations=6, session_bytes=60_000, events=200, configure_s=2, session_s=60
)
PUT_IN: Counter[str] = Counter()

seeds = st.integers(0, 2**32 - 1)
ids = st.sampled_from(["d1", "d2", "d3"])
waits = st.integers(0, 2_000_000)
steady = settings(
    max_examples=max(1, FRAMES // AT_LEAST_EACH),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def sometimes_mangled(whole: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[str | bytes]:
    texts = whole.map(json.dumps)
    return st.one_of(texts, texts, texts, st.builds(mangled, texts, seeds))


# what an application may say


def _report(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "assistant.event", "event": {"type": kind, **fields}}


def _says(kind: str, one: str, text: str) -> dict[str, Any]:
    event = {"type": f"session.{kind}.append", "delegation_id": one, "content": text}
    return {"type": "live.send", "event": event}


calls = st.sampled_from(["c1", "c2", "c3"])
responses = st.sampled_from(["r1", "r2"])
of_an_application = st.one_of(
    st.builds(
        lambda call, one, response: _report(
            "tool.called",
            **{"call_id": call, "name": "n", "arguments": "{", "delegation_id": one},
            **({} if response is None else {"response_id": response}),
        ),
        *(calls, ids, st.none() | responses),
    ),
    st.builds(
        lambda call: _report("tool.completed", call_id=call, result={}, application_state={}),
        calls,
    ),
    st.builds(lambda call: _report("tool.failed", call_id=call, error="no"), calls),
    st.builds(
        lambda how, response, one: _report(
            f"response.{how}", response_id=response, delegation_id=one
        ),
        *(st.sampled_from(["created", "completed", "failed", "incomplete"]), responses, ids),
    ),
    st.builds(
        lambda how, one: _report(f"client_delegation.{how}", delegation_id=one),
        *(st.sampled_from(["completed", "failed", "superseded"]), ids),
    ),
    st.builds(
        _says,
        st.sampled_from(["commentary", "thinking"]),
        ids,
        st.sampled_from(["Done.", "x" * 900]),
    ),
    st.sampled_from(
        [
            {"type": "session.ready", "version": 1},
            {"type": "session.closed"},
            {"type": "error", "error": {"code": "busy", "message": "x"}},
        ]
    ),
)


# our end


class Ours:
    """A connector whose every output is looked at."""

    def __init__(self) -> None:
        self.now_us = 0
        self.is_over = False
        call = Call(lambda at_us: Stamp(at_us // 1_000, at_us), lambda: self.is_over, "It failed.")
        intake = RemoteIntake(messages=300, message_bytes=400_000)
        self.machine = RemoteApplication(call, (), {}, TIMING, intake)
        self.work = WorkState()
        self.begun: dict[str, int] = {}
        self.ended: Counter[str] = Counter()
        self.called: Counter[str] = Counter()
        self.returned: Counter[str] = Counter()
        self.sent = 0

    def take(self, step: str | bytes) -> None:
        PUT_IN["ours"] += 1
        self.machine.receive(step, self.now_us)
        self._look()

    def begin(self, delegation_id: str) -> None:
        if self.machine.phase is Phase.READY:
            self.begun.setdefault(delegation_id, self.now_us)
        began = DelegationBegan(Stamp(0, self.now_us, 0), delegation_id, "client", None)
        self.work.observe(began)
        self.machine.notice(began)
        self._look()

    def wait(self, us: int) -> None:
        until_us = self.now_us + us
        while (due_us := self.machine.wakes_at()) is not None and due_us <= until_us:
            self.now_us = max(self.now_us, due_us)
            self.machine.wake(self.now_us)
            self._look()
        self.now_us = until_us

    def hang_up(self) -> None:
        self.is_over = True
        self.machine.notice(SessionClosed(Stamp(0, self.now_us), "close_requested", None))
        self._look()

    def _look(self) -> None:
        for text in self.machine.messages_to_send():
            message_to_application(text)
            self.sent += 1
        for append in self.machine.appends():
            assert append.text.strip()
            assert append.delegation_id in self.begun
            assert not self.is_over, "said to nobody"
        for seen in self.machine.observed():
            self._look_at(seen)
        if self.machine.failure is not None:
            assert self.machine.failure.stage is Stage.CLIENT_ASSISTANT
            assert self.machine.phase is Phase.CLOSED
            assert "\n" not in str(self.machine.failure)

    def _look_at(self, seen: Observation) -> None:
        self.work.observe(seen)
        match seen:
            case ToolCalled(call_id=call_id):
                self.called[call_id] += 1
            case ToolReturned(call_id=call_id):
                self.returned[call_id] += 1
            case DelegationEnded(delegation_id=one, outcome=_):
                self.ended[one] += 1
                assert seen.stamp.wall_us <= self.begun[one] + TIMING.delegation_us, "too late"


deeds = st.one_of(
    st.tuples(st.just("begin"), ids), st.tuples(st.just("wait"), waits), st.just(("hang_up", None))
)
rare_ends = st.integers(0, 9).flatmap(lambda one: st.just(("eof", None)) if one == 0 else deeds)


def _do(ours: Ours, step: Any) -> None:
    match step:
        case ("begin", one):
            ours.begin(one)
        case ("wait", us):
            ours.wait(us)
        case ("hang_up", None):
            ours.hang_up()
        case ("eof", None):
            ours.machine.receive_eof(1006, ours.now_us)
        case _:
            ours.take(step)


READY = json.dumps({"type": "session.ready", "version": 1})


@steady
@given(
    st.lists(sometimes_mangled(of_an_application) | rare_ends, min_size=AT_LEAST_EACH * 3 // 2),
    st.booleans(),
)
def test_whatever_an_application_says_our_end_holds(steps: list[Any], is_ready: bool) -> None:
    ours = Ours()
    ours.machine.configure(0)
    ours._look()
    for step in ([READY, ("begin", "d1")] if is_ready else []) + steps:
        _do(ours, step)
    ours.hang_up()
    ours.wait(5_000_000)
    assert ours.machine.phase is Phase.CLOSED
    assert max(ours.called.values(), default=0) <= 1, "one call was noted twice"
    assert max(ours.returned.values(), default=0) <= 1, "one call returned twice"
    assert set(ours.returned) <= set(ours.called), "an outcome of no call"
    assert max(ours.ended.values(), default=0) <= 1, "one delegation ended twice"


# the service's end


def _live(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "live.event", "event": {"type": kind, **fields}}


CONFIGURE = {"type": "session.configure", "version": 1, "initial_items": []}
of_a_harness = st.one_of(
    st.builds(
        lambda text, start, span: _live(
            "session.input_transcript.delta", start_ms=start, end_ms=start + span, delta=text
        ),
        *(st.text(max_size=9), st.integers(0, 10_000), st.integers(0, 900)),
    ),
    st.builds(
        lambda one, offset: _live(
            "session.delegation.created",
            offset_ms=offset,
            delegation={"id": one, "target": "client"},
        ),
        *(st.sampled_from([f"d{number}" for number in range(9)]), st.integers(0, 10_000)),
    ),
    st.just(CONFIGURE),
    st.just(_live("session.closed", reason="x")),
)


class Theirs:
    """A service's machine and desk, whose tools are called and return when the test says so."""

    def __init__(self) -> None:
        self.now_us = 0
        self.machine = ServiceSession(LIMITS)
        self.desk = Desk(Memory(), DeskTexts("Do it.", "It failed."))
        self.handed: list[str] = []
        self.ran: Counter[str] = Counter()
        self.errors = 0
        self.is_over = False
        self.noticed = 0

    def take(self, step: str | bytes) -> list[str]:
        PUT_IN["theirs"] += 1
        self.machine.receive(step, self.now_us)
        if self.machine.phase is ServicePhase.CONFIGURED:
            self.machine.ready({})
        return self._look()

    def wait(self, us: int) -> list[str]:
        self.now_us += us
        due_us = self.machine.wakes_at()
        if due_us is not None and due_us <= self.now_us:
            self.machine.wake(self.now_us)
        return self._look()

    def work(self, number: int) -> list[str]:
        """Get on with one of the tasks: a call and its outcome, then a result or none."""
        if self.handed:
            one, call_id = self.handed[number % len(self.handed)], f"call_{number % 5}"
            at = Stamp(0, self.now_us)
            self.desk.called(one, "look_up", "{}", call_id, at)
            if number % 3 == 0:
                self.desk.finished(one, "Done.", at)
            elif number % 3 == 1:
                self.desk.failed(one, "no", at)
        return self._look()

    def _look(self) -> list[str]:
        at = Stamp(0, self.now_us)
        for seen in self.machine.noticed():
            self.noticed += 1
            self.desk.notice(seen)
        if self.machine.phase is ServicePhase.CLOSED:
            self.desk.hang_up()
        self.desk.wake(at)
        self.handed += [one.delegation_id for one in self.desk.handed_over()]
        for call in self.desk.calls_to_run():
            self.ran[call.call_id] += 1
            assert self.machine.phase is ServicePhase.READY, "a tool after the end"
            done = ToolReturned(at, call.call_id, call.name, ToolStatus.COMPLETED, {}, {})
            self.machine.tell(self.desk.observed())
            self.desk.returned(done, "{}")
        self.machine.tell(self.desk.observed())
        for append in self.desk.appends():
            self.machine.append(append)
        self.machine.settle()
        return list(self._sent())

    def _sent(self) -> list[str]:
        texts = self.machine.messages_to_send()
        for text in texts:
            assert not self.is_over, "a message after the end"
            assert len(text.encode()) <= MESSAGE_BYTES_MAX
            message = message_to_harness(text)
            self.is_over = message.type in {"error", "session.closed"}
            self.errors += message.type == "error"
        return texts


@steady
@given(
    st.lists(
        sometimes_mangled(of_a_harness) | st.tuples(st.just("wait"), waits) | st.integers(0, 30),
        min_size=AT_LEAST_EACH * 3 // 2,
    ),
    st.booleans(),
)
def test_whatever_a_harness_says_the_service_holds(steps: list[Any], is_configured: bool) -> None:
    theirs = Theirs()
    for step in ([json.dumps(CONFIGURE)] if is_configured else []) + steps:
        match step:
            case ("wait", us):
                theirs.wait(us)
            case int():
                theirs.work(step)
            case _:
                theirs.take(step)
    theirs.wait(120_000_000)
    assert theirs.machine.phase is ServicePhase.CLOSED
    assert max(theirs.ran.values(), default=0) <= 1, "a tool ran twice for one call"
    assert theirs.errors <= 1
    assert theirs.noticed <= LIMITS.events


# both, with somebody in between


@steady
@given(st.lists(st.tuples(st.integers(0, 19), seeds, st.integers(0, 30)), min_size=AT_LEAST_EACH))
def test_with_mangled_messages_either_way_both_hold(fates: list[tuple[int, int, int]]) -> None:
    """One message in twenty is mangled, one lost, one doubled; the rest pass."""
    ours, theirs = Ours(), Theirs()
    ours.machine.configure(0)
    for fate, seed, number in fates:
        outgoing = ours.machine.messages_to_send()
        back = [text for one in _passed(outgoing, fate, seed) for text in theirs.take(one)]
        back += theirs.wait(400_000) + theirs.work(number)
        ours.wait(theirs.now_us - ours.now_us)
        for one in _passed(back, fate, seed):
            ours.take(one)
        ours.machine.notice(Caption(Stamp(0, ours.now_us), Speaker.CALLER, "x", number, number))
        if ours.machine.phase is Phase.READY and number % 7 == 0:
            ours.begin(f"d{number}")
    ours.hang_up()
    ours.wait(5_000_000)
    theirs.wait(120_000_000)
    assert max(theirs.ran.values(), default=0) <= 1
    assert max(ours.called.values(), default=0) <= 1
    assert ours.machine.phase is Phase.CLOSED


def _passed(texts: list[str], fate: int, seed: int) -> list[str | bytes]:
    match fate:
        case 0:
            return [mangled(text, seed) for text in texts]
        case 1:
            return []
        case 2:
            return [text for text in texts for _ in range(2)]
        case _:
            return list(texts)


@steady
@given(st.lists(st.integers(0, 30), min_size=AT_LEAST_EACH), st.integers(1, 6))
def test_undisturbed_they_never_break_with_each_other(numbers: list[int], many: int) -> None:
    ours, theirs = Ours(), Theirs()
    ours.machine.configure(0)
    for position, number in enumerate(numbers):
        back = [text for one in ours.machine.messages_to_send() for text in theirs.take(one)]
        back += theirs.wait(100_000) + theirs.work(number)
        ours.wait(theirs.now_us - ours.now_us)
        for text in back:
            ours.take(text)
        if ours.machine.phase is Phase.READY and position < many:
            ours.begin(f"d{position}")
    assert ours.machine.failure is None or "client_limit_reached" in str(ours.machine.failure)


def test_a_result_of_a_backend_may_be_anything() -> None:
    theirs = Theirs()
    theirs.take(json.dumps(CONFIGURE))
    for text in ("\ud800", "x" * 20_000, "\x00", "a\u2028b"):
        theirs.machine.append(Append(AppendIntent.COMMENTARY, text, "d1"))
    assert [json.loads(one)["type"] for one in theirs._sent()].count("live.send") >= 4


def test_so_many_messages_went_in() -> None:
    """Runs last. A fuzz that put little in would say little."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        assert PUT_IN["ours"] >= FRAMES, PUT_IN
        assert PUT_IN["theirs"] >= FRAMES, PUT_IN

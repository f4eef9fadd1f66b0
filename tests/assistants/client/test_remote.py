"""Our end of a remote application: what it forwards, what it takes, what it cannot go on with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from assistants.client.backlog import WAITING_MAX
from assistants.client.contract import ID_MAX, message_to_application
from assistants.client.desk import Append
from assistants.client.remote import Call, Phase, RemoteApplication, RemoteIntake, RemoteTiming
from shared.clock import Stamp
from shared.errors import Stage
from shared.observability.observations import (
    AppendIntent,
    BackendText,
    Caption,
    ConnectionLost,
    ContextAppended,
    ContextSent,
    DelegationBegan,
    DelegationEnded,
    DelegationOutcome,
    Faulted,
    HandedOver,
    Observation,
    ResponseBegan,
    ResponseEnded,
    ResponseStatus,
    ResultHeldBack,
    SessionClosed,
    Speaker,
    TokenUsage,
    ToolCalled,
    ToolReturned,
    ToolStatus,
    UsageReported,
    WorkContinued,
)
from shared.scenario_types import HistoryMessage, Role
from shared.values import JsonObject

FAILED = "That could not be done."
S = 1_000_000
TIMING = RemoteTiming()

type Message = dict[str, Any]


class Line:
    """An application and a call, at instants that the test sets."""

    def __init__(
        self,
        *history: HistoryMessage,
        state: JsonObject | None = None,
        intake: RemoteIntake | None = None,
    ) -> None:
        self.now_us = 0
        self.is_over = False
        call = Call(lambda at_us: Stamp(at_us // 1_000, at_us), lambda: self.is_over, FAILED)
        self.machine = RemoteApplication(call, history, state or {}, intake=intake)
        self.sent: list[Message] = []
        self.said: list[Append] = []
        self.observed: list[Observation] = []

    def drain(self) -> Line:
        for text in self.machine.messages_to_send():
            message_to_application(text)
            self.sent.append(json.loads(text))
        self.said += self.machine.appends()
        self.observed += self.machine.observed()
        return self

    def configure(self) -> Line:
        self.machine.configure(self.now_us)
        return self.drain()

    def take(self, *messages: Message | str | bytes) -> Line:
        for one in messages:
            raw = json.dumps(one) if isinstance(one, dict) else one
            self.machine.receive(raw, self.now_us)
        return self.drain()

    def show(self, *seen: Observation) -> Line:
        for one in seen:
            self.machine.notice(one)
        return self.drain()

    def wait(self, until_us: int) -> Line:
        self.now_us = until_us
        wakes_at = self.machine.wakes_at()
        if wakes_at is not None and wakes_at <= until_us:
            self.machine.wake(until_us)
        return self.drain()

    def of(self, *kinds: type[Observation]) -> list[Observation]:
        return [one for one in self.observed if isinstance(one, kinds)]

    @property
    def failure(self) -> str | None:
        failed = self.machine.failure
        if failed is not None:
            assert failed.stage is Stage.CLIENT_ASSISTANT
            assert self.machine.phase is Phase.CLOSED
        return None if failed is None else str(failed)


def at(ms: int = 0, provider_ms: int | None = None) -> Stamp:
    return Stamp(ms, ms * 1_000, provider_ms)


def ready(**fields: Any) -> Message:
    return {"type": "session.ready", "version": 1, **fields}


def began(delegation_id: str = "d1", offset_ms: int = 800) -> DelegationBegan:
    return DelegationBegan(at(1_000, offset_ms), delegation_id, "client", None)


def report(kind: str, **fields: Any) -> Message:
    return {"type": "assistant.event", "event": {"type": kind, **fields}}


def called(call_id: str = "c1", delegation_id: str = "d1", **more: Any) -> Message:
    fields = {"name": "look_up", "arguments": '{"a":1}', "delegation_id": delegation_id}
    return report("tool.called", call_id=call_id, **fields, **more)


def returned(call_id: str = "c1", **more: Any) -> Message:
    return report("tool.completed", call_id=call_id, result={"ok": True}, **more)


def says(text: str = "Done.", delegation_id: str = "d1", kind: str = "commentary") -> Message:
    event = {"type": f"session.{kind}.append", "delegation_id": delegation_id, "content": text}
    return {"type": "live.send", "event": event}


def ends(how: str = "completed", delegation_id: str = "d1") -> Message:
    return report(f"client_delegation.{how}", delegation_id=delegation_id)


CLOSED: Message = {"type": "session.closed"}
GIVES_UP: Message = {"type": "error", "error": {"code": "busy", "message": "a secret"}}
OF_R1 = {"response_id": "r1", "delegation_id": "d1"}


def at_work(**options: Any) -> Line:
    """Ready, with one delegation."""
    return Line(**options).configure().take(ready()).show(began())


# The start


def test_the_first_message_has_the_history_and_nothing_else_of_the_scenario() -> None:
    past = [
        HistoryMessage(role=Role.USER, text="A table?"),
        HistoryMessage(role=Role.ASSISTANT, text="For when?"),
    ]
    line = Line(*past, state={"secret": 1}).configure()
    kinds = ("user", "input_text"), ("assistant", "output_text")
    assert line.sent == [
        {
            "type": "session.configure",
            "version": 1,
            "initial_items": [
                {
                    "type": "message",
                    "role": role,
                    "content": [{"type": part, "text": one.text}],
                }
                for (role, part), one in zip(kinds, past, strict=True)
            ],
        }
    ]


@pytest.mark.parametrize(
    ("needed", "told", "is_ready"),
    [
        pytest.param({}, {}, True, id="nothing-needed-and-nothing-told"),
        pytest.param({}, {"application_state": {"a": 1}}, True, id="nothing-needed"),
        pytest.param({"a": 1}, {"application_state": {"a": 1}}, True, id="the-same"),
        pytest.param({"a": 1}, {"application_state": {"a": 1, "b": 2}}, True, id="more"),
        pytest.param({"a": [1]}, {"application_state": {"a": [1.0]}}, True, id="the-same-number"),
        pytest.param({"a": 1}, {}, False, id="no-state-told"),
        pytest.param({"a": 1}, {"application_state": {}}, False, id="a-key-is-missing"),
        pytest.param({"a": 1}, {"application_state": {"a": 2}}, False, id="another-value"),
        pytest.param({"a": 1}, {"application_state": {"a": True}}, False, id="true-is-no-one"),
        pytest.param({"a": {}}, {"application_state": {"a": {"b": 1}}}, False, id="more-inside"),
    ],
)
def test_a_scenario_applies_to_a_state(needed: JsonObject, told: Message, is_ready: bool) -> None:
    line = Line(state=needed).configure().take(ready(**told))
    if is_ready:
        assert line.failure is None
        assert line.machine.phase is Phase.READY
        assert line.machine.state_before == told.get("application_state", {})
    else:
        assert line.failure is not None
        assert "not applicable" in line.failure
        assert "configure that state in the service" in line.failure


@pytest.mark.parametrize(
    ("at_us", "failure"),
    [
        pytest.param(TIMING.ready_us - 1, None, id="just-in-time"),
        pytest.param(TIMING.ready_us, "no session.ready within 15 s", id="just-not"),
    ],
)
def test_an_application_is_ready(at_us: int, failure: str | None) -> None:
    line = Line().configure().wait(at_us).take(ready())
    assert line.failure == failure


def test_a_late_ready_is_late_though_nobody_was_woken() -> None:
    line = Line().configure()
    line.now_us = TIMING.ready_us
    assert line.take(ready()).failure == "no session.ready within 15 s"


def test_a_history_too_long_for_one_message_is_said() -> None:
    past = [HistoryMessage(role=Role.USER, text="x" * 3_000) for _ in range(100)]
    line = Line(*past).configure()
    assert (line.failure, line.sent) == (
        "the scenario's history is too long for one message of the contract",
        [],
    )


# What goes out


def test_what_is_forwarded_is_built_from_fields() -> None:
    line = Line().configure().take(ready())
    line.show(
        Caption(at(5, 0), Speaker.CALLER, "Hello", 0, 200),
        Caption(at(6, 200), Speaker.ASSISTANT, "Hi", 200, 400),
        UsageReported(at(7), 3.0),
        DelegationBegan(at(8, 300), "d0", "responses", "r1"),
        began(),
        SessionClosed(at(9), "close_requested", 9.0),
    )
    kind = "session.delegation.created"
    assert [one["event"] for one in line.sent[1:]] == [
        {
            "type": "session.input_transcript.delta",
            "event_id": "event_1",
            "start_ms": 0,
            "end_ms": 200,
            "delta": "Hello",
        },
        {
            "type": "session.output_transcript.delta",
            "event_id": "event_2",
            "start_ms": 200,
            "end_ms": 400,
            "delta": "Hi",
        },
        {
            "type": kind,
            "event_id": "event_3",
            "offset_ms": 800,
            "delegation": {"id": "d1", "target": "client"},
        },
        {"type": "session.closed", "reason": "close_requested"},
    ]


@pytest.mark.parametrize(
    ("start_ms", "end_ms", "forwarded"),
    [
        pytest.param(-5, -1, (0, 0), id="before-the-call"),
        pytest.param(9, 3, (9, 9), id="backwards"),
        pytest.param(10**400, 10**401, (2**53 - 1, 2**53 - 1), id="beyond-any-number"),
    ],
)
def test_odd_instants_are_forwarded_as_ones_that_can_be(
    start_ms: int, end_ms: int, forwarded: tuple[int, int]
) -> None:
    line = Line().configure().take(ready())
    line.show(Caption(at(), Speaker.CALLER, "x", start_ms, end_ms))
    event = line.sent[-1]["event"]
    assert (event["start_ms"], event["end_ms"]) == forwarded


def test_what_is_too_long_is_not_forwarded_and_told() -> None:
    line = Line().configure().take(ready())
    line.show(Caption(at(), Speaker.CALLER, "x" * 300_000, 0, 1))
    assert len(line.sent) == 1
    (fault,) = line.of(Faulted)
    assert "too long to be forwarded" in fault.detail


@pytest.mark.parametrize(
    ("delegation_id", "is_forwarded"),
    [
        pytest.param("d" * ID_MAX, True, id="the-longest-id"),
        pytest.param("d" * (ID_MAX + 1), False, id="one-letter-more"),
        pytest.param("", False, id="no-id"),
    ],
)
def test_a_delegation_with(delegation_id: str, is_forwarded: bool) -> None:
    line = Line().configure().take(ready()).show(began(delegation_id))
    assert (len(line.sent) == 2) is is_forwarded
    assert (line.said == []) is is_forwarded
    assert (line.of(DelegationEnded) == []) is is_forwarded
    assert line.failure is None


def test_a_delegation_is_forwarded_once() -> None:
    line = at_work().show(began())
    assert len(line.sent) == 2


def test_before_ready_and_after_the_end_nothing_is_forwarded() -> None:
    line = Line().configure().show(Caption(at(), Speaker.CALLER, "x", 0, 1), began())
    assert len(line.sent) == 1
    line.take(ready()).show(SessionClosed(at(), "x", None), began("d2"))
    assert [one["event"]["type"] for one in line.sent[1:]] == ["session.closed"]


# What comes in


def test_a_delegation_done_leaves_the_record_that_a_backend_here_leaves() -> None:
    line = at_work().take(
        report("client_delegation.handoff", delegation_id="d1", news="CALLER: x"),
        report("response.created", **OF_R1),
        called(response_id="r1"),
        returned(application_state={"orders": [1]}),
        report("response.completed", **OF_R1, model="m", usage={"total_tokens": 5}),
        report("response.created", response_id="r2", delegation_id="d1", previous_response_id="r1"),
        report("response.text", response_id="r2", delegation_id="d1", item_id="i", text="Done."),
        report("response.completed", response_id="r2", delegation_id="d1"),
        says("Working.", kind="thinking"),
        says(),
        ends(),
    )
    here = at()
    assert line.failure is None
    assert line.observed == [
        HandedOver(here, "d1", "CALLER: x"),
        ResponseBegan(here, "r1", "d1", None),
        ToolCalled(here, "c1", "look_up", '{"a":1}', {"a": 1}, "r1", "d1"),
        ToolReturned(here, "c1", "look_up", ToolStatus.COMPLETED, {"ok": True}, {"orders": [1]}),
        ResponseEnded(here, "r1", "d1", ResponseStatus.COMPLETED, "m", TokenUsage(total_tokens=5)),
        WorkContinued(here, "r1", "d1"),
        ResponseBegan(here, "r2", "d1", "r1"),
        BackendText(here, "r2", "d1", "i", "Done."),
        ResponseEnded(here, "r2", "d1", ResponseStatus.COMPLETED, None, None),
        DelegationEnded(here, "d1", DelegationOutcome.COMPLETED),
    ]
    assert line.said == [
        Append(AppendIntent.THINKING, "Working.", "d1"),
        Append(AppendIntent.COMMENTARY, "Done.", "d1"),
    ]
    assert line.machine.snapshot() == {"orders": [1]}
    assert line.machine.state_before == {}


def test_a_response_goes_on_once_its_last_output_is_there() -> None:
    line = at_work().take(
        report("response.created", **OF_R1),
        called("c1", response_id="r1"),
        called("c2", response_id="r1"),
        report("response.completed", **OF_R1),
        returned("c2"),
    )
    assert line.of(WorkContinued) == []
    line.take(returned("c1"))
    assert len(line.of(WorkContinued)) == 1


@pytest.mark.parametrize("how", ["failed", "incomplete"])
def test_a_response_that_broke_does_not_go_on(how: str) -> None:
    line = at_work().take(
        report("response.created", **OF_R1),
        called(response_id="r1"),
        returned(),
        report(f"response.{how}", **OF_R1, code="server_error"),
    )
    (ended,) = line.of(ResponseEnded)
    assert isinstance(ended, ResponseEnded)
    assert (ended.status, ended.code) == (ResponseStatus(how), "server_error")
    assert line.of(WorkContinued) == []


def test_a_refused_call_is_recorded_as_one_here() -> None:
    line = at_work().take(called(), report("tool.failed", call_id="c1", error="no such order"))
    (seen,) = line.of(ToolReturned)
    assert isinstance(seen, ToolReturned)
    assert (seen.status, seen.output) == (
        ToolStatus.FAILED,
        {"ok": False, "error": "no such order"},
    )


def test_a_state_that_is_not_told_stays_as_it_was() -> None:
    line = Line().configure().take(ready(application_state={"a": 1})).show(began())
    line.take(called(), returned())
    (seen,) = line.of(ToolReturned)
    assert isinstance(seen, ToolReturned)
    assert seen.state == {"a": 1}


@pytest.mark.parametrize(
    ("before", "said"),
    [
        pytest.param((), [FAILED], id="unless-the-application-has"),
        pytest.param((says("Sorry."),), ["Sorry."], id="by-the-application"),
        pytest.param((says("Hm.", kind="thinking"),), ["Hm.", FAILED], id="though-it-was-thinking"),
    ],
)
def test_of_a_failure_the_caller_is_told(before: Sequence[Message], said: list[str]) -> None:
    line = at_work().take(*before, ends("failed"))
    assert [one.text for one in line.said] == said
    (ended,) = line.of(DelegationEnded)
    assert isinstance(ended, DelegationEnded)
    assert ended.outcome is DelegationOutcome.FAILED
    assert line.failure is None


def test_what_was_replaced_is_told_to_nobody() -> None:
    line = at_work().show(began("d2")).take(ends("superseded"))
    (ended,) = line.of(DelegationEnded)
    assert isinstance(ended, DelegationEnded)
    assert (ended.outcome, line.said) == (DelegationOutcome.SUPERSEDED, [])


@pytest.mark.parametrize("earlier", [[], ["d0"]], ids=["the-only", "the-latest"])
def test_nothing_has_taken_the_place_of_a_delegation_that_is(earlier: list[str]) -> None:
    line = Line().configure().take(ready()).show(*map(began, [*earlier, "d1"]))
    line.take(ends("superseded"))
    told = "the application sent client_delegation.superseded for the latest delegation"
    assert line.failure == told
    assert line.of(DelegationEnded) == []


@pytest.mark.parametrize("how", ["completed", "failed", "superseded"])
def test_only_the_first_end_counts(how: str) -> None:
    line = at_work().take(says(), ends(), ends(how))
    assert line.failure is None
    assert len(line.of(DelegationEnded)) == 1


# The deadline

DUE_US = 1 * S + TIMING.delegation_us
LATE = "no result within 60 s"


def test_just_before_its_deadline_a_delegation_may_still_be_done() -> None:
    line = at_work().wait(DUE_US - 1).take(says(), ends())
    assert [one.text for one in line.said] == ["Done."]


@pytest.mark.parametrize("is_woken", [True, False], ids=["woken", "by-the-message-itself"])
def test_at_its_deadline_a_delegation_has_failed_and_the_session_goes_on(is_woken: bool) -> None:
    line = at_work()
    if is_woken:
        line.wait(DUE_US)
    line.now_us = DUE_US
    line.take(called(), returned(), says("Late."), says("Hm.", kind="thinking"), ends())
    now = Stamp(DUE_US // 1_000, DUE_US)
    assert line.of(DelegationEnded, ResultHeldBack) == [
        DelegationEnded(now, "d1", DelegationOutcome.FAILED, LATE),
        ResultHeldBack(now, "d1", "Late.", "it came after its deadline"),
    ]
    assert line.said == [Append(AppendIntent.COMMENTARY, FAILED, "d1")]
    # What was done after all is on record: the state tells of it too.
    assert len(line.of(ToolCalled, ToolReturned)) == 2
    assert line.failure is None
    assert line.machine.wakes_at() is None


def test_each_delegation_has_its_own_deadline() -> None:
    line = at_work()
    line.show(DelegationBegan(at(5_000, 0), "d2", "client", None))
    line.wait(DUE_US)
    assert line.machine.wakes_at() == 5 * S + TIMING.delegation_us
    line.take(says(delegation_id="d2"), ends(delegation_id="d2"))
    assert line.failure is None


def test_when_nobody_listens_results_are_held_back_and_nothing_is_late() -> None:
    line = at_work()
    line.is_over = True
    assert line.wait(DUE_US).of(DelegationEnded) == []
    line.take(says(), ends())
    (held,) = line.of(ResultHeldBack)
    assert isinstance(held, ResultHeldBack)
    assert (held.reason, line.said, line.failure) == ("the session is over", [], None)


# What cannot go on

BROKEN = {
    "ready-twice": ((ready(),), "a second session.ready"),
    "a-delegation-nobody-made": ((says(delegation_id="d9"),), "a delegation_id that was never"),
    "a-result-for-what-has-ended": ((says(), ends(), says()), "for a delegation that has ended"),
    "thinking-about-what-has-ended": (
        (says(), ends(), says(kind="thinking")),
        "for a delegation that has ended",
    ),
    "completion-of-what-nobody-made": ((ends(delegation_id="d9"),), "never forwarded"),
    "failure-of-what-nobody-made": ((ends("failed", "d9"),), "never forwarded"),
    "completion-without-a-result": ((ends(),), "completed before any result"),
    "completion-after-thinking-alone": (
        (says(kind="thinking"), ends()),
        "completed before any result",
    ),
    "completion-with-a-call-under-way": (
        (called(), says(), ends()),
        "completed before a call has returned",
    ),
    "a-call-for-what-nobody-made": ((called(delegation_id="d9"),), "never forwarded"),
    "a-call-of-a-response-nobody-made": ((called(response_id="r9"),), "a response_id of no"),
    "a-call-twice": ((called(), called()), "a second tool.called"),
    "a-call-again-after-its-outcome": ((called(), returned(), called()), "a second tool.called"),
    "an-outcome-without-a-call": ((returned(),), "a tool that was never called"),
    "two-outcomes": ((called(), returned(), returned()), "a second outcome"),
    "an-outcome-and-a-failure": (
        (called(), returned(), report("tool.failed", call_id="c1", error="x")),
        "a second outcome",
    ),
    "a-response-twice": (
        (report("response.created", **OF_R1),) * 2,
        "a second response.created",
    ),
    "the-end-of-a-response-nobody-made": ((report("response.failed", **OF_R1),), "a response_id"),
    "two-ends-of-a-response": (
        (
            report("response.created", **OF_R1),
            report("response.failed", **OF_R1),
            report("response.completed", **OF_R1),
        ),
        "a second end of one response",
    ),
    "a-text-of-a-response-nobody-made": (
        (report("response.text", **OF_R1, text="x"),),
        "a response_id",
    ),
    "closing-what-is-not-over": ((CLOSED,), "session.closed before the call was over"),
    "garbage": (("}{",), "a message that is not JSON"),
    "a-binary-message": ((b"\x00",), "a binary message"),
    "a-message-too-long": (("x" * 262_145,), "a message over 262144 bytes"),
    "a-type-nobody-knows": (({"type": "hello"},), "no such type"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_it_cannot_go_on_after(name: str) -> None:
    messages, told = BROKEN[name]
    line = at_work().take(*messages)
    assert line.failure is not None
    assert line.failure.startswith("the application sent ")
    assert told in line.failure
    request = line.machine.closing()
    assert request is not None
    assert request.code == 1008
    # Nothing counts after it.
    before = list(line.observed)
    line.take(called("c7"), returned("c7"), says(), ends()).show(began("d2"))
    assert (line.observed, line.machine.wakes_at()) == (before, None)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        pytest.param(says(), "live.send before session.ready", id="a-result"),
        pytest.param(called(), "assistant.event before session.ready", id="a-call"),
        pytest.param(CLOSED, "session.closed before session.ready", id="the-end"),
        pytest.param({**ready(), "version": 2}, "version of session.ready", id="another-version"),
        pytest.param("hello", "not JSON", id="garbage"),
    ],
)
def test_before_ready_it_cannot_go_on_after(message: Message | str, told: str) -> None:
    line = Line().configure().take(message)
    assert line.failure is not None
    assert told in line.failure


def test_of_an_error_only_its_code_is_told() -> None:
    assert Line().configure().take(GIVES_UP).failure == "the application reported busy"
    assert at_work().take(GIVES_UP).failure == "the application reported busy"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        pytest.param(1011, "with close code 1011", id="closed"),
        pytest.param(None, "without a close", id="cut"),
    ],
)
def test_a_lost_connection_is_its_end(code: int | None, told: str) -> None:
    early = Line().configure()
    early.machine.receive_eof(code, 0)
    assert early.failure == f"the connection ended {told} before the application was ready"
    late = at_work()
    late.machine.receive_eof(code, 0)
    assert late.failure == f"the connection ended {told} in mid-session"


@pytest.mark.parametrize(
    ("intake", "told"),
    [
        pytest.param(RemoteIntake(messages=3), "more than 3 messages", id="messages"),
        pytest.param(RemoteIntake(message_bytes=300), "more than 300 bytes", id="bytes"),
    ],
)
def test_one_session_is_sent_no_more_than(intake: RemoteIntake, told: str) -> None:
    line = at_work(intake=intake)
    for number in range(9):
        line.take(called(f"c{number}"))
    assert line.failure is not None
    assert told in line.failure
    assert len(line.of(ToolCalled)) < 9


STATE = {"notes": "x" * 1_000}


@pytest.mark.parametrize(
    ("told_at_once", "told_each_time"),
    [
        pytest.param({}, {"application_state": STATE}, id="told-with-each"),
        pytest.param({"application_state": STATE}, {}, id="told-once-for-all"),
    ],
)
def test_no_more_states_are_kept_than_could_be_sent(
    told_at_once: Message, told_each_time: Message
) -> None:
    """Each outcome holds the state after it, told or not."""
    line = Line(intake=RemoteIntake(message_bytes=9_000)).configure()
    line.take(ready(**told_at_once)).show(began())
    for number in range(20):
        line.take(called(f"c{number}"), returned(f"c{number}", **told_each_time))
    assert line.failure == "the application sent more than 9000 bytes in all"
    assert 5 <= len(line.of(ToolReturned)) <= 8


@pytest.mark.parametrize(("state", "is_within"), [(STATE, False), ({}, True)])
def test_what_counts_again_is_the_state_as_it_was_told_last(
    state: JsonObject, is_within: bool
) -> None:
    line = Line(intake=RemoteIntake(message_bytes=9_000)).configure()
    line.take(ready(application_state=STATE)).show(began())
    line.take(called(), returned(application_state=state))
    for number in range(2, 12):
        line.take(called(f"c{number}"), returned(f"c{number}"))
    assert (line.failure is None) is is_within


@pytest.mark.parametrize("kind", ["commentary", "thinking"])
def test_no_more_is_said_than_the_voice_has_room_for(kind: str) -> None:
    line = at_work()
    for _ in range(WAITING_MAX):
        line.take(says(kind=kind))
    assert line.failure is None
    line.take(says(kind=kind))
    assert line.failure == "the application sent more than 100 texts that wait for the voice"
    assert len(line.said) == WAITING_MAX


def test_what_the_voice_has_taken_makes_room_for_more() -> None:
    line = at_work()
    for number in range(3 * WAITING_MAX):
        line.take(says())
        sent = ContextSent(at(), f"append_{number}", AppendIntent.COMMENTARY, "Done.", "d1")
        line.show(sent, ContextAppended(at(), f"append_{number}"))
    assert line.failure is None
    assert len(line.said) == 3 * WAITING_MAX


def test_what_is_held_back_takes_no_room() -> None:
    line = at_work().wait(TIMING.delegation_us + S)
    for _ in range(2 * WAITING_MAX):
        line.take(says())
    assert line.failure is None
    assert len(line.of(ResultHeldBack)) == 2 * WAITING_MAX


@pytest.mark.parametrize("letter", ["x", "\u00e9", "\u6f22"])
def test_bytes_are_counted_and_not_characters(letter: str) -> None:
    message = says(letter * 100)
    raw = json.dumps(message, ensure_ascii=False)
    size = len(json.dumps(ready()).encode()) + len(raw.encode())
    for limit, is_within in ((size, True), (size - 1, False)):
        line = Line(intake=RemoteIntake(message_bytes=limit)).configure()
        line.take(ready()).show(began()).take(raw)
        assert (line.failure is None) is is_within


# The end


def test_the_end_is_told_answered_and_then_closed() -> None:
    line = at_work()
    line.machine.hang_up("closed", line.now_us)
    line.drain()
    assert line.sent[-1] == {
        "type": "live.event",
        "event": {"type": "session.closed", "reason": "closed"},
    }
    assert line.machine.phase is Phase.CLOSING
    line.take(called(), returned(application_state={"late": 1}), says(), ends(), CLOSED)
    assert line.machine.phase is Phase.CLOSED
    assert line.machine.closing() is not None
    assert line.failure is None
    assert line.machine.snapshot() == {"late": 1}


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(SessionClosed(at(9), "x" * 900, None), id="a-closed-session"),
        pytest.param(ConnectionLost(at(9), None, ""), id="a-lost-one"),
    ],
)
def test_it_is_told_at_once_of(seen: Observation) -> None:
    line = at_work().show(seen)
    assert line.sent[-1]["event"]["type"] == "session.closed"
    line.machine.hang_up("closed", line.now_us)
    assert line.machine.messages_to_send() == []


@pytest.mark.parametrize(
    ("happens", "told"),
    [
        pytest.param(lambda line: line.wait(5 * S), "no session.closed within 5 s", id="silence"),
        pytest.param(lambda line: line.take("hm"), "not JSON", id="garbage"),
        pytest.param(lambda line: line.take(GIVES_UP), "reported busy", id="an-error"),
        pytest.param(
            lambda line: line.machine.receive_eof(1000, 0), "before session.closed", id="a-cut"
        ),
    ],
)
def test_a_bad_end_is_a_remark_and_no_failure(happens: Any, told: str) -> None:
    line = at_work()
    line.machine.hang_up("closed", 0)
    happens(line)
    line.drain()
    (fault,) = line.of(Faulted)
    assert isinstance(fault, Faulted)
    assert told in fault.detail
    assert line.machine.phase is Phase.CLOSED
    assert line.failure is None


def test_an_application_that_was_never_ready_is_just_left() -> None:
    for line in (Line(), Line().configure()):
        line.machine.hang_up("closed", 0)
        line.drain()
        assert line.machine.phase is Phase.CLOSED
        assert all(one["type"] == "session.configure" for one in line.sent)


def test_a_session_is_configured_once() -> None:
    line = Line().configure()
    with pytest.raises(RuntimeError, match="CONFIGURING"):
        line.machine.configure(0)

"""The service's end of the contract: what it takes, what it tells, and every one of its limits."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import pytest

from assistants.client.contract import message_to_harness
from assistants.client.desk import Append
from assistants.client.service_session import TEXTS, Phase, ServiceLimits, ServiceSession
from shared.clock import Stamp
from shared.observability.observations import (
    AppendIntent,
    BackendText,
    Caption,
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
    WorkContinued,
)
from shared.values import JsonObject

S = 1_000_000
LIMITS = ServiceLimits()
HERE = Stamp(0, 0)

type Message = dict[str, Any]


def configure(*texts: str) -> Message:
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
        for text in texts
    ]
    return {"type": "session.configure", "version": 1, "initial_items": items}


def live(kind: str, **more: Any) -> Message:
    return {"type": "live.event", "event": {"type": kind, **more}}


def heard(text: str = "Hello") -> Message:
    return live("session.input_transcript.delta", start_ms=0, end_ms=200, delta=text)


def delegated(delegation_id: str = "d1") -> Message:
    delegation = {"id": delegation_id, "target": "client"}
    return live("session.delegation.created", offset_ms=800, delegation=delegation)


END = live("session.closed", reason="close_requested")


class Line:
    """A harness at the other end, at instants that the test sets."""

    def __init__(self, limits: ServiceLimits = LIMITS) -> None:
        self.now_us = 0
        self.machine = ServiceSession(limits)
        self.sent: list[Message] = []
        self.noticed: list[Observation] = []

    def take(self, *messages: Message | str | bytes) -> Line:
        for one in messages:
            raw = json.dumps(one) if isinstance(one, dict) else one
            self.machine.receive(raw, self.now_us)
        return self.drain()

    def drain(self) -> Line:
        self.noticed += self.machine.noticed()
        for text in self.machine.messages_to_send():
            message_to_harness(text)
            self.sent.append(json.loads(text))
        return self

    def ready(self, state: JsonObject | None = None) -> Line:
        self.machine.ready(state or {})
        return self.drain()

    def tell(self, *seen: Observation) -> Line:
        self.machine.tell(seen)
        self.machine.settle()
        return self.drain()

    def wait(self, until_us: int) -> Line:
        self.now_us = until_us
        wakes_at = self.machine.wakes_at()
        if wakes_at is not None and wakes_at <= until_us:
            self.machine.wake(until_us)
        return self.drain()

    @property
    def error(self) -> str | None:
        """The code of the error that ended the session, whose text is fixed."""
        last = self.sent[-1] if self.sent else {}
        if last.get("type") != "error":
            return None
        assert last["error"]["message"] == TEXTS[last["error"]["code"]]
        assert self.machine.phase is Phase.CLOSED
        assert self.machine.closing() is not None
        code: str = last["error"]["code"]
        return code

    @property
    def events(self) -> list[Message]:
        return [one["event"] for one in self.sent if one["type"] == "assistant.event"]


def started(limits: ServiceLimits = LIMITS) -> Line:
    return Line(limits).take(configure()).ready()


# What it takes


def test_what_a_call_shows_is_noticed_in_order() -> None:
    line = started().take(heard("Hi"), delegated(), END)
    assert line.noticed == [
        Caption(Stamp(0, 0, 0), Speaker.CALLER, "Hi", 0, 200),
        DelegationBegan(Stamp(0, 0, 800), "d1", "client", None),
        SessionClosed(HERE, "close_requested", None),
    ]
    assert line.sent[-1] == {"type": "session.closed"}
    request = line.machine.closing()
    assert request is not None
    assert request.code == 1000


def test_the_history_is_there_once_it_is_configured() -> None:
    line = Line().take(configure("A table?"))
    assert [(one.role, one.text) for one in line.machine.history] == [("user", "A table?")]
    assert line.sent == []


def test_ready_tells_the_state() -> None:
    line = Line().take(configure()).ready({"orders": [1]})
    assert line.sent == [
        {"type": "session.ready", "version": 1, "application_state": {"orders": [1]}}
    ]


def test_a_delegation_told_twice_is_noticed_once() -> None:
    assert len(started().take(delegated(), delegated()).noticed) == 1


BROKEN = {
    "an-event-before-the-start": [heard()],
    "an-event-before-ready": [configure(), heard()],
    "a-second-start": [configure(), configure()],
    "another-version": [{**configure(), "version": 2}],
    "a-start-with-more": [{**configure(), "model": "m"}],
    "an-unknown-type": [configure(), {"type": "hello"}],
    "garbage": ["}{"],
    "a-binary-message": [b"\x00"],
    "an-id-that-is-too-long": [configure(), delegated("d" * 257)],
}


@pytest.mark.parametrize("name", BROKEN)
def test_it_ends_with_a_fixed_text_after(name: str) -> None:
    line = Line().take(*BROKEN[name])
    assert line.error == "client_protocol_error"
    assert line.noticed == []
    line.take(configure(), heard(), delegated()).ready()
    assert (line.noticed, len(line.sent)) == ([], 1)


# What it tells


def test_what_a_desk_observed_is_reported_in_the_words_of_the_contract() -> None:
    usage = TokenUsage(input_tokens=3, cached_input_tokens=1, output_tokens=2, reasoning_tokens=0)
    line = started().tell(
        HandedOver(HERE, "d1", "news"),
        ResponseBegan(HERE, "r1", "d1", None),
        ToolCalled(HERE, "c1", "look_up", "{", None, "r1", "d1"),
        ToolReturned(HERE, "c1", "look_up", ToolStatus.COMPLETED, {"ok": True}, {"a": 1}),
        ToolCalled(HERE, "c2", "look_up", "{}", {}, "r1", "d1"),
        ToolReturned(
            HERE, "c2", "look_up", ToolStatus.FAILED, {"ok": False, "error": "no"}, {"a": 1}
        ),
        ResponseEnded(HERE, "r1", "d1", ResponseStatus.COMPLETED, "m", usage),
        WorkContinued(HERE, "r1", "d1"),
        BackendText(HERE, "r1", "d1", "i1", "Done."),
        ResponseEnded(HERE, "r2", "d1", ResponseStatus.FAILED, None, None, "secret", "server"),
        ResponseEnded(HERE, "r3", "d1", ResponseStatus.FAILED, None, None, None, "a secret"),
        Faulted(HERE, "a_fault", "secret"),
        ResultHeldBack(HERE, "d1", "secret", "superseded"),
        DelegationEnded(HERE, "d1", DelegationOutcome.FAILED, "secret"),
    )
    of_r1 = {"response_id": "r1", "delegation_id": "d1"}
    assert line.events == [
        {"type": "client_delegation.handoff", "delegation_id": "d1", "news": "news"},
        {"type": "response.created", **of_r1},
        {"type": "tool.called", "call_id": "c1", "name": "look_up", "arguments": "{", **of_r1},
        {
            "type": "tool.completed",
            "call_id": "c1",
            "result": {"ok": True},
            "application_state": {"a": 1},
        },
        {"type": "tool.called", "call_id": "c2", "name": "look_up", "arguments": "{}", **of_r1},
        {
            "type": "tool.failed",
            "call_id": "c2",
            "error": "no",
            "application_state": {"a": 1},
        },
        {
            "type": "response.completed",
            **of_r1,
            "model": "m",
            "usage": {
                "input_tokens": 3,
                "input_tokens_details": {"cached_tokens": 1},
                "output_tokens": 2,
                "output_tokens_details": {"reasoning_tokens": 0},
            },
        },
        {"type": "response.text", **of_r1, "item_id": "i1", "text": "Done."},
        {
            "type": "response.failed",
            "response_id": "r2",
            "delegation_id": "d1",
            "code": "server",
        },
        {"type": "response.failed", "response_id": "r3", "delegation_id": "d1"},
        {"type": "client_delegation.failed", "delegation_id": "d1"},
    ]
    assert "secret" not in json.dumps(line.sent)


def test_the_end_of_a_delegation_is_told_after_its_result() -> None:
    line = started()
    line.machine.tell([DelegationEnded(HERE, "d1", DelegationOutcome.COMPLETED)])
    line.machine.append(Append(AppendIntent.COMMENTARY, "Done.", "d1"))
    line.machine.settle()
    line.drain()
    assert [one["event"]["type"] for one in line.sent[1:]] == [
        "session.commentary.append",
        "client_delegation.completed",
    ]


def test_a_result_too_long_for_one_message_goes_in_several() -> None:
    line = started()
    line.machine.append(Append(AppendIntent.COMMENTARY, "A word. " * 3_000, "d1"))
    line.drain()
    said = [one["event"]["content"] for one in line.sent[1:]]
    assert len(said) > 1
    assert " ".join(said).split() == ("A word. " * 3_000).split()


@pytest.mark.parametrize(
    ("seen", "code"),
    [
        pytest.param(
            ToolCalled(HERE, "c" * 257, "n", "{}", {}, None, "d1"),
            "client_assistant_error",
            id="with-an-id-nobody-takes",
        ),
        pytest.param(
            ToolReturned(HERE, "c", "n", ToolStatus.COMPLETED, {}, {"a": "x" * 300_000}),
            "client_limit_reached",
            id="with-a-state-too-large",
        ),
    ],
)
def test_a_report(seen: Observation, code: str) -> None:
    assert started().tell(seen).error == code


def test_half_a_character_is_told_as_none() -> None:
    line = started().tell(
        ToolReturned(HERE, "c", "n", ToolStatus.COMPLETED, {"a": "\ud800"}, {"b": "\udfff"})
    )
    assert line.error is None
    assert len(line.events) == 1


# Limits

COUNTS = [one.name for one in fields(ServiceLimits) if one.type == "int"]
TIMES = [one.name for one in fields(ServiceLimits) if one.type == "float"]


@pytest.mark.parametrize("value", [0, -1, True, 1.5, "8", None])
@pytest.mark.parametrize("name", COUNTS)
def test_a_count_is_no(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{name} must be a whole number above 0"):
        replace(LIMITS, **{name: value})


@pytest.mark.parametrize("value", [0, -1.0, True, float("inf"), float("nan"), "8", None])
@pytest.mark.parametrize("name", TIMES)
def test_a_time_is_no(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{name} must be a finite number above 0"):
        replace(LIMITS, **{name: value})


def test_no_service_takes_longer_messages_than_the_contract() -> None:
    with pytest.raises(ValueError, match="at most 262144"):
        ServiceLimits(message_bytes=262_145)


def test_the_limits_are_those_that_are_documented() -> None:
    assert {one.name: getattr(LIMITS, one.name) for one in fields(LIMITS)} == {
        "connections": 8,
        "pending": 4,
        "delegations": 64,
        "message_bytes": 262_144,
        "session_bytes": 8_388_608,
        "events": 20_000,
        "configure_s": 10,
        "session_s": 600,
        "delegation_s": 60,
        "cleanup_s": 5,
    }


@pytest.mark.parametrize(
    ("at_us", "error"),
    [
        pytest.param(10 * S - 1, None, id="just-in-time"),
        pytest.param(10 * S, "client_session_timeout", id="just-not"),
    ],
)
def test_a_session_is_configured(at_us: int, error: str | None) -> None:
    assert Line().wait(at_us).take(configure()).error == error


@pytest.mark.parametrize(
    ("at_us", "error"),
    [
        pytest.param(600 * S - 1, None, id="as-long-as-it-may"),
        pytest.param(600 * S, "client_session_timeout", id="no-longer"),
    ],
)
def test_a_session_lasts(at_us: int, error: str | None) -> None:
    line = started()
    line.now_us = 9 * S
    assert line.take(heard()).wait(at_us).error == error


def test_a_fourth_delegation_may_wait_and_a_fifth_may_not() -> None:
    line = started().take(*(delegated(f"d{number}") for number in range(4)))
    assert line.error is None
    assert line.take(delegated("d4")).error == "client_limit_reached"
    assert len(line.noticed) == 4


def test_a_delegation_that_has_ended_makes_room() -> None:
    line = started().take(*(delegated(f"d{number}") for number in range(4)))
    line.tell(DelegationEnded(HERE, "d2", DelegationOutcome.FAILED))
    assert line.take(delegated("d4")).error is None


def test_a_64th_delegation_may_come_and_a_65th_may_not() -> None:
    line = started()
    for number in range(64):
        line.take(delegated(f"d{number}"))
        line.tell(DelegationEnded(HERE, f"d{number}", DelegationOutcome.FAILED))
    assert line.error is None
    assert line.take(delegated("d64")).error == "client_limit_reached"


@pytest.mark.parametrize(
    ("size", "error"),
    [
        pytest.param(1_000, None, id="exactly-the-largest"),
        pytest.param(1_001, "client_limit_reached", id="one-byte-more"),
    ],
)
def test_a_message_of(size: int, error: str | None) -> None:
    line = started(ServiceLimits(message_bytes=1_000))
    room = size - len(json.dumps(heard("")))
    assert line.take(json.dumps(heard("x" * room))).error == error


def test_a_session_receives_no_more_messages_than() -> None:
    line = started(ServiceLimits(events=3)).take(heard(), heard())
    assert line.error is None
    assert line.take(heard()).error == "client_limit_reached"


def test_a_session_receives_no_more_bytes_than() -> None:
    size = len(json.dumps(configure())) + 2 * len(json.dumps(heard()))
    line = started(ServiceLimits(session_bytes=size)).take(heard(), heard())
    assert line.error is None
    assert line.take(heard()).error == "client_limit_reached"


def test_a_lost_connection_needs_no_answer() -> None:
    line = started()
    line.machine.receive_eof(1006, 0)
    line.take(heard()).ready()
    line.tell(HandedOver(HERE, "d1", ""))
    assert len(line.sent) == 1
    assert (line.machine.wakes_at(), line.machine.closing()) == (None, None)

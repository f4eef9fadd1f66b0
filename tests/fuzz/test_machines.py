"""Both machines against anything: whole and mangled messages, from either side, in any order.

Each test counts the messages it put in; together with the number of examples that gives 5,000 a
machine and direction. More of them:

    FUZZ_FRAMES=100000 uv run pytest -q tests/fuzz
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistants.frontend.events import (
    CommentaryAppend,
    FunctionCallOutput,
    InputAudioAppend,
    InputAudioMute,
    InputMessage,
    InstructionsAppend,
    MalformedMessage,
    ResponseCreate,
    ResponseItemCreate,
    SessionClose,
    SessionStart,
    SessionUpdate,
    ThinkingAppend,
    UnknownEvent,
    encode,
    encode_audio,
    parse_client_event,
    parse_server_event,
)
from assistants.frontend.fixture.conduct import Ending
from assistants.frontend.fixture.machine import FixtureMachine
from assistants.frontend.fixture.referee import Referee
from assistants.frontend.fixture.timing import Timing
from assistants.frontend.fixture.witness import When
from assistants.frontend.intake import IntakeLimits
from assistants.frontend.protocol import LiveSession, State
from assistants.frontend.session_config import SessionChange
from assistants.responses.delegation import ManagedWork
from assistants.tool_result import ToolResult
from shared.json_text import json_text
from shared.observability.delegation import WorkState
from shared.observability.observations import (
    AppendIntent,
    ToolCalled,
    ToolStatus,
)
from shared.participant import Machine
from shared.values import JsonObject
from tests.fuzz.mangling import mangled
from tests.support.far_end import EPOCH_S, VOICE, client_work, responses_work
from tests.support.sdk_types import check_client, check_server
from tests.support.service_messages import (
    argument_stream,
    audio,
    backend,
    began,
    call,
    call_added,
    closed,
    completed,
    delegated,
    error,
    failed,
    heard,
    incomplete,
    message,
    reasoning,
    said,
    started,
    usage,
)

FRAMES = int(os.environ.get("FUZZ_FRAMES", "5000"))
AT_LEAST_EACH = 25
LIMITS = IntakeLimits(audio_lead_ms=2_000, messages=400, message_bytes=200_000)
PUT_IN: Counter[str] = Counter()

ids = st.sampled_from(["1", "2", "3"])
seeds = st.integers(0, 2**32 - 1)
steady = settings(
    max_examples=max(1, FRAMES // AT_LEAST_EACH),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


# what a service may say


def _backend_events() -> st.SearchStrategy[Any]:
    raw = st.sampled_from(["{}", '{"a": 1}', "", "{", '{"a": NaN}', "[]"])
    return st.one_of(
        st.builds(lambda one, after: began(f"r{one}", after and f"r{after}"), ids, st.none() | ids),
        st.builds(
            lambda one, text, status, item: call(f"c{one}", "look_up", text, status, item),
            *(ids, raw, st.sampled_from([None, "completed", "in_progress"]), st.none() | ids),
        ),
        st.builds(lambda one: call_added(f"c{one}"), ids),
        st.sampled_from([*argument_stream(), reasoning()]),
        st.builds(lambda one: message("done", f"m{one}"), ids),
        st.builds(lambda one: completed(f"r{one}"), ids),
        st.builds(lambda one: failed(f"r{one}"), ids),
        st.builds(lambda one: incomplete(f"r{one}"), ids),
    )


def _errors() -> st.SearchStrategy[str]:
    return st.builds(
        lambda code, text, one: error(code, text, client_event_id=one),
        st.sampled_from([None, "invalid_value"]),
        st.sampled_from(["no", "Responses handoff incomplete."]),
        st.sampled_from(["continue_r1", "output_c1", "x"]),
    )


whole_of_a_service = st.one_of(
    st.builds(
        lambda one, event: backend(event, one and f"d{one}"), st.none() | ids, _backend_events()
    ),
    st.builds(lambda one, other: delegated(f"d{one}", 0, f"r{other}"), ids, ids),
    st.builds(lambda size: audio(bytes(size)), st.sampled_from([0, 1, 2, 960, 48_000])),
    st.builds(said, st.text(max_size=9), st.integers(-5, 10**9), st.integers(-5, 10**9)),
    st.builds(heard, st.text(max_size=9)),
    st.builds(usage, st.floats(0, 1e9)),
    st.builds(started, st.sampled_from(["e", "f"])),
    _errors(),
)


# what a client may say


def _appends() -> st.SearchStrategy[str]:
    kinds = st.sampled_from([InstructionsAppend, ThinkingAppend, CommentaryAppend])
    return st.builds(
        lambda kind, text, one: encode(kind(content=text, delegation_id=one)),
        *(kinds, st.sampled_from(["", "hello", "x" * 3_000]), st.none() | st.sampled_from(["d1"])),
    )


def _items() -> st.SearchStrategy[str]:
    outputs = st.builds(
        lambda one: FunctionCallOutput(call_id=one, output="{}"), st.text(max_size=20)
    )
    notes = st.builds(lambda text: InputMessage(role="user", content=text), st.text(max_size=9))
    return st.builds(lambda item: encode(ResponseItemCreate(item=item)), outputs | notes)


def _samples(size: int) -> str:
    return encode(InputAudioAppend(audio=encode_audio(bytes(size))))


whole_of_a_client = st.one_of(
    st.builds(_samples, st.sampled_from([0, 1, 2, 960, 9_600])),
    _appends(),
    _items(),
    st.sampled_from(
        [
            encode(ResponseCreate()),
            encode(InputAudioMute()),
            encode(SessionUpdate(session=SessionChange())),
            encode(SessionStart(session=client_work())),
        ]
    ),
)


def sometimes_mangled(whole: st.SearchStrategy[str]) -> st.SearchStrategy[str | bytes]:
    return st.one_of(whole, st.builds(mangled, whole, seeds))


# the client's end


@dataclass(frozen=True, slots=True)
class Does:
    """Something our side does between two messages."""

    what: str
    amount: int = 0


deeds = st.one_of(
    st.builds(Does, st.just("hear"), st.integers(1, 50)),
    st.builds(Does, st.just("return"), st.integers(0, 3)),
    st.builds(Does, st.just("wait"), st.integers(0, 30_000_000)),
    st.builds(Does, st.just("append"), st.integers(0, 1_200)),
)


class Client:
    """A session machine whose every output is looked at."""

    def __init__(self) -> None:
        self.session = LiveSession(responses_work("look_up"), ManagedWork(), limits=LIMITS)
        self.sent: list[dict[str, Any]] = []
        self.calls: list[ToolCalled] = []
        self.ran: Counter[str] = Counter()
        self.work = WorkState()
        self.observed = 0
        self.now_us = 0

    def take(self, step: str | bytes | Does) -> None:
        was = self.session.state
        if isinstance(step, Does):
            self._do(step)
        else:
            PUT_IN["client"] += 1
            self.session.receive(step, self.now_us)
        self._look(was)

    def _do(self, step: Does) -> None:
        match step.what:
            case "start":
                self.session.start(self.now_us)
            case "hear":
                for _ in range(step.amount):
                    self.session.hear(bytes(960))
            case "return" if self.calls:
                made = self.calls.pop(step.amount % len(self.calls))
                result = ToolResult(ToolStatus.COMPLETED, {"ok": True}, {})
                self.session.returned(made, result, self.now_us)
            case "wait":
                self.now_us += step.amount
                due_us = self.session.wakes_at()
                if due_us is not None and due_us <= self.now_us:
                    self.session.wake(self.now_us)
            case "append" if self.session.state is State.ACTIVE:
                self.session.append(
                    AppendIntent.COMMENTARY, "word " * (1 + step.amount), self.now_us
                )
            case "close":
                self.session.close(self.now_us)
            case "eof":
                self.session.receive_eof(step.amount or None, self.now_us)
            case _:
                pass

    def _look(self, was: State) -> None:
        outgoing = self.session.messages_to_send()
        if was is State.CLOSED:
            assert outgoing == [], "a message after the end"
        for text in outgoing:
            assert isinstance(text, str)
            self._look_at_sent(text)
        for made in self.session.calls_to_run():
            self.ran[made.call_id] += 1
            self.calls.append(made)
        for seen in self.session.observed():
            self.observed += 1
            self.work.observe(seen)

    def _look_at_sent(self, text: str) -> None:
        assert not any(one["type"] == "session.close" for one in self.sent), "sent after the close"
        parse_client_event(text)
        content = json.loads(text)
        if content["type"] != "session.input_audio.append" or len(self.sent) < 20:
            check_client(content)
        self.sent.append(content)


@steady
@given(st.lists(sometimes_mangled(whole_of_a_service) | deeds, min_size=AT_LEAST_EACH * 3 // 2))
def test_whatever_a_service_says_the_client_holds(steps: list[str | bytes | Does]) -> None:
    client = Client()
    for step in (Does("start"), started(), *steps, Does("close"), *steps[:5], closed(), *steps[:5]):
        client.take(step)
    assert max(client.ran.values(), default=0) <= 1, "a tool ran twice for one call"
    answered = [c["item"]["call_id"] for c in client.sent if c["type"] == "response.item.create"]
    created = [c["event_id"] for c in client.sent if c["type"] == "response.create"]
    assert len(set(created)) == len(created), "a response was asked for twice"
    assert set(answered) <= set(client.ran), "an answer to no call"
    assert client.observed <= 3 * (LIMITS.messages + len(client.ran)), "more than came in"
    assert client.session.state is State.CLOSED


@steady
@given(st.lists(sometimes_mangled(whole_of_a_service), min_size=AT_LEAST_EACH), st.booleans())
def test_before_and_without_a_start_the_client_holds(
    steps: list[str | bytes], is_started: bool
) -> None:
    client = Client()
    for step in (*([Does("start")] if is_started else []), *steps, Does("eof", 1006)):
        client.take(step)
    assert client.ran == Counter() or client.session.state is State.CLOSED
    assert client.session.state is State.CLOSED


def test_a_flood_is_kept_out_of_memory() -> None:
    client = Client()
    client.take(Does("start"))
    client.take(started())
    for number in range(3 * LIMITS.messages):
        client.take(said("x" * 100, number, number + 1))
    assert client.session.state is State.CLOSED
    assert client.observed <= LIMITS.messages
    assert "messages" in str(client.session.failure) or "bytes" in str(client.session.failure)


# the service's end


class Service:
    """A fixture machine whose every output is looked at, and whose client is judged."""

    def __init__(self) -> None:
        self.findings = 0
        referee = Referee(self._read_line)
        self.watch = referee.watch("session-1", (), None, Timing())
        self.machine = FixtureMachine(
            voice=VOICE, session_name="fuzz", epoch_s=EPOCH_S, witness=self.watch
        )
        self.now_us = 0
        self.is_over = False
        self.sent = 0

    def take(self, step: str | bytes | int) -> list[str]:
        if isinstance(step, int):
            self.now_us += step
            self.machine.wake(self.now_us)
        else:
            PUT_IN["fixture"] += 1
            self.machine.receive(step, self.now_us)
        return list(self._look())

    def end(self) -> None:
        """The client leaves, and the verdict is written."""
        when = When(self.now_us, self.machine.media_ms)
        self.watch.ended(Ending.CLIENT, 1006, when, self.machine.counters())

    def _read_line(self, line: JsonObject) -> None:
        written = json.loads(json_text(line))
        self.findings += written.get("type") in {"mistake", "note"}

    def _look(self) -> Iterator[str]:
        for text in self.machine.messages_to_send():
            assert isinstance(text, str)
            assert not self.is_over, "a message after the end"
            event = parse_server_event(text)
            assert not isinstance(event, UnknownEvent)
            if event.type != "session.output_audio.delta" or self.sent < 20:
                check_server(json.loads(text))
            self.sent += 1
            self.is_over = event.type == "session.closed"
            yield text


CLIENTS_START = [encode(SessionStart(session=one)) for one in (client_work(), responses_work("a"))]


@steady
@given(
    st.sampled_from(CLIENTS_START),
    st.lists(
        sometimes_mangled(whole_of_a_client) | st.sampled_from([0, 20_000, 400_000]),
        min_size=AT_LEAST_EACH * 3 // 2,
    ),
)
def test_whatever_a_client_says_the_fixture_holds(
    start: str, steps: list[str | bytes | int]
) -> None:
    service = Service()
    close = encode(SessionClose())
    for step in (start, 700_000, *steps, close, *steps[:5], 2_000_000, *steps[:5]):
        service.take(step)
    heard_s = service.now_us / 1e6
    assert service.sent <= 12 * len(steps) + 60 * heard_s + 60, "more than anything called for"
    service.end()


@steady
@given(st.lists(sometimes_mangled(whole_of_a_client), min_size=AT_LEAST_EACH))
def test_before_a_start_the_fixture_holds(steps: list[str | bytes]) -> None:
    service = Service()
    for step in (*steps, 3_000_000):
        service.take(step)
    service.end()
    assert service.findings > 0


@pytest.mark.parametrize(
    "flood",
    [
        pytest.param(encode(ResponseCreate()), id="of-requests-to-go-on"),
        pytest.param(encode(ThinkingAppend(content="x", delegation_id=None)), id="of-context"),
        pytest.param(encode(SessionUpdate(session=SessionChange())), id="of-updates"),
    ],
)
def test_a_flood_without_audio_is_refused_and_not_kept(flood: str) -> None:
    service = Service()
    service.take(CLIENTS_START[1])
    service.take(700_000)
    service.take(_samples(960))
    answers = [text for _ in range(2_000) for text in service.take(flood)]
    refused = [text for text in answers if json.loads(text)["type"] == "error"]
    assert len(refused) >= 1_800


# both, with somebody in between


def relayed(machine: Machine, message: str | bytes, at_us: int) -> None:
    PUT_IN["between"] += 1
    machine.receive(message, at_us)


@steady
@given(st.lists(st.tuples(st.integers(0, 9), seeds), min_size=AT_LEAST_EACH))
def test_with_mangled_messages_either_way_both_hold(fates: list[tuple[int, int]]) -> None:
    """One message in ten is mangled, one lost, one doubled; the rest pass."""
    client, service = Client(), Service()
    client.take(Does("start"))
    outgoing = [json.dumps(one) for one in client.sent]
    for number in range(2 * len(fates)):
        fate, seed = fates[number % len(fates)]
        for text in _passed(outgoing, fate, seed):
            PUT_IN["to the fixture"] += 1
            service.take(text)
        for text in _passed(service.take(100_000), fate, seed):
            client.now_us = service.now_us
            client.take(text)
        first = len(client.sent)
        client.take(Does("return"))
        client.take(Does("hear", 5))
        outgoing = [json.dumps(one) for one in client.sent[first:]]
    client.take(Does("close"))
    client.take(Does("wait", 20_000_000))
    assert max(client.ran.values(), default=0) <= 1
    assert client.session.state is State.CLOSED


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


def test_so_many_messages_went_in() -> None:
    """Runs last. A fuzz that put little in would say little."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        assert PUT_IN["client"] >= FRAMES, PUT_IN
        assert PUT_IN["fixture"] >= FRAMES, PUT_IN
        assert PUT_IN["to the fixture"] >= FRAMES, PUT_IN


@pytest.mark.parametrize("seed", range(40))
def test_a_mangled_message_is_the_same_for_the_same_seed(seed: int) -> None:
    text = said("Hello")
    assert mangled(text, seed) == mangled(text, seed)


def test_mangling_breaks_most_of_what_it_touches() -> None:
    broken = 0
    for seed in range(400):
        text = mangled(delegated(), seed)
        try:
            assert isinstance(text, str)
            parse_server_event(text)
        except (AssertionError, MalformedMessage):
            broken += 1
    assert 200 <= broken <= 390

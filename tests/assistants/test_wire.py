"""A machine behind a real WebSocket on this computer: how it opens, carries, breaks and ends."""

from __future__ import annotations

import asyncio
import contextlib
import http
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from typing import Any, override

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

import assistants.wire
from assistants.wire import (
    MESSAGE_BYTES_MAX,
    MESSAGES_PER_S,
    Address,
    Patience,
    Peer,
    SocketConnection,
)
from shared.errors import AttemptError, Stage
from shared.participant import CloseRequest
from shared.wall_time import WallClock
from tests.support.rooms import in_wall_time

HOST = "127.0.0.1"
KEY = "sk-SECRET"

type Talk = Callable[[ServerConnection], Awaitable[None]]


class Machine:
    """Notes what it is told, and says what a test puts into its mouth."""

    def __init__(self) -> None:
        self.outbox: list[str] = []
        self.received: list[str | bytes] = []
        self.ends: list[int | None] = []
        self.woken_us: list[int] = []
        self.alarm_us: int | None = None
        self.request: CloseRequest | None = None
        self.answers: dict[str | bytes, str] = {}

    def receive(self, message: str | bytes, _at_us: int) -> None:
        self.received.append(message)
        if message in self.answers:
            self.outbox.append(self.answers[message])

    def receive_eof(self, code: int | None, _at_us: int) -> None:
        self.ends.append(code)

    def wake(self, at_us: int) -> None:
        self.woken_us.append(at_us)
        self.alarm_us = None

    def wakes_at(self) -> int | None:
        return self.alarm_us

    def messages_to_send(self) -> list[str]:
        outbox, self.outbox = self.outbox, []
        return outbox

    def closing(self) -> CloseRequest | None:
        return self.request


THREE_MAY_WAIT = Patience(open_within_s=5, audio_waits_s=3 / MESSAGES_PER_S)


class Line:
    """A connection to one address, and all that it noted."""

    def __init__(self, url: str, clock: WallClock, patience: Patience | None = None) -> None:
        self.machine = Machine()
        self.tapped: list[tuple[str, str | bytes]] = []
        self.changed = asyncio.Event()
        self.connection = SocketConnection(
            Address(url, KEY, is_loopback=True),
            self.machine,
            clock,
            on_activity=self.changed.set,
            tap=lambda direction, message, _at_us: self.tapped.append((direction, message)),
            patience=patience or Patience(open_within_s=5),
        )

    async def says(self, *messages: str) -> None:
        self.machine.outbox += messages
        await self.connection.flush()

    async def until(self, is_so: Callable[[], object]) -> None:
        while not is_so():
            self.changed.clear()
            await self.changed.wait()


@contextlib.asynccontextmanager
async def a_line(
    talk: Talk, clock: WallClock, patience: Patience | None = None, **options: Any
) -> AsyncIterator[Line]:
    """An open connection to a service that talks so; both are closed at the end."""
    async with serve(talk, HOST, 0, **options) as server:
        line = Line(url_of(server.sockets), clock, patience)
        await line.connection.open()
        try:
            yield line
        finally:
            await line.connection.close()


def url_of(sockets: Sequence[socket.socket]) -> str:
    port: int = next(iter(sockets)).getsockname()[1]
    return f"ws://{HOST}:{port}/v1/live/sessions"


async def listens(connection: ServerConnection) -> None:
    """Take everything until the other side goes."""
    async for _ in connection:
        pass


async def refusal_at(url: str, clock: WallClock, *, open_within_s: float = 5) -> str:
    line = Line(url, clock, Patience(open_within_s=open_within_s))
    with pytest.raises(AttemptError) as refused:
        await line.connection.open()
    await line.connection.close()
    assert refused.value.stage is Stage.SESSION_START
    assert (line.machine.received, line.machine.ends) == ([], [])
    return str(refused.value)


# The door


def answering(status: int, *headers: tuple[str, str]) -> Callable[..., Response]:
    def answer(_connection: ServerConnection, _request: Request) -> Response:
        body = f"{KEY} is wrong".encode()
        lines = Headers([*headers, ("Content-Length", str(len(body)))])
        return Response(status, http.HTTPStatus(status).phrase, lines, body)

    return answer


@pytest.mark.parametrize(
    ("status", "headers", "message"),
    [
        pytest.param(400, [], "HTTP 400: refused at the handshake", id="400"),
        pytest.param(401, [], "HTTP 401: refused at the handshake", id="401"),
        pytest.param(403, [], "HTTP 403: refused at the handshake", id="403"),
        pytest.param(404, [], "HTTP 404: refused at the handshake", id="404"),
        pytest.param(500, [], "HTTP 500: refused at the handshake", id="500"),
        pytest.param(200, [], "HTTP 200: refused at the handshake", id="200-is-no-upgrade"),
        pytest.param(429, [], "HTTP 429: refused at the handshake", id="429"),
        pytest.param(
            429,
            [("Retry-After", "7")],
            "HTTP 429: refused; retry after 7 s",
            id="429-with-the-seconds-to-wait",
        ),
        pytest.param(
            503,
            [("Retry-After", "120")],
            "HTTP 503: refused; retry after 120 s",
            id="503-with-the-seconds-to-wait",
        ),
        pytest.param(
            429,
            [("Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT")],
            "HTTP 429: refused at the handshake",
            id="429-with-a-date",
        ),
        pytest.param(
            429,
            [("Retry-After", f"{KEY}")],
            "HTTP 429: refused at the handshake",
            id="429-with-something-else",
        ),
        pytest.param(
            429,
            [("Retry-After", "7"), ("Retry-After", "9")],
            "HTTP 429: refused; retry after 7 s",
            id="429-with-two-answers",
        ),
        pytest.param(
            302,
            [("Location", f"/{KEY}")],
            "HTTP 302: redirects are not followed; set the final endpoint",
            id="302-to-itself",
        ),
        pytest.param(
            300, [], "HTTP 300: redirects are not followed; set the final endpoint", id="300"
        ),
        pytest.param(
            307, [], "HTTP 307: redirects are not followed; set the final endpoint", id="307"
        ),
    ],
)
def test_a_handshake_is_refused_with(
    status: int, headers: list[tuple[str, str]], message: str
) -> None:
    async def story(clock: WallClock) -> str:
        async with serve(listens, HOST, 0, process_request=answering(status, *headers)) as server:
            return await refusal_at(url_of(server.sockets), clock)

    assert in_wall_time(story) == message


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_the_target_of_a_redirect_is_never_contacted(status: int) -> None:
    contacts: list[str] = []

    async def note(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        contacts.append("contact")
        writer.close()

    async def story(clock: WallClock) -> str:
        elsewhere = await asyncio.start_server(note, HOST, 0)
        location = url_of(elsewhere.sockets)
        asked = 0

        def redirect(connection: ServerConnection, request: Request) -> Response:
            nonlocal asked
            asked += 1
            return answering(status, ("Location", location))(connection, request)

        async with elsewhere, serve(listens, HOST, 0, process_request=redirect) as server:
            message = await refusal_at(url_of(server.sockets), clock)
            await asyncio.sleep(0.02)
        assert asked == 1
        return message

    assert in_wall_time(story).startswith(f"HTTP {status}: ")
    assert contacts == []


def test_a_handshake_carries_the_credential_once_and_offers_nothing_else() -> None:
    seen: list[Request] = []

    def note(_connection: ServerConnection, request: Request) -> None:
        seen.append(request)

    async def story(clock: WallClock) -> None:
        async with a_line(listens, clock, process_request=note):
            pass

    in_wall_time(story)
    (request,) = seen
    assert request.path == "/v1/live/sessions"
    assert request.headers.get_all("Authorization") == [f"Bearer {KEY}"]
    for absent in ("Sec-WebSocket-Extensions", "Sec-WebSocket-Protocol", "Cookie", "Origin"):
        assert request.headers.get_all(absent) == []


def test_a_credential_shows_in_no_repr() -> None:
    assert KEY not in repr(Address("ws://x", KEY, is_loopback=True))


def test_a_port_that_nobody_listens_on_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind((HOST, 0))  # bound and not listening: nobody else can have it
        url = url_of([taken])
        message = in_wall_time(lambda clock: refusal_at(url, clock))
    assert message.startswith("the connection was refused")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        pytest.param(b"", "no connection (InvalidMessage)", id="ends-at-once"),
        pytest.param(b"hello\r\n\r\n", "no connection (InvalidMessage)", id="is-no-http"),
        pytest.param(
            b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
            "no connection (InvalidUpgrade)",
            id="upgrades-to-nothing",
        ),
    ],
)
def test_a_far_end_that(answer: bytes, message: str) -> None:
    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    async def story(clock: WallClock) -> str:
        async with await asyncio.start_server(reply, HOST, 0) as server:
            return await refusal_at(url_of(server.sockets), clock)

    assert in_wall_time(story) == message


def test_a_handshake_that_hangs_is_given_up_in_time() -> None:
    async def story(clock: WallClock) -> tuple[str, int]:
        async with silence() as url:
            begun_us = clock.now_us()
            message = await refusal_at(url, clock, open_within_s=0.3)
            return message, clock.now_us() - begun_us

    message, took_us = in_wall_time(story)
    assert message == "no connection within the time allowed"
    assert 290_000 <= took_us < 3_000_000


@contextlib.asynccontextmanager
async def silence() -> AsyncIterator[str]:
    """A far end that accepts and then says nothing."""
    gone = asyncio.Event()

    async def say_nothing(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await gone.wait()
        writer.close()

    async with await asyncio.start_server(say_nothing, HOST, 0) as server:
        yield url_of(server.sockets)
        gone.set()


@pytest.mark.parametrize(
    ("url", "proxy", "message"),
    [
        pytest.param(
            f"wss://{'a' * 64}.invalid/", None, "no connection (UnicodeError)", id="a-label-of-64"
        ),
        pytest.param("http://x/", None, "no connection (InvalidURI)", id="a-scheme-of-no-socket"),
        pytest.param(
            "wss://x.invalid/", "foo://x", "no connection (InvalidProxy)", id="an-unknown-proxy"
        ),
        pytest.param(
            "wss://x.invalid/",
            "socks5://127.0.0.1:1",
            "no connection (ImportError)",
            id="a-proxy-that-needs-a-library",
        ),
    ],
)
def test_an_address_that_leads_nowhere_is_refused(
    monkeypatch: pytest.MonkeyPatch, url: str, proxy: str | None, message: str
) -> None:
    for name in ("https_proxy", "all_proxy", "wss_proxy", "socks_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    if proxy is not None:
        monkeypatch.setenv("https_proxy", proxy)

    async def story(clock: WallClock) -> str:
        connection = SocketConnection(
            Address(url, KEY, is_loopback=False),
            Machine(),
            clock,
            on_activity=lambda: None,
            tap=lambda *_: None,
        )
        with pytest.raises(AttemptError) as refused:
            await connection.open()
        return str(refused.value)

    assert in_wall_time(story) == message


def test_a_service_on_this_machine_is_reached_past_any_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "ws_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")

    async def story(clock: WallClock) -> None:
        async with a_line(listens, clock):
            pass

    in_wall_time(story)


# Messages


def test_messages_go_both_ways_in_order_and_every_one_is_seen() -> None:
    async def answer(connection: ServerConnection) -> None:
        async for message in connection:
            await connection.send(f"heard {message!s}")

    async def story(clock: WallClock) -> Line:
        async with a_line(answer, clock) as line:
            await line.says("one", "two", "three")
            await line.until(lambda: len(line.machine.received) == 3)
            return line

    line = in_wall_time(story)
    assert line.machine.received == ["heard one", "heard two", "heard three"]
    assert [message for direction, message in line.tapped if direction == "sent"] == [
        *("one", "two", "three")
    ]
    assert [message for direction, message in line.tapped if direction == "received"] == [
        *line.machine.received
    ]


def test_what_the_machine_says_to_a_message_goes_out_by_itself() -> None:
    heard: list[str | bytes] = []

    async def ask(connection: ServerConnection) -> None:
        await connection.send("ping")
        heard.append(await connection.recv())
        await connection.send("thanks")
        await listens(connection)

    async def story(clock: WallClock) -> None:
        async with serve(ask, HOST, 0) as server:
            line = Line(url_of(server.sockets), clock)
            line.machine.answers = {"ping": "pong"}
            await line.connection.open()
            await line.until(lambda: "thanks" in line.machine.received)
            await line.connection.close()

    in_wall_time(story)
    assert heard == ["pong"]


def test_a_binary_message_reaches_the_machine_as_bytes() -> None:
    async def send(connection: ServerConnection) -> None:
        await connection.send(b"\0\1")
        await listens(connection)

    async def story(clock: WallClock) -> list[str | bytes]:
        async with a_line(send, clock) as line:
            await line.until(lambda: line.machine.received)
            return line.machine.received

    assert in_wall_time(story) == [b"\0\1"]


def test_25_seconds_of_audio_in_one_message_are_taken() -> None:
    async def send(connection: ServerConnection) -> None:
        await connection.send("x" * 1_600_000)
        await listens(connection)

    async def story(clock: WallClock) -> int:
        async with a_line(send, clock) as line:
            await line.until(lambda: line.machine.received)
            return len(line.machine.received[0])

    assert in_wall_time(story) == 1_600_000


@pytest.mark.parametrize(
    ("size", "is_taken"),
    [
        pytest.param(5_000, True, id="exactly-the-largest"),
        pytest.param(5_001, False, id="one-byte-more"),
    ],
)
def test_a_message_of(monkeypatch: pytest.MonkeyPatch, size: int, is_taken: bool) -> None:
    monkeypatch.setattr(assistants.wire, "Peer", partial(Peer, message_bytes_max=5_000))
    codes: list[int | None] = []

    async def send(connection: ServerConnection) -> None:
        await connection.send("x" * size)
        with contextlib.suppress(ConnectionClosed):
            await listens(connection)
        codes.append(connection.close_code)

    async def story(clock: WallClock) -> Machine:
        async with a_line(send, clock) as line:
            await line.until(lambda: line.machine.received or line.machine.ends)
            return line.machine

    machine = in_wall_time(story)
    assert [len(message) for message in machine.received] == ([size] if is_taken else [])
    assert codes == [1000 if is_taken else 1009]


def test_a_bug_in_the_machine_is_a_failure_and_not_their_silence() -> None:
    async def say_something(connection: ServerConnection) -> None:
        await connection.send("hello")
        await connection.wait_closed()

    async def story(clock: WallClock) -> AttemptError | None:
        async with serve(say_something, HOST, 0) as server:
            line = Line(url_of(server.sockets), clock)
            line.machine.receive = _broken  # type: ignore[method-assign]
            await line.connection.open()
            await line.changed.wait()
            await line.connection.close()
            return line.connection.failure

    failure = in_wall_time(story)
    assert failure is not None
    assert (failure.stage, str(failure)) == (
        Stage.ATTEMPT_EXECUTION,
        "unexpected ZeroDivisionError",
    )


def _broken(message: str | bytes, at_us: int) -> None:
    raise ZeroDivisionError(message, at_us)


def test_a_far_end_that_stops_reading_is_a_failure_and_is_left_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(assistants.wire, "CLOSE_WITHIN_S", 0.1)

    async def stop_reading(connection: ServerConnection) -> None:
        connection.transport.pause_reading()
        await connection.wait_closed()

    async def story(clock: WallClock) -> None:
        async with serve(stop_reading, HOST, 0) as server:
            line = Line(url_of(server.sockets), clock, THREE_MAY_WAIT)
            await line.connection.open()
            said = 0
            while line.connection.failure is None:
                line.changed.clear()
                await line.says("x" * 1_000_000)
                said += 1
            assert said > 4  # one under way, three waiting, and one that finds no room
            assert line.changed.is_set()
            assert line.connection.failure.stage is Stage.RESPONSE_COLLECTION
            assert str(line.connection.failure) == (
                "the provider took nothing while 3 messages waited"
            )
            first = line.connection.failure
            await line.says("more", "and more")
            assert line.connection.failure is first
            await line.connection.close()
            for connection in server.connections:
                connection.transport.abort()

    in_wall_time(story, within_s=5)


@pytest.mark.parametrize(
    ("count", "is_too_many"),
    [pytest.param(3, False, id="as-many-as-may"), pytest.param(4, True, id="one-more")],
)
def test_messages_wait(count: int, is_too_many: bool) -> None:
    async def story(clock: WallClock) -> AttemptError | None:
        async with a_line(listens, clock, THREE_MAY_WAIT) as line:
            # All at once: the sender cannot run in between.
            await line.says(*"x" * count)
            return line.connection.failure

    assert (in_wall_time(story) is not None) is is_too_many


def test_pings_that_go_unanswered_are_a_failure_that_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(assistants.wire, "CLOSE_WITHIN_S", 0.1)
    told = asyncio.Event()

    async def stop_reading(connection: ServerConnection) -> None:
        connection.transport.pause_reading()
        await told.wait()
        connection.transport.abort()

    async def story(clock: WallClock) -> tuple[AttemptError | None, list[int | None]]:
        patience = Patience(ping_every_s=0.05, pong_within_s=0.1)
        async with a_line(stop_reading, clock, patience) as line:
            await line.until(lambda: line.machine.ends)
            told.set()
            return line.connection.failure, line.machine.ends

    failure, ends = in_wall_time(story, within_s=5)
    assert failure is not None
    assert failure.stage is Stage.RESPONSE_COLLECTION
    assert str(failure) == "the provider answered no ping for 0.1 s"
    assert ends == [None]


@pytest.mark.parametrize(
    ("size", "failure"),
    [
        pytest.param(1_600_000, None, id="25-s-of-audio-in-one"),
        pytest.param(MESSAGE_BYTES_MAX, None, id="as-large-as-may-be"),
        pytest.param(
            MESSAGE_BYTES_MAX + 1,
            "the provider sent a message over the limit of 16777216 bytes",
            id="one-byte-more",
        ),
    ],
)
def test_a_message_of_a_size_is(size: int, failure: str | None) -> None:
    async def talk(connection: ServerConnection) -> None:
        await connection.send("x" * size)
        await connection.close()

    async def story(clock: WallClock) -> tuple[list[int], str | None]:
        async with a_line(talk, clock, max_size=None) as line:
            await line.until(lambda: line.machine.ends)
            failed = line.connection.failure
            return [len(m) for m in line.machine.received], str(failed) if failed else None

    expected = ([] if failure else [size], failure)
    assert in_wall_time(story, within_s=10) == expected


# The end


async def lose(connection: ServerConnection) -> None:
    """Drop the connection without a word of the protocol, once what was said has arrived."""
    await asyncio.sleep(0.02)
    connection.transport.abort()


async def close_without_code(connection: ServerConnection) -> None:
    connection.protocol.send_close()
    connection.send_data()
    await connection.wait_closed()


@pytest.mark.parametrize(
    ("end", "code"),
    [
        pytest.param(lambda far: far.close(1000), 1000, id="a-normal-close"),
        pytest.param(lambda far: far.close(1001), 1001, id="a-service-that-goes-away"),
        pytest.param(lambda far: far.close(1011), 1011, id="a-service-that-broke"),
        pytest.param(lambda far: far.close(4000), 4000, id="a-code-of-its-own"),
        pytest.param(close_without_code, 1005, id="a-close-without-a-code"),
        pytest.param(lose, None, id="a-connection-that-is-cut"),
    ],
)
def test_the_machine_is_told_once_how_the_far_end_ended(
    end: Callable[[ServerConnection], Awaitable[None]], code: int | None
) -> None:
    async def talk(connection: ServerConnection) -> None:
        await connection.send("last words")
        await end(connection)

    async def story(clock: WallClock) -> Machine:
        async with a_line(talk, clock) as line:
            await line.until(lambda: line.machine.ends)
            await line.says("to nobody")
            await line.connection.close()
            return line.machine

    machine = in_wall_time(story)
    assert machine.received == ["last words"]
    assert machine.ends == [code]


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        pytest.param(None, 1000, id="by-itself"),
        pytest.param(CloseRequest(1000), 1000, id="as-the-machine-asks"),
        pytest.param(CloseRequest(4001), 4001, id="with-the-code-the-machine-asks-for"),
        pytest.param(CloseRequest(None), 1006, id="without-a-word-if-the-machine-asks"),
    ],
)
def test_our_end_closes(request_: CloseRequest | None, code: int) -> None:
    codes: list[int | None] = []

    async def talk(connection: ServerConnection) -> None:
        with contextlib.suppress(ConnectionClosed):
            await listens(connection)
        codes.append(connection.close_code)

    async def story(clock: WallClock) -> None:
        async with serve(talk, HOST, 0) as server:
            line = Line(url_of(server.sockets), clock)
            await line.connection.open()
            line.machine.request = request_
            await line.connection.close()
            await line.connection.close()

    in_wall_time(story)
    assert codes == [code]


def test_a_far_end_that_never_answers_the_close_is_left_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(assistants.wire, "CLOSE_WITHIN_S", 0.1)

    async def ignore(connection: ServerConnection) -> None:
        connection.transport.pause_reading()
        await connection.wait_closed()

    async def story(clock: WallClock) -> int:
        async with serve(ignore, HOST, 0) as server:
            line = Line(url_of(server.sockets), clock)
            await line.connection.open()
            await asyncio.sleep(0.02)
            begun_us = clock.now_us()
            await line.connection.close()
            took_us = clock.now_us() - begun_us
            for connection in server.connections:
                connection.transport.abort()
            return took_us

    assert in_wall_time(story) < 2_000_000


def test_a_connection_that_never_opened_closes() -> None:
    async def story(clock: WallClock) -> None:
        await Line("ws://127.0.0.1:1", clock).connection.close()

    in_wall_time(story)


# Alarms


class AnHourOld(WallClock):
    """A clock that has run for an hour, so that instants are no delays."""

    @override
    def now_us(self) -> int:
        return super().now_us() + 3_600_000_000


def test_the_machine_is_woken_when_it_asked_and_not_before() -> None:
    async def story(_: WallClock) -> tuple[int, list[int]]:
        clock = AnHourOld(asyncio.get_running_loop())
        async with a_line(listens, clock) as line:
            alarm_us = clock.now_us() + 50_000
            line.machine.alarm_us = alarm_us
            await line.says("now you know")
            await line.until(lambda: line.machine.woken_us)
            return alarm_us, line.machine.woken_us

    alarm_us, (woken_us,) = in_wall_time(story)
    assert alarm_us - 1_000 <= woken_us < alarm_us + 2_000_000


def test_an_alarm_in_the_past_rings_at_once() -> None:
    async def story(clock: WallClock) -> int:
        async with a_line(listens, clock) as line:
            line.machine.alarm_us = -3_600_000_000
            await line.says("now you know")
            await line.until(lambda: line.machine.woken_us)
            return len(line.machine.woken_us)

    assert in_wall_time(story) == 1


def test_the_last_alarm_counts() -> None:
    async def story(clock: WallClock) -> list[int]:
        async with a_line(listens, clock) as line:
            line.machine.alarm_us = clock.now_us() + 20_000
            await line.says("soon")
            line.machine.alarm_us = None
            await line.says("never mind")
            await asyncio.sleep(0.06)
            return line.machine.woken_us

    assert in_wall_time(story) == []


def test_nothing_wakes_after_the_close() -> None:
    async def story(clock: WallClock) -> list[int]:
        async with a_line(listens, clock) as line:
            line.machine.alarm_us = clock.now_us() + 20_000
            await line.says("soon")
        await asyncio.sleep(0.06)
        return line.machine.woken_us

    assert in_wall_time(story) == []

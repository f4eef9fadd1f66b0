"""One socket, one machine: the thin shell that waits.

Receive, hand to the machine, send what it has, wake it when it asks. Every decision is the
machine's, but for three the network forces on us: how long a connection may take to open, how much
may wait to be sent, and which of the library's exceptions mean what.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, override

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.frames import CloseCode

from shared.clock import Clock
from shared.errors import AttemptError, Stage
from shared.participant import Machine

MESSAGE_BYTES_MAX = 16 * 1024 * 1024
MESSAGES_PER_S = 50
CLOSE_WITHIN_S = 2
PING_LOST = "keepalive ping timeout"
"""The reason with which the library gives up a peer that answers no ping."""
UNSENT_BYTES = 64 * 1024
"""What the system may hold unsent, about a second of audio: a deeper buffer would hide for most of
a minute that nobody takes what we send."""
NO_CLOSE_CODE = 1006
"""What the library says of an end without a closing handshake; no peer ever sends it."""

type Tap = Callable[[str, str | bytes, int], None]
"""Sees every message: ``sent`` or ``received``, the message, wall microseconds."""


class Connection(Protocol):
    """A machine's way to the other side."""

    failure: AttemptError | None

    async def open(self) -> None: ...

    async def flush(self) -> None:
        """Send what the machine has; on return it is on its way, or the connection has failed."""

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Address:
    """Where to connect, and with which credential."""

    url: str
    bearer: str = field(repr=False)
    is_loopback: bool


@dataclass(frozen=True, slots=True)
class Peer:
    """Who is at the other side: how it is named, what it may send, and what its loss is."""

    name: str = "the provider"
    message_bytes_max: int = MESSAGE_BYTES_MAX
    unreached: Stage = Stage.SESSION_START
    lost: Stage = Stage.RESPONSE_COLLECTION


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the network may take, in seconds, for each thing that would otherwise hang."""

    open_within_s: float = 15
    ping_every_s: float = 20
    pong_within_s: float = 60
    audio_waits_s: float = 20
    """How much audio may wait to be sent; a provider that takes less is lost, and it says so."""


class _OneConnection(connect):
    """A connection attempt that follows no redirect, so that a credential goes nowhere else."""

    @override
    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


class SocketConnection(Connection):
    """A machine behind a WebSocket. One object is one attempt."""

    def __init__(
        self,
        address: Address,
        machine: Machine,
        clock: Clock,
        *,
        on_activity: Callable[[], None],
        tap: Tap,
        patience: Patience | None = None,
        peer: Peer | None = None,
    ) -> None:
        self._patience = patience or Patience()
        self._peer = peer or Peer()
        self._address = address
        self._machine = machine
        self._clock = clock
        self._on_activity = on_activity
        self._tap = tap
        self._waiting: asyncio.Queue[str | bytes] = asyncio.Queue(
            max(1, round(self._patience.audio_waits_s * MESSAGES_PER_S))
        )
        self._socket: ClientConnection | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._alarm: asyncio.TimerHandle | None = None
        self.failure: AttemptError | None = None

    @override
    async def open(self) -> None:
        try:
            self._socket = await _OneConnection(
                self._address.url,
                additional_headers={"Authorization": f"Bearer {self._address.bearer}"},
                open_timeout=self._patience.open_within_s,
                close_timeout=CLOSE_WITHIN_S,
                ping_interval=self._patience.ping_every_s,
                ping_timeout=self._patience.pong_within_s,
                compression=None,
                max_size=self._peer.message_bytes_max,
                proxy=None if self._address.is_loopback else True,
            )
        except (OSError, WebSocketException, UnicodeError, ImportError) as error:
            # A name no resolver takes is a UnicodeError, a proxy we cannot speak an ImportError.
            raise AttemptError(self._peer.unreached, _refusal(error)) from None
        peer = self._socket.transport.get_extra_info("socket")
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, UNSENT_BYTES)
        self._tasks = [
            asyncio.create_task(self._receive(self._socket)),
            asyncio.create_task(self._send(self._socket)),
        ]

    @override
    async def flush(self) -> None:
        self._take_outgoing()
        # Lets the sender run, so that a frame leaves when it is due and not a turn later.
        await asyncio.sleep(0)

    @override
    async def close(self) -> None:
        if self._socket is not None:
            await self._hang_up(self._socket)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._cancel_alarm()

    async def _hang_up(self, socket: ClientConnection) -> None:
        request = self._machine.closing()
        try:
            if request is None or request.code is not None:
                # The library waits without end for a peer that no longer reads.
                with contextlib.suppress(OSError, ConnectionClosed, TimeoutError):
                    async with asyncio.timeout(CLOSE_WITHIN_S):
                        await socket.close(1000 if request is None else request.code or 1000)
        finally:
            socket.transport.abort()

    async def _receive(self, socket: ClientConnection) -> None:
        try:
            async for message in socket:
                now_us = self._clock.now_us()
                self._tap("received", message, now_us)
                self._machine.receive(message, now_us)
                self._settle()
        except ConnectionClosed as error:
            given_up = self._given_up(error)
            if given_up is not None:
                self._fail(self._peer.lost, given_up)
        except Exception as error:  # noqa: BLE001 - a bug of ours must not look like their silence
            self._fail(Stage.ATTEMPT_EXECUTION, f"unexpected {type(error).__name__}")
            return
        self._machine.receive_eof(_close_code(socket), self._clock.now_us())
        self._settle()

    async def _send(self, socket: ClientConnection) -> None:
        with contextlib.suppress(ConnectionClosed):
            while True:
                await socket.send(await self._waiting.get())

    def _settle(self) -> None:
        """After any input: send, set the next alarm, tell whoever waits."""
        self._take_outgoing()
        self._on_activity()

    def _take_outgoing(self) -> None:
        now_us = self._clock.now_us()
        for message in self._machine.messages_to_send():
            self._tap("sent", message, now_us)
            try:
                self._waiting.put_nowait(message)
            except asyncio.QueueFull:
                self._fail(
                    self._peer.lost,
                    f"{self._peer.name} took nothing while {self._waiting.maxsize} messages waited",
                )
                break
        self._set_alarm(now_us)

    def _given_up(self, error: ConnectionClosed) -> str | None:
        """Why it was this end that gave the connection up, if it was."""
        if error.rcvd is not None or error.sent is None:
            return None
        if error.sent.reason == PING_LOST:
            return f"{self._peer.name} answered no ping for {self._patience.pong_within_s:g} s"
        if error.sent.code == CloseCode.MESSAGE_TOO_BIG:
            limit = self._peer.message_bytes_max
            return f"{self._peer.name} sent a message over the limit of {limit} bytes"
        return None

    def _fail(self, stage: Stage, message: str) -> None:
        """Only the first failure counts; the rest follow from it."""
        if self.failure is None:
            self.failure = AttemptError(stage, message)
            self._on_activity()

    def _cancel_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _set_alarm(self, now_us: int) -> None:
        self._cancel_alarm()
        wakes_at = self._machine.wakes_at()
        if wakes_at is not None:
            delay_s = max(0, wakes_at - now_us) / 1e6
            self._alarm = asyncio.get_running_loop().call_later(delay_s, self._wake)

    def _wake(self) -> None:
        self._alarm = None
        self._machine.wake(self._clock.now_us())
        self._settle()


def _close_code(socket: ClientConnection) -> int | None:
    """The code the connection was closed with, or nothing when it ended without one."""
    return None if socket.close_code == NO_CLOSE_CODE else socket.close_code


def _refusal(error: Exception) -> str:
    """Say why no connection came about. Never holds a header, a body or an address."""
    match error:
        case InvalidStatus(response=response):
            status = response.status_code
            retry = next(iter(response.headers.get_all("Retry-After")), None)
            if 300 <= status < 400:  # noqa: PLR2004 - the class of redirects
                return f"HTTP {status}: redirects are not followed; set the final endpoint"
            if retry is not None and retry.isascii() and retry.isdigit():
                return f"HTTP {status}: refused; retry after {retry} s"
            return f"HTTP {status}: refused at the handshake"
        case TimeoutError():
            return "no connection within the time allowed"
        case ConnectionRefusedError():
            return "the connection was refused; is the service running at the endpoint?"
        case socket.gaierror():
            return "the endpoint's host name was not found"
        case _:
            return f"no connection ({type(error).__name__})"

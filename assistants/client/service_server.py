"""The bundled service behind a WebSocket on this computer: the shell that waits, and its door.

What a session may do is the machine's business; the door checks what comes before one: the path,
the one credential, the origin, the number of connections, in this order. Nothing is built for a
connection before it has said ``session.configure``.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import http
import json
import logging
import weakref
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import override
from urllib.parse import urlsplit

from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from assistants.client.backend import Backend
from assistants.client.desk import Append, Desk, DeskTexts, DeskTiming
from assistants.client.memory import Memory
from assistants.client.service_session import ASSISTANT_ERROR, Phase, ServiceLimits, ServiceSession
from assistants.client.workshop import Front, Workshop
from assistants.frontend.fixture.steps import Delegate
from assistants.resources import ApplicationResources
from assistants.runtime import ToolRuntime, of_application
from shared.clock import Clock, Stamp
from shared.errors import HarnessError
from shared.observability.observations import Observation
from shared.values import JsonObject
from shared.wall_time import WallClock

PATH = "/ws/assistant"
HEALTH = "/health"
CLOSE_WITHIN_S = 2

# The library's own words about a connection may quote it; what went wrong is in its close code.
_SILENT = logging.getLogger("client-assistant")
_SILENT.addHandler(logging.NullHandler())
_SILENT.propagate = False


@dataclass(frozen=True, slots=True)
class Service:
    """What every session of a service is made from.

    ``steps`` are the work of one connection after the other, for a backend that plays scripts;
    ``open_backend`` is given those of its connection.
    """

    token: str = field(repr=False)
    application: ApplicationResources
    initial_state: JsonObject
    texts: DeskTexts
    open_backend: Callable[[Sequence[Delegate]], Backend]
    steps: Sequence[Sequence[Delegate]] = ()
    origins: frozenset[str] = frozenset()
    limits: ServiceLimits = field(default_factory=ServiceLimits)


@contextlib.asynccontextmanager
async def application_server(
    service: Service, *, host: str = "127.0.0.1", port: int = 0
) -> AsyncIterator[str]:
    """Serve until the block is left; gives the URL. Port 0 is any free one.

    An ``OSError`` says that the port cannot be had.
    """
    sessions = _Sessions(service)
    async with serve(
        sessions.converse,
        host,
        port,
        process_request=sessions.admit,
        compression=None,
        max_size=service.limits.message_bytes,
        close_timeout=CLOSE_WITHIN_S,
        logger=_SILENT,
    ) as server:
        bound = next(iter(server.sockets)).getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        yield f"ws://{shown}:{bound}{PATH}"


class _Sessions:
    """Gives every connection its session and drives it."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._steps: Iterator[Sequence[Delegate]] = iter(service.steps)
        self._expected = f"Bearer {service.token}".encode()
        self._admitted: weakref.WeakSet[ServerConnection] = weakref.WeakSet()
        self._open = 0

    def admit(self, connection: ServerConnection, request: Request) -> Response | None:
        """Let a connection in, or answer it at the door."""
        address = urlsplit(request.path)
        if address.path == HEALTH:
            return _answer(http.HTTPStatus.OK, {"status": "ok", "assistant": "client"})
        if address.path != PATH or "?" in request.path:
            return _answer(http.HTTPStatus.NOT_FOUND, {"error": "not_found"})
        if not self._is_known(request):
            return _answer(http.HTTPStatus.UNAUTHORIZED, {"error": "unauthorized"})
        if not self._is_from_here(request):
            return _answer(http.HTTPStatus.FORBIDDEN, {"error": "forbidden_origin"})
        if self._open + len(self._admitted) >= self._service.limits.connections:
            return _answer(http.HTTPStatus.SERVICE_UNAVAILABLE, {"error": "too_many_connections"})
        self._admitted.add(connection)
        return None

    def _is_known(self, request: Request) -> bool:
        given = request.headers.get_all("Authorization")
        credential = given[0].encode("utf-8", "surrogateescape") if len(given) == 1 else b""
        return hmac.compare_digest(credential, self._expected)

    def _is_from_here(self, request: Request) -> bool:
        """Programs name no origin; a page names its own."""
        origins = request.headers.get_all("Origin")
        return not origins or (len(origins) == 1 and origins[0] in self._service.origins)

    async def converse(self, connection: ServerConnection) -> None:
        self._admitted.discard(connection)
        self._open += 1
        try:
            steps = next(self._steps, ())
            await _Session(self._service, steps, connection).run()
        finally:
            self._open -= 1


class _Session:
    """One connection: its machine, and once that is configured what does the work."""

    def __init__(
        self, service: Service, steps: Sequence[Delegate], connection: ServerConnection
    ) -> None:
        self._service = service
        self._steps = steps
        self._connection = connection
        self._clock = WallClock(asyncio.get_running_loop())
        self._machine = ServiceSession(service.limits)
        self._changed = asyncio.Event()
        self._sending = asyncio.Lock()
        self._workshop: Workshop | None = None
        self._working: asyncio.Task[None] | None = None

    async def run(self) -> None:
        reading = asyncio.create_task(self._read())
        try:
            await self._attend()
            await self._flush()
        except ConnectionClosed:
            pass
        finally:
            reading.cancel()
            await self._put_away()
            await self._hang_up()

    async def _read(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            async for message in self._connection:
                self._machine.receive(message, self._clock.now_us())
                self._show()
        self._machine.receive_eof(None, self._clock.now_us())
        self._changed.set()

    def _show(self) -> None:
        """Hand on what a message showed."""
        noticed = self._machine.noticed()
        if self._workshop is not None:
            self._workshop.notice(noticed)
            self._workshop.stir()
        self._changed.set()

    async def _attend(self) -> None:
        """Send, build and wake until the session is over."""
        while self._machine.phase is not Phase.CLOSED:
            self._changed.clear()
            if self._machine.phase is Phase.CONFIGURED:
                self._build()
            await self._flush()
            wakes_at = self._machine.wakes_at()
            delay_s = None if wakes_at is None else max(0, wakes_at - self._clock.now_us()) / 1e6
            try:
                async with asyncio.timeout(delay_s):
                    await self._changed.wait()
            except TimeoutError:
                self._machine.wake(self._clock.now_us())

    def _build(self) -> None:
        """Open the application and its backend: code of others, of which only the class is told."""
        service = self._service
        facts, state = deepcopy(service.application.facts), deepcopy(service.initial_state)
        try:
            application = of_application(
                "the application did not open",
                lambda: service.application.open_session(state, facts),
            )
            tools = ToolRuntime(application, service.application.tools)
            begins_with = tools.snapshot()
            backend = of_application(
                "the backend did not open", lambda: service.open_backend(self._steps)
            )
        except HarnessError:
            self._machine.fail(ASSISTANT_ERROR)
            return
        timing = DeskTiming(deadline_us=round(service.limits.delegation_s * 1e6))
        desk = Desk(Memory(self._machine.history), service.texts, timing)
        front = _OfHarness(self._machine, self._clock)
        self._workshop = Workshop(desk, backend, tools, front, service.limits.cleanup_s)
        self._working = asyncio.create_task(self._work(self._workshop))
        self._machine.ready(begins_with)

    async def _work(self, workshop: Workshop) -> None:
        try:
            await workshop.work(self._settled)
        except ConnectionClosed:
            pass
        except Exception:  # noqa: BLE001 - a bug of ours must not look like silence
            self._machine.fail(ASSISTANT_ERROR)
        finally:
            self._changed.set()

    async def _settled(self) -> None:
        self._machine.settle()
        if self._workshop is not None and self._workshop.failure is not None:
            self._machine.fail(ASSISTANT_ERROR)
            self._changed.set()
        await self._flush()

    async def _flush(self) -> None:
        """Send what there is, in order, whoever asks."""
        async with self._sending:
            for message in self._machine.messages_to_send():
                await self._connection.send(message)

    async def _put_away(self) -> None:
        if self._working is not None and self._workshop is not None:
            self._working.cancel()
            await asyncio.wait([self._working], timeout=self._service.limits.cleanup_s)
            await self._workshop.close()

    async def _hang_up(self) -> None:
        request = self._machine.closing()
        code = 1000 if request is None or request.code is None else request.code
        with contextlib.suppress(OSError, ConnectionClosed, TimeoutError):
            async with asyncio.timeout(CLOSE_WITHIN_S):
                await self._connection.close(code)
        self._connection.transport.abort()


@dataclass(frozen=True, slots=True)
class _OfHarness(Front):
    """The harness at the other end, as a workshop knows it."""

    _machine: ServiceSession
    _clock: Clock

    @property
    @override
    def is_over(self) -> bool:
        return self._machine.phase is Phase.CLOSED

    @override
    def now(self) -> Stamp:
        return Stamp(0, self._clock.now_us())

    @override
    def note(self, seen: Sequence[Observation]) -> None:
        self._machine.tell(seen)

    @override
    def append(self, append: Append) -> None:
        self._machine.append(append)


def _answer(status: http.HTTPStatus, content: dict[str, str]) -> Response:
    body = json.dumps(content).encode()
    headers = Headers(
        {
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            "Connection": "close",
        }
    )
    return Response(status.value, status.phrase, headers, body)

"""Services on this computer for the installed command to talk to, each up as long as needed."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from websockets.asyncio.server import ServerConnection, serve

from assistants.frontend.fixture.message_log import MessageLog
from assistants.frontend.fixture.script import ResolvedScript, parse_script, resolve
from assistants.frontend.fixture.server import HOST, PATH, fixture_server
from assistants.frontend.fixture.timing import Timing
from shared.audio.detection.energy_v1 import EnergyV1
from shared.intervals import Interval
from shared.speech.tone import ToneSynthesizer

LIVE = {"OPENAI_API_KEY": "any-key-at-all", "OPENAI_LIVE_ALLOW_INSECURE_LOOPBACK": "true"}
QUICK = Timing(started_after_ms=50, closed_after_ms=100, abort_after_ms=100)

type Conversed = Callable[[ServerConnection], Awaitable[None]]
"""What a service without a script does with one connection."""


@dataclass(frozen=True, slots=True)
class Stall:
    """Nothing of the service comes through for so long, once these bytes of it have."""

    after: bytes
    for_s: float


class Services:
    """Services on a loop of their own, in a thread of their own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    @contextmanager
    def playing(
        self, *scripts: ResolvedScript, timing: Timing = QUICK, log: MessageLog | None = None
    ) -> Iterator[str]:
        """The fixture, with a script for each connection; gives its address."""
        with self.up(fixture_server(scripts, timing=timing, log=log)) as url:
            yield url

    @contextmanager
    def conversing(self, converse: Conversed) -> Iterator[str]:
        """A service of a test's own; gives its address."""
        with self.up(_serving(converse)) as url:
            yield url

    @contextmanager
    def behind(self, url: str, stall: Stall) -> Iterator[str]:
        """A line to a service that stalls once; gives its address."""
        with self.up(_stalling_line(url, stall)) as line_url:
            yield line_url

    @contextmanager
    def up(self, server: AbstractAsyncContextManager[str]) -> Iterator[str]:
        """A service that is up as long as its block; gives its address."""
        url = asyncio.run_coroutine_threadsafe(server.__aenter__(), self._loop).result(10)
        try:
            yield url
        finally:
            leaving = server.__aexit__(None, None, None)
            asyncio.run_coroutine_threadsafe(leaving, self._loop).result(30)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


@asynccontextmanager
async def _serving(converse: Conversed) -> AsyncIterator[str]:
    async with serve(converse, HOST, 0, compression=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        yield f"ws://{HOST}:{port}{PATH}"


@asynccontextmanager
async def _stalling_line(url: str, stall: Stall) -> AsyncIterator[str]:
    address = urlsplit(url)
    lines: set[asyncio.Task[None]] = set()

    async def join(reader: StreamReader, writer: StreamWriter) -> None:
        line = asyncio.current_task()
        assert line is not None
        lines.add(line)
        far_reader, far_writer = await asyncio.open_connection(address.hostname, address.port)
        try:
            pumps = [_pump(reader, far_writer, None), _pump(far_reader, writer, stall)]
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.gather(*pumps)
        finally:
            far_writer.transport.abort()
            writer.transport.abort()

    server = await asyncio.start_server(join, HOST, 0)
    try:
        yield f"ws://{HOST}:{server.sockets[0].getsockname()[1]}{PATH}"
    finally:
        server.close()
        for line in lines:
            line.cancel()
        await asyncio.gather(*lines)


async def _pump(reader: StreamReader, writer: StreamWriter, stall: Stall | None) -> None:
    with contextlib.suppress(ConnectionError):
        while piece := await reader.read(65_536):
            writer.write(piece)
            await writer.drain()
            if stall is not None and stall.after in piece:
                await asyncio.sleep(stall.for_s)
                stall = None
    writer.close()


def on_the_track_of(request: str, script: str) -> ResolvedScript:
    """The script where a run of its own would put it: on the track of the caller's request."""
    extent = EnergyV1().voiced(ToneSynthesizer().speak(request).pcm).extent
    return resolve(parse_script(script), extent or Interval(0, 1), request)


NO_BOUND = "[audio]\npacing_p99_ms = 60000\npacing_stall_ms = 60000\n"
"""On our own pace, because a busy machine is no defect where nothing is timed."""


def patient(folder: Path) -> Path:
    """A configuration that leaves everything as it is but for that bound."""
    path = folder / "patient.toml"
    path.write_text(NO_BOUND, "utf-8")
    return path


def quick_settings(
    *,
    response_timeout_s: float = 15,
    assistant: Mapping[str, float] | None = None,
    is_judged: bool = False,
) -> str:
    """A TOML file: deadlines of at most 1 s where nothing else is asked for, a judge only where one
    is asked for, and no bound on our own pace."""
    deadlines = {
        "connect_timeout_seconds": 1,
        "start_timeout_seconds": 1,
        "close_timeout_seconds": 1,
        **(assistant or {}),
    }
    lines = "\n".join(f"{key} = {value}" for key, value in deadlines.items())
    judge = f"[judge]\nenabled = {str(is_judged).lower()}\nretries = 0\n"
    return (
        f"{judge}[execution]\nresponse_timeout_seconds = {response_timeout_s}\n"
        f"{NO_BOUND}[assistant]\n{lines}\n"
    )

"""``live-fixture``: the service's ends on this computer, for developing and testing."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from shared.command import GroupedCommand, run_app, version_line
from shared.streams import prepare_streams

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TextIO

    from assistants.frontend.fixture.message_log import MessageLog
    from assistants.frontend.fixture.referee import Result
    from assistants.frontend.fixture.script import ResolvedScript
    from shared.observability.observations import Speaker
    from shared.values import JsonObject

HINT = """\
The first is for --endpoint (OPENAI_LIVE_ENDPOINT), the second for OPENAI_BASE_URL;
OPENAI_LIVE_ALLOW_INSECURE_LOOPBACK=true allows both, and any OPENAI_API_KEY will do."""

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.command(cls=GroupedCommand)
def serve(
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="Port on 127.0.0.1; 0 takes a free one.")
    ] = 0,
    script: Annotated[
        list[Path] | None,
        typer.Option(
            help="A resolved script or a conversation to play; repeat it, one for each connection."
        ),
    ] = None,
    side: Annotated[
        Literal["caller", "assistant"] | None,
        typer.Option(help="Which side of the conversation is played here."),
    ] = None,
    http_port: Annotated[
        int, typer.Option(min=0, max=65_535, help="Port of the HTTP end; 0 takes a free one.")
    ] = 0,
    http_script: Annotated[
        Path | None, typer.Option(help="What the HTTP end answers; see assistants/README.md.")
    ] = None,
    log: Annotated[
        Path | None, typer.Option(help="Write every message here as JSON lines.")
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(help="Write what each client did, and its mistakes, as JSON lines."),
    ] = None,
    sessions: Annotated[
        int | None, typer.Option(min=1, help="End after so many sessions; fewer are a failure.")
    ] = None,
    timeout_seconds: Annotated[
        float | None, typer.Option(min=0.1, help="End after so long, whoever is there.")
    ] = None,
    *,
    strict: Annotated[bool, typer.Option("--strict", help="Count notes as mistakes.")] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> int:
    """Serve GPT Live sessions, and models and speech over HTTP, on loopback until interrupted.

    Prints two URLs: that of the sessions, then the base URL of the HTTP end. Connections play the
    scripts in the order given, of a conversation one side; one that has no script plays a plain
    round with the client's own tools.

    Ends with 0 if every client kept the protocol, with 1 if one did not or too few came, and with 2
    if this command line is wrong. docs/live-fixture.md names every mistake.
    """
    from assistants.frontend.fixture.conversation_script import side_of
    from assistants.frontend.fixture.http import http_end
    from assistants.frontend.fixture.http_script import parse_http_script
    from assistants.frontend.fixture.message_log import MessageLog
    from shared.observability.observations import Speaker

    if version:
        typer.echo(version_line("live-fixture"))
        return 0
    if log is not None and record is not None and log.resolve() == record.resolve():
        raise _mistake("--log and --record name one file; give each its own")
    party = None if side is None else Speaker(side)
    scripts = tuple(_read(path, lambda text: side_of(text, party)) for path in script or ())
    answers = _read(http_script, parse_http_script) if http_script is not None else None
    with contextlib.ExitStack() as stack:
        message_log = MessageLog(stack.enter_context(_opened(log)))
        lines = stack.enter_context(_opened(record))
        try:
            end = stack.enter_context(http_end(answers, port=http_port, log=message_log))
        except OSError as error:
            raise _mistake(f"--http-port {http_port}: {error.strerror}") from None
        duty = _Duty(lines, sessions, timeout_seconds, strict)
        results = _serve(scripts, port, message_log, end.url, party or Speaker.ASSISTANT, duty)
    return _status(results, sessions)


@dataclass(frozen=True, slots=True)
class _Duty:
    """What is asked of the referee, and until when."""

    record: TextIO | None
    sessions: int | None
    timeout_s: float | None
    is_strict: bool


def _read[S](path: Path, parse: Callable[[str], S]) -> S:
    from assistants.frontend.fixture.script import ScriptError

    try:
        return parse(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise _mistake(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise _mistake(f"{path}: not a text file") from None
    except ScriptError as error:
        raise _mistake(f"{path}: {error}") from None


def _opened(path: Path | None) -> contextlib.AbstractContextManager[TextIO | None]:
    if path is None:
        return contextlib.nullcontext()
    try:
        # What comes in may hold halves of characters, which no encoding takes.
        return path.open("w", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise _mistake(f"{path}: {error.strerror}") from None


def _serve(
    scripts: tuple[ResolvedScript, ...],
    port: int,
    log: MessageLog,
    base_url: str,
    party: Speaker,
    duty: _Duty,
) -> Sequence[Result]:
    import asyncio
    import signal

    from assistants.frontend.fixture.referee import Referee
    from assistants.frontend.fixture.server import fixture_server
    from assistants.frontend.fixture.voice import voice_of
    from shared.json_text import json_text

    failures: list[OSError] = []

    async def until_over() -> Sequence[Result]:
        stopped = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stopped.set)

        def write(line: JsonObject) -> None:
            try:
                print(json_text(line), file=duty.record, flush=True)
            except OSError as error:
                failures.append(error)
                stopped.set()

        def tell(result: Result) -> None:
            for broken in result.broken:
                typer.echo(broken.line(result.session), err=True)
            if len(referee.results) == duty.sessions:
                stopped.set()

        referee = Referee(
            write if duty.record is not None else None, tell, is_strict=duty.is_strict
        )
        async with fixture_server(
            scripts, port=port, voice=voice_of(party), log=log, referee=referee
        ) as url:
            typer.echo(f"{url}\n{base_url}")
            typer.echo(HINT, err=True)
            try:
                async with asyncio.timeout(duty.timeout_s):
                    await stopped.wait()
            except TimeoutError:
                typer.echo(f"stopped after {duty.timeout_s:g} s", err=True)
        return referee.results

    try:
        results = asyncio.run(until_over())
    except OSError as error:
        raise _mistake(f"--port {port}: {error.strerror}") from None
    if failures:
        raise failures[0]
    return results


def _status(results: Sequence[Result], sessions: int | None) -> int:
    """The exit status, and in one line why."""
    kept = sum(result.has_kept for result in results)
    lacking = max(0, (sessions or 0) - sum(result.is_whole for result in results))
    if not results:
        told = "no client came"
    elif kept == len(results):
        told = f"{_sessions(kept)} kept the protocol"
    else:
        told = f"{_sessions(len(results) - kept)} of {len(results)} did not keep the protocol"
    if lacking:
        told += f"; {_sessions(lacking)} of {sessions} never came to an end"
    typer.echo(told, err=True)
    return int(kept < len(results) or lacking > 0)


def _sessions(count: int) -> str:
    return "1 session" if count == 1 else f"{count} sessions"


def _mistake(message: str) -> typer.Exit:
    typer.echo(message, err=True)
    return typer.Exit(2)


def main() -> None:
    """Entry point of the command."""
    prepare_streams()
    sys.exit(run_app("live-fixture", app))


if __name__ == "__main__":
    main()

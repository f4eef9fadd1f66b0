"""``live-fixture``: the service's ends on this computer, for developing and testing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from shared.command import GroupedCommand, run_app, version_line
from shared.streams import prepare_streams

if TYPE_CHECKING:
    from collections.abc import Callable

    from assistants.frontend.fixture.message_log import MessageLog
    from assistants.frontend.fixture.script import ResolvedScript
    from shared.observability.observations import Speaker

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
    *,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Serve GPT Live sessions, and models and speech over HTTP, on loopback until interrupted.

    Prints two URLs: that of the sessions, then the base URL of the HTTP end. Connections play the
    scripts in the order given, of a conversation one side; one that has no script plays a plain
    round with the client's own tools.
    """
    import contextlib

    from assistants.frontend.fixture.conversation_script import side_of
    from assistants.frontend.fixture.http import http_end
    from assistants.frontend.fixture.http_script import parse_http_script
    from assistants.frontend.fixture.message_log import MessageLog
    from shared.observability.observations import Speaker

    if version:
        typer.echo(version_line("live-fixture"))
        return
    party = None if side is None else Speaker(side)
    scripts = tuple(_read(path, lambda text: side_of(text, party)) for path in script or ())
    answers = _read(http_script, parse_http_script) if http_script is not None else None
    with contextlib.ExitStack() as stack:
        try:
            # What comes in may hold halves of characters, which no encoding takes.
            file = (
                stack.enter_context(log.open("w", encoding="utf-8", errors="backslashreplace"))
                if log
                else None
            )
        except OSError as error:
            raise _mistake(f"{log}: {error.strerror}") from None
        message_log = MessageLog(file)
        try:
            end = stack.enter_context(http_end(answers, port=http_port, log=message_log))
        except OSError as error:
            raise _mistake(f"--http-port {http_port}: {error.strerror}") from None
        _serve(scripts, port, message_log, end.url, party or Speaker.ASSISTANT)


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


def _serve(
    scripts: tuple[ResolvedScript, ...], port: int, log: MessageLog, base_url: str, party: Speaker
) -> None:
    import asyncio
    import signal

    from assistants.frontend.fixture.server import fixture_server
    from assistants.frontend.fixture.voice import voice_of

    async def until_interrupted() -> None:
        stopped = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stopped.set)
        async with fixture_server(scripts, port=port, voice=voice_of(party), log=log) as url:
            typer.echo(f"{url}\n{base_url}")
            typer.echo(HINT, err=True)
            await stopped.wait()

    try:
        asyncio.run(until_interrupted())
    except OSError as error:
        raise _mistake(f"--port {port}: {error.strerror}") from None


def _mistake(message: str) -> typer.Exit:
    typer.echo(message, err=True)
    return typer.Exit(2)


def main() -> None:
    """Entry point of the command."""
    prepare_streams()
    sys.exit(run_app("live-fixture", app))


if __name__ == "__main__":
    main()

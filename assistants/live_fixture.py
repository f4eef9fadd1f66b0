"""``live-fixture``: the service's end of GPT Live on this computer, for developing and testing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from assistants.frontend.fixture.message_log import MessageLog
    from assistants.frontend.fixture.script import ResolvedScript

app = typer.Typer(add_completion=False)


@app.command()
def serve(
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="Port on 127.0.0.1; 0 takes a free one.")
    ] = 0,
    script: Annotated[
        list[Path] | None,
        typer.Option(help="A resolved script to play; repeat it, one for each connection."),
    ] = None,
    log: Annotated[
        Path | None, typer.Option(help="Write every message here as JSON lines.")
    ] = None,
) -> None:
    """Serve GPT Live sessions on loopback until interrupted.

    Prints the URL. Connections play the scripts in the order given; one that has no script plays a
    plain round with the client's own tools.
    """
    import contextlib

    from assistants.frontend.fixture.message_log import MessageLog

    scripts = tuple(_read(path) for path in script or ())
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(log.open("w", encoding="utf-8")) if log else None
        except OSError as error:
            raise _mistake(f"{log}: {error.strerror}") from None
        _serve(scripts, port, MessageLog(file))


def _read(path: Path) -> ResolvedScript:
    from assistants.frontend.fixture.script import ScriptError, parse_resolved_script

    try:
        return parse_resolved_script(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise _mistake(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise _mistake(f"{path}: not a text file") from None
    except ScriptError as error:
        raise _mistake(f"{path}: {error}") from None


def _serve(scripts: tuple[ResolvedScript, ...], port: int, log: MessageLog) -> None:
    import asyncio
    import signal

    from assistants.frontend.fixture.server import fixture_server

    async def until_interrupted() -> None:
        stopped = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stopped.set)
        async with fixture_server(scripts, port=port, log=log) as url:
            typer.echo(url)
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
    app(prog_name="live-fixture")


if __name__ == "__main__":
    main()

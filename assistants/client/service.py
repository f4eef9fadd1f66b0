"""``client-assistant``: an application of its own behind the contract, on this computer."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from shared.command import GroupedCommand, run_app, version_line
from shared.errors import UsageError
from shared.streams import prepare_streams

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assistants.client.backend import Backend
    from assistants.client.service_server import Service
    from assistants.frontend.fixture.steps import Delegate
    from assistants.resources import ApplicationResources
    from shared.settings import Settings
    from shared.values import JsonObject

PORT = 8795
HINT = """\
The URL is for --assistant-endpoint (OPENAI_CLIENT_ASSISTANT_ENDPOINT), with the same
OPENAI_CLIENT_ASSISTANT_TOKEN; OPENAI_CLIENT_ASSISTANT_ALLOW_INSECURE_LOOPBACK=true allows it."""

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.command(cls=GroupedCommand)
def serve(
    host: Annotated[
        Literal["127.0.0.1", "localhost", "::1"],
        typer.Option(help="Address to listen on; this computer's own alone."),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="Port to listen on; 0 takes a free one.")
    ] = PORT,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(help="An origin that pages may come from, such as https://HOST; repeat it."),
    ] = None,
    backend: Annotated[
        Literal["scripted", "openai"], typer.Option(help="Who does the delegated work.")
    ] = "openai",
    script: Annotated[
        list[Path] | None,
        typer.Option(
            help="A resolved script or a conversation whose work is played; repeat it, one for"
            " each connection."
        ),
    ] = None,
    application: Annotated[
        Path | None, typer.Option(help="Folder with the application's prompts, tools and facts.")
    ] = None,
    initial_state: Annotated[
        Path | None, typer.Option(help="A JSON object: the state every connection begins with.")
    ] = None,
    *,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Serve an application to the harness over its contract, until interrupted.

    Prints the URL to connect to. Wants OPENAI_CLIENT_ASSISTANT_TOKEN, which every connection must
    show. Each connection has a session and a state of its own.
    """
    if version:
        typer.echo(version_line("client-assistant"))
        return
    if script and backend != "scripted":
        raise UsageError("--script: only a scripted backend plays it; add --backend scripted")
    if backend == "scripted" and not script:
        raise UsageError("--backend scripted: nothing to play; add --script FILE")
    from assistants.client.desk import DeskTexts
    from assistants.client.service_server import Service
    from assistants.resources import BUNDLED_APPLICATION, load_application, load_client_prompt

    settings = _settings()
    folder = load_application(application or BUNDLED_APPLICATION)
    state = {} if initial_state is None else _state(initial_state)
    service = Service(
        token=_token(settings),
        application=folder,
        initial_state=state,
        texts=DeskTexts(load_client_prompt("task"), load_client_prompt("failed")),
        open_backend=_opener(backend, settings, folder, state),
        steps=[_steps(path) for path in script or ()],
        origins=frozenset(_origin(text) for text in allow_origin or ()),
    )
    # Where "localhost" is more than one address, a free port of one may be taken on another.
    _serve(service, "127.0.0.1" if host == "localhost" else host, port)


def _settings() -> Settings:
    import os

    from assistants.config import ROWS
    from shared.environment import read_env_file
    from shared.settings import resolve

    return resolve(
        ROWS, flags={}, environment=os.environ, env_file=read_env_file(os.environ), toml={}
    )


def _token(settings: Settings) -> str:
    import os

    from assistants.config import api_keys, client_token
    from shared.environment import read_env_file

    return client_token(settings, api_keys(os.environ, read_env_file(os.environ)))


def _opener(
    backend: str, settings: Settings, application: ApplicationResources, state: JsonObject
) -> Callable[[Sequence[Delegate]], Backend]:
    """How a session gets its backend: the one place that knows them by name."""
    from dataclasses import replace

    from assistants.client.backend import BackendContext
    from assistants.client.reference_backend import reference_backend
    from assistants.client.scripted import ScriptedBackend
    from assistants.config import LiveAgentSettings
    from assistants.responses.session import backend_body, backend_config
    from shared.scenarios import AssistantBrief

    agent, brief = LiveAgentSettings.of(settings), AssistantBrief("service", "", (), state)
    if backend == "scripted":
        # Its events are those of a session, in which no effort is called max.
        played = replace(agent, backend_reasoning_effort="none")
        config = backend_config(played, application, brief)
        return lambda steps: ScriptedBackend(steps, config)
    open_backend, _ = reference_backend(settings, otherwise="--backend scripted for a script's")
    body = backend_body(agent, application, brief)
    context = BackendContext(str(body["instructions"]), application.strict_tools, body)
    return lambda _: open_backend(context)


def _steps(path: Path) -> list[Delegate]:
    """The work of a script: what its assistant delegates, in order."""
    from assistants.frontend.fixture.conversation_script import assistant_side
    from assistants.frontend.fixture.script import ScriptError
    from assistants.frontend.fixture.steps import Delegate

    try:
        script = assistant_side(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not a text file") from None
    except ScriptError as error:
        raise UsageError(f"{path}: {error}") from None
    return [step for step in script.steps if isinstance(step, Delegate)]


def _state(path: Path) -> JsonObject:
    from shared.strict_json import JsonSyntaxError, parse

    try:
        document = parse(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not a text file") from None
    except JsonSyntaxError as error:
        raise UsageError(f"{path}:{error.line}: {error.problem}") from None
    if document.flaws or not isinstance(document.value, dict):
        raise UsageError(f"{path}: a state is one sound JSON object; write one such as {{}}")
    return document.value


def _origin(text: str) -> str:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(text)
        is_exact = (
            parts.scheme in {"http", "https"}
            and bool(parts.hostname)
            and parts.port != 0
            and "@" not in parts.netloc
            and f"{parts.scheme}://{parts.netloc}" == text
            and text.isascii()
            and text == text.lower()
            and not any(one.isspace() for one in text)
        )
    except ValueError:
        is_exact = False
    if not is_exact:
        raise UsageError(
            "--allow-origin: not an exact origin; write scheme and host alone, such as"
            " https://app.example.com"
        )
    return text


def _serve(service: Service, host: str, port: int) -> None:
    import asyncio
    import signal

    from assistants.client.service_server import application_server

    async def until_interrupted() -> None:
        stopped = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stopped.set)
        async with application_server(service, host=host, port=port) as url:
            typer.echo(url)
            typer.echo(HINT, err=True)
            await stopped.wait()

    try:
        asyncio.run(until_interrupted())
    except OSError as error:
        raise UsageError(f"--port {port}: {error.strerror}") from None


def main() -> None:
    """Entry point of the command."""
    prepare_streams()
    sys.exit(run_app("client-assistant", app))


if __name__ == "__main__":
    main()

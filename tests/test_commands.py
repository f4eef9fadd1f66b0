"""Commands: each one in the docs can be typed as it stands, and no help waits for a library."""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType

import pytest
import typer

from shared.command import run_command
from shared.dataset import load_dataset
from shared.settings import Setting, Value, resolve

ROOT = Path(__file__).parent.parent
SCRIPTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
MODULES = {command: target.partition(":")[0] for command, target in SCRIPTS.items()}
PAGES = sorted(
    path for folder in (".", "*", "*/*", "*/*/*") for path in ROOT.glob(f"{folder}/*.md")
    # A changelog tells what was.
    if not {".venv", "node_modules", "results", "changelog.md"} & set(path.parts)
)  # fmt: skip
BLOCK = re.compile(r"```(?:bash|sh)\n(.*?)```", re.DOTALL)
INLINE = re.compile(r"`(uv run [^`\n]+)`")
HEAVY = {
    "asyncio", "httpx", "jiwer", "jsonschema", "numpy", "openai", "pydantic", "scipy", "soundfile",
    "soxr", "websockets",
}  # fmt: skip


def lines_in(page: Path) -> Iterator[list[str]]:
    """The words of every line that a page shows for a shell."""
    text = page.read_text("utf-8")
    for block in BLOCK.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            yield shlex.split(line, comments=True)
    for line in INLINE.findall(BLOCK.sub("", text)):
        yield shlex.split(line)


def commands_of(names: Sequence[str]) -> list[object]:
    """Lines in which one of these programs is run: the program, and what follows it."""
    found = []
    for page in PAGES:
        for words in lines_in(page):
            at = next((number for number, word in enumerate(words) if word in names), None)
            if at is not None:
                name = f"{page.relative_to(ROOT)}: {' '.join(words[at:])}"
                found.append(pytest.param(words[at], words[at + 1 :], id=name))
    return found


OURS = commands_of(tuple(SCRIPTS))


def is_named(word: str) -> bool:
    """Whether a word is meant as it stands, and is no variable and no placeholder."""
    return "$" not in word and not word.isupper()


@pytest.mark.parametrize(("command", "arguments"), OURS)
def test_a_command_in_the_docs_is_understood(
    command: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module(MODULES[command])
    given = read(module, command, arguments, monkeypatch)

    data = Path(
        given.get("data") or ROOT / module.__name__.partition(".")[0] / "data/scenarios.json"
    )
    scenario = given.get("example")
    if scenario and is_named(scenario) and (ROOT / data).is_file():
        assert scenario in {one.id for one in load_dataset(ROOT / data).scenarios}


def read(
    module: ModuleType, command: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    """What a command takes from its arguments; it goes no further."""
    taken: dict[str, str] = {}

    def only_read(
        name: str, about: str, rows: Sequence[Setting], _: Callable[[Mapping[str, Value]], int]
    ) -> int:
        def body(flags: Mapping[str, Value]) -> int:
            if all(map(is_named, arguments)):
                resolve(rows, flags=flags, environment={}, env_file={}, toml={})
            taken.update({one: str(value) for one, value in flags.items() if value is not None})
            return 0

        return run_command(name, about, rows, body)

    if not hasattr(module, "run_command"):
        typer.main.get_command(module.app).make_context(command, list(arguments))
        return taken
    monkeypatch.setattr(module, "run_command", only_read)
    # A thread that another test left behind would have it end this process at once.
    monkeypatch.setattr(module, "leave", sys.exit)
    monkeypatch.setattr("sys.argv", [command, *arguments])
    with pytest.raises(SystemExit) as end:
        module.main()
    assert end.value.code == 0
    return taken


@pytest.mark.parametrize(("_", "arguments"), commands_of(("python",)))
def test_a_program_in_the_docs_is_there(_: str, arguments: list[str]) -> None:
    if arguments[0] == "-m":
        assert importlib.util.find_spec(arguments[1])
    else:
        assert (ROOT / arguments[0]).is_file()


@pytest.mark.parametrize(("_", "arguments"), commands_of(("pytest",)))
def test_tests_in_the_docs_are_there(_: str, arguments: list[str]) -> None:
    assert all((ROOT / word).exists() for word in arguments if word.startswith("tests/"))


@pytest.mark.parametrize("command", SCRIPTS)
def test_every_command_is_in_the_docs(command: str) -> None:
    assert command in {one.values[0] for one in OURS}


@pytest.mark.parametrize("module", MODULES.values())
def test_its_help_waits_for_no_library(module: str) -> None:
    command = [sys.executable, "-X", "importtime", "-m", module, "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "typer" in imported
    assert HEAVY & {name.partition(".")[0] for name in imported} == set()

"""Whole runs for tests: the installed command in its own process, or its body in ours."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import assistants.suite.run
import assistants.suite.single_turns
import run_harness.conversations
from assistants.catalog import AssistantKit, FarEnd, factory_for
from assistants.suite.single_turns import single_turns
from assistants.suite.suite import Suite
from crawl_harness.suite import CRAWL
from run_harness.conversations import conversations
from shared.attempts.assistant import OpenAssistant
from shared.attempts.bench import judge_again
from shared.attempts.details import decode_details, result_json
from shared.clock import Clock
from shared.observability.trace import Trace
from shared.scenarios import AssistantBrief
from shared.settings import Value
from tests.support.forked import needs_a_start, run_forked

PLAYS = {"run": conversations}
PROGRAMS = Path(sys.executable).parent
COMMAND = PROGRAMS / "crawl-eval"
DATA = CRAWL.bundled_data.parent
WITHIN_S = 600

type Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run's folder, and what the command said."""

    folder: Path
    status: int
    stdout: str
    stderr: str

    @property
    def report(self) -> dict[str, Any]:
        report: dict[str, Any] = json.loads((self.folder / "results.json").read_bytes())
        return report

    @property
    def rows(self) -> dict[str, Row]:
        """The rows of ``results`` by the keys of their attempts, in the report's order."""
        return {row["attempt"]["key"]: row for row in self.report["results"]}

    @property
    def journal(self) -> list[str]:
        return (self.folder / "journal.jsonl").read_text("utf-8").splitlines()

    def files(self, *folders: str) -> dict[str, bytes]:
        """The content of every file, or of those in some folders, by relative path."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and (not folders or path.relative_to(self.folder).parts[0] in folders)
        }

    def details(self, key: str) -> bytes:
        return (self.folder / "transcripts" / f"{key}.json").read_bytes()


def crawl_eval(
    results: Path,
    *arguments: str | Path,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> FinishedRun:
    """Run the command to its end, in its own process. It sees the given environment alone."""
    return installed("crawl-eval", results, *arguments, cwd=cwd, environment=environment)


def installed(
    command: str,
    results: Path,
    *arguments: str | Path,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> FinishedRun:
    """The same with the command of any suite."""
    run = started if needs_a_start(environment or {}) else run_forked
    done = run(
        PROGRAMS / command,
        ["--results-dir", str(results), *map(str, arguments)],
        folder=cwd or results.parent,
        environment=bare_environment(results) | dict(environment or {}),
        within_s=WITHIN_S,
    )
    return FinishedRun(
        _only_folder(results, done.stderr), done.returncode, done.stdout, done.stderr
    )


def started(
    program: Path,
    arguments: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    within_s: float,
) -> subprocess.CompletedProcess[str]:
    """Start a program and wait for its end."""
    return subprocess.run(
        [program, *arguments],
        cwd=folder,
        env=dict(environment),
        capture_output=True,
        text=True,
        timeout=within_s,
        check=False,
    )


def bare_environment(results: Path) -> dict[str, str]:
    """What a process needs here, and an empty ``.env`` in place of whatever a checkout has."""
    env_file = results.with_name(f"{results.name}.env")
    env_file.touch()
    return {
        "PATH": os.environ["PATH"],
        "PYTHONHASHSEED": "0",
        "GPT_LIVE_EVALS_ENV_FILE": str(env_file),
    }


def _only_folder(results: Path, said: str) -> Path:
    folders = list(results.iterdir()) if results.is_dir() else []
    assert len(folders) == 1, f"{len(folders)} runs in {results}: {said}"
    assert (folders[0] / "results.json").is_file(), said
    return folders[0]


@dataclass(frozen=True, slots=True)
class Spoken:
    """One message as it crossed the line: ``sent`` or ``received`` by our client."""

    direction: str
    text: str

    @property
    def event(self) -> dict[str, Any]:
        event: dict[str, Any] = json.loads(self.text)
        return event

    @property
    def is_audio(self) -> bool:
        return '"session.input_audio.append"' in self.text or '"session.output_audio.' in self.text


type Lines = dict[str, list[Spoken]]
"""Every message of every attempt, whole and unmasked, by scenario id or attempt key."""


def evaluate_here(results: Path, suite: Suite = CRAWL, **flags: Value) -> tuple[FinishedRun, Lines]:
    """Run the command's body in this process, offline unless told otherwise, and hear every line.

    ``flags`` go by the names of their settings. Lines are keyed by scenario and number of the
    attempt at it, from 1, because an assistant is not told its attempt's key.
    """
    lines: Lines = {}
    given = {"offline": True, "results_dir": str(results), **flags}
    with _bare_process(results), _every_line_into(lines):
        status = assistants.suite.run.evaluate(suite, given, PLAYS.get(suite.name, single_turns))
    return FinishedRun(_only_folder(results, ""), status, "", ""), lines


@contextmanager
def _bare_process(results: Path) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("OPENAI", "GPT_LIVE")):
                patch.delenv(name)
        for name, value in bare_environment(results).items():
            patch.setenv(name, value)
        yield


@contextmanager
def _every_line_into(lines: Lines) -> Iterator[None]:
    def listening(mode: str) -> Callable[..., OpenAssistant]:
        open_assistant = factory_for(mode)

        def opened(
            kit: AssistantKit, brief: AssistantBrief, far_end: FarEnd, clock: Clock, trace: Trace
        ) -> OpenAssistant:
            name = next(
                name
                for number in range(1, 1_000)
                if (name := f"{brief.scenario_id}#{number}") not in lines
            )
            lines[name] = []
            return open_assistant(kit, brief, far_end, clock, Tap(trace, lines[name]))  # type: ignore[arg-type]

        return opened

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assistants.suite.single_turns, "factory_for", listening)
        patch.setattr(run_harness.conversations, "factory_for", listening)
        yield


class Tap:
    """Stands before a trace, which masks and shortens, and keeps what goes in."""

    def __init__(self, trace: Trace, line: list[Spoken]) -> None:
        self._trace = trace
        self._line = line

    def message(self, direction: str, message: str | bytes, at_us: int) -> None:
        assert isinstance(message, str)
        self._line.append(Spoken(direction, message))
        self._trace.message(direction, message, at_us)


def differing(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """The names under which two mappings differ; unlike a diff of the contents it can be read."""
    return sorted(name for name in one | other if one.get(name, ...) != other.get(name, ...))


def a_copy_of_the_data(folder: Path, data: Path = DATA) -> Path:
    """A dataset folder of one's own to change, with its scripts."""
    shutil.copytree(data, folder)
    return folder


def rewrite(path: Path, change: Callable[[Any], Any]) -> None:
    """Read a JSON file, change its content, write it."""
    content = json.loads(path.read_bytes())
    path.write_text(json.dumps(change(content), ensure_ascii=False), "utf-8")


def judged(details: dict[str, Any]) -> Row:
    """The row of an attempt judged again from the content of its details file."""
    row: Row = result_json(judge_again(decode_details(json.dumps(details).encode())))
    return row


def failed_checks(row: Row) -> set[str]:
    return checks_with([row], "failed")


def checks_with(rows: Sequence[Row], status: str) -> set[str]:
    """Ids of the checks that came to a status in any of the rows; what decides nothing is none."""
    return {
        one["id"]
        for row in rows
        for one in row["assessment"]["checks"]
        if one["status"] == status and one["required"]
    }

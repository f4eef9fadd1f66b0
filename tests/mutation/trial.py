"""Trials: the tests of a module, run against one mutant of it after another.

Each trial is a fork of this process, which has imported everything that the mutant cannot
affect; in it the import system is given the mutant in place of the module. No file is written.
"""

from __future__ import annotations

import ast
import gc
import importlib
import importlib.util
import os
import resource
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import partial
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import override

import pytest

from tests.mutation.mutants import Mutant

OURS = ("shared", "assistants", "crawl_harness", "walk_harness", "run_harness", "tests")
SUPPORT = "tests.support."
PYTEST = (
    "-x", "-q", "--assert=plain", "-p", "no:cacheprovider", "--hypothesis-profile=mutation",
)  # fmt: skip
BROKEN = 70
MEMORY_BYTES = 4 * 1024**3
PATIENCE = 3
"""A mutant may use this many times the processor time of its module, and a second more."""
LOADED = 20
"""And this many times that by the clock, for a machine may be busy and a mutant may wait."""


class Outcome(StrEnum):
    KILLED = "killed"
    TIMED_OUT = "timed out"
    SURVIVED = "survived"


class TrialError(Exception):
    """No trial was held, so nothing is known about any mutant."""


class Trials:
    """The trials of one file against its tests."""

    def __init__(self, file: str, tests: Sequence[str], jobs: int) -> None:
        """Run the tests unchanged, import what they needed, and learn how long they take."""
        self._tests = tests
        self._jobs = jobs
        self.limit_s = 0.0
        _forget_ours()
        reading, writing = os.pipe()
        self._fork(partial(_reporting_imports, tests, writing))
        os.close(writing)
        with os.fdopen(reading) as names:
            imported = names.read().split()
        if _outcome(os.wait()[1]) is not Outcome.SURVIVED:
            raise TrialError(f"{file}: its own tests fail: {' '.join(tests)}")
        _import_all(unaffected(file, imported))
        gc.freeze()
        self._fork(partial(_run, tests))
        _, _, used = os.wait3(0)
        self.limit_s = PATIENCE * (used.ru_utime + used.ru_stime) + 1

    def outcomes(self, mutants: Sequence[Mutant]) -> Iterator[tuple[Mutant, Outcome]]:
        """What became of each mutant, in the order in which that was known."""
        waiting = list(reversed(mutants))
        running: dict[int, Mutant] = {}
        while waiting or running:
            while waiting and len(running) < self._jobs:
                mutant = waiting.pop()
                running[self._fork(partial(_try, mutant, self._tests))] = mutant
            process, status = os.wait()
            yield running.pop(process), _outcome(status)

    def _fork(self, run: Callable[[], int]) -> int:
        """Begin a trial in a process of its own; its exit status is what ``run`` gives."""
        process = os.fork()
        if process:
            return process
        with suppress(BaseException):
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in range(3):
                os.dup2(nothing, stream)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
            signal.setitimer(signal.ITIMER_PROF, self.limit_s)
            signal.setitimer(signal.ITIMER_REAL, self.limit_s * LOADED)
            os._exit(run())
        os._exit(BROKEN)


def _outcome(status: int) -> Outcome:
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in {signal.SIGPROF, signal.SIGALRM}:
        return Outcome.TIMED_OUT
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == BROKEN:
        raise TrialError("a trial broke down before its tests began")
    return Outcome.SURVIVED if status == 0 else Outcome.KILLED


class PropertiesLast:
    """What a single example shows needs no twenty-five."""

    def pytest_collection_modifyitems(self, items: list[pytest.Function]) -> None:
        items.sort(key=lambda item: hasattr(item.function, "hypothesis"))


def _run(tests: Sequence[str]) -> int:
    return int(pytest.main([*PYTEST, *tests], plugins=[PropertiesLast()]))


def _try(mutant: Mutant, tests: Sequence[str]) -> int:
    sys.meta_path.insert(0, _Mutated(mutant.file, mutant.code()))
    return _run(tests)


class _Mutated(SourceFileLoader):
    """Finds and loads one module of the project from text that is not on the disk."""

    def __init__(self, file: str, code: str) -> None:
        super().__init__(_module(file), str(Path(file).resolve()))
        self._compiled = compile(code, file, "exec")

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    @override
    def get_code(self, fullname: str) -> CodeType:
        return self._compiled


def _reporting_imports(tests: Sequence[str], pipe: int) -> int:
    status = _run(tests)
    with os.fdopen(pipe, "w") as names:
        names.write(" ".join(sys.modules))
    return status


def unaffected(file: str, names: Sequence[str]) -> list[str]:
    """The modules among these that do not import the file, not even through others.

    Tests are for pytest to import, and are not among them.
    """
    ours = [name for name in names if name.partition(".")[0] in OURS]
    needs = {name: _imports(name) for name in ours}
    affected = {_module(file), *(name for name in ours if name.startswith("tests."))}
    affected -= {name for name in ours if name.startswith(SUPPORT)}
    while more := {name for name in ours if name not in affected and needs[name] & affected}:
        affected |= more
    return [name for name in names if name not in affected]


def _module(file: str) -> str:
    return file.removesuffix(".py").replace("/", ".")


def _imports(module: str) -> set[str]:
    """What a module of ours may import, by full name."""
    path = Path(module.replace(".", "/")).with_suffix(".py")
    if not path.exists():
        return set()
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def _forget_ours() -> None:
    """Whatever earlier trials imported; what could not affect them may well affect these."""
    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        if not __name__.startswith(name) and not name.startswith(__package__):
            del sys.modules[name]


def _import_all(names: Sequence[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            with suppress(ImportError):
                importlib.import_module(name)

"""The house guards its own floors.

    5  suites     crawl_harness   walk_harness   run_harness
    4  dialects   assistants:  application, settings, resources > runtime, wire > frontend
                               > responses > client > catalog, commands > suite
    3  doors      shared:      places > environment, streams, artifacts > config, dataset, command
                               > relay > viewer > single_turn > execution, testing
    2  verbs      shared:      metrics > grading > reporting
    1  nouns      shared:      audio > speech; scenarios; observability > participant > party
    0  values     shared:      intervals, clock, values, errors, settings, matching ...

Imports go down: a module may import its own room and every lower rung, never a room beside it.
Modules that are no door do no I/O and know no clock. Source is read with ``ast``, never imported,
and an import counts wherever it stands: at the top, in a function, for type checking alone.
"""

from __future__ import annotations

import ast
import graphlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("shared", "assistants", "crawl_harness", "walk_harness", "run_harness")

LADDER: tuple[tuple[str, ...], ...] = (
    # 0 values: the standard library alone, then each other
    (
        "shared.intervals",
        "shared.clock",
        "shared.values",
        "shared.errors",
        "shared.faults",
        "shared.pairing",
        "shared.phrases",
        "shared.plain_text",
        "shared.readings",
        "shared.utf8",
    ),
    ("shared.settings", "shared.strict_json", "shared.matching"),
    ("shared.differences", "shared.json_text"),
    ("shared.env_example",),
    ("shared.settings_table",),
    (
        "shared.own_loop",
        "shared.wall_time",
        "shared.virtual_time",
        "shared.places",
        "shared.whole_files",
    ),
    # 1 nouns
    ("shared.audio",),
    ("shared.scenario_types",),
    ("shared.audio.effects",),
    ("shared.speech",),
    ("shared.scenario_rules",),
    ("shared.scenarios",),
    ("shared.scenario_faults", "shared.scenario_schema"),
    ("shared.observability",),
    ("shared.audio.sidecar",),
    ("shared.participant",),
    ("shared.party",),
    # 2 verbs, and the one door they write through
    ("shared.artifacts",),
    ("shared.metrics",),
    ("shared.grading",),
    ("shared.reporting",),
    # 3 doors
    ("shared.environment", "shared.streams"),
    ("shared.config", "shared.command", "shared.dataset"),
    ("shared.attempts", "shared.relay"),
    ("shared.viewer",),
    ("shared.single_turn",),
    ("shared.execution", "shared.testing"),
    # 4 dialects
    (
        "assistants.application",
        "assistants.config",
        "assistants.endpoints",
        "assistants.tool_result",
        "assistants.tool_schema",
    ),
    ("assistants.resources", "assistants.tool_thread"),
    ("assistants.runtime", "assistants.wire"),
    ("assistants.frontend",),
    ("assistants.responses",),
    ("assistants.client",),
    ("assistants.catalog", "assistants.live_fixture"),
    ("assistants.suite",),
    # 5 suites
    ("crawl_harness", "walk_harness", "run_harness"),
)
RUNG = {room: rung for rung, rooms in enumerate(LADDER) for room in rooms}

# The only modules that may wait, read, write, look at the environment or at a clock.
DOORS = frozenset(
    {
        "shared.artifacts",
        "shared.attempts.cancellation",
        "shared.attempts.judging",
        "shared.audio.conversion",
        "shared.audio.detection.silero",
        "shared.audio.effects.bundled",
        "shared.audio.monitor",
        "shared.audio.sidecar",
        "shared.audio.speakers",
        "shared.audio.wav",
        "shared.command",
        "shared.config",
        "shared.dataset",
        "shared.environment",
        "shared.execution",
        "shared.grading.asking",
        "shared.grading.judge_cache",
        "shared.grading.openai_judge",
        "shared.grading.openai_model",
        "shared.own_loop",
        "shared.places",
        "shared.relay",
        "shared.reporting.console",
        "shared.reporting.journal",
        "shared.reporting.report_schema",
        "shared.scenario_schema",
        "shared.single_turn.attempt",
        "shared.speech.ambience_files",
        "shared.speech.cache",
        "shared.speech.espeak",
        "shared.speech.hibari",
        "shared.speech.openai",
        "shared.streams",
        "shared.testing.loopback",
        "shared.reporting.progress",
        "shared.viewer.assets",
        "shared.viewer.attempts",
        "shared.viewer.history_files",
        "shared.viewer.publish",
        "shared.viewer.saved_run",
        "shared.viewer.export",
        "shared.viewer.recording",
        "shared.virtual_time",
        "shared.wall_time",
        "shared.whole_files",
        "assistants.frontend.fixture.http",
        "assistants.frontend.fixture.library",
        "assistants.frontend.fixture.message_log",
        "assistants.frontend.fixture.server",
        "assistants.frontend.transport",
        "assistants.client.contract_schema",
        "assistants.client.openai_backend",
        "assistants.client.remote_worker",
        "assistants.client.scripted",
        "assistants.client.service",
        "assistants.client.service_server",
        "assistants.client.workshop",
        "assistants.live_fixture",
        "assistants.resources",
        "assistants.responses.worker",
        "assistants.runtime",
        "assistants.tool_thread",
        "assistants.wire",
        "assistants.suite.header",
        "assistants.suite.judge",
        "assistants.suite.junit_file",
        "assistants.suite.client_kit",
        "assistants.suite.kit",
        "assistants.suite.plan",
        "assistants.suite.run",
        "assistants.suite.secrecy",
        "assistants.suite.suite",
        "assistants.suite.voices",
        "crawl_harness.fault_table",
        "crawl_harness.suite",
        "crawl_harness.tests.readme_example",
        "run_harness.play",
        "run_harness.scripted_caller",
        "run_harness.simulation.closing",
        "run_harness.simulation.session",
        "run_harness.suite",
        "run_harness.viewing",
        "walk_harness.caller",
        "walk_harness.generation.clean",
        "walk_harness.generation.inventory",
        "walk_harness.generation.make",
        "walk_harness.suite",
        "run_harness.simulation.openai_observer",
    }
)
# Doors of another kind: what they take in is text of our own files, on its way to becoming types.
READERS = frozenset(
    {"shared.observability.codec", "shared.attempts.details", "shared.viewer.saved_row"}
)

FOR_DOORS = frozenset(
    {
        "asyncio", "concurrent", "dotenv", "http", "importlib", "multiprocessing", "openai", "os",
        "pathlib", "random", "rich", "secrets", "selectors", "shutil", "signal", "socket",
        "sounddevice", "soundfile", "subprocess", "sys", "tempfile", "threading", "time", "tomllib",
        "typer", "uuid", "wave", "websockets",
    }
)  # fmt: skip
# Methods of paths and of clocks. ``.open`` is not among them: without pathlib there is no path to
# call it on, and sessions are opened too.
CALLS_FOR_DOORS = frozenset(
    {
        "read_bytes", "read_text", "write_bytes", "write_text", "mkdir", "rmdir", "touch", "unlink",
        "rename", "symlink_to", "iterdir", "glob", "rglob",
        "now", "today", "utcnow", "monotonic", "perf_counter",
    }
)  # fmt: skip
FUNCTIONS_FOR_DOORS = frozenset({"open", "print", "input", "exec", "eval", "__import__"})


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the packages, parsed. A package goes by its own name."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[name] = ast.parse(path.read_text("utf-8"))
    return found


MODULES = sorted(modules())


def room(module: str) -> str | None:
    """The room a module lives in: the longest one whose name it begins with."""
    homes = [one for one in RUNG if module == one or module.startswith(f"{one}.")]
    return max(homes, key=len, default=None)


def imported(tree: ast.Module) -> Iterator[str]:
    """Every module a module imports, by its full name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide where they go"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in modules() else str(node.module)


def ours(tree: ast.Module) -> set[str]:
    return {name for name in imported(tree) if name.partition(".")[0] in PACKAGES}


def is_empty(tree: ast.Module) -> bool:
    """Whether there is nothing but a docstring."""
    return all(isinstance(node, ast.Expr) for node in tree.body)


def test_every_module_lives_in_a_room() -> None:
    """Where a new one belongs is a decision."""
    assert [name for name in MODULES if name not in PACKAGES and room(name) is None] == []


def test_imports_only_go_down() -> None:
    imports = {(name, target) for name in MODULES for target in ours(modules()[name])}
    assert [(name, target) for name, target in sorted(imports) if not goes_down(name, target)] == []


def goes_down(module: str, target: str) -> bool:
    """Whether a module may import another: from its own room, or from a lower rung."""
    mine, theirs = room(module), room(target)
    if module in PACKAGES:
        return True
    return theirs is not None and (theirs == mine or RUNG[theirs] < RUNG[mine or ""])


def test_no_two_modules_need_each_other() -> None:
    needs = {name: ours(tree) - {name} for name, tree in modules().items()}
    graphlib.TopologicalSorter(needs).prepare()


def test_every_room_has_a_tenant() -> None:
    assert {*RUNG} - {room(module) for module in MODULES} == set()


def test_packages_hold_no_code_of_their_own() -> None:
    """So that importing a module runs that module and nothing beside it."""
    folders = {name for name in MODULES if any(other.startswith(f"{name}.") for other in MODULES)}
    assert [name for name in folders if not is_empty(modules()[name])] == []


def effects(tree: ast.Module) -> Iterator[str]:
    """Whatever only a door may do."""
    for name in imported(tree):
        if name.partition(".")[0] in FOR_DOORS:
            yield f"imports {name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            match node.func:
                case ast.Name(id=name) if name in FUNCTIONS_FOR_DOORS:
                    yield f"calls {name}() in line {node.lineno}"
                case ast.Attribute(attr=name) if name in CALLS_FOR_DOORS:
                    yield f"calls .{name}() in line {node.lineno}"
        elif isinstance(node, ast.Attribute) and node.attr == "random":
            yield f"uses .random in line {node.lineno}"


def test_a_module_that_is_no_door_has_no_effects() -> None:
    found = {name: [*effects(modules()[name])] for name in MODULES if name not in DOORS}
    assert {name: done for name, done in found.items() if done} == {}


def test_a_door_opens_to_something() -> None:
    """A module that has become pure leaves the list."""
    assert DOORS - {*MODULES} == set()
    assert [name for name in sorted(DOORS) if not [*effects(modules()[name])]] == []


def untyped(tree: ast.Module) -> Iterator[int]:
    """Lines that speak of ``dict[str, Any]``."""
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(
                value=ast.Name(id="dict"),
                slice=ast.Tuple(elts=[ast.Name(id="str"), ast.Name(id="Any")]),
            ):
                yield node.lineno


def test_untyped_objects_stay_at_the_door() -> None:
    found = {name: [*untyped(modules()[name])] for name in MODULES if name not in DOORS | READERS}
    assert {name: lines for name, lines in found.items() if lines} == {}


# The rules themselves, tried on code that breaks them.


@pytest.mark.parametrize(
    ("code", "effect"),
    [
        pytest.param("import asyncio", "imports asyncio", id="an-import"),
        pytest.param("from os import environ", "imports os", id="an-import-of-a-name"),
        pytest.param("def f():\n import time", "imports time", id="an-import-in-a-function"),
        pytest.param("open('x')", "calls open()", id="a-file"),
        pytest.param("def f(p): p.read_text()", "calls .read_text()", id="a-path-given"),
        pytest.param("datetime.now()", "calls .now()", id="a-clock"),
        pytest.param("np.random.default_rng()", "uses .random", id="chance"),
    ],
)
def test_an_effect_is_seen(code: str, effect: str) -> None:
    assert [seen for seen in effects(ast.parse(code)) if seen.startswith(effect)]


def test_an_untyped_object_is_seen() -> None:
    assert list(untyped(ast.parse("x: dict[str, Any] = {}\ny: dict[str, int]"))) == [1]


@pytest.mark.parametrize(
    ("module", "home"),
    [
        ("shared.audio.detection.port", "shared.audio"),
        ("shared.audio", "shared.audio"),
        ("shared.audiology", None),
        ("shared", None),
    ],
)
def test_a_room_is_found_by_whole_words(module: str, home: str | None) -> None:
    assert room(module) == home

"""The wheel alone, in an environment of its own, used from an empty folder far from a checkout."""

from __future__ import annotations

import json
from importlib.metadata import distributions
from pathlib import Path

import pytest

from shared.places import PACKAGES
from tests.support.shipping import NO_VARIABLES, Finished, Room, Shipped

SUITES = {
    "crawl-eval": ("crawl", 2, ("--offline", "--max-examples", "2")),
    "walk-eval": ("walk", 2, ("--offline", "--max-examples", "2")),
    "run-eval": ("run", 1, ("--offline", "--scenario", "restaurant_booking_complete")),
}
MODULES = {
    "crawl-eval": "crawl_harness.evaluate",
    "walk-eval": "walk_harness.evaluate",
    "walk-generate-audio": "walk_harness.generate_audio",
    "run-eval": "run_harness.evaluate",
    "run-view": "run_harness.view",
    "live-fixture": "assistants.live_fixture",
    "client-assistant": "assistants.client.service",
}
GENERATE = ("--synthesizer", "tone", "--example", "restaurant_003")
WAYS = ("command", "module")


def run(room: Room, command: str, *arguments: str | Path, way: str = "command") -> Finished:
    if way == "module":
        return room.run("python", "-m", MODULES[command], *arguments)
    return room.run(command, *arguments)


def refusal(done: Finished) -> str:
    """The one line a refused command says."""
    (line,) = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "")
    return line


def test_every_command_is_claimed_here(shipped: Shipped) -> None:
    """A new one, such as run-view, wants a row in ``MODULES`` and claims about what it leaves."""
    (ours,) = distributions(name="gpt-live-evals", path=[str(shipped.packages)])
    commands = ours.entry_points.select(group="console_scripts")
    assert {one.name: one.value for one in commands} == {
        command: f"{module}:main" for command, module in MODULES.items()
    }


IMPORT_ALL = """
import importlib, pkgutil, sys
for package in sys.argv[1:]:
    for one in pkgutil.walk_packages(importlib.import_module(package).__path__, package + "."):
        importlib.import_module(one.name)
"""


def test_what_it_requires_is_all_it_needs(room: Room) -> None:
    """Every module can be imported where no extra is and nothing for development."""
    done = room.run("python", "-c", IMPORT_ALL, *PACKAGES)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("command", MODULES)
def test_a_command_says_what_it_is(command: str, way: str, room: Room) -> None:
    done = run(room, command, "--version", way=way)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{command} (gpt-live-evals 0.1.0)\n"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("command", SUITES)
def test_a_suite_runs_and_leaves_its_results_below_the_working_folder_alone(
    command: str, way: str, room: Room, shipped: Shipped
) -> None:
    suite, attempts, arguments = SUITES[command]
    installed = shipped.installed_files()
    done = run(room, command, *arguments, way=way)

    assert (done.returncode, done.stderr) == (0, "")
    (report,) = room.work.glob("results/*/*/results.json")
    assert report.parents[1] == room.work / "results" / suite
    assert done.stdout.endswith(f"Results: {report.relative_to(room.work)}\n")
    summary = json.loads(report.read_text("utf-8"))["summary"]
    assert (summary["passed"], summary["total"]) == (attempts, attempts)
    assert shipped.installed_files() == installed
    leaves = f"{report.parent.relative_to(room.folder)}/"
    assert [name for name in room.new_files() if not name.startswith(leaves)] == []


@pytest.mark.parametrize("way", WAYS)
def test_a_page_is_made_beside_the_report_or_where_it_is_wanted(
    way: str, room: Room, shipped: Shipped
) -> None:
    done = room.run("crawl-eval", "--offline", "--max-examples", "1", "--visualize")
    (report,) = room.work.glob("results/*/*/results.json")
    beside = report.with_name("viewer.html")
    assert done.stdout.endswith(f"Viewer: {beside.relative_to(room.work)}\n")
    installed, before = shipped.installed_files(), set(room.new_files())
    done = run(room, "run-view", "--results", report, "--output", "page.html", way=way)

    page = room.work / "page.html"
    assert (done.returncode, done.stdout, done.stderr) == (0, "Viewer: page.html\n", "")
    assert page.read_bytes().startswith(b"<!doctype html>")
    assert shipped.installed_files() == installed
    assert set(room.new_files()) - before == {str(page.relative_to(room.folder))}


@pytest.mark.parametrize("way", WAYS)
def test_recordings_of_bundled_requests_are_made_below_the_working_folder(
    way: str, room: Room, shipped: Shipped
) -> None:
    installed = shipped.installed_files()
    done = run(room, "walk-generate-audio", *GENERATE, way=way)

    assert (done.returncode, done.stderr) == (0, "")
    made = "above/work/data/walk"
    assert shipped.installed_files() == installed
    assert {f"{made}/scenarios.generated.json", f"{made}/audio/restaurant_003_clean.wav"} <= set(
        room.new_files()
    )
    assert [name for name in room.new_files() if not name.startswith(f"{made}/")] == []


@pytest.mark.parametrize(
    ("command", "arguments", "flag", "place"),
    [
        pytest.param(
            "crawl-eval", ("--offline",), "--results-dir", "crawl_harness/results",
            id="results-of-crawl",
        ),
        pytest.param(
            "walk-eval", ("--offline",), "--results-dir", "shared", id="results-of-walk"
        ),
        pytest.param(
            "run-eval", ("--offline",), "--results-dir", "run_harness/../assistants/new",
            id="results-of-run",
        ),
        pytest.param(
            "crawl-eval", ("--offline",), "--audio-cache-dir", "crawl_harness/.audio_cache",
            id="a-callers-voice",
        ),
        pytest.param(
            "walk-eval",
            ("--endpoint", "wss://localhost:9/v1/live/sessions"),
            "--judge-cache-dir",
            "walk_harness/.judge_cache",
            id="judgments",
        ),
        pytest.param(
            "walk-generate-audio", GENERATE, "--output-data", "walk_harness/data/more.json",
            id="recordings",
        ),
        pytest.param(
            "run-view", ("--results", "anywhere"), "--output", "shared/viewer/page/new.html",
            id="a-page",
        ),
    ],
)  # fmt: skip
def test_nothing_is_written_into_a_package(
    command: str, arguments: tuple[str, ...], flag: str, place: str, room: Room, shipped: Shipped
) -> None:
    installed = shipped.installed_files()
    done = room.run(
        command,
        *arguments,
        flag,
        shipped.packages / place,
        environment={"OPENAI_API_KEY": "a-key-for-nobody"},
    )

    assert refusal(done) == f"{command}: {flag}: choose a folder outside installed packages"
    assert shipped.installed_files() == installed
    assert room.new_files() == []


def test_nor_by_one_who_works_in_a_package(room: Room, shipped: Shipped) -> None:
    installed = shipped.installed_files()
    done = room.run("crawl-eval", "--offline", cwd=shipped.packages / "crawl_harness")

    assert "--results-dir: choose a folder outside" in refusal(done)
    assert shipped.installed_files() == installed


def test_an_environment_file_is_read_where_one_works(room: Room) -> None:
    """The same file lies above, at home and beside the packages in every test here, unread."""
    (room.work / ".env").write_text(NO_VARIABLES, "utf-8")
    done = run(room, "crawl-eval", "--offline", "--max-examples", "1")

    assert refusal(done).startswith("crawl-eval: .env:1: ")
    assert room.new_files() == []

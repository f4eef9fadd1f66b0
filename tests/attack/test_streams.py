"""Whatever the terminal is, or is not: the same files, the same status, no trace and no colours."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import junitparser
import pytest

from tests.support.planted import ECHO, a_dataset, a_script, an_echo
from tests.support.runs import COMMAND, bare_environment
from tests.support.strict_files import files_of, journal_keys, result_keys, unreadable

ROOT = Path(__file__).parents[2]
TEXT = "Grüße \N{SNOWMAN} \N{GRINNING FACE} \u202eevil \x9b31m\u2028next"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset whose one request fails with a text that no small terminal can carry."""
    place = tmp_path_factory.mktemp("streams")
    script = a_script({"arguments": {"refuse": TEXT}}, said="Done.")
    a_dataset(place / "data", {"request": ({"input": {"text": "Do it."}}, script)})
    an_echo(place / "app")
    return place


def command(folder: Path, name: str, *options: str) -> list[str]:
    given = ["--offline", "--data", "data/scenarios.json", "--application", "app"]
    return [str(COMMAND), *given, "--results-dir", f"results/{name}", *options]


def in_shell(
    folder: Path, name: str, redirection: str, *options: str, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """A run whose streams a shell arranges."""
    return subprocess.run(
        ["/bin/sh", "-c", f'"$0" "$@" {redirection}', *command(folder, name, *options)],
        cwd=folder,
        env=bare_environment(folder / "any") | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )


VARIATIONS: dict[str, tuple[str, dict[str, str]]] = {
    "plain": ("", {}),
    "cp1252": ("", {"PYTHONIOENCODING": "cp1252"}),
    "ascii": ("", {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}),
    "no stdout": (">&-", {}),
    "no stderr": ("2>&-", {}),
    "no stream": ("<&- >&- 2>&-", {}),
    "a reader who leaves": ("| head -c 1", {}),
    "narrow": ("", {"COLUMNS": "20", "TERM": "dumb"}),
    "colours wanted": ("", {"FORCE_COLOR": "1"}),
    "no colours": ("", {"NO_COLOR": "1"}),
}


@pytest.fixture(scope="module")
def runs(folder: Path) -> Iterator[dict[str, Future[subprocess.CompletedProcess[bytes]]]]:
    with ThreadPoolExecutor(2) as pool:
        yield {
            name: pool.submit(
                in_shell, folder, name, redirection, "--fail-on", "any", "--verbose", **environment
            )
            for name, (redirection, environment) in VARIATIONS.items()
        }


def rows(folder: Path, name: str) -> Any:
    (run,) = (folder / "results" / name).iterdir()
    files = files_of(run)
    assert unreadable(files) == []
    return sorted(files), json.loads(files["results.json"])["results"]


@pytest.mark.parametrize("name", VARIATIONS)
def test_the_same_comes_out(
    name: str, folder: Path, runs: dict[str, Future[subprocess.CompletedProcess[bytes]]]
) -> None:
    done = runs[name].result()
    runs["plain"].result()

    # The shell gives the reader's status where there is one.
    assert done.returncode == (0 if "|" in VARIATIONS[name][0] else 1), done.stderr
    assert done.stderr == b""
    assert b"\x1b" not in done.stdout
    assert b"Traceback" not in done.stdout
    assert rows(folder, name) == rows(folder, "plain")


def test_a_foreign_text_makes_no_line_and_no_command(
    runs: dict[str, Future[subprocess.CompletedProcess[bytes]]],
) -> None:
    said = runs["plain"].result().stdout.decode()

    assert "\\u202eevil" in said
    assert not any(line.startswith("next") for line in said.splitlines())
    assert not {"\u202e", "\x9b", "\u2028"} & set(said)


@pytest.mark.parametrize(
    "environment",
    [
        pytest.param({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, id="ascii"),
        pytest.param({"PYTHONIOENCODING": "cp1252"}, id="cp1252"),
    ],
)
def test_help_can_be_read(environment: dict[str, str], tmp_path: Path) -> None:
    done = subprocess.run(
        [COMMAND, "--help"],
        env=bare_environment(tmp_path / "any") | environment,
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert b"--concurrency" in done.stdout


@pytest.mark.parametrize(
    ("variables", "is_plain"),
    [
        pytest.param({"TERM": "dumb"}, True, id="a-dumb-one"),
        pytest.param({"TERM": "xterm", "COLUMNS": "20"}, False, id="a-narrow-one"),
    ],
)
def test_a_real_terminal(variables: dict[str, str], is_plain: bool, folder: Path) -> None:
    ours, theirs = pty.openpty()
    name = f"tty-{variables['TERM']}"
    process = subprocess.Popen(
        command(folder, name),
        cwd=folder,
        env=bare_environment(folder / "any") | variables,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            said += os.read(ours, 65_536)
        except OSError:  # the other end has closed
            break
    os.close(ours)

    assert process.wait(timeout=60) == 0, said
    assert b"request" in said
    assert b"\x9b" not in said.replace("é".encode(), b"")
    assert not is_plain or b"\x1b[3" not in said


NOISY = f"""
import os, sys
print("noise at the start")
os.system("echo noise of a program")
{ECHO}
    def snapshot(self):
        print("noise of a tool")
        sys.__stdout__.write("noise of the very first stdout\\\\n")
        sys.__stdout__.flush()
        os.write(1, b"noise of the system\\\\n")
        return dict(self._state)
"""


def test_an_application_that_prints_spoils_no_json(folder: Path) -> None:
    an_echo(folder / "noisy", NOISY)
    done = in_shell(folder, "noisy", "", "--json", "--application", "noisy")

    assert json.loads(done.stdout)["summary"]["total"] == 1
    for noise in (b"at the start", b"of a program", b"of a tool", b"very first", b"of the system"):
        assert b"noise " + noise in done.stderr or b"noise of the " + noise in done.stderr


# Interrupts. The second request's tool takes its time, and says when it has begun.

SLOW = f"""
import os, pathlib, time
{ECHO}
    def call(self, name, arguments, call_id):
        pathlib.Path("begun").touch()
        time.sleep(arguments["value"])
        return {{}}
"""


def interrupted(place: Path, seconds: float, signals: int) -> tuple[int, bytes, float]:
    """Interrupt a run whose second attempt is at work; its status, stderr, seconds to its end."""
    quick = ({"input": {"text": "Do it."}}, a_script(said="Done."))
    slow = ({"input": {"text": "Do it."}}, a_script({"arguments": {"value": seconds}}))
    a_dataset(place / "data", {"quick": quick, "slow": slow, "third": quick})
    an_echo(place / "app", SLOW)
    process = subprocess.Popen(
        command(place, "cut", "--junit", "cut.xml"),
        cwd=place,
        env=bare_environment(place / "any"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    until = time.monotonic() + 60
    while not (place / "begun").exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    began = time.monotonic()
    for number in range(signals):
        if number:
            time.sleep(0.3)
        process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    return process.returncode, said, time.monotonic() - began


@pytest.mark.parametrize(
    ("seconds", "signals"),
    [pytest.param(1.0, 1, id="once-and-the-tool-ends"), pytest.param(50.0, 2, id="twice-at-once")],
)
def test_an_interrupt_keeps_what_had_finished(seconds: float, signals: int, tmp_path: Path) -> None:
    status, said, took_s = interrupted(tmp_path, seconds, signals)
    (run,) = (tmp_path / "results" / "cut").iterdir()
    files = files_of(run)

    assert (status, said) == (130, b"")
    assert took_s < 30
    assert unreadable(files) == []
    assert journal_keys(files) == result_keys(files) == ["quick"]
    is_closed = json.loads(files["results.json"])["run"]["ended_at"] is not None
    assert is_closed is (signals == 1)
    # Ended at once, neither is there; otherwise both are whole, and tell of what was not made.
    assert ("summary.md" in files) is (tmp_path / "cut.xml").exists() is is_closed
    if is_closed:
        assert b"Interrupted: 1 of 3 attempts finished" in files["summary.md"]
        (suite,) = junitparser.JUnitXml.fromfile(str(tmp_path / "cut.xml"))
        skipped = [case.name for case in suite if case.is_skipped]
        assert ([case.name for case in suite], skipped) == (
            ["quick", "slow", "third"],
            ["slow", "third"],
        )


AT_THE_LAST_WRITE = """
import os, signal, sys
from shared.reporting.journal import Journal
from crawl_harness.evaluate import main

write = Journal._write
def interrupted(self, run):
    if run.ended_at is not None:
        for _ in range(int(os.environ["SIGNALS"])):
            os.kill(os.getpid(), signal.SIGINT)
    return write(self, run)
Journal._write = interrupted
main()
"""


@pytest.mark.parametrize("signals", [1, 2])
def test_interrupts_during_the_last_write(signals: int, folder: Path) -> None:
    name = f"last-{signals}"
    done = subprocess.run(
        [sys.executable, "-c", AT_THE_LAST_WRITE, *command(folder, name)[1:]],
        cwd=folder,
        env=bare_environment(folder / "any") | {"PYTHONPATH": str(ROOT), "SIGNALS": str(signals)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    (run,) = (folder / "results" / name).iterdir()
    files = files_of(run)

    assert (done.returncode, done.stderr) == (130, b"")
    assert unreadable(files) == []
    assert result_keys(files) == ["request"]
    assert (json.loads(files["results.json"])["run"]["ended_at"] is not None) is (signals == 1)


AT_ONE_INSTANT = """
import datetime
import assistants.suite.run
from crawl_harness.evaluate import main

class Stopped(datetime.datetime):
    @classmethod
    def now(cls, zone=None):
        return datetime.datetime(2027, 1, 2, 3, 4, 5, 678_000, zone)
assistants.suite.run.datetime = Stopped
main()
"""


def test_two_runs_of_one_millisecond_have_a_folder_each(folder: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", AT_ONE_INSTANT, *command(folder, "twins")[1:]],
            cwd=folder,
            env=bare_environment(folder / "any") | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    said = [process.communicate(timeout=60)[1] for process in processes]

    assert [process.returncode for process in processes] == [0, 0], said
    runs = sorted(path for path in (folder / "results/twins").iterdir())
    assert [run.name[-5:] for run in runs] == ["_678Z", "_679Z"][-len(runs) :]
    assert [result_keys(files_of(run)) for run in runs] == [["request"], ["request"]]

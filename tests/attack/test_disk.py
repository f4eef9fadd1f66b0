"""A disk that is full or gone ends a run in one line; one file that cannot be written does not."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from shared.artifacts import RunDirectory
from tests.support.planted import ECHO, a_dataset, a_script, an_echo
from tests.support.runs import COMMAND, bare_environment, evaluate_here
from tests.support.strict_files import files_of, journal_keys, result_keys, unreadable

NUMBER = 5


def requests(folder: Path) -> Path:
    script = a_script({"arguments": {"value": "x"}}, said="Done.")
    fields = {"input": {"text": "Do it."}}
    return a_dataset(folder, {f"request_{n}": (fields, script) for n in range(NUMBER)})


def run(
    folder: Path, *options: str, source: str = ECHO, before: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[str]:
    """A whole run of its own over an application whose source may be told."""
    arguments = ["--offline", "--data", requests(folder / "data"), "--results-dir", "results"]
    application = an_echo(folder / "app", source)
    return subprocess.run(
        [COMMAND, *arguments, "--application", application, *options],
        cwd=folder,
        env=bare_environment(folder / "any") | {"RESULTS": str(folder / "results")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        preexec_fn=before,
    )


def at_most(size: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("at_once", ["1", "3"])
def test_files_that_may_not_grow_end_the_run(at_once: str, tmp_path: Path) -> None:
    done = run(tmp_path, "--concurrency", at_once, before=at_most(30_000))
    files = files_of(tmp_path / "results")

    assert done.returncode == 3
    assert done.stderr.startswith("crawl-eval: File too large: ")
    assert len(done.stderr.splitlines()) == 1
    assert unreadable(files) == []
    assert [name for name in (tmp_path / "results").rglob(".*") if name.is_file()] == []
    begun = {path.name for path in (tmp_path / "results").glob("*/audio/*")}
    assert len(begun) <= int(at_once), "no attempt is begun after the first that could not be kept"


VANISHES = f"""
import os, pathlib, shutil
{ECHO}
    def __init__(self, initial_state, facts):
        self._state = dict(initial_state)
        (run,) = pathlib.Path(os.environ["RESULTS"]).iterdir()
        if (run / "results.json").exists():
            shutil.rmtree(run)
"""


def test_a_folder_that_vanishes_ends_the_run(tmp_path: Path) -> None:
    done = run(tmp_path, source=VANISHES)

    assert done.returncode == 3
    assert done.stderr.startswith("crawl-eval: No such file or directory: ")
    assert len(done.stderr.splitlines()) == 1
    assert list((tmp_path / "results").iterdir()) == []


IN_THE_WAY = f"""
import os, pathlib
{ECHO}
    def __init__(self, initial_state, facts):
        self._state = dict(initial_state)
        (run,) = pathlib.Path(os.environ["RESULTS"]).iterdir()
        (run / "audio").touch()
"""


def test_recordings_that_cannot_be_written_are_missing_and_nothing_else(tmp_path: Path) -> None:
    done = run(tmp_path, source=IN_THE_WAY)
    (folder,) = (tmp_path / "results").iterdir()
    files = files_of(folder)
    rows = json.loads(files["results.json"])["results"]

    assert (done.returncode, done.stderr) == (0, "")
    assert len(rows) == NUMBER
    for row in rows:
        assert {"details", "events", "script"} == set(row["artifacts"])
        assert "output_audio could not be written: Not a directory" in row["warnings"]
        assert json.loads(files[row["artifacts"]["details"]])["evidence"]["warnings"]


WANDERS = f"""
import os
{ECHO}
    def __init__(self, initial_state, facts):
        self._state = dict(initial_state)
        os.chdir("/")
"""


def test_an_application_that_changes_the_working_directory_changes_no_place(tmp_path: Path) -> None:
    done = run(tmp_path, source=WANDERS)

    assert done.returncode == 0, done.stderr
    (folder,) = (tmp_path / "results").iterdir()
    assert result_keys(files_of(folder)) == [f"request_{n}" for n in range(NUMBER)]


class FullDisk:
    """Takes so many bytes, then none."""

    def __init__(self, room: int) -> None:
        self.room = room
        self._write = os.write

    def write(self, descriptor: int, content: bytes) -> int:
        taken = bytes(content[: self.room])
        if not taken and content:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.room -= len(taken)
        return self._write(descriptor, taken)


@pytest.mark.parametrize("verb", ["append", "write", "replace"])
@pytest.mark.parametrize("room", [0, 1, 9])
def test_what_does_not_fit_leaves_what_was_there(
    verb: str, room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = RunDirectory.create(tmp_path, "run")
    directory.append("journal", "a whole line")
    directory.replace("report", b"the report\n")
    monkeypatch.setattr(os, "write", FullDisk(room).write)

    what = {
        "append": lambda: directory.append("journal", "another whole line"),
        "write": lambda: directory.write("new", b"0123456789"),
        "replace": lambda: directory.replace("report", b"0123456789"),
    }
    with pytest.raises(OSError, match="No space left") as caught:
        what[verb]()
    assert directory.is_lost(caught.value)
    assert files_of(directory.path) == {"journal": b"a whole line\n", "report": b"the report\n"}
    assert {path.name for path in directory.path.iterdir()} == {"journal", "report"}


def test_a_disk_that_fills_up_keeps_what_had_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    data = requests(tmp_path / "data")
    whole, _ = evaluate_here(
        tmp_path / "whole", data=str(data), application=str(an_echo(tmp_path / "app"))
    )
    per_attempt = sum(map(len, whole.files().values())) // NUMBER
    monkeypatch.setattr(os, "write", FullDisk(per_attempt * 3).write)
    with pytest.raises(OSError, match="No space left"):
        evaluate_here(tmp_path / "full", data=str(data), application=str(tmp_path / "app"))
    monkeypatch.undo()
    (folder,) = (tmp_path / "full").iterdir()
    files = files_of(folder)

    assert unreadable(files) == []
    assert 1 <= len(journal_keys(files)) < NUMBER
    assert result_keys(files) == journal_keys(files)

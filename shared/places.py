"""Where a run may write by default: in a source checkout beside the suite, installed elsewhere."""

from __future__ import annotations

import contextlib
import os
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

from shared.errors import UsageError

DISTRIBUTION = "gpt-live-evals"
FOLDER_MODE = 0o700
_PART = ".part"
PACKAGES = ("shared", "assistants", "crawl_harness", "walk_harness", "run_harness")


def checkout() -> Path | None:
    """The root of the source checkout this code runs from, or nothing when it is installed."""
    root = Path(__file__).resolve().parent.parent
    try:
        project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError):
        return None
    return root if project.get("project", {}).get("name") == DISTRIBUTION else None


def expanded(path: str | Path, setting: str) -> Path:
    """A path with ``~`` replaced; :class:`UsageError` when nobody's home is meant, or no path."""
    if "\0" in str(path):
        raise UsageError(f"{setting}: {path}: no path holds a NUL character; remove it")
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise UsageError(f"{setting}: {path}: no such home folder; write the path out") from None


def results_root(suite: str) -> Path:
    root = checkout()
    return root / f"{suite}_harness" / "results" if root else Path("results") / suite


def audio_cache(environment: Mapping[str, str]) -> Path:
    root = checkout()
    if root is not None:
        return root / "crawl_harness" / ".audio_cache"
    return _user_cache(environment) / DISTRIBUTION / "crawl-audio"


def judge_cache(environment: Mapping[str, str]) -> Path:
    root = checkout()
    if root is not None:
        return root / "crawl_harness" / ".judge_cache"
    return _user_cache(environment) / DISTRIBUTION / "judgments"


def refuse_inside_package(path: Path, setting: str) -> None:
    """Installed code is read-only: no output goes into its folders."""
    if checkout() is not None:
        return
    site = Path(__file__).resolve().parent.parent
    resolved = path.resolve()
    for package in PACKAGES:
        if resolved.is_relative_to(site / package):
            raise UsageError(f"{setting}: choose a folder outside installed packages")


def _user_cache(environment: Mapping[str, str]) -> Path:
    named = Path(environment.get("XDG_CACHE_HOME", ""))
    if named.is_absolute():
        return named
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    if os.name == "nt":
        return Path(environment.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path.home() / ".cache"


def make_private(folder: Path) -> None:
    """Make a folder and its missing parents; ``mkdir`` would leave the parents open to others.

    Folders that exist keep their permissions; an ``OSError`` says what stands in the way.
    """
    if not folder.parent.exists():
        make_private(folder.parent)
    folder.mkdir(mode=FOLDER_MODE, exist_ok=True)


@contextlib.contextmanager
def same_working_directory() -> Iterator[None]:
    """Run code of others: wherever it goes, the working directory is what it was afterwards."""
    try:
        before = os.getcwd()  # noqa: PTH109 - one that has vanished is nowhere to come back to
    except OSError:
        before = None
    try:
        yield
    finally:
        if before is not None:
            with contextlib.suppress(OSError):
                os.chdir(before)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, as :func:`draft` does, from what is at hand already."""
    with draft(path) as file:
        file.write(content)


@contextlib.contextmanager
def draft(path: Path) -> Iterator[IO[bytes]]:
    """A private file beside a place, to be written; in one step at the end it takes the place.

    Where that, or what is done meanwhile, fails, nothing is left of it. An ``OSError`` names the
    file that was to be written.
    """
    try:
        with _part_of(path) as (file, part):
            yield file
            file.close()
            part.replace(path)
    except OSError as error:
        # What is done meanwhile may be about another file.
        if error.filename is None or str(error.filename).endswith(_PART):
            error.filename, error.filename2 = str(path), None
        raise


@contextlib.contextmanager
def _part_of(path: Path) -> Iterator[tuple[IO[bytes], Path]]:
    import tempfile  # not for the help, which knows its places too

    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=_PART, delete=False) as file:
        part = Path(file.name)
        try:
            yield file, part
        except BaseException:
            part.unlink(missing_ok=True)
            raise

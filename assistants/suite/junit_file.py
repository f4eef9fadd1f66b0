"""Where ``--junit`` writes: a place that is looked at before anything is created or spent."""

from __future__ import annotations

import os
from pathlib import Path

from shared.errors import UsageError
from shared.places import expanded, refuse_inside_package
from shared.settings import Settings

SETTING = "--junit"
_BEGINNINGS = (b"<?xml", b"<testsuite")


def junit_file(settings: Settings, side: str | None = None) -> Path | None:
    """The file, absolute because a tool may change the working directory, if one is wanted.

    ``side`` goes into its name, where each run of a comparison has one of its own.

    Raises :class:`UsageError` for a place where no file can be made, or where another one stands.
    """
    named = settings.path("junit")
    if named is None:
        return None
    path = expanded(named, SETTING)
    if side is not None:
        path = path.with_name(f"{path.stem}_{side}{path.suffix}")
    try:
        refuse_inside_package(path, SETTING)
        _check(path)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UsageError(f"{SETTING}: {path}: cannot be written: {reason}") from None
    return path.absolute()


def _check(path: Path) -> None:
    folder = path.parent
    if path.is_dir():
        raise UsageError(f"{SETTING}: {path} is a folder; name a file in it")
    if not folder.is_dir():
        raise UsageError(f"{SETTING}: {path}: there is no folder {folder}; make it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"{SETTING}: {path}: no file can be made in that folder; choose another")
    if not path.exists():
        return
    if not path.is_file():
        raise UsageError(f"{SETTING}: {path} is no regular file; choose another name")
    with path.open("rb") as file:
        beginning = file.read(16)
    if beginning and not beginning.startswith(_BEGINNINGS):
        # A dataset named here by mistake would be lost.
        raise UsageError(f"{SETTING}: {path} exists and is no XML; choose another name")

"""The run directory: private, never reused, followed through no link, written whole or not at all.

On POSIX new folders are 0700 and new files 0600. Folders that existed keep their permissions.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from shared.errors import UsageError
from shared.places import FOLDER_MODE, make_private

FILE_MODE = 0o600


class RunDirectory:
    """One run's folder. Paths given to it are relative, with forward slashes."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, root: Path, name: str, *, setting: str = "--results-dir") -> RunDirectory:
        """Make ``root/name``; what stands in the way is a :class:`UsageError`."""
        path = root / name
        try:
            make_private(root)
            path.mkdir(mode=FOLDER_MODE)
        except FileExistsError:
            what = "the run directory exists already" if root.is_dir() else "a file is in its place"
            raise UsageError(f"{setting}: {root}: {what}; choose another folder or name") from None
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise UsageError(f"{setting}: {root}: cannot be created: {reason}") from None
        return cls(path)

    def write(self, relative: str, content: bytes) -> str:
        """Create a file that does not exist yet; return its relative path."""
        path = self._place(relative)
        with _create(path) as descriptor:
            _write_all(descriptor, content)
        return relative

    def replace(self, relative: str, content: bytes) -> None:
        """Write a file whole beside its place, then put it there in one step."""
        path = self._place(relative)
        draft = path.with_name(f".{path.name}.draft")
        draft.unlink(missing_ok=True)
        with _create(draft) as descriptor:
            _write_all(descriptor, content)
            os.fsync(descriptor)
        draft.replace(path)

    def append(self, relative: str, line: str) -> None:
        """Add one line to a file and see it onto the disk."""
        path = self._place(relative)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(path, flags, FILE_MODE)
        try:
            _write_all(descriptor, f"{line}\n".encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _place(self, relative: str) -> Path:
        parts = PurePosixPath(relative).parts
        if not parts or any(part in {"..", "/"} or "\\" in part for part in parts):
            raise ValueError(f"not a path below the run directory: {relative!r}")
        folder = self.path
        for part in parts[:-1]:
            folder /= part
            with contextlib.suppress(FileExistsError):
                folder.mkdir(mode=FOLDER_MODE)
            if folder.is_symlink():
                raise OSError(f"{folder} is a link")
        return folder / parts[-1]


@contextlib.contextmanager
def _create(path: Path) -> Iterator[int]:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(path, flags, FILE_MODE)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]

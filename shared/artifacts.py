"""The run directory: private, never reused, followed through no link, written whole or not at all.

A file gets its name when all of it is there, so a killed run leaves whole files, and perhaps drafts
whose names begin with a dot. On POSIX new folders are 0700 and new files 0600. Folders that existed
keep their permissions.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from shared.errors import UsageError
from shared.places import FOLDER_MODE, make_private

FILE_MODE = 0o600
_NOTHING_MORE = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.ENODEV, errno.ESTALE}
)


class NameTakenError(UsageError):
    """Something stands where the run directory should be made."""


class RunDirectory:
    """One run's folder. Paths given to it are relative, with forward slashes."""

    def __init__(self, path: Path) -> None:
        # Absolute, so that an application that changes the working directory changes nothing here.
        self.path = path.absolute()

    @classmethod
    def create(cls, root: Path, name: str, *, setting: str = "--results-dir") -> RunDirectory:
        """Make ``root/name``; what stands in the way is a :class:`UsageError`."""
        path = root / name
        missing = [folder for folder in (root, *root.parents) if not os.path.lexists(folder)]
        try:
            make_private(root)
            path.mkdir(mode=FOLDER_MODE)
        except FileExistsError:
            if not root.is_dir():
                # No other name would help.
                raise UsageError(
                    f"{setting}: {root}: a file is in its place; choose another folder or name"
                ) from None
            what = "the run directory exists already"
            raise NameTakenError(
                f"{setting}: {root}: {what}; choose another folder or name"
            ) from None
        except OSError as error:
            for folder in missing:
                with contextlib.suppress(OSError):
                    folder.rmdir()
            reason = error.strerror or type(error).__name__
            raise UsageError(f"{setting}: {root}: cannot be created: {reason}") from None
        return cls(path)

    def is_lost(self, error: OSError) -> bool:
        """Whether after this error nothing more can be written here, rather than one file not."""
        return error.errno in _NOTHING_MORE or not self.path.is_dir()

    def write(self, relative: str, content: bytes) -> str:
        """Create a file that does not exist yet; return its relative path."""
        path = self._place(relative)
        if path.exists() or path.is_symlink():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        with _draft_of(path) as descriptor:
            _write_all(descriptor, content)
        return relative

    def replace(self, relative: str, content: bytes) -> None:
        """Write a file whole beside its place, then put it there in one step."""
        with _draft_of(self._place(relative)) as descriptor:
            _write_all(descriptor, content)
            os.fsync(descriptor)

    def append(self, relative: str, line: str) -> None:
        """Add one line to a file and see it onto the disk; a line that does not fit is no line."""
        path = self._place(relative)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(path, flags, FILE_MODE)
        try:
            length = os.fstat(descriptor).st_size
            try:
                _write_all(descriptor, f"{line}\n".encode())
                os.fsync(descriptor)
            except OSError as error:
                os.ftruncate(descriptor, length)
                raise _named(error, path) from None
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
def _draft_of(path: Path) -> Iterator[int]:
    """A file to be written that takes its place, and its name, in one step at the end."""
    draft = path.with_name(f".{path.name}.draft")
    draft.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(draft, flags, FILE_MODE)
        try:
            yield descriptor
        finally:
            os.close(descriptor)
        draft.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        raise _named(error, path) from None


def _named(error: OSError, path: Path) -> OSError:
    """The error with the file it is about: writing to a descriptor, the system names none."""
    error.filename, error.filename2 = str(path), None
    return error


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]

"""What takes long is made once for all workers: who comes first makes it, others wait for it."""

from __future__ import annotations

import fcntl
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path


def once(folder: Path, make: Callable[[Path], object]) -> Path:
    """Make a folder's content."""
    done = folder.with_suffix(".done")
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            make(folder)
            done.touch()
    return folder


def made_once[T](folder: Path, make: Callable[[Path], T]) -> T:
    """Make a folder's content, and give what its making gave."""

    def keep(folder: Path) -> None:
        folder.mkdir()
        made = make(folder)
        (folder / "made.pickle").write_bytes(pickle.dumps(made))

    kept = once(folder, keep) / "made.pickle"
    made: T = pickle.loads(kept.read_bytes())  # noqa: S301 - written right above
    return made

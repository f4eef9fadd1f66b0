"""Files read whole: they have an end, and it comes soon."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def content(path: Path, largest_bytes: int) -> bytes:
    """All bytes of a regular file that holds no more than so many.

    A pipe would be waited for and a device read for ever: they are a ``ValueError`` of one line, as
    a larger file is. What the system refuses stays its ``OSError``.
    """
    # Opened once: what stands there may be another thing by the time it is read.
    with open(path, "rb", opener=_at_once) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise ValueError("it is no regular file, so it may have no end")
        read = b"" if found.st_size > largest_bytes else file.read(largest_bytes + 1)
        size = max(found.st_size, len(read))
    if size > largest_bytes:
        raise ValueError(f"it holds {size} bytes, at most {largest_bytes} are read")
    return read


def _at_once(path: str, flags: int) -> int:
    """Opens without waiting: a pipe would be waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))

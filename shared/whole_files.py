"""Files read whole: they have an end, and it comes soon."""

from __future__ import annotations

import stat
from pathlib import Path


def content(path: Path, largest_bytes: int) -> bytes:
    """All bytes of a regular file that holds no more than so many.

    A pipe would be waited for and a device read for ever: they are a ``ValueError`` of one line, as
    a larger file is. What the system refuses stays its ``OSError``.
    """
    found = path.stat()
    is_folder = stat.S_ISDIR(found.st_mode)  # reading it says so best
    if not is_folder and not stat.S_ISREG(found.st_mode):
        raise ValueError("it is no regular file, so it may have no end")
    if found.st_size > largest_bytes:
        raise ValueError(f"it holds {found.st_size} bytes, at most {largest_bytes} are read")
    return path.read_bytes()

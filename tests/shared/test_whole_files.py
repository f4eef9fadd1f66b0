"""A file is what it is when it is read, whatever it was when it was looked at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from shared.whole_files import content


@pytest.mark.parametrize(
    ("size", "largest"),
    [pytest.param(4, 4, id="just small enough"), pytest.param(0, 0, id="empty")],
)
def test_all_of_a_small_file_is_read(tmp_path: Path, size: int, largest: int) -> None:
    (tmp_path / "a").write_bytes(b"x" * size)
    assert content(tmp_path / "a", largest) == b"x" * size


def test_a_file_one_byte_too_large_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 5)
    with pytest.raises(ValueError, match="holds 5 bytes, at most 4 are read"):
        content(tmp_path / "a", 4)


def test_a_file_that_seems_smaller_than_it_is_ends_all_the_same() -> None:
    with pytest.raises(ValueError, match="at most 4 are read"):
        content(Path("/proc/self/status"), 4)


def test_a_pipe_is_not_waited_for_also_where_a_file_stood_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "a"
    place.write_bytes(b"x")
    looked_at = place.stat()
    place.unlink()
    os.mkfifo(place)
    monkeypatch.setattr(Path, "stat", lambda *_, **__: looked_at)
    with pytest.raises(ValueError, match="no regular file"):
        content(place, 4)


def test_a_folder_says_that_it_is_one(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        content(tmp_path, 4)

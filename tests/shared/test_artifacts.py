"""The run directory: private, its own, whole, and never led elsewhere by a link."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from shared.artifacts import RunDirectory
from shared.errors import UsageError

needs_posix = pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def content(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    return RunDirectory.create(tmp_path, "run")


@pytest.fixture(autouse=True)
def generous_umask() -> Iterator[None]:
    """Privacy must not rest on the user's umask."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@needs_posix
def test_every_folder_it_makes_is_the_owners_alone(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    run = RunDirectory.create(tmp_path / "a" / "b", "run")
    run.write("audio/key/input.wav", b"")

    made = ["a", "a/b", "a/b/run", "a/b/run/audio", "a/b/run/audio/key"]
    assert {mode(tmp_path / path) for path in made} == {0o700}
    assert mode(tmp_path) == 0o755, "a folder that existed keeps its permissions"


@needs_posix
def test_every_file_it_makes_is_the_owners_alone(run: RunDirectory) -> None:
    run.write("a.txt", b"a")
    run.replace("b.txt", b"b")
    run.append("c.txt", "c")

    assert {mode(path) for path in run.path.iterdir()} == {0o600}


def test_what_is_written_is_there(run: RunDirectory) -> None:
    assert run.write("audio/key/input.wav", b"\x00\xff") == "audio/key/input.wav"
    assert (run.path / "audio" / "key" / "input.wav").read_bytes() == b"\x00\xff"


def test_a_folder_is_shared_by_the_files_in_it(run: RunDirectory) -> None:
    run.write("events/a.jsonl", b"")
    run.write("events/b.jsonl", b"")

    assert content(run.path) == {"events", "events/a.jsonl", "events/b.jsonl"}


def test_a_run_directory_is_never_used_again(tmp_path: Path) -> None:
    RunDirectory.create(tmp_path, "run").write("a", b"first")

    with pytest.raises(UsageError, match="exists already; choose another"):
        RunDirectory.create(tmp_path, "run")
    assert (tmp_path / "run" / "a").read_bytes() == b"first"


def a_file(path: Path) -> None:
    path.write_text("mine")


def a_link(path: Path) -> None:
    (path.parent / "elsewhere").mkdir()
    path.symlink_to(path.parent / "elsewhere")


def a_dangling_link(path: Path) -> None:
    path.symlink_to(path.parent / "nowhere")


@pytest.mark.parametrize("obstacle", [a_file, a_link, a_dangling_link])
def test_in_place_of_the_run_directory_nothing_is_followed(
    obstacle: Callable[[Path], None], tmp_path: Path
) -> None:
    obstacle(tmp_path / "run")
    before = content(tmp_path)

    with pytest.raises(UsageError, match=r"^--results-dir: "):
        RunDirectory.create(tmp_path, "run")
    assert content(tmp_path) == before


@pytest.mark.parametrize(
    ("root", "complaint"),
    [
        pytest.param("taken", "a file is in its place", id="a-file-in-the-folders-place"),
        pytest.param("taken/below", "cannot be created: Not a directory", id="below-a-file"),
        pytest.param("x" * 300, "cannot be created: File name too long", id="a-name-too-long"),
    ],
)
def test_a_root_is_refused_with(root: str, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "taken").touch()

    with pytest.raises(UsageError, match=complaint) as caught:
        RunDirectory.create(tmp_path / root, "run")
    assert len(str(caught.value).splitlines()) == 1
    assert content(tmp_path) == {"taken"}


@pytest.mark.parametrize(
    ("root", "name"),
    [
        pytest.param("new/sub/folder", "x" * 300, id="whose-run-cannot-be-made"),
        pytest.param("new/sub/" + "x" * 300, "run", id="whose-end-cannot-be-made"),
    ],
)
def test_a_refused_root_leaves_none_of_its_parents(root: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "there").touch()

    with pytest.raises(UsageError, match="File name too long"):
        RunDirectory.create(tmp_path / root, name)
    assert content(tmp_path) == {"there"}


def test_a_relative_root_stays_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = RunDirectory.create(Path("results"), "run")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    run.write("a", b"x")

    assert (tmp_path / "results/run/a").read_bytes() == b"x"


@pytest.mark.parametrize(
    ("error", "is_lost"),
    [
        pytest.param(OSError(28, "no space"), True, id="a-full-disk"),
        pytest.param(OSError(122, "quota"), True, id="a-used-up-quota"),
        pytest.param(OSError(30, "read-only"), True, id="a-disk-gone-read-only"),
        pytest.param(PermissionError(13, "no"), False, id="a-file-nobody-may-write"),
        pytest.param(NotADirectoryError(20, "no"), False, id="a-file-in-a-folders-place"),
        pytest.param(FileNotFoundError(2, "no"), False, id="a-folder-gone-within"),
    ],
)
def test_a_directory_is_lost_with(error: OSError, is_lost: bool, run: RunDirectory) -> None:
    assert run.is_lost(error) is is_lost


def test_a_directory_that_is_gone_is_lost_whatever_the_error(run: RunDirectory) -> None:
    run.path.rmdir()

    assert run.is_lost(FileNotFoundError(2, "no"))


def test_a_root_without_permission_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", forbidden)
    with pytest.raises(UsageError, match="cannot be created: Permission denied"):
        RunDirectory.create(tmp_path / "root", "run")


def test_a_root_that_is_a_link_is_the_users_choice(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "root").symlink_to(tmp_path / "real")
    RunDirectory.create(tmp_path / "root", "run").write("a", b"")

    assert (tmp_path / "real" / "run" / "a").is_file()


def test_a_file_is_written_once(run: RunDirectory) -> None:
    run.write("a", b"first")

    with pytest.raises(FileExistsError):
        run.write("a", b"second")
    assert (run.path / "a").read_bytes() == b"first"


@pytest.mark.parametrize("verb", ["write", "append"])
@pytest.mark.parametrize("is_dangling", [False, True])
def test_a_link_in_a_files_place_is_not_followed(
    verb: str, is_dangling: bool, run: RunDirectory, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    if not is_dangling:
        victim.write_bytes(b"kept")
    (run.path / "a").symlink_to(victim)

    with pytest.raises(OSError, match=r"File exists|symbolic links"):
        getattr(run, verb)("a", b"x" if verb == "write" else "x")
    assert victim.exists() is not is_dangling
    assert is_dangling or victim.read_bytes() == b"kept"


def test_a_link_in_a_replaced_files_place_is_replaced_itself(
    run: RunDirectory, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"kept")
    (run.path / "a").symlink_to(victim)
    run.replace("a", b"new")

    assert victim.read_bytes() == b"kept"
    assert not (run.path / "a").is_symlink()
    assert (run.path / "a").read_bytes() == b"new"


def test_a_draft_left_by_a_killed_run_is_not_followed(run: RunDirectory, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"kept")
    (run.path / ".a.draft").symlink_to(victim)
    run.replace("a", b"new")

    assert victim.read_bytes() == b"kept"
    assert content(run.path) == {"a"}


@pytest.mark.parametrize("verb", ["write", "replace", "append"])
def test_a_link_in_a_folders_place_is_not_followed(
    verb: str, run: RunDirectory, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (run.path / "audio").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OSError, match="is a link"):
        getattr(run, verb)("audio/a", "x" if verb == "append" else b"x")
    assert content(tmp_path / "elsewhere") == set()


@pytest.mark.parametrize(
    "relative",
    ["", ".", "..", "../a", "a/../../b", "/a", "/", "a\\b", "..\\a", "a/.."],
)
@pytest.mark.parametrize("verb", ["write", "replace", "append"])
def test_a_path_that_does_not_lie_below_is_refused(
    verb: str, relative: str, run: RunDirectory, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="not a path below"):
        getattr(run, verb)(relative, "x" if verb == "append" else b"x")
    assert content(tmp_path) == {"run"}


def test_replacing_leaves_the_new_content_alone(run: RunDirectory) -> None:
    run.replace("a", b"a longer first content")
    run.replace("a", b"second")

    assert (run.path / "a").read_bytes() == b"second"
    assert content(run.path) == {"a"}


def test_a_reader_of_the_old_file_keeps_it_whole(run: RunDirectory) -> None:
    run.replace("a", b"first")
    with (run.path / "a").open("rb") as reader:
        run.replace("a", b"second")

        assert reader.read() == b"first"


def test_a_replacement_that_fails_leaves_the_old_content(
    run: RunDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.replace("a", b"first")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        run.replace("a", b"second")
    assert (run.path / "a").read_bytes() == b"first"


def test_lines_are_added_at_the_end(run: RunDirectory) -> None:
    run.append("journal.jsonl", "one")
    run.append("journal.jsonl", "zwölf")

    assert (run.path / "journal.jsonl").read_text("utf-8") == "one\nzwölf\n"


@pytest.mark.parametrize("verb", ["replace", "append"])
def test_what_must_survive_a_kill_is_seen_onto_the_disk(
    verb: str, run: RunDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    getattr(run, verb)("a", "x" if verb == "append" else b"x")

    assert len(synced) == 1

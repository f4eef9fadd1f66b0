"""The project as people get it: built from a copy of the checkout, installed far from any."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.programs import needs_program

ROOT = Path(__file__).resolve().parents[2]
NO_VARIABLES = "this line assigns nothing\n"
"""An environment file that whoever reads it refuses to go on with."""
LEFT_BEHIND = (
    ".env",
    "assistants/.env",
    "crawl_harness/.audio_cache/spoken.wav",
    "crawl_harness/.judge_cache/judgment.json",
    "crawl_harness/results/crawl_offline/results.json",
    "run_harness/results/run_offline/audio/a/conversation.wav",
    "shared/audio/__pycache__/pcm.cpython-312.pyc",
    "shared/viewer/tests/canary.txt",
    "walk_harness/results/walk_offline/viewer.html",
)
"""What runs, tools and people leave in a checkout."""
WITHIN_S = 600

type Finished = subprocess.CompletedProcess[str]
type Stamps = dict[str, tuple[int, int]]


def source_files() -> list[str]:
    """What a commit of this checkout would hold, by relative path."""
    command = [needs_program("git"), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return sorted(name for name in told.split("\0") if (ROOT / name).is_file())


@dataclass(frozen=True, slots=True)
class Shipped:
    """A copy of the checkout, what was built from it, and an environment with nothing but that."""

    folder: Path

    @property
    def source(self) -> Path:
        return self.folder / "source"

    @property
    def wheel(self) -> Path:
        (wheel,) = self.folder.glob("dist/*.whl")
        return wheel

    @property
    def sdist(self) -> Path:
        (sdist,) = self.folder.glob("dist/*.tar.gz")
        return sdist

    @property
    def programs(self) -> Path:
        return self.folder / "venv" / "bin"

    @property
    def packages(self) -> Path:
        (packages,) = self.folder.glob("venv/lib/python*/site-packages")
        return packages

    def installed_files(self) -> Stamps:
        """Size and time of every file of the environment, but for what Python itself compiles."""
        return _stamps(self.folder / "venv", but_for=".pyc")


def ship(folder: Path) -> Shipped:
    """Build from a checkout in which people have worked, and install the wheel alone."""
    shipped = Shipped(folder)
    for name in source_files():
        _place(shipped.source / name).write_bytes((ROOT / name).read_bytes())
    for name in LEFT_BEHIND:
        _place(shipped.source / name).write_text("left behind\n", "utf-8")
    _uv("build", shipped.source, "--out-dir", folder / "dist")
    # What it requires, at the versions of the lock; then nothing but the wheel.
    environment = {"UV_PROJECT_ENVIRONMENT": str(folder / "venv")}
    only_required = ("--locked", "--no-default-groups", "--no-install-project")
    _uv("sync", "--project", shipped.source, *only_required, "--python", sys.executable,
        environment=environment)  # fmt: skip
    _uv("pip", "install", "--python", folder / "venv", "--no-deps", shipped.wheel)
    (shipped.packages / ".env").write_text(NO_VARIABLES, "utf-8")
    return shipped


@dataclass(frozen=True, slots=True)
class Room:
    """Where one user sits: an empty folder to work in, below one whose ``.env`` nobody may read."""

    shipped: Shipped
    folder: Path

    @classmethod
    def furnished(cls, shipped: Shipped, folder: Path) -> Room:
        room = cls(shipped, folder)
        for place in (room.work, room.home, room.temporary):
            place.mkdir(parents=True)
        for place in (room.work.parent, room.home):
            (place / ".env").write_text(NO_VARIABLES, "utf-8")
        return room

    @property
    def work(self) -> Path:
        return self.folder / "above" / "work"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    @property
    def temporary(self) -> Path:
        return self.folder / "temporary"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.defpath,
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "XDG_CACHE_HOME": str(self.cache),
        }

    def run(
        self,
        program: str,
        *arguments: str | Path,
        cwd: Path | None = None,
        environment: dict[str, str] | None = None,
    ) -> Finished:
        """Run a program of the installation to its end, with hardly a variable set."""
        return subprocess.run(
            [self.shipped.programs / program, *arguments],
            cwd=cwd or self.work,
            env=self.environment | (environment or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=WITHIN_S,
            check=False,
        )

    def new_files(self) -> list[str]:
        """Every file of the room that was not there when its user came, by relative path."""
        return sorted(name for name in _stamps(self.folder) if not name.endswith("/.env"))


def _stamps(folder: Path, *, but_for: str = "\0") -> Stamps:
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(but_for)
    }


def _place(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _uv(*arguments: str | Path, environment: dict[str, str] | None = None) -> None:
    """Run uv. A registry is asked only where the cache that ``uv sync`` filled does not do."""
    command = [needs_program("uv"), *arguments, "--quiet"]
    variables = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    for way in ("--offline", "--no-progress"):
        done = subprocess.run(
            [*command, way],
            env=variables | (environment or {}),
            capture_output=True,
            text=True,
            timeout=WITHIN_S,
            check=False,
        )
        if done.returncode == 0:
            return
    pytest.fail(f"uv {arguments[0]}: {done.stderr}", pytrace=False)

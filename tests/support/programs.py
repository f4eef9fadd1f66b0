"""Tests that need something this computer may not have: they skip by name, or fail in CI."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

REQUIRE_ALL = "REQUIRE_ALL"


def needs_program(name: str) -> str:
    """The path of a program. Without it the test is skipped, or fails where nothing may be."""
    path = shutil.which(name)
    if path is None:
        missing(f"the program {name} is not installed")
    return path


def needs_file(path: Path, remedy: str) -> Path:
    """A file or directory that a test does not make itself; ``remedy`` says how to get it."""
    if not path.exists():
        missing(f"{path.name} is missing: {remedy}")
    return path


def needs_package(name: str) -> None:
    """A Python package of an extra."""
    if importlib.util.find_spec(name) is None:
        missing(f"the package {name} is not installed")


def missing(reason: str) -> NoReturn:
    if os.environ.get(REQUIRE_ALL) == "1":
        pytest.fail(f"{reason} ({REQUIRE_ALL} is set)", pytrace=False)
    pytest.skip(reason)

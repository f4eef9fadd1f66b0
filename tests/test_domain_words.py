"""No shipped file outside the application and the datasets knows what the example is about.

Prose for people (``*.md``) may speak of the example; code, prompts, settings and schemas may not.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.domain_words import APPLICATION, domain_words

ROOT = Path(__file__).parent.parent
WORDS = domain_words()
SHIPPED = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"][
    "targets"
]["wheel"]["packages"]
# A wheel has neither what runs leave behind nor what only a checkout is for.
NOT_SHIPPED = {"__pycache__", "results", ".audio_cache", ".judge_cache", "tests"}


def shipped_files() -> Iterator[Path]:
    for package in SHIPPED:
        for path in sorted((ROOT / package).rglob("*")):
            parts = path.relative_to(ROOT).parts
            is_example = path.is_relative_to(APPLICATION) or parts[1:2] == ("data",)
            if path.is_file() and not is_example and not NOT_SHIPPED & set(parts):
                yield path


NO_TEXT = {".md", ".flac"}
FILES = [path for path in shipped_files() if path.suffix not in NO_TEXT]


def test_no_shipped_file_knows_anything_of_the_example() -> None:
    assert len(FILES) > 300
    assert [
        f"{path}:{number}: {line}"
        for path in FILES
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if WORDS.search(line)
    ] == []


def test_no_shipped_name_speaks_of_the_example() -> None:
    assert [path for path in shipped_files() if WORDS.search(str(path.relative_to(ROOT)))] == []


def test_prompts_settings_and_schemas_are_searched_too() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in FILES}
    assert {
        "assistants/frontend/prompts/voice.txt",
        "crawl_harness/config.toml",
        "walk_harness/config.toml",
        "shared/scenarios.schema.json",
    } <= names


@pytest.mark.parametrize(
    "name", ["facts.json", "phrases.json", "tools.json", "tools.py", "prompts/scope.txt"]
)
def test_the_application_is_full_of_them(name: str) -> None:
    """So that the search above is known to find what it looks for."""
    assert WORDS.search((APPLICATION / name).read_text("utf-8"))

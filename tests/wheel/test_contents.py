"""What is shipped: all that a run needs, and nothing that people or runs left in a checkout."""

from __future__ import annotations

import fnmatch
import tarfile
import tomllib
import zipfile

import pytest

from tests.support.shipping import LEFT_BEHIND, ROOT, Shipped, source_files

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PACKAGES = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]


def of_a_package(name: str) -> bool:
    package, *below = name.split("/")
    return package in PACKAGES and "tests" not in below


@pytest.fixture(scope="module")
def in_wheel(shipped: Shipped) -> set[str]:
    with zipfile.ZipFile(shipped.wheel) as wheel:
        return set(wheel.namelist())


@pytest.fixture(scope="module")
def in_sdist(shipped: Shipped) -> set[str]:
    with tarfile.open(shipped.sdist) as sdist:
        return {name.partition("/")[2] for name in sdist.getnames()}


def test_a_wheel_holds_every_file_of_the_packages_and_none_besides(in_wheel: set[str]) -> None:
    described = {name for name in in_wheel if ".dist-info/" in name}
    assert in_wheel - described == {name for name in source_files() if of_a_package(name)}


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("assistants/frontend/prompts/*.txt", id="prompts-of-the-voice"),
        pytest.param("assistants/application/prompts/*.txt", id="prompts-of-the-application"),
        pytest.param("assistants/application/*.json", id="facts-phrases-and-tools"),
        pytest.param("*_harness/config.toml", id="settings"),
        pytest.param("*_harness/data/scenarios.json", id="datasets"),
        pytest.param("*_harness/data/scripts/*.json", id="scripts"),
        pytest.param("walk_harness/data/audio/*.wav", id="recordings"),
        pytest.param("shared/audio/effects/sounds/*.flac", id="sounds-of-rooms"),
        pytest.param("shared/*.schema.json", id="schemas"),
        pytest.param("shared/reporting/*.xsd", id="the-schema-of-junit-files"),
        pytest.param("shared/viewer/page/*", id="the-page-of-the-viewer"),
        pytest.param("*_harness/README.md", id="pages-of-the-suites"),
    ],
)
def test_a_wheel_holds(pattern: str, in_wheel: set[str]) -> None:
    here = fnmatch.filter(source_files(), pattern)
    assert here
    assert in_wheel.issuperset(here)


def test_an_sdist_holds_what_a_wheel_is_built_from(in_sdist: set[str]) -> None:
    needed = {"pyproject.toml", "README.md", "LICENSE", "uv.lock"}
    assert in_sdist >= needed | {name for name in source_files() if of_a_package(name)}


@pytest.mark.parametrize("name", LEFT_BEHIND)
def test_neither_holds_what_was_left_behind(
    name: str, in_wheel: set[str], in_sdist: set[str]
) -> None:
    assert name not in in_wheel | in_sdist

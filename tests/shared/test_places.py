"""Where a run writes when nobody says: beside the suite in a checkout, elsewhere once installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import shared.places
from shared.errors import UsageError
from shared.places import (
    PACKAGES,
    audio_cache,
    checkout,
    expanded,
    judge_cache,
    refuse_inside_package,
    results_root,
)

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared.places, "checkout", lambda: None)


def test_this_is_a_checkout() -> None:
    assert checkout() == ROOT


@pytest.mark.parametrize(
    "project",
    [
        pytest.param(None, id="without-a-project-file"),
        pytest.param('[project]\nname = "another"\n', id="in-another-project"),
        pytest.param("[project]\n", id="in-a-project-without-a-name"),
        pytest.param("= not toml", id="beside-a-broken-project-file"),
    ],
)
def test_code_is_installed(
    project: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared.places, "__file__", str(tmp_path / "shared" / "places.py"))
    if project is not None:
        (tmp_path / "pyproject.toml").write_text(project)

    assert checkout() is None


def test_in_a_checkout_results_and_cache_lie_beside_the_suite() -> None:
    assert results_root("crawl") == ROOT / "crawl_harness" / "results"
    assert audio_cache({}) == ROOT / "crawl_harness" / ".audio_cache"
    assert judge_cache({}) == ROOT / "crawl_harness" / ".judge_cache"


@pytest.mark.usefixtures("installed")
def test_installed_results_lie_in_the_working_directory() -> None:
    assert results_root("crawl") == Path("results/crawl")


CACHE = Path("gpt-live-evals/crawl-audio")


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        pytest.param("linux", {}, ".cache", id="linux"),
        pytest.param("darwin", {}, "Library/Caches", id="macos"),
        pytest.param("linux", {"XDG_CACHE_HOME": ""}, ".cache", id="a-blank-choice"),
        pytest.param("linux", {"XDG_CACHE_HOME": "rel"}, ".cache", id="a-relative-choice"),
    ],
)
def test_installed_the_cache_lies_in_the_users_own(
    platform: str, environment: dict[str, str], folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv("HOME", "/home/maya")

    assert audio_cache(environment) == Path("/home/maya") / folder / CACHE


@pytest.mark.usefixtures("installed")
def test_an_absolute_choice_of_the_user_wins_on_every_platform(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")

    assert audio_cache({"XDG_CACHE_HOME": "/caches"}) == Path("/caches") / CACHE
    judgments = Path("/caches/gpt-live-evals/judgments")
    assert judge_cache({"XDG_CACHE_HOME": "/caches"}) == judgments


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("below", [".", "results", "a/../b"])
def test_installed_nothing_is_written_into(package: str, below: str) -> None:
    with pytest.raises(UsageError, match=r"^--results-dir: .*outside installed"):
        refuse_inside_package(ROOT / package / below, "--results-dir")


@pytest.mark.usefixtures("installed")
def test_a_link_into_a_package_is_seen_through(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(ROOT / "shared")

    with pytest.raises(UsageError):
        refuse_inside_package(tmp_path / "link" / "results", "--results-dir")


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(ROOT / "shared_results", id="a-folder-whose-name-begins-alike"),
        pytest.param(ROOT / "crawl_harness" / ".." / "out", id="out-of-it-again"),
        pytest.param(Path("results"), id="the-working-directory"),
    ],
)
def test_installed_anywhere_else_is_fine(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refuse_inside_package(path, "--results-dir")


def test_a_checkout_may_hold_its_results() -> None:
    refuse_inside_package(ROOT / "crawl_harness" / "results", "--results-dir")


def test_a_home_folder_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/maya")

    assert expanded("~/results", "--results-dir") == Path("/home/maya/results")


def test_nobodys_home_folder_is_a_mistake_in_the_setting() -> None:
    with pytest.raises(UsageError, match=r"^--data: ~nobody_is_called_so/d: no such home folder"):
        expanded("~nobody_is_called_so/d", "--data")

"""Links: whatever a page points at or names inside this repository is there, headings included."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options

ROOT = Path(__file__).parent.parent
NOT_OURS = {"node_modules", "results", "dist"}
"""Folders that no commit holds; so are those whose names begin with a dot."""
HEADING = re.compile(r"<h([1-6])>(.*?)</h\1>", re.DOTALL)
TARGET = re.compile(r'(?:href|src)="([^"]*)"')
TAG = re.compile(r"<[^>]*>")
CODE = re.compile(r"<code[^>]*>(.*?)</code>", re.DOTALL)
NAMED = re.compile(r"(?<![\w/.$~-])(?:assistants|shared|\w+_harness|docs|benchmarks)/[\w./-]*[\w/]")
LEFT_BEHIND = re.compile(r"_harness/(?:results|\.\w+)/|[A-Z]{4}")
"""In a name: what only runs write, and words in capitals, for which a reader puts another."""

POINTED_AT = (
    "artifact-and-connection-safety",
    "bring-your-own-agent",
    "capability-matrix",
    "compare-the-two-architectures",
    "environment-file-selection",
    "installed-package-and-paths",
    "see-and-hear-a-run",
    "scope-and-limitations",
    "troubleshooting",
    "verification",
    "what-a-run-leaves",
)
"""Sections of the README that people have links to elsewhere."""


def pages() -> Iterator[Path]:
    for folder, folders, names in ROOT.walk():
        folders[:] = [name for name in folders if name not in NOT_OURS and name[0] != "."]
        yield from (folder / name for name in names if name.endswith(".md"))


@cache
def shown(page: Path) -> str:
    """The page as HTML: what stands in code is no link and no heading there."""
    text = page.read_text("utf-8")
    return cmarkgfm.github_flavored_markdown_to_html(text, options=Options.CMARK_OPT_UNSAFE)


def anchors(page: Path) -> set[str]:
    """The names that GitHub gives to the headings of a page."""
    names, seen = set(), Counter[str]()
    for _, heading in HEADING.findall(shown(page)):
        words = html.unescape(TAG.sub("", heading)).strip().lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        names.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return names


def broken(page: Path, root: Path = ROOT) -> list[str]:
    """The links of a page that lead nowhere, or out of ``root``."""
    return [
        target
        for target in map(html.unescape, TARGET.findall(shown(page)))
        if not urlsplit(target).scheme and not leads_somewhere(target, page, root)
    ]


def leads_somewhere(target: str, page: Path, root: Path) -> bool:
    path, _, anchor = unquote(target).partition("#")
    at = (page.parent / path).resolve() if path else page
    if not at.is_relative_to(root) or not at.exists():
        return False
    return not anchor or (at.suffix == ".md" and anchor in anchors(at))


def missing(page: Path, root: Path = ROOT) -> list[str]:
    """Files and folders of ours that a page names in code and that are neither in ``root`` nor
    beside the page."""
    code = html.unescape(" ".join(CODE.findall(shown(page))))
    return [
        name
        for name in NAMED.findall(code)
        if not LEFT_BEHIND.search(name)
        and not any((folder / name).exists() for folder in (root, page.parent))
    ]


@pytest.mark.parametrize("page", sorted(pages()), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    assert broken(page) == []


@pytest.mark.parametrize("page", sorted(pages()), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_that_a_page_names_in_code_is_there(page: Path) -> None:
    assert missing(page) == []


@pytest.mark.parametrize("anchor", POINTED_AT)
def test_the_readme_keeps_a_section_that_others_point_at(anchor: str) -> None:
    assert anchor in anchors(ROOT / "README.md")


@pytest.mark.parametrize(
    ("target", "is_broken"),
    [
        pytest.param("other.md", False, id="a-page"),
        pytest.param("folder/", False, id="a-folder"),
        pytest.param("#the-top", False, id="a-heading-of-its-own"),
        pytest.param("other.md#client-assistant-it-waits", False, id="code-and-marks-in-a-heading"),
        pytest.param("other.md#again-1", False, id="the-second-of-two-equal-headings"),
        pytest.param("https://example.com/nowhere", False, id="the-web-is-not-asked"),
        pytest.param("missing.md", True, id="no-such-page"),
        pytest.param("other.md#missing", True, id="no-such-heading"),
        pytest.param("other.md#again-2", True, id="a-third-of-two-equal-headings"),
        pytest.param("other.md#not-a-heading", True, id="a-comment-in-code"),
        pytest.param("../outside.md", True, id="out-of-the-repository"),
        pytest.param("data.txt#the-top", True, id="a-heading-of-what-has-none"),
    ],
)
def test_a_link_is_found_out(target: str, is_broken: bool, tmp_path: Path) -> None:
    root = tmp_path / "repository"
    (root / "folder").mkdir(parents=True)
    (tmp_path / "outside.md").touch()
    (root / "data.txt").touch()
    (root / "other.md").write_text(
        "## `client-assistant`: it waits\n\n## Again\n\n## Again\n\n```sh\n# Not a heading\n```\n",
        "utf-8",
    )
    page = root / "page.md"
    page.write_text(f"# The top\n\n[here]({target})\n", "utf-8")

    assert broken(page, root) == ([target] if is_broken else [])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("`docs/here.md`", [], id="a-file"),
        pytest.param("`docs/`", [], id="a-folder"),
        pytest.param("`docs/gone.md`", ["docs/gone.md"], id="a-file-that-is-not-there"),
        pytest.param("```sh\nrun docs/gone.md\n```", ["docs/gone.md"], id="in-a-command"),
        pytest.param("docs/gone.md", [], id="outside-of-code"),
        pytest.param("`crawl_harness/results/a/b.json`", [], id="what-a-run-leaves"),
        pytest.param("`docs/SCENARIO.json`", [], id="a-placeholder"),
        pytest.param("`my/docs/gone.md`", [], id="in-a-folder-of-the-readers"),
    ],
)
def test_a_name_is_found_out(text: str, found: list[str], tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "here.md").touch()
    page = tmp_path / "page.md"
    page.write_text(text, "utf-8")

    assert missing(page, tmp_path) == found

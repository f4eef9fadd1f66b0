"""The page about faults is the scripts' own word."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawl_harness.fault_table import fault_page
from crawl_harness.suite import CRAWL
from shared.places import checkout

SCRIPTS = CRAWL.bundled_data.parent / "scripts"


def test_the_page_is_what_the_scripts_say() -> None:
    root = checkout()
    assert root is not None
    page = (root / "docs" / "faults.md").read_text("utf-8")
    assert page == fault_page(SCRIPTS), "run: uv run python -m crawl_harness.fault_table"


def test_every_fault_has_a_line() -> None:
    page = fault_page(SCRIPTS)
    assert page.count("\n| `") == len(list(SCRIPTS.glob("faults/*/*.json")))


def test_a_fault_without_an_outcome_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "faults" / "a" / "b.json"
    script.parent.mkdir(parents=True)
    script.write_text('{"format": "gpt-live-script/1", "steps": []}', "utf-8")
    with pytest.raises(ValueError, match="b says nothing"):
        fault_page(tmp_path)

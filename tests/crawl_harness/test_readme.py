"""What the README shows can be done: its dataset loads, its files are there, its anchors hold."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import crawl_harness
from shared.dataset import load_dataset

README = Path(crawl_harness.__file__).parent / "README.md"
TEXT = README.read_text("utf-8")


def test_its_dataset_is_one(tmp_path: Path) -> None:
    (example,) = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    (tmp_path / "d.json").write_text(example, "utf-8")

    (scenario,) = load_dataset(tmp_path / "d.json").scenarios
    assert scenario.id == json.loads(example)["scenarios"][0]["id"]


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)#:]+)", TEXT))))
def test_a_file_it_points_at_exists(target: str) -> None:
    assert (README.parent / target).exists()


@pytest.mark.parametrize(
    "heading",
    ["Run it", "Settings", "Data", "Response completion", "Offline scripts", "Results"],
)
def test_it_has_the_section(heading: str) -> None:
    assert f"\n## {heading}\n" in TEXT


def test_its_numbers_of_completion_are_the_codes() -> None:
    from shared.single_turn.completion import NEW_SPEECH_AFTER_MS, RUN_ON_MS, SETTLE_MS

    section = TEXT.partition("## Response completion")[2].partition("\n## ")[0]
    for number in (
        f"{SETTLE_MS / 1_000:g} s of quiet",
        f"{RUN_ON_MS / 1_000:g} s of quiet",
        f"{NEW_SPEECH_AFTER_MS} ms or more",
    ):
        assert number in section

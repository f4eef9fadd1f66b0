"""The page about ``live-fixture`` is whole: each rule, option, step, anchor, and the examples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from assistants.frontend.fixture.conversation_script import side_of
from assistants.frontend.fixture.deeds import FORMAT
from assistants.frontend.fixture.instants import Anchor
from assistants.frontend.fixture.rules import Rule
from assistants.frontend.fixture.script import ResolvedScript
from assistants.frontend.fixture.steps import STEP_KINDS
from assistants.live_fixture import app
from docs.live_fixture_page import PAGE, with_rules
from shared.observability.observations import Speaker

TEXT = PAGE.read_text("utf-8")
EXAMPLES = PAGE.parent / "examples" / "live_fixture"
SCRIPTS = sorted(EXAMPLES.glob("*.json"))
NOT_FOR_A_TEST = {"format", "steps"}


def test_the_rules_on_the_page_are_those_of_the_referee() -> None:
    assert with_rules(TEXT) == TEXT, "run: uv run python -m docs.live_fixture_page"
    assert all(f"\n| `{rule.key}` |" in TEXT for rule in Rule)


def test_a_page_without_a_place_for_the_rules_is_refused() -> None:
    with pytest.raises(ValueError, match="mistakes:start"):
        with_rules("# A page\n")


@pytest.mark.parametrize("kind", STEP_KINDS)
def test_every_kind_of_step_has_a_line(kind: str) -> None:
    assert re.search(rf"^\| `{kind}`", TEXT, re.MULTILINE)


@pytest.mark.parametrize("field", sorted(set(ResolvedScript.model_fields) - NOT_FOR_A_TEST))
def test_every_part_of_a_script_has_a_line(field: str) -> None:
    assert re.search(rf"^\| `{field}`", TEXT, re.MULTILINE)


@pytest.mark.parametrize("anchor", Anchor)
def test_every_anchor_is_there(anchor: Anchor) -> None:
    assert re.search(rf"^\| .*`(<\w+>)?\.?{anchor}`.*\|", TEXT, re.MULTILINE)


def test_every_option_that_concerns_a_client_is_there() -> None:
    options = {one.opts[0] for one in typer.main.get_command(app).params}
    elsewhere = {"--port", "--http-port", "--http-script", "--version"}
    assert {name for name in options - elsewhere if f"| `{name}" not in TEXT} == set()


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_an_example_can_be_played(path: Path) -> None:
    text = path.read_text("utf-8")
    sides = Speaker if "gpt-live-conversation" in text else (None,)
    assert all(isinstance(side_of(text, side), ResolvedScript) for side in sides)


def test_every_example_is_linked_and_every_link_leads_to_one() -> None:
    linked = set(re.findall(r"\(examples/live_fixture/([\w.]+)\)", TEXT))
    assert linked == {path.name for path in EXAMPLES.iterdir() if path.is_file()}


def test_the_script_on_the_page_can_be_played() -> None:
    (shown,) = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    assert side_of(shown, None).steps


def test_the_format_of_the_record_is_the_one_that_is_written() -> None:
    assert f'{{"format": "{FORMAT}"}}' in TEXT

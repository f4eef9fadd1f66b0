"""One table of settings, told in five places that cannot differ."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from crawl_harness.evaluate import ABOUT
from crawl_harness.settings import ROWS
from crawl_harness.suite import CRAWL
from docs.settings_files import settings_files
from shared.command import run_command
from shared.places import checkout
from shared.settings import Kind, Setting, from_toml, resolve

ROOT = checkout()
assert ROOT is not None
REMEDY = "run: uv run python -m docs.settings_files"
# Chosen before the table is read, or the name of a thing that is no setting.
OTHER_VARIABLES = {"GPT_LIVE_EVALS_ENV_FILE"}


@pytest.mark.parametrize("path", settings_files(ROOT), ids=lambda path: path.name)
def test_the_committed_file_is_what_the_table_says(path: Path) -> None:
    assert path.read_text("utf-8") == settings_files(ROOT)[path], REMEDY


def test_the_help_names_the_flags_of_the_table_and_no_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "240")
    monkeypatch.setattr("sys.argv", ["crawl-eval", "--help"])
    run_command("crawl-eval", ABOUT, ROWS, lambda _: 0)
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  --")]
    named = {
        flag for line in told for flag in re.findall(r"--[-a-z]+", line.strip().partition("  ")[0])
    }

    in_table = {
        flag for row in ROWS for flag in (row.flag, row.negative_flag, row.other_flag) if flag
    }
    assert named == in_table | {"--help", "--version"}


def test_the_bundled_toml_holds_known_keys_at_their_defaults() -> None:
    document = tomllib.loads(CRAWL.bundled_toml.read_text("utf-8"))
    given = from_toml(ROWS, document, file=CRAWL.bundled_toml.name)
    defaults = {row.name: row.default for row in ROWS}

    assert {name: value.value for name, value in given.items() if name != "data"} == {
        name: defaults[name] for name in given if name != "data"
    }
    assert given["data"].value == "data/scenarios.json"


def test_the_readme_names_no_flag_that_is_not_in_the_table() -> None:
    readme = (ROOT / "crawl_harness" / "README.md").read_text("utf-8")
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", readme))
    in_table = {
        flag for row in ROWS for flag in (row.flag, row.negative_flag, row.other_flag) if flag
    }

    assert named - in_table == {"--extra", "--script"}  # of uv, and of live-fixture


@pytest.mark.parametrize("name", ["README.md", "crawl_harness/README.md", "assistants/README.md"])
def test_a_readme_names_no_variable_that_is_not_in_the_table(name: str) -> None:
    readme = (ROOT / name).read_text("utf-8")
    named = set(re.findall(r"\b(?:OPENAI|GPT_LIVE)_[A-Z_]+", readme))

    assert named <= {row.variable for row in ROWS} | OTHER_VARIABLES


@pytest.mark.parametrize("of", ["name", "flag", "variable", "toml"])
def test_no_two_rows_share_a(of: str) -> None:
    names = [name for row in ROWS if (name := getattr(row, of)) is not None]

    assert len(names) == len(set(names))


def test_every_default_keeps_its_own_rules() -> None:
    given = {
        row.variable: str(row.default)
        for row in ROWS
        if row.variable and row.default not in {None, ""}
    }
    settings = resolve(ROWS, flags={}, environment=given, env_file={}, toml={})

    assert all(settings[row.name] == row.default for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_can_be_given_and_says_what_it_is(row: Setting) -> None:
    assert row.flag or row.variable or row.toml
    assert row.help
    assert row.help.endswith(".")
    assert "\n" not in row.help
    assert not (row.is_secret and (row.flag or row.toml)), "a credential on a command line is seen"
    assert not (row.kind is Kind.SWITCH and row.choices)

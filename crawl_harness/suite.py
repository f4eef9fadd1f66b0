"""CRAWL as a suite: every single-turn scenario, its request synthesized."""

from __future__ import annotations

from pathlib import Path

from assistants.suite.suite import Suite
from crawl_harness.caller import caller_of
from crawl_harness.settings import ROWS
from shared.scenarios import is_single_turn

CRAWL = Suite(
    name="crawl",
    folder=Path(__file__).parent,
    rows=ROWS,
    takes=is_single_turn,
    kind="a single-turn scenario",
    caller=caller_of,
)

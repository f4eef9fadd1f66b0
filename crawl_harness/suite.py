"""CRAWL as a suite: every single-turn scenario, its request synthesized."""

from __future__ import annotations

from pathlib import Path

from assistants.suite.suite import Suite
from crawl_harness.caller import caller_of
from shared.scenarios import is_single_turn

BUNDLED_DATA = Path(__file__).parent / "data" / "scenarios.json"

CRAWL = Suite("crawl", BUNDLED_DATA, is_single_turn, "a single-turn scenario", caller_of)

"""WALK as a suite: every single-turn scenario that has a recording, replayed."""

from __future__ import annotations

from pathlib import Path

from assistants.suite.suite import Suite
from shared.scenarios import Scenario, is_single_turn
from walk_harness.caller import caller_of
from walk_harness.settings import ROWS


def is_recorded(scenario: Scenario) -> bool:
    """Whether there is a recording to replay."""
    return is_single_turn(scenario) and bool(scenario.input.recordings)


WALK = Suite(
    name="walk",
    folder=Path(__file__).parent,
    rows=ROWS,
    takes=is_recorded,
    kind="a single-turn scenario with recordings",
    caller=caller_of,
    if_none="walk-generate-audio makes recordings of scenarios without any",
)

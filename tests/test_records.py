"""A record of what was found does not change, and takes no attribute that it does not name.

Hence every dataclass is frozen and has slots, but for the states that a machine keeps to itself.
"""

from __future__ import annotations

import dataclasses
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("shared", "assistants", "crawl_harness", "walk_harness", "run_harness")
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for package in PACKAGES
    for path in (ROOT / package).rglob("*.py")
    if path.name != "__init__.py"
)

STATES = frozenset(
    {
        "shared.audio.effects.distractors._Due",
        "shared.audio.listening._Ear",
        "shared.audio.playout._Chunk",
        "shared.audio.playout._Piece",
        "shared.observability.redaction._Numbers",
        "shared.observability.trace._AudioRow",
        "shared.observability.trace._Speech",
        "shared.relay.Sends",
        "shared.single_turn.session.Capture",
        "run_harness.simulation.session.Dialogue",
        "assistants.frontend.fixture.deeds._Run",
        "assistants.frontend.fixture.delegated_work.ClientWork",
        "assistants.frontend.fixture.delegated_work.Work",
        "assistants.frontend.fixture.http_machine.HttpMachine",
        "assistants.frontend.fixture.media_clock.InputCounters",
        "assistants.frontend.fixture.mishaps.Tampering",
        "assistants.frontend.fixture.rounds._Round",
        "assistants.frontend.fixture.session_record.SessionRecord",
        "assistants.responses.delegation._Response",
        "assistants.client.desk._Task",
        "assistants.client.remote._Delegation",
        "assistants.client.remote._Response",
        "assistants.client.memory._Fragment",
    }
)


def dataclasses_of(module: str) -> dict[str, type]:
    """Those that a module defines, by their full name."""
    return {
        f"{module}.{one.__qualname__}": one
        for one in vars(importlib.import_module(module)).values()
        if isinstance(one, type) and dataclasses.is_dataclass(one) and one.__module__ == module
    }


@pytest.fixture(scope="module")
def records() -> dict[str, type]:
    return {name: one for module in MODULES for name, one in dataclasses_of(module).items()}


def test_records_are_frozen(records: dict[str, type]) -> None:
    frozen = {name: vars(one)["__dataclass_params__"].frozen for name, one in records.items()}
    assert {name for name, is_frozen in frozen.items() if not is_frozen} == STATES


def test_records_have_slots(records: dict[str, type]) -> None:
    assert [name for name, one in records.items() if "__slots__" not in vars(one)] == []

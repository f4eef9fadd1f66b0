"""Assistants by name: each attempt gets an assistant that shares nothing it could change."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from assistants.catalog import AssistantKit, open_responses
from assistants.config import LiveAgentSettings
from assistants.frontend.vocabulary import VOCABULARY
from assistants.resources import BUNDLED_APPLICATION, load_application
from shared.observability.redaction import Masker
from shared.observability.trace import Trace
from shared.wall_time import WallClock
from tests.support.far_end import Caller
from tests.support.judged import a_scenario


def test_each_attempt_has_facts_of_its_own() -> None:
    given: list[Any] = []

    class Meddling:
        def __init__(self, _state: Any, facts: Any) -> None:
            facts["hidden"]["seats"]["counter"] -= 1
            given.append(facts)

        def call(self, _name: str, _arguments: Any, _call_id: str) -> Any:
            return {}

        def snapshot(self) -> Any:
            return {}

    whole = load_application(BUNDLED_APPLICATION)
    kit = AssistantKit(LiveAgentSettings(), replace(whole, open_session=Meddling), "Speak.")

    async def open_two() -> None:
        clock = WallClock(asyncio.get_running_loop())
        for _ in range(2):
            brief = a_scenario().for_assistant()
            open_responses(kit, brief, Caller().machine, clock, Trace(Masker(), VOCABULARY))

    asyncio.run(open_two())
    first, second = given
    assert first == second
    assert first is not second
    assert first != whole.facts

"""A backend that plays the work a script says: for offline runs, and for services under test.

The delegations of a session do the ``delegate`` steps of its script, in order, each at the pace and
through the very events with which the fixture does them under managed delegation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import override

from assistants.client.backend import Backend, Emit, Handoff, WorkFailedError
from assistants.frontend.fixture.backend import (
    Planned,
    PlannedCall,
    ResponseHead,
    plan_calls,
    plan_message,
    plan_unfinished,
)
from assistants.frontend.fixture.identifiers import Identifiers
from assistants.frontend.fixture.steps import Delegate, Round
from assistants.frontend.fixture.timing import Timing
from assistants.frontend.session_config import ResponsesConfig


class ScriptedBackend(Backend):
    """Plays ``steps``; a delegation beyond them fails."""

    def __init__(
        self, steps: Sequence[Delegate], settings: ResponsesConfig, timing: Timing | None = None
    ) -> None:
        self._steps = tuple(steps)
        self._settings = settings
        self._timing = timing or Timing()
        self._ids = Identifiers("client backend")

    @override
    async def run(self, handoff: Handoff, emit: Emit) -> str:
        if handoff.number > len(self._steps):
            raise WorkFailedError("the script has no work for another delegation")
        step = self._steps[handoff.number - 1]
        previous: str | None = None
        for one in step.rounds:
            head = self._head(previous)
            await _stream(plan_calls(head, self._calls(one), self._timing), emit)
            await handoff.outputs(head.response_id)
            await asyncio.sleep(self._timing.continued_after_ms / 1_000)
            previous = head.response_id
        head = self._head(previous)
        if step.fails is not None:
            await _stream(plan_unfinished(head, step.fails, self._timing), emit)
            raise WorkFailedError(f"the backend's response ended {step.fails}")
        await _stream(plan_message(head, self._ids.next("msg"), step.reply, self._timing), emit)
        return step.reply

    @override
    async def close(self) -> None:
        pass

    def _head(self, previous_response_id: str | None) -> ResponseHead:
        return ResponseHead(
            response_id=self._ids.next("resp"),
            previous_response_id=previous_response_id,
            session_id="client",
            created_at=0,
            settings=self._settings,
        )

    def _calls(self, one: Round) -> list[PlannedCall]:
        return [
            PlannedCall(
                item_id=self._ids.next("fc"),
                call_id=call.call_id or self._ids.next("call"),
                name=call.name,
                arguments=call.arguments_text,
            )
            for call in one.calls
        ]


async def _stream(planned: Sequence[Planned], emit: Emit) -> None:
    """Emit each event when it is due, counted from now."""
    loop = asyncio.get_running_loop()
    began_s = loop.time()
    for one in planned:
        delay_s = began_s + one.after_ms / 1_000 - loop.time()
        if delay_s > 0:
            await asyncio.sleep(delay_s)
        emit(one.event)

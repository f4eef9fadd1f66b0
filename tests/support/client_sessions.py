"""Sessions whose delegated work a backend of a test's own does, from their start to their close."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assistants.catalog import AssistantKit, ClientKit, open_client
from assistants.client.backend import BackendContext
from assistants.client.desk import DeskTexts, DeskTiming
from assistants.config import LiveAgentSettings
from assistants.frontend.fixture.machine import FixtureMachine
from assistants.frontend.vocabulary import VOCABULARY
from assistants.resources import BUNDLED_APPLICATION, load_application
from shared.clock import Clock
from shared.observability.observations import (
    AppendIntent,
    ContextSent,
    DelegationEnded,
    Observation,
)
from shared.observability.redaction import Masker
from shared.observability.trace import Trace
from shared.values import JsonObject
from tests.support.far_end import EPOCH_S, VOICE, a_script
from tests.support.judged import a_scenario

FRAME = bytes(960)
FRAME_US = 20_000
APART_MS = 3_000
"""From one delegation to the next; in between the assistant speaks, so that none is replaced."""
TIMING = DeskTiming(quiet_us=300_000, wait_us=1_500_000, deadline_us=2_000_000)
TOOLS: tuple[JsonObject, ...] = (
    {
        "type": "function",
        "name": "look_up",
        "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}},
    },
)


class Shelf:
    """An application with one tool, which answers with how often it was called."""

    def __init__(self, *_: Any) -> None:
        self.calls: list[str] = []

    def call(self, name: str, arguments: JsonObject, call_id: str) -> JsonObject:
        self.calls.append(call_id)
        return {"ok": True, "calls": len(self.calls)}

    def snapshot(self) -> JsonObject:
        return {"calls": len(self.calls)}


@dataclass(frozen=True)
class Session:
    """All that was observed of one."""

    seen: Sequence[Observation]

    def of[T: Observation](self, kind: type[T]) -> list[T]:
        return [one for one in self.seen if isinstance(one, kind)]

    @property
    def outcomes(self) -> list[tuple[str, str | None]]:
        """How its delegations ended, in this order, and what is said of it."""
        return [(one.outcome.value, one.detail) for one in self.of(DelegationEnded)]

    def told(self, intent: AppendIntent = AppendIntent.COMMENTARY) -> list[str]:
        """What the voice was told."""
        return [one.text for one in self.of(ContextSent) if one.intent is intent]


async def a_session(
    clock: Clock,
    make: Callable[[BackendContext], Any],
    *,
    delegations: int = 1,
    timing: DeskTiming = TIMING,
    application: Callable[..., Any] = Shelf,
    lasting_ms: int | None = None,
    tampering: Sequence[Mapping[str, object]] = (),
    steps: Sequence[dict[str, object]] = (),
) -> Session:
    """Hold a session in which work is handed over so often, the first time after a second.

    ``tampering`` is what happens to events of the service on their way, and ``steps`` are more of
    what it does.
    """
    whole = load_application(BUNDLED_APPLICATION)
    kit = AssistantKit(
        LiveAgentSettings(),
        replace(whole, open_session=application, tools=TOOLS),
        "Speak.",
        client=ClientKit(DeskTexts("Do it.", "It failed."), make, timing),
    )
    far_end = FixtureMachine(
        voice=VOICE,
        session_name="a-session",
        epoch_s=EPOCH_S,
        script=a_script(*_steps(delegations), *steps, tampering=tampering),
    )
    brief = a_scenario().for_assistant()
    opened = open_client(kit, brief, far_end, clock, Trace(Masker(), VOCABULARY))
    participant, seen = opened.participant, list[Observation]()
    await participant.connect()
    begun_us = clock.now_us()
    for index in range((lasting_ms or APART_MS * (delegations + 1)) // 20):
        await clock.sleep_until(begun_us + index * FRAME_US)
        await participant.hear(FRAME)
        seen += participant.observed()
    await participant.close()
    seen += participant.observed()
    assert participant.failure is None
    return Session(seen)


def _steps(delegations: int) -> list[dict[str, object]]:
    return [
        step
        for number in range(delegations)
        for step in (
            {"delegate": f"d{number}", "at": f"start+{1_000 + number * APART_MS}", "reply": "x"},
            {"say": "Well.", "at": f"start+{2_000 + number * APART_MS}"},
        )
    ]

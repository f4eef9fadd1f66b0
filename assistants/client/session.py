"""What a session asks for at its start when the application does the delegated work itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import override

from assistants.config import LiveAgentSettings
from assistants.frontend.backend_events import BackendEvent
from assistants.frontend.events import ResponseCreate, ResponseItemCreate
from assistants.frontend.protocol import DelegatedWork
from assistants.frontend.session_config import SessionConfig
from assistants.frontend.start import start_of
from assistants.resources import ApplicationResources
from shared.clock import Stamp
from shared.observability.observations import Faulted, Observation, WorkContinued
from shared.scenarios import AssistantBrief


def session_config(
    settings: LiveAgentSettings,
    application: ApplicationResources,
    voice_prompt: str,
    brief: AssistantBrief,
) -> SessionConfig:
    """Build the start body: neither the backend's instructions nor a tool is in it."""
    return start_of(settings, application, voice_prompt, brief, {"type": "client"})


class NoManagedWork(DelegatedWork):
    """The provider runs no backend here, so what it says of one means nothing."""

    @override
    def receive(
        self, event: BackendEvent, delegation_id: str | None, at: Stamp
    ) -> Iterator[Observation]:
        yield Faulted(at, "backend_of_nobody", f"{event.type} for {delegation_id}")

    @override
    def returned(self, call_id: str, output: str) -> None:
        pass

    @override
    def continuations(
        self, at: Stamp
    ) -> Iterable[tuple[list[ResponseItemCreate | ResponseCreate], WorkContinued]]:
        return ()

    @override
    def refused(
        self, client_event_id: str | None, at: Stamp, *, is_handoff: bool
    ) -> Iterable[Observation]:
        return ()

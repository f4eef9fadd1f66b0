"""Assistants by name: what an attempt needs to talk to one. A new one adds one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass

from assistants.config import LiveAgentSettings
from assistants.endpoints import Endpoint
from assistants.frontend.events import CommentaryAppend
from assistants.frontend.protocol import Deadlines, LiveSession
from assistants.frontend.session_config import SessionConfig
from assistants.frontend.transport import LiveParticipant
from assistants.resources import ApplicationResources
from assistants.responses.delegation import ManagedWork
from assistants.responses.session import session_config
from assistants.runtime import ToolRuntime, of_application
from assistants.wire import Address, Connection, Patience, SocketConnection
from shared.attempts.assistant import OpenAssistant
from shared.clock import Clock
from shared.errors import UsageError
from shared.observability.trace import Trace
from shared.participant import Machine
from shared.scenarios import AssistantBrief
from shared.testing.loopback import Loopback
from shared.values import JsonObject


@dataclass(frozen=True, slots=True)
class AssistantKit:
    """What every attempt's assistant is made from; read once, shared, never changed.

    ``opening_prompt`` has it speak first.
    """

    settings: LiveAgentSettings
    application: ApplicationResources
    voice_prompt: str
    opening_prompt: str | None = None


type FarEnd = Endpoint | Machine
"""A service's address, or the other end of an in-memory session."""

type Factory = Callable[[AssistantKit, AssistantBrief, FarEnd, Clock, Trace], OpenAssistant]


def open_responses(
    kit: AssistantKit, brief: AssistantBrief, far_end: FarEnd, clock: Clock, trace: Trace
) -> OpenAssistant:
    """GPT Live with delegation managed by the provider."""
    config: SessionConfig = session_config(kit.settings, kit.application, kit.voice_prompt, brief)
    # A copy: attempts run side by side and must not meet in the facts.
    facts = deepcopy(kit.application.facts)
    application = of_application(
        "the application did not open",
        lambda: kit.application.open_session(brief.initial_state, facts),
    )
    tools = ToolRuntime(application, kit.application.tools)
    return _opened(kit.settings, config, tools, far_end, clock, trace)


def open_caller(
    settings: LiveAgentSettings, config: SessionConfig, far_end: FarEnd, clock: Clock, trace: Trace
) -> OpenAssistant:
    """A session of a simulated caller: it thinks by its own backend and can do nothing."""
    tools = ToolRuntime(_NoApplication(), ())
    return _opened(settings, config, tools, far_end, clock, trace)


class _NoApplication:
    """What a caller has: no state, and no tool that could be called."""

    def call(self, name: str, arguments: JsonObject, call_id: str) -> JsonObject:
        raise ValueError(f"a caller has no tool {name}, whatever {call_id} asks of {arguments}")

    def snapshot(self) -> JsonObject:
        return {}


def _opened(
    settings: LiveAgentSettings,
    config: SessionConfig,
    tools: ToolRuntime,
    far_end: FarEnd,
    clock: Clock,
    trace: Trace,
) -> OpenAssistant:
    """A session of our end, and the way to the other one."""
    deadlines = Deadlines(
        start_us=round(settings.start_timeout_seconds * 1e6),
        close_us=round(settings.close_timeout_seconds * 1e6),
    )
    session = LiveSession(config, ManagedWork(), deadlines)

    def connect_to(near: LiveSession, on_activity: Callable[[], None]) -> Connection:
        if not isinstance(far_end, Endpoint):
            return Loopback(near, far_end, clock, on_activity=on_activity, tap=trace.message)
        address = Address(far_end.url, settings.api_key, far_end.is_loopback)
        return SocketConnection(
            address,
            near,
            clock,
            on_activity=on_activity,
            tap=trace.message,
            patience=_patience(settings),
        )

    def say(text: str) -> None:
        session.append(CommentaryAppend, text)

    return OpenAssistant(LiveParticipant(session, connect_to, tools, clock), tools.snapshot, say)


def _patience(settings: LiveAgentSettings) -> Patience:
    return Patience(
        open_within_s=settings.connect_timeout_seconds,
        ping_every_s=settings.ping_interval_seconds,
        pong_within_s=settings.ping_timeout_seconds,
        audio_waits_s=settings.send_queue_seconds,
    )


ASSISTANTS: Mapping[str, Factory] = {"responses": open_responses}


def factory_for(mode: str) -> Factory:
    """The factory of an assistant mode; a mode that is not built yet is refused with its reason."""
    if mode not in ASSISTANTS:
        raise UsageError(
            f"--assistant {mode}: application-managed delegation is not part of this version;"
            " use --assistant responses"
        )
    return ASSISTANTS[mode]

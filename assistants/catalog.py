"""Assistants by name: what an attempt needs to talk to one. A new one adds one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from assistants.client.backend import Backend, BackendContext, OpenBackend
from assistants.client.backlog import Backlog
from assistants.client.desk import Desk, DeskTexts, DeskTiming
from assistants.client.memory import Memory
from assistants.client.scripted import ScriptedBackend
from assistants.client.session import NoManagedWork
from assistants.client.session import session_config as client_session
from assistants.client.worker import BackendWorker
from assistants.config import CLIENT_EFFORT, EFFORTS, LiveAgentSettings
from assistants.endpoints import Endpoint
from assistants.frontend.fixture.machine import FixtureMachine
from assistants.frontend.protocol import Deadlines, DelegatedWork, LiveSession, State
from assistants.frontend.session_config import SessionConfig
from assistants.frontend.transport import LiveParticipant, Worker
from assistants.resources import ApplicationResources
from assistants.responses.delegation import ManagedWork
from assistants.responses.session import backend_body, backend_config, session_config
from assistants.responses.worker import ToolWorker
from assistants.runtime import ToolRuntime, of_application
from assistants.wire import Address, Connection, Patience, SocketConnection, Tap
from shared.attempts.assistant import OpenAssistant
from shared.clock import Clock
from shared.observability.observations import AppendIntent
from shared.observability.trace import Trace
from shared.scenarios import AssistantBrief
from shared.testing.loopback import Loopback
from shared.values import JsonObject

if TYPE_CHECKING:
    from assistants.client.remote import RemoteApplication


@dataclass(frozen=True, slots=True)
class ClientKit:
    """What client delegation needs beside the rest.

    ``remote`` is where the application is, if it is elsewhere. Of one that is here, a script is
    played without ``open_backend``. ``recorded`` is what a report says of the backend: its kind,
    and what could change its work.
    """

    texts: DeskTexts
    open_backend: OpenBackend | None = None
    timing: DeskTiming = field(default_factory=DeskTiming)
    recorded: JsonObject = field(default_factory=dict)
    remote: Address | None = None


@dataclass(frozen=True, slots=True)
class AssistantKit:
    """What every attempt's assistant is made from; read once, shared, never changed.

    ``opening_prompt`` has it speak first.
    """

    settings: LiveAgentSettings
    application: ApplicationResources
    voice_prompt: str
    opening_prompt: str | None = None
    client: ClientKit | None = None


type FarEnd = Endpoint | FixtureMachine
"""A service's address, or the other end of an in-memory session."""

type Factory = Callable[[AssistantKit, AssistantBrief, FarEnd, Clock, Trace], OpenAssistant]


def open_responses(
    kit: AssistantKit, brief: AssistantBrief, far_end: FarEnd, clock: Clock, trace: Trace
) -> OpenAssistant:
    """GPT Live with delegation managed by the provider."""
    config = session_config(kit.settings, kit.application, kit.voice_prompt, brief)
    line = _Line(kit.settings, far_end, clock, trace)
    session = line.session(config, ManagedWork())
    tools = _tools(kit.application, brief)
    return line.assistant(session, ToolWorker(session, tools, clock), tools.snapshot)


def open_client(
    kit: AssistantKit, brief: AssistantBrief, far_end: FarEnd, clock: Clock, trace: Trace
) -> OpenAssistant:
    """GPT Live with delegation managed by the application, in this process or elsewhere."""
    if kit.client is None:
        raise ValueError("client delegation needs its kit")
    if kit.client.remote is not None:
        return _open_remote(kit, kit.client, kit.client.remote, brief, far_end, clock, trace)
    config = client_session(kit.settings, kit.application, kit.voice_prompt, brief)
    line = _Line(kit.settings, far_end, clock, trace)
    session = line.session(config, NoManagedWork())
    tools = _tools(kit.application, brief)
    desk = Desk(Memory(brief.history), kit.client.texts, kit.client.timing, Backlog())
    backend = _backend(kit, kit.client, brief, far_end)
    worker = BackendWorker(session, desk, backend, tools, clock)
    return line.assistant(session, worker, tools.snapshot)


def _open_remote(
    kit: AssistantKit,
    client: ClientKit,
    address: Address,
    brief: AssistantBrief,
    far_end: FarEnd,
    clock: Clock,
    trace: Trace,
) -> OpenAssistant:
    """The application is elsewhere: no tool runs here, and its state is what it tells of it."""
    # Only now: most runs have none, and reading its contract takes a tenth of a start.
    from assistants.client.remote import Call, RemoteApplication, RemoteTiming
    from assistants.client.remote_worker import APPLICATION, RemoteWorker

    config = client_session(kit.settings, kit.application, kit.voice_prompt, brief)
    line = _Line(kit.settings, far_end, clock, trace)
    session = line.session(config, NoManagedWork())
    call = Call(
        session.stamp,
        lambda: session.state not in {State.STARTING, State.ACTIVE},
        client.texts.failed,
    )
    timing = RemoteTiming(delegation_us=client.timing.deadline_us)
    application = RemoteApplication(call, brief.history, brief.initial_state, timing)

    def connect(near: RemoteApplication, on_activity: Callable[[], None]) -> Connection:
        return SocketConnection(
            address,
            near,
            clock,
            on_activity=on_activity,
            tap=_received_alone(trace),
            patience=_patience(kit.settings),
            peer=APPLICATION,
        )

    worker = RemoteWorker(session, application, connect, clock)
    opened = line.assistant(session, worker, application.snapshot)
    return replace(opened, began_with=lambda: application.state_before)


def _received_alone(trace: Trace) -> Tap:
    """What an application says. What it is told is in the trace already, where it came from."""

    def tap(direction: str, message: str | bytes, at_us: int) -> None:
        if direction == "received":
            trace.message(direction, message, at_us, "client_assistant")

    return tap


def open_caller(
    settings: LiveAgentSettings, config: SessionConfig, far_end: FarEnd, clock: Clock, trace: Trace
) -> OpenAssistant:
    """A session of a simulated caller: it thinks by its own backend and can do nothing."""
    line = _Line(settings, far_end, clock, trace)
    session = line.session(config, ManagedWork())
    tools = ToolRuntime(_NoApplication(), ())
    return line.assistant(session, ToolWorker(session, tools, clock), tools.snapshot)


class _NoApplication:
    """What a caller has: no state, and no tool that could be called."""

    def call(self, name: str, arguments: JsonObject, call_id: str) -> JsonObject:
        raise ValueError(f"a caller has no tool {name}, whatever {call_id} asks of {arguments}")

    def snapshot(self) -> JsonObject:
        return {}


def _tools(application: ApplicationResources, brief: AssistantBrief) -> ToolRuntime:
    # A copy: attempts run side by side and must not meet in the facts.
    facts = deepcopy(application.facts)
    session = of_application(
        "the application did not open",
        lambda: application.open_session(brief.initial_state, facts),
    )
    return ToolRuntime(session, application.tools)


def _backend(
    kit: AssistantKit, client: ClientKit, brief: AssistantBrief, far_end: FarEnd
) -> Backend:
    open_backend = client.open_backend
    if open_backend is None:
        steps = far_end.delegated_steps if isinstance(far_end, FixtureMachine) else ()
        return ScriptedBackend(steps, backend_config(_played(kit.settings), kit.application, brief))
    body = backend_body(kit.settings, kit.application, brief)
    context = BackendContext(str(body["instructions"]), kit.application.strict_tools, body)
    return of_application("the backend did not open", lambda: open_backend(context))


def _played(settings: LiveAgentSettings) -> LiveAgentSettings:
    """The same for a script, whose events are those of a session: there no effort is called max."""
    if settings.backend_reasoning_effort != CLIENT_EFFORT:
        return settings
    return replace(settings, backend_reasoning_effort=EFFORTS[-1])


@dataclass(frozen=True, slots=True)
class _Line:
    """The way from our end of a session to the other one."""

    settings: LiveAgentSettings
    far_end: FarEnd
    clock: Clock
    trace: Trace

    def session(self, config: SessionConfig, work: DelegatedWork) -> LiveSession:
        deadlines = Deadlines(
            start_us=round(self.settings.start_timeout_seconds * 1e6),
            close_us=round(self.settings.close_timeout_seconds * 1e6),
        )
        return LiveSession(config, work, deadlines)

    def assistant(
        self, session: LiveSession, worker: Worker, snapshot: Callable[[], JsonObject]
    ) -> OpenAssistant:
        def say(text: str) -> None:
            session.append(AppendIntent.COMMENTARY, text, self.clock.now_us())

        participant = LiveParticipant(session, self._connect, worker, self.clock)
        return OpenAssistant(participant, snapshot, say)

    def _connect(self, near: LiveSession, on_activity: Callable[[], None]) -> Connection:
        far_end, tap = self.far_end, self.trace.message
        if not isinstance(far_end, Endpoint):
            return Loopback(near, far_end, self.clock, on_activity=on_activity, tap=tap)
        return SocketConnection(
            Address(far_end.url, self.settings.api_key, far_end.is_loopback),
            near,
            self.clock,
            on_activity=on_activity,
            tap=tap,
            patience=_patience(self.settings),
        )


def _patience(settings: LiveAgentSettings) -> Patience:
    return Patience(
        open_within_s=settings.connect_timeout_seconds,
        ping_every_s=settings.ping_interval_seconds,
        pong_within_s=settings.ping_timeout_seconds,
        audio_waits_s=settings.send_queue_seconds,
    )


ASSISTANTS: Mapping[str, Factory] = {"responses": open_responses, "client": open_client}


def factory_for(mode: str) -> Factory:
    """The factory of an assistant mode; settings allow no other than these."""
    return ASSISTANTS[mode]

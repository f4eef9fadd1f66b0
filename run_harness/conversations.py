"""How RUN performs: the settings of a plan made into a simulation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import override

from assistants.catalog import FarEnd, factory_for
from assistants.config import api_key
from assistants.endpoints import Endpoint, http_endpoint, live_endpoint
from assistants.frontend.fixture.conversation_script import ConversationScript
from assistants.frontend.fixture.machine import FixtureMachine
from assistants.frontend.fixture.voice import voice_of
from assistants.suite.ambience import ambience_of
from assistants.suite.detectors import second_for_assistant
from assistants.suite.plan import Plan
from assistants.suite.voices import synthesizer
from run_harness.condition import acoustics_of
from run_harness.play import Conversations, Simulation
from run_harness.scripted_caller import ScriptedCaller, played_text, prepared
from run_harness.simulation.caller import CallerSettings
from run_harness.simulation.completion import CompletionPolicy
from run_harness.simulation.observer import Observer, Question
from run_harness.simulation.openai_observer import observer_at
from run_harness.suite import SimulatedCaller
from shared.attempts.attempt import Attempt
from shared.attempts.cancellation import Cancellation
from shared.audio.detection.energy_v1 import EnergyV1
from shared.grading.judge import Reply
from shared.grading.openai_model import ModelService, load_sdk
from shared.json_text import json_text
from shared.observability.observations import Speaker
from shared.observability.redaction import Masker
from shared.participant import Monitor
from shared.settings import Settings
from shared.speech.port import Synthesizer
from shared.values import JsonObject


@contextmanager
def conversations(
    plan: Plan, cancellation: Cancellation, monitor: Monitor | None
) -> Iterator[Conversations]:
    """Perform the conversations of a plan, with the observer that all of them ask."""
    with ExitStack() as stack:
        yield _conversations(plan, cancellation, monitor, stack)


def _conversations(
    plan: Plan, cancellation: Cancellation, monitor: Monitor | None, stack: ExitStack
) -> Conversations:
    settings = plan.settings
    observer = None if plan.is_offline else _observer(settings, stack)
    scripts = {
        planned.attempt.key: planned.script.script
        for planned in plan.attempts
        if planned.script is not None and planned.script.script is not None
    }
    is_caller_live = isinstance(plan.caller, SimulatedCaller) and not plan.is_offline
    caller_end = _caller_endpoint(settings, plan) if is_caller_live else None
    voice = voice_of(Speaker.CALLER) if is_caller_live else synthesizer(settings)

    def far_end(attempt: Attempt, speaker: Speaker) -> FarEnd:
        service = plan.endpoint if speaker is Speaker.ASSISTANT else caller_end
        if service is not None:
            return service
        script = scripts.get(attempt.key)
        if speaker is Speaker.CALLER and script is not None:
            return _scripted(attempt, speaker, script, prepared(voice, script))
        return _scripted(attempt, speaker, script, voice_of(speaker))

    return Conversations(
        simulation=_simulation(settings, plan),
        kit=plan.kit,
        open_assistant=factory_for(settings.text("assistant_mode")),
        far_end=far_end,
        played={
            key: f"{script.model_dump_json(indent=2)}\n" if plan.is_offline else played_text(script)
            for key, script in scripts.items()
        },
        observer_for=lambda attempt: (
            _scripted_observer(scripts.get(attempt.key)) if plan.is_offline else observer
        ),
        mask=Masker(plan.secrets).object,
        detector=EnergyV1(),
        cancellation=cancellation,
        second_detector=second_for_assistant(settings),
        monitor=monitor,
    )


def _observer(settings: Settings, stack: ExitStack) -> Observer | None:
    if not settings.switch("semantic_drain"):
        return None
    base = http_endpoint(
        settings.text("base_url"),
        allow_plaintext_loopback=settings.switch("allow_insecure_loopback"),
        setting="OPENAI_BASE_URL",
    )
    service = ModelService(
        base_url=base.url,
        is_loopback=base.is_loopback,
        timeout_s=settings.number("completion_timeout_seconds"),
        api_key=settings.text("api_key"),
    )
    load_sdk()
    return stack.enter_context(observer_at(service, settings.text("completion_model")))


def _simulation(settings: Settings, plan: Plan) -> Simulation:
    condition, recipe = acoustics_of(settings)
    needs_ambience = recipe.background_speech is not None or recipe.distractors is not None
    ambience, background_sha256 = ambience_of(settings) if needs_ambience else (None, None)
    return Simulation(
        caller=CallerSettings.of(settings),
        completion=CompletionPolicy(
            is_observed=False,
            duration_ms=_ms(settings.number("max_duration_seconds")),
            drain_ms=settings.integer("drain_ms"),
            quiet_line_ms=settings.integer("quiet_line_ms"),
            failures_max=settings.integer("completion_retries") + 1,
        ),
        condition=condition,
        recipe=recipe,
        ambience=ambience,
        background_sha256=background_sha256,
        seed=settings.integer("seed"),
        hold_ms=_holds(settings, plan),
        grace_us=_us(settings.number("work_grace_seconds")),
        cleanup_us=_us(settings.number("cleanup_timeout_seconds")),
        is_virtual=plan.is_virtual,
        assistant_opening=plan.kit.opening_prompt,
    )


def _holds(settings: Settings, plan: Plan) -> dict[Speaker, int]:
    """A script in this process has no jitter, and is heard at the instants it names. Offline it
    stands in for a service, whose voice would be held."""
    hold_ms = settings.integer("playout_hold_ms")
    is_here = isinstance(plan.caller, ScriptedCaller)
    return {Speaker.CALLER: 0 if is_here else hold_ms, Speaker.ASSISTANT: hold_ms}


def _ms(seconds: float) -> int:
    return round(seconds * 1_000)


def _us(seconds: float) -> int:
    """At least one: what may be short must last."""
    return max(1, round(seconds * 1_000_000))


def _caller_endpoint(settings: Settings, plan: Plan) -> Endpoint | None:
    named = settings["simulator_endpoint"]
    if not named:
        return plan.endpoint
    api_key(settings, needed_for="a live run", otherwise="--offline for a run without one")
    return live_endpoint(
        str(named),
        allow_plaintext_loopback=settings.switch("allow_insecure_loopback"),
        setting="--simulator-endpoint",
    )


def _scripted(
    attempt: Attempt, speaker: Speaker, script: ConversationScript | None, voice: Synthesizer
) -> FixtureMachine:
    """The far end of one side, in memory. It knows no date, so that it repeats to the byte."""
    return FixtureMachine(
        voice=voice,
        session_name=f"{attempt.key}/{speaker.value}",
        epoch_s=0,
        script=None if script is None else script.side(speaker),
    )


class ScriptedObserver(Observer):
    """Answers with what a conversation script says, once for each time it is asked."""

    def __init__(self, replies: tuple[JsonObject, ...]) -> None:
        self._replies = list(replies)

    @property
    @override
    def model(self) -> str:
        return "scripted"

    @override
    async def ask(self, question: Question) -> Reply:
        if not self._replies:
            return Reply(problem="the script has no more answers")
        return Reply(json_text(self._replies.pop(0)))


def _scripted_observer(script: ConversationScript | None) -> Observer | None:
    if script is None or not script.observer:
        return None
    return ScriptedObserver(script.observer)

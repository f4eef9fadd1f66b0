"""RUN as a suite: every multi-turn scenario, its caller simulated or scripted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, override

from assistants.frontend.fixture.library import SOUND, ConversationLibrary
from assistants.suite.suite import Caller, Rendition, Suite
from assistants.suite.voices import synthesizer
from run_harness.scripted_caller import FLAG, CallerScripts, ScriptedCaller, scripted_identity
from run_harness.settings import CALLER_ROWS, ROWS, SCRIPTED_CALLER_ROWS
from run_harness.simulation.caller import CallerSettings, caller_identity
from run_harness.simulation.observer import EFFORT, prompt_sha256
from run_harness.simulation.prompts import caller_prompts, opening_command
from shared.dataset import Dataset
from shared.errors import DatasetError, UsageError
from shared.places import expanded
from shared.scenarios import Interaction, Persona, Scenario
from shared.settings import Origin, Setting, Settings
from shared.speech.port import Synthesizer
from shared.values import JsonObject

SOURCE = "dual_gpt_live"


def is_conversation(scenario: Scenario) -> bool:
    """Whether there is a caller to be simulated."""
    return scenario.interaction is Interaction.MULTI_TURN


class SimulatedCaller(Caller):
    """One simulated caller per scenario; who it is goes into every report.

    ``stand_in`` is the voice of the scripted callers that stand in for all of them offline.
    """

    def __init__(self, settings: Settings, stand_in: Synthesizer | None = None) -> None:
        self._settings = settings
        self._stand_in = stand_in

    @property
    @override
    def source(self) -> str:
        return SOURCE

    @property
    @override
    def warnings(self) -> Sequence[str]:
        return ()

    @override
    def renditions(self, scenarios: Sequence[Scenario]) -> Sequence[Rendition]:
        caller, is_offline = CallerSettings.of(self._settings), self._settings.switch("offline")
        alike = []
        for scenario in scenarios:
            part = scenario.simulation_parameters
            if part is None:
                continue
            if not is_offline and _is_same(caller.voice_of(part.persona), self._settings):
                alike.append(
                    f'scenario "{scenario.id}": the caller has the assistant\'s voice;'
                    " choose another with --simulator-voice or --voice"
                )
        if alike:
            raise DatasetError(alike)
        return [Rendition(scenario) for scenario in scenarios]

    @override
    def identity(self, rendition: Rendition, script: Any | None) -> JsonObject:
        """Offline the caller is its script."""
        if self._stand_in is not None:
            return scripted_identity(script, self._stand_in)
        scenario, part = rendition.scenario, rendition.scenario.simulation_parameters
        if part is None:
            raise ValueError(f"{scenario.id} has no simulated caller")
        return self._simulated(scenario, part.persona)

    def _simulated(self, scenario: Scenario, persona: Persona) -> JsonObject:
        is_called_first = self._settings["assistant_opening_prompt"] is not None
        return caller_identity(
            CallerSettings.of(self._settings),
            persona,
            caller_prompts(scenario, is_called_first=is_called_first),
            None if is_called_first else opening_command(scenario.input.text),
        )

    @override
    def recorded(self) -> JsonObject:
        """Each attempt has a caller of its own."""
        return {}


def _is_same(voice: str, settings: Settings) -> bool:
    return voice.strip().casefold() == settings.text("voice").strip().casefold()


def _caller_of(settings: Settings, dataset: Dataset) -> Caller:
    """A script's caller where a live run names one, else a simulated one; offline a stand-in."""
    named = settings.values["caller_script"]
    if settings.switch("offline") and named.origin is Origin.FLAG:
        raise UsageError(
            f"{FLAG}: offline --offline-script chooses for both sides; remove one of {FLAG} and"
            " --offline"
        )
    if settings.switch("offline"):
        return SimulatedCaller(settings, synthesizer(settings))
    if named.value is None:
        _refuse(settings, SCRIPTED_CALLER_ROWS, f"belongs to {FLAG}; add it, or remove this")
        return SimulatedCaller(settings)
    _refuse(settings, CALLER_ROWS, f"belongs to a simulated caller; remove it or {FLAG}")
    is_sound = named.written == SOUND
    return ScriptedCaller(
        CallerScripts.beside(dataset.directory)
        if is_sound
        else CallerScripts.at(expanded(str(named.value), FLAG)),
        synthesizer(settings),
        is_called_first=settings.path("assistant_opening_prompt") is not None,
    )


def _refuse(settings: Settings, rows: Sequence[Setting], because: str) -> None:
    """Refuse flags that would change nothing."""
    for row in rows:
        if settings.origin(row.name) is Origin.FLAG:
            raise UsageError(f"{row.flag}: {because}")


def _observer(settings: Settings) -> JsonObject:
    """Who says that a live conversation is over; nobody where it rests on other things."""
    is_asked = settings.switch("semantic_drain") and not settings.switch("offline")
    told: JsonObject = {
        "model": settings.text("completion_model"),
        "reasoning_effort": EFFORT,
        "prompt_sha256": prompt_sha256(),
    }
    return {"completion_observer": told if is_asked else None}


RUN = Suite(
    name="run",
    folder=Path(__file__).parent,
    rows=ROWS,
    takes=is_conversation,
    kind="a multi-turn scenario",
    caller=_caller_of,
    library=ConversationLibrary,
    recorded=_observer,
)

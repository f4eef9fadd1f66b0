"""RUN as a suite: every multi-turn scenario, its caller simulated."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, override

from assistants.frontend.fixture.library import DEFECTS, FAULTS, ConversationLibrary
from assistants.suite.settings import VOICE_ROWS
from assistants.suite.suite import Caller, Rendition, Suite
from assistants.suite.voices import synthesizer
from run_harness.scripted_caller import ScriptedCaller, scripted_identity
from run_harness.settings import ROWS
from run_harness.simulation.caller import CallerSettings, caller_identity
from run_harness.simulation.prompts import caller_prompts, opening_command
from shared.dataset import Dataset
from shared.errors import DatasetError, UsageError
from shared.scenarios import Interaction, Persona, Scenario
from shared.settings import Origin, Settings
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
    """A script's caller where the run names a script, offline the simulated one's stand-in."""
    script, is_offline = settings["caller_script"], settings.switch("offline")
    if script is None:
        if not is_offline:
            _refuse_voices(settings)
        return SimulatedCaller(settings, synthesizer(settings) if is_offline else None)
    if is_offline:
        raise UsageError(
            "--caller-script: offline --offline-script chooses for both sides; remove one of"
            " --caller-script and --offline"
        )
    if script in {DEFECTS, FAULTS}:
        raise UsageError(f"--caller-script: {script} are many scripts; name sound or one of them")
    library = ConversationLibrary(dataset.directory, "--caller-script")
    return ScriptedCaller(library, str(script), synthesizer(settings))


def _refuse_voices(settings: Settings) -> None:
    """A simulated caller speaks by its own session, whatever voice somebody chose for a script."""
    for row in VOICE_ROWS:
        if settings.origin(row.name) is Origin.FLAG:
            raise UsageError(
                f"{row.flag}: only scripts are spoken by it; add --caller-script or remove it"
                " (a simulated caller has --simulator-voice)"
            )


RUN = Suite(
    name="run",
    folder=Path(__file__).parent,
    rows=ROWS,
    takes=is_conversation,
    kind="a multi-turn scenario",
    caller=_caller_of,
    library=ConversationLibrary,
)

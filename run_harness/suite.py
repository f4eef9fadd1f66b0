"""RUN as a suite: every multi-turn scenario, its caller simulated."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import override

from assistants.frontend.fixture.library import DEFECTS, FAULTS, ConversationLibrary
from assistants.suite.settings import VOICE_ROWS
from assistants.suite.suite import Caller, Rendition, Suite
from assistants.suite.voices import synthesizer
from run_harness.scripted_caller import ScriptedCaller
from run_harness.settings import ROWS
from run_harness.simulation.caller import CallerSettings, caller_identity
from run_harness.simulation.prompts import caller_prompts
from shared.dataset import Dataset
from shared.errors import DatasetError, UsageError
from shared.scenarios import Interaction, Scenario
from shared.settings import Origin, Settings
from shared.values import JsonObject

SOURCE = "dual_gpt_live"


def is_conversation(scenario: Scenario) -> bool:
    """Whether there is a caller to be simulated."""
    return scenario.interaction is Interaction.MULTI_TURN


class SimulatedCaller(Caller):
    """One simulated caller per scenario; who it is goes into every report."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._identities: dict[str, JsonObject] = {}

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
            prompts = caller_prompts(scenario)
            self._identities[scenario.id] = caller_identity(caller, part.persona, prompts)
            if not is_offline and _is_same(caller.voice_of(part.persona), self._settings):
                alike.append(
                    f'scenario "{scenario.id}": the caller has the assistant\'s voice;'
                    " choose another with --simulator-voice or --voice"
                )
        if alike:
            raise DatasetError(alike)
        return [Rendition(scenario) for scenario in scenarios]

    @override
    def recorded(self) -> JsonObject:
        return dict(self._identities)


def _is_same(voice: str, settings: Settings) -> bool:
    return voice.strip().casefold() == settings.text("voice").strip().casefold()


def _caller_of(settings: Settings, dataset: Dataset) -> Caller:
    """A script's caller where the run names a script, offline the simulated one's stand-in."""
    script, is_offline = settings["caller_script"], settings.switch("offline")
    if script is None:
        if not is_offline:
            _refuse_voices(settings)
        return SimulatedCaller(settings)
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

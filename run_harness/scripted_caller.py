"""A caller that follows a script in a live run: its session is played in memory, by any voice."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, override

from assistants.frontend.fixture.conversation_script import (
    ConversationScript,
    parse_caller_script,
)
from assistants.frontend.fixture.instants import Anchor
from assistants.frontend.fixture.library import (
    SCRIPT_NAME,
    SOUND,
    Named,
    NamedConversation,
    read_script,
)
from assistants.frontend.fixture.steps import Say
from assistants.suite.suite import Caller, Rendition
from shared.audio.detection.energy_v1 import EnergyV1
from shared.errors import AttemptError, HarnessError, Stage, UsageError
from shared.observability.observations import Speaker
from shared.scenarios import Scenario
from shared.speech.port import Synthesizer
from shared.speech.prepared import PreparedSynthesizer
from shared.values import JsonObject

SOURCE = "scripted_caller"
FLAG = "--caller-script"


@dataclass(frozen=True, slots=True)
class CallerScripts:
    """Where callers' scripts are: in a folder by scenario, or one file for one scenario.

    ``name`` tells attempts apart from those of other scripts.
    """

    place: Path
    name: str
    is_folder: bool

    @classmethod
    def at(cls, place: Path) -> CallerScripts:
        """What a path given by a user names. Raises :class:`UsageError` where it names nothing."""
        is_folder = place.is_dir()
        name = place.resolve().name if is_folder else place.stem
        if not place.exists():
            raise UsageError(
                f"{FLAG}: {place} does not exist; name a conversation script, a folder of them by"
                f" scenario id, or {SOUND}"
            )
        if not SCRIPT_NAME.fullmatch(name):
            raise UsageError(
                f"{FLAG}: {place}: {name!r} names attempts; use letters, digits, underscores and"
                " hyphens, a letter first"
            )
        return cls(place, name, is_folder)

    @classmethod
    def beside(cls, dataset_folder: Path) -> CallerScripts:
        """The callers of the sound conversations that belong to a dataset."""
        return cls(dataset_folder / "scripts" / SOUND, SOUND, is_folder=True)

    def of(self, scenario: Scenario, *, is_called_first: bool) -> NamedConversation:
        """A scenario's script. Raises :class:`UsageError` in one line for one that is not fit."""
        path = self.place / f"{scenario.id}.json" if self.is_folder else self.place
        if not path.is_file():
            raise UsageError(
                f'{FLAG}: scenario "{scenario.id}" has no script {path}; write one, or choose'
                " others with --scenario"
            )
        script = read_script(path, parse_caller_script)
        problem = _problem(script, scenario, is_called_first=is_called_first)
        if problem is not None:
            raise UsageError(f"{FLAG}: {path}: {problem}")
        return Named(self.name, script)


class ScriptedCaller(Caller):
    """Says in every scenario what its script says."""

    def __init__(
        self, scripts: CallerScripts, voice: Synthesizer, *, is_called_first: bool = False
    ) -> None:
        self._scripts = scripts
        self._voice = voice
        self._is_called_first = is_called_first

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
        if not self._scripts.is_folder and len(scenarios) > 1:
            raise UsageError(
                f"{FLAG}: {self._scripts.place} is the caller of one scenario, and"
                f" {len(scenarios)} are to run; choose one with --scenario, or name a folder with a"
                " script for each"
            )
        return [self._rendition(scenario) for scenario in scenarios]

    @override
    def identity(self, rendition: Rendition, script: Any | None) -> JsonObject:
        return scripted_identity(script, self._voice)

    @override
    def recorded(self) -> JsonObject:
        """Each attempt has a caller of its own."""
        return {}

    def _rendition(self, scenario: Scenario) -> Rendition:
        named = self._scripts.of(scenario, is_called_first=self._is_called_first)
        return Rendition(scenario, script=named)


def scripted_identity(script: ConversationScript | None, voice: Synthesizer) -> JsonObject:
    """Who calls, live or offline: another script or voice is another caller.

    Nothing else makes one, for it hears by its script. Without a script it says nothing of its own.
    """
    return {
        "kind": "scripted",
        "script_sha256": None
        if script is None
        else hashlib.sha256(played_text(script).encode()).hexdigest(),
        "synthesizer": voice.name,
        "version": voice.version,
        "parameters": dict(voice.parameters),
    }


def played_text(script: ConversationScript) -> str:
    """The caller's side, which is all of a conversation script that a live run plays."""
    return f"{script.side(Speaker.CALLER).to_json()}\n"


def prepared(voice: Synthesizer, script: ConversationScript) -> PreparedSynthesizer:
    """The voice with every sentence of the caller said before anybody listens.

    Whatever keeps it from being said is the instrument's failure, and raises so.
    """
    try:
        return PreparedSynthesizer(voice, (step.say for step in _says(script)), EnergyV1())
    except AttemptError:
        raise
    except (HarnessError, ValueError) as error:
        raise AttemptError(Stage.AUDIO_SYNTHESIS, str(error)) from None


def _says(script: ConversationScript) -> list[Say]:
    return [step for step in script.caller.steps if isinstance(step, Say)]


def _problem(
    script: ConversationScript, scenario: Scenario, *, is_called_first: bool
) -> str | None:
    """Why a script cannot call in a scenario."""
    says = _says(script)
    if not says:
        return "the caller says nothing; give it a step such as {'say': 'Hello?', 'at': 'start'}"
    opening = says[0]
    if script.caller.needs_a_socket:
        return (
            "the caller goes wrong below the messages; play it with live-fixture --side caller"
            " --script and --simulator-endpoint"
        )
    if is_called_first and opening.at.anchor is Anchor.START:
        return (
            f"the caller speaks at {opening.at}, and --assistant-opening-prompt has the assistant"
            " speak first; let it wait for what it hears, such as heard1.ended+700"
        )
    if not _begins_with(scenario.input.text, opening.say):
        return (
            f'the caller opens with {opening.say!r}, and scenario "{scenario.id}" with'
            f" {scenario.input.text!r}; name the script of this scenario"
        )
    return None


def _begins_with(request: str, opening: str) -> bool:
    """Whether the request is opened so; a pause may cut it, and marks do not count."""
    words, first = (re.findall(r"\w+", text.casefold()) for text in (request, opening))
    return words[: len(first)] == first

"""A caller that follows a script in a live run: its session is played in memory, by any voice."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, override

from assistants.frontend.fixture.conversation_script import ConversationScript
from assistants.frontend.fixture.library import ConversationLibrary
from assistants.frontend.fixture.steps import Say
from assistants.suite.suite import Caller, Rendition
from shared.errors import AttemptError, DatasetError, Stage
from shared.observability.observations import Speaker
from shared.scenarios import Scenario
from shared.speech.port import Synthesizer
from shared.speech.prepared import PreparedSynthesizer
from shared.values import JsonObject

SOURCE = "scripted_caller"


class ScriptedCaller(Caller):
    """Says in every scenario what its scripts of one name say."""

    def __init__(self, library: ConversationLibrary, choice: str, voice: Synthesizer) -> None:
        self._library = library
        self._choice = choice
        self._voice = voice

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
        """Every scenario with a script of that name; the sound one is needed by all of them."""
        missing = [
            f'scenario "{scenario.id}": no script for its caller;'
            f" write scripts/sound/{scenario.id}.json beside the dataset,"
            " or leave --caller-script out"
            for scenario in scenarios
            for named in self._library.chosen(scenario.id, self._choice)
            if named.script is None
        ]
        if missing:
            raise DatasetError(missing)
        return [Rendition(scenario) for scenario in scenarios]

    @override
    def identity(self, rendition: Rendition, script: Any | None) -> JsonObject:
        return scripted_identity(script, self._voice)

    @override
    def recorded(self) -> JsonObject:
        """Each attempt has a caller of its own."""
        return {}


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
    """The voice with every sentence of the caller said before anybody listens."""
    texts = [step.say for step in script.caller.steps if isinstance(step, Say)]
    try:
        return PreparedSynthesizer(voice, texts)
    except ValueError as error:
        raise AttemptError(Stage.AUDIO_SYNTHESIS, str(error)) from None

"""The caller's session: its own settings, its own backend, and no tools."""

from __future__ import annotations

import pytest

from assistants.frontend.session_config import CustomVoice, ResponsesDelegation
from run_harness.settings import ROWS
from run_harness.simulation.caller import CallerSettings, caller_identity, caller_session
from run_harness.simulation.prompts import CallerPrompts
from shared.scenarios import Persona
from shared.settings import Value, resolve

PROMPTS = CallerPrompts("Speak.", "Think.")
ASSISTANTS = {
    "OPENAI_LIVE_MODEL": "another-model",
    "OPENAI_LIVE_VOICE": "another-voice",
    "OPENAI_LIVE_BACKEND_MODEL": "another-backend",
    "OPENAI_LIVE_BACKEND_REASONING_EFFORT": "xhigh",
    "OPENAI_LIVE_BACKEND_MAX_OUTPUT_TOKENS": "99",
    "OPENAI_LIVE_BACKEND_VERBOSITY": "high",
    "OPENAI_ASSISTANT_MODE": "client",
}


def settings(**flags: Value) -> CallerSettings:
    return CallerSettings.of(
        resolve(ROWS, flags=flags, environment=ASSISTANTS, env_file={}, toml={})
    )


def test_nothing_is_inherited_from_the_assistant() -> None:
    own = settings(model="yet-another", voice="ash", backend_model="yet-another")

    assert own == CallerSettings()


def test_its_session_has_a_backend_without_tools() -> None:
    session = caller_session(settings(), Persona(voice="sage"), PROMPTS)
    delegation = session.delegation

    assert isinstance(delegation, ResponsesDelegation)
    backend = delegation.responses
    assert (session.model, session.instructions) == ("gpt-live-1", "Speak.")
    assert (backend.model, backend.instructions) == ("gpt-5.6-luna", "Think.")
    assert backend.reasoning is not None
    assert backend.text is not None
    assert (backend.reasoning.effort, backend.text.verbosity) == ("low", "low")
    assert (backend.max_output_tokens, backend.tools) == (1024, ())
    assert session.input is None


@pytest.mark.parametrize(
    ("voice", "sent"),
    [
        pytest.param("", "sage", id="the-personas-own-by-default"),
        pytest.param("cedar", "cedar", id="the-one-given"),
        pytest.param("voice_12", CustomVoice(id="voice_12"), id="a-custom-one-by-its-id"),
    ],
)
def test_its_voice_is(voice: str, sent: object) -> None:
    session = caller_session(settings(simulator_voice=voice), Persona(voice="sage"), PROMPTS)

    assert session.audio is not None
    assert session.audio.output is not None
    assert session.audio.output.voice == sent


@pytest.mark.parametrize(
    ("flags", "persona", "prompts", "opening"),
    [
        pytest.param({"simulator_model": "m"}, Persona(), PROMPTS, "Go.", id="another-model"),
        pytest.param({}, Persona(voice="sage"), PROMPTS, "Go.", id="another-persona-s-voice"),
        pytest.param({"simulator_voice": "sage"}, Persona(), PROMPTS, "Go.", id="a-voice-given"),
        pytest.param(
            {"simulator_backend_model": "m"}, Persona(), PROMPTS, "Go.", id="another-backend"
        ),
        pytest.param(
            {"simulator_backend_reasoning_effort": "high"},
            Persona(),
            PROMPTS,
            "Go.",
            id="a-backend-that-thinks-longer",
        ),
        pytest.param({}, Persona(), CallerPrompts("Speak.", "Else."), "Go.", id="another-prompt"),
        pytest.param({}, Persona(), CallerPrompts("Else.", "Think."), "Go.", id="its-voice-s-too"),
        pytest.param({}, Persona(), PROMPTS, "Begin.", id="another-opening"),
        pytest.param({}, Persona(), PROMPTS, None, id="one-that-is-called-first"),
    ],
)
def test_another_caller_is(
    flags: dict[str, Value], persona: Persona, prompts: CallerPrompts, opening: str | None
) -> None:
    same = caller_identity(settings(), Persona(), PROMPTS, "Go.")

    assert caller_identity(settings(), Persona(), PROMPTS, "Go.") == same
    assert caller_identity(settings(**flags), persona, prompts, opening) != same


@pytest.mark.parametrize("flag", ["model", "voice", "backend_model"])
def test_nothing_of_the_assistant_makes_another_caller(flag: str) -> None:
    other = caller_identity(settings(**{flag: "yet-another"}), Persona(), PROMPTS, "Go.")
    assert other == caller_identity(settings(), Persona(), PROMPTS, "Go.")

"""The simulated caller's own session: settings that inherit nothing from the assistant's."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from assistants.frontend.session_config import SessionConfig, voice_named
from run_harness.simulation.prompts import CallerPrompts
from shared.scenarios import Persona
from shared.settings import Settings
from shared.values import JsonObject, JsonValue

MOST_OUTPUT_TOKENS: Final = 1024
VERBOSITY: Final = "low"


@dataclass(frozen=True, slots=True)
class CallerSettings:
    """How to configure simulated callers. A ``voice`` stands in for every persona's own."""

    model: str = "gpt-live-1"
    voice: str = ""
    backend_model: str = "gpt-5.6-luna"
    backend_reasoning_effort: str = "low"

    @classmethod
    def of(cls, settings: Settings) -> CallerSettings:
        """Take the caller's part of a resolved table."""
        return cls(
            model=settings.text("simulator_model"),
            voice=settings.text("simulator_voice"),
            backend_model=settings.text("simulator_backend_model"),
            backend_reasoning_effort=settings.text("simulator_backend_reasoning_effort"),
        )

    def voice_of(self, persona: Persona) -> str:
        return self.voice or persona.voice


def caller_session(
    settings: CallerSettings, persona: Persona, prompts: CallerPrompts
) -> SessionConfig:
    """The start of a caller's session: delegation managed by the provider, and no tools."""
    body: dict[str, JsonValue] = {
        "model": settings.model,
        "instructions": prompts.frontend,
        "audio": {
            "format": {"type": "audio/pcm", "rate": 24_000},
            "output": {"voice": voice_named(settings.voice_of(persona))},
        },
        "delegation": {
            "type": "responses",
            "responses": {
                "model": settings.backend_model,
                "instructions": prompts.backend,
                "tools": [],
                "tool_choice": "auto",
                "parallel_tool_calls": True,
                "reasoning": {"effort": settings.backend_reasoning_effort},
                "max_output_tokens": MOST_OUTPUT_TOKENS,
                "text": {"verbosity": VERBOSITY},
            },
        },
    }
    return SessionConfig.model_validate(body, strict=False)


def caller_identity(
    settings: CallerSettings, persona: Persona, prompts: CallerPrompts, opening: str | None
) -> JsonObject:
    """Who called, for every result: another caller has another identity.

    ``opening`` is the command to begin, where the caller speaks first.
    """
    return {
        "kind": "simulated",
        "model": settings.model,
        "voice": settings.voice_of(persona),
        "backend_model": settings.backend_model,
        "backend_reasoning_effort": settings.backend_reasoning_effort,
        "backend_max_output_tokens": MOST_OUTPUT_TOKENS,
        "backend_verbosity": VERBOSITY,
        "prompts_sha256": prompts.sha256,
        "opening_sha256": None if opening is None else _sha256(opening),
    }


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()

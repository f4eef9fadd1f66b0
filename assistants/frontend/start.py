"""What every session asks for at its start, whoever does the delegated work."""

from __future__ import annotations

from assistants.config import LiveAgentSettings
from assistants.frontend.session_config import SessionConfig, voice_named
from assistants.resources import ApplicationResources, authorized_context
from shared.scenarios import AssistantBrief
from shared.values import JsonObject, JsonValue


def start_of(
    settings: LiveAgentSettings,
    application: ApplicationResources,
    voice_prompt: str,
    brief: AssistantBrief,
    delegation: JsonObject,
) -> SessionConfig:
    """Build the start body. The brief is all of a scenario that an assistant may know."""
    context = authorized_context(application, brief.initial_state, brief.summary)
    body: dict[str, JsonValue] = {
        "model": settings.model,
        "instructions": f"{voice_prompt}\n\n{application.scope_prompt}{context}",
        "audio": {
            "format": {"type": "audio/pcm", "rate": 24_000},
            "output": {"voice": voice_named(settings.voice)},
        },
        "delegation": delegation,
    }
    if brief.history:
        body["input"] = [_message(past.role, past.text) for past in brief.history]
    return SessionConfig.model_validate(body, strict=False)


def _message(role: str, text: str) -> JsonObject:
    part = "input_text" if role == "user" else "output_text"
    return {"type": "message", "role": role, "content": [{"type": part, "text": text}]}

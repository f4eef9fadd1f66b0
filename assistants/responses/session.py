"""What a session with managed delegation asks for at its start."""

from __future__ import annotations

from assistants.config import LiveAgentSettings
from assistants.frontend.session_config import SessionConfig, voice_named
from assistants.resources import ApplicationResources, authorized_context
from assistants.tool_schema import strict_tool
from shared.scenarios import AssistantBrief
from shared.values import JsonObject, JsonValue


def session_config(
    settings: LiveAgentSettings,
    application: ApplicationResources,
    voice_prompt: str,
    brief: AssistantBrief,
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
        "delegation": {
            "type": "responses",
            "responses": {
                "model": settings.backend_model,
                "instructions": f"{application.backend_prompt}{context}",
                "tools": [strict_tool(tool) for tool in application.tools],
                "tool_choice": "auto",
                "parallel_tool_calls": True,
                "reasoning": {"effort": settings.backend_reasoning_effort},
                "max_output_tokens": settings.backend_max_output_tokens,
                "text": {"verbosity": settings.backend_verbosity},
            },
        },
    }
    if brief.history:
        body["input"] = [_message(past.role, past.text) for past in brief.history]
    return SessionConfig.model_validate(body, strict=False)


def _message(role: str, text: str) -> JsonObject:
    part = "input_text" if role == "user" else "output_text"
    return {"type": "message", "role": role, "content": [{"type": part, "text": text}]}

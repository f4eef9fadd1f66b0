"""What a session with managed delegation asks for at its start, and its backend's settings."""

from __future__ import annotations

from assistants.config import LiveAgentSettings
from assistants.frontend.session_config import ResponsesConfig, SessionConfig
from assistants.frontend.start import start_of
from assistants.resources import ApplicationResources, authorized_context
from shared.scenarios import AssistantBrief
from shared.values import JsonObject


def session_config(
    settings: LiveAgentSettings,
    application: ApplicationResources,
    voice_prompt: str,
    brief: AssistantBrief,
) -> SessionConfig:
    """Build the start body. The brief is all of a scenario that an assistant may know."""
    backend = backend_body(settings, application, brief)
    delegation: JsonObject = {"type": "responses", "responses": backend}
    return start_of(settings, application, voice_prompt, brief, delegation)


def backend_config(
    settings: LiveAgentSettings, application: ApplicationResources, brief: AssistantBrief
) -> ResponsesConfig:
    """The backend's settings, the same whoever manages it."""
    return ResponsesConfig.model_validate(backend_body(settings, application, brief), strict=False)


def backend_body(
    settings: LiveAgentSettings, application: ApplicationResources, brief: AssistantBrief
) -> JsonObject:
    context = authorized_context(application, brief.initial_state, brief.summary)
    return {
        "model": settings.backend_model,
        "instructions": f"{application.backend_prompt}{context}",
        "tools": list(application.strict_tools),
        "tool_choice": "auto",
        "parallel_tool_calls": True,
        "reasoning": {"effort": settings.backend_reasoning_effort},
        "max_output_tokens": settings.backend_max_output_tokens,
        "text": {"verbosity": settings.backend_verbosity},
    }

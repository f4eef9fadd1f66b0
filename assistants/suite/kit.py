"""What every attempt's assistant is made from, read once: prompts, application, backend."""

from __future__ import annotations

from assistants.catalog import AssistantKit
from assistants.config import LiveAgentSettings
from assistants.resources import (
    BUNDLED_APPLICATION,
    load_application,
    load_voice_prompt,
)
from assistants.suite.client_kit import client_kit
from shared.errors import UsageError
from shared.places import expanded
from shared.settings import Settings


def kit_of(settings: Settings) -> AssistantKit:
    """Read it; what is missing or wrong raises :class:`UsageError`."""
    folder = settings.path("application")
    return AssistantKit(
        LiveAgentSettings.of(settings),
        load_application(expanded(folder, "--application") if folder else BUNDLED_APPLICATION),
        load_voice_prompt(),
        _opening_prompt(settings),
        client_kit(settings),
    )


def _opening_prompt(settings: Settings) -> str | None:
    """What has the assistant speak first, where a suite lets somebody ask for that."""
    if not any(row.name == "assistant_opening_prompt" for row in settings.rows):
        return None
    named, setting = settings.path("assistant_opening_prompt"), "--assistant-opening-prompt"
    if named is None:
        return None
    try:
        text = expanded(named, setting).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{setting}: {named}: cannot be read: {error}") from None
    if not text.strip():
        raise UsageError(f"{setting}: {named}: is blank; write what the assistant should say first")
    return text

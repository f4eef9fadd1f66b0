"""The reference backend, as settings want it."""

from __future__ import annotations

from functools import partial

from assistants.client.backend import OpenBackend
from assistants.client.openai_backend import (
    RESPONSE_WITHIN_S,
    RETRIES,
    ROUNDS_MAX,
    OpenAIBackend,
    rehearse,
)
from assistants.config import responses_key
from assistants.endpoints import http_endpoint
from assistants.resources import load_client_prompt
from shared.grading.openai_model import ModelService
from shared.settings import Settings
from shared.values import JsonObject


def reference_backend(
    settings: Settings, otherwise: str = "--client-backend for your own"
) -> tuple[OpenBackend, JsonObject]:
    """What opens it for a session, and what a report says of it; ``otherwise`` is what to use
    without a key.

    Raises :class:`UsageError` for an address or a key that is none.
    """
    base = http_endpoint(
        settings.text("base_url"),
        allow_plaintext_loopback=settings.switch("allow_insecure_loopback"),
        setting="OPENAI_BASE_URL",
    )
    service = ModelService(
        base_url=base.url,
        is_loopback=base.is_loopback,
        timeout_s=RESPONSE_WITHIN_S,
        api_key=responses_key(settings, otherwise),
    )
    rehearse()
    recorded: JsonObject = {
        "backend": "openai",
        "response_timeout_seconds": RESPONSE_WITHIN_S,
        "responses_max": ROUNDS_MAX,
        "retries": RETRIES.most,
    }
    return partial(OpenAIBackend, service, load_client_prompt("broken_off")), recorded

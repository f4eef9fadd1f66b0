"""What delegation managed by the application is made from: texts, timing, and its backend."""

from __future__ import annotations

import os

from assistants.catalog import ClientKit
from assistants.client.backend import OpenBackend
from assistants.client.desk import DeskTexts, DeskTiming
from assistants.client.reference_backend import reference_backend
from assistants.config import CLIENT_EFFORT, EFFORTS, api_keys, client_token
from assistants.endpoints import application_endpoint
from assistants.resources import load_client_prompt, load_own_backend
from assistants.wire import Address
from shared.environment import read_env_file
from shared.errors import UsageError
from shared.places import expanded
from shared.settings import Origin, Settings
from shared.values import JsonObject


def client_kit(settings: Settings) -> ClientKit | None:
    """Read and check it; nothing under managed delegation. Mistakes are :class:`UsageError`s."""
    if settings.text("assistant_mode") != "client":
        _refuse_what_is_of_client_mode(settings)
        return None
    _refuse_blank_endpoint(settings)
    texts = DeskTexts(load_client_prompt("task"), load_client_prompt("failed"))
    open_backend, recorded = _backend(settings)
    return ClientKit(texts, open_backend, _timing(settings), recorded, _remote(settings))


def _remote(settings: Settings) -> Address | None:
    """Where the application is, if it is elsewhere. Offline nothing is connected to."""
    if settings.switch("offline") or not settings["assistant_endpoint"]:
        return None
    endpoint = application_endpoint(
        settings.text("assistant_endpoint"),
        allow_plaintext_loopback=settings.switch("allow_insecure_client_loopback"),
        setting="--assistant-endpoint",
    )
    token = client_token(settings, api_keys(os.environ, read_env_file(os.environ)))
    return Address(endpoint.url, token, endpoint.is_loopback)


def _refuse_blank_endpoint(settings: Settings) -> None:
    """One that is given and empty, such as a shell's variable that nobody set: a run of another
    application than was meant would be paid for."""
    is_given = settings.origin("assistant_endpoint") is Origin.FLAG
    if is_given and not settings["assistant_endpoint"]:
        raise UsageError("--assistant-endpoint: is blank; give it an address or leave it out")


def _refuse_what_is_of_client_mode(settings: Settings) -> None:
    if settings["client_backend"] and settings.origin("client_backend") is Origin.FLAG:
        raise UsageError("--client-backend: belongs to --assistant client; add that or remove it")
    if settings.text("backend_reasoning_effort") == CLIENT_EFFORT:
        raise UsageError(
            f"OPENAI_LIVE_BACKEND_REASONING_EFFORT: {CLIENT_EFFORT} belongs to --assistant client;"
            f" choose {EFFORTS[-1]} or less"
        )


def _timing(settings: Settings) -> DeskTiming:
    quiet_ms, wait_ms = settings.integer("handoff_quiet_ms"), settings.integer("handoff_wait_ms")
    if quiet_ms > wait_ms:
        raise UsageError(
            f"assistant.handoff_quiet_ms: {quiet_ms} is longer than a handover waits at all"
            f" (assistant.handoff_wait_ms, {wait_ms}); make it shorter"
        )
    deadline_us = round(settings.number("delegation_timeout_seconds") * 1e6)
    return DeskTiming(quiet_ms * 1_000, wait_ms * 1_000, deadline_us)


def _backend(settings: Settings) -> tuple[OpenBackend | None, JsonObject]:
    """What opens the backend of a session, and what a report says of it."""
    own = settings.path("client_backend")
    if own is not None:
        if settings["assistant_endpoint"]:
            raise UsageError(
                "--client-backend: there is --assistant-endpoint too; keep one of them"
            )
        backend = load_own_backend(expanded(own, "--client-backend"))
        file = {"file": backend.file_name, "sha256": backend.sha256}
        return backend.make, {"backend": "own", **file}
    if settings.switch("offline"):
        return None, {"backend": "scripted"}
    if settings["assistant_endpoint"]:
        return None, {"backend": "remote"}
    return reference_backend(settings)

"""The judge: the OpenAI one behind a cache, as the settings have it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from assistants.endpoints import http_endpoint
from shared.errors import UsageError
from shared.grading.judge import Judge
from shared.grading.judge_cache import CachedJudge
from shared.grading.openai_judge import OpenAIJudge
from shared.grading.openai_model import ModelService, load_sdk
from shared.observability.redaction import Masker
from shared.places import expanded, judge_cache, refuse_inside_package
from shared.settings import Settings


def judge_of(settings: Settings, secrets: Sequence[str]) -> Judge | None:
    """The judge of a live run, checked before anything is spent; none with ``--no-judge``."""
    if not settings.switch("judge"):
        return None
    cached = settings.path("judge_cache_dir") or judge_cache(os.environ)
    cache = expanded(cached, "--judge-cache-dir")
    refuse_inside_package(cache, "--judge-cache-dir")
    if cache.exists() and not cache.is_dir():
        raise UsageError(f"--judge-cache-dir: {cache} is no folder; name one, or a new one")
    base = http_endpoint(
        settings.text("base_url"),
        allow_plaintext_loopback=settings.switch("allow_insecure_loopback"),
        setting="OPENAI_BASE_URL",
    )
    judge = OpenAIJudge(
        model=settings.text("judge_model"),
        reasoning_effort=settings.text("judge_reasoning_effort"),
        service=ModelService(
            base_url=base.url,
            is_loopback=base.is_loopback,
            timeout_s=settings.number("judge_timeout_seconds"),
            api_key=settings.text("api_key"),
        ),
        retries=settings.integer("judge_retries"),
    )
    load_sdk()
    return CachedJudge(
        judge,
        cache,
        Masker(secrets).machine_text,
        refresh=settings.switch("refresh_judge"),
        is_loopback=base.is_loopback,
    )

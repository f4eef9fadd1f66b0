"""What a CRAWL run will do, checked whole before anything is created or spent."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assistants.catalog import AssistantKit, factory_for
from assistants.config import LiveAgentSettings, api_key
from assistants.endpoints import Endpoint, live_endpoint
from assistants.frontend.fixture.library import NamedScript, ScriptLibrary
from assistants.resources import BUNDLED_APPLICATION, load_application, load_voice_prompt
from crawl_harness.caller import synthesizer
from crawl_harness.fit import refuse_misfits
from crawl_harness.judge import judge_of
from crawl_harness.secrecy import refuse_credentials
from shared.audio.pacing import PacingBound
from shared.dataset import Dataset, load_dataset, select
from shared.environment import read_env_file
from shared.errors import UsageError
from shared.grading.judge import Judge
from shared.grading.policy import EvaluationPolicy
from shared.observability.credentials import secrets_in
from shared.places import audio_cache, expanded, refuse_inside_package
from shared.scenarios import single_turn_scenarios
from shared.settings import Origin, Settings
from shared.single_turn.bench import Attempt
from shared.speech.port import Synthesizer


@dataclass(frozen=True, slots=True)
class PlannedAttempt:
    """An attempt and, offline, the script its assistant plays."""

    attempt: Attempt
    script: NamedScript | None


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that was checked before anything is created or spent."""

    settings: Settings
    dataset: Dataset
    dataset_path: Path
    kit: AssistantKit
    endpoint: Endpoint | None
    voice: Synthesizer
    attempts: tuple[PlannedAttempt, ...]
    is_virtual: bool
    secrets: tuple[str, ...] = field(repr=False)
    judge: Judge | None = None

    @property
    def is_offline(self) -> bool:
        return self.endpoint is None

    @property
    def policy(self) -> EvaluationPolicy:
        phrases = self.kit.application.phrases
        return EvaluationPolicy(
            pacing=PacingBound(
                p99_ms=self.settings.integer("pacing_p99_ms"),
                stall_ms=self.settings.integer("pacing_stall_ms"),
            ),
            confirmations=phrases.confirmations,
            refusal_patterns=phrases.refusal_patterns,
        )


def plan_run(settings: Settings, bundled_data: Path) -> Plan:
    """Check everything and choose the attempts; the first mistake found raises."""
    factory_for(settings.text("assistant_mode"))
    if settings["assistant_endpoint"] and settings.origin("assistant_endpoint") is Origin.FLAG:
        raise UsageError("--assistant-endpoint: belongs to --assistant client; remove it")
    is_offline = settings.switch("offline")
    endpoint = None if is_offline else _endpoint(settings)
    _check_pace(settings, is_offline=is_offline)
    cached = settings.path("audio_cache_dir") or audio_cache(os.environ)
    cache = expanded(cached, "--audio-cache-dir")
    refuse_inside_package(cache, "--audio-cache-dir")
    voice = synthesizer(settings, cache)
    dataset_path = expanded(settings.path("data") or bundled_data, "--data")
    dataset = load_dataset(dataset_path)
    folder = settings.path("application")
    kit = AssistantKit(
        LiveAgentSettings.of(settings),
        load_application(expanded(folder, "--application") if folder else BUNDLED_APPLICATION),
        load_voice_prompt(),
    )
    attempts = _attempts(settings, dataset, is_offline=is_offline)
    chosen = {planned.attempt.scenario.id: planned.attempt.scenario for planned in attempts}
    refuse_misfits(chosen.values(), kit.application)
    is_virtual = is_offline and settings["real_time"] is not True
    secrets = _secrets(settings)
    keys = [planned.attempt.key for planned in attempts]
    label = settings.text("run_name")
    refuse_credentials(chosen.values(), keys, kit.application, label, secrets)
    return Plan(
        settings,
        dataset,
        dataset_path,
        kit,
        endpoint,
        voice,
        tuple(attempts),
        is_virtual,
        secrets,
        None if is_offline else judge_of(settings, secrets),
    )


def _secrets(settings: Settings) -> tuple[str, ...]:
    """Every value that is known to be a credential, whoever uses it."""
    elsewhere = secrets_in(os.environ), secrets_in(read_env_file(os.environ))
    return tuple(dict.fromkeys((*settings.secrets(), *elsewhere[0], *elsewhere[1])))


def _endpoint(settings: Settings) -> Endpoint:
    endpoint = live_endpoint(
        settings.text("endpoint"),
        allow_plaintext_loopback=settings.switch("allow_insecure_loopback"),
        setting="--endpoint",
    )
    api_key(settings, needed_for="a live run", otherwise="--offline for a run without one")
    return endpoint


def _check_pace(settings: Settings, *, is_offline: bool) -> None:
    if not is_offline and settings["real_time"] is False:
        raise UsageError(
            "--no-real-time: unpaced live audio measures nothing; remove it or use --offline"
        )
    if not is_offline and settings.origin("offline_script") is Origin.FLAG:
        raise UsageError("--offline-script: only a fixture plays scripts; add --offline")


def _attempts(settings: Settings, dataset: Dataset, *, is_offline: bool) -> list[PlannedAttempt]:
    scenarios = select(
        single_turn_scenarios(dataset.scenarios),
        settings.text("example"),
        settings.integer("max_examples"),
    )
    library = ScriptLibrary(dataset.directory)
    choice = settings.text("offline_script")
    planned = []
    for scenario in scenarios:
        scripts: Sequence[NamedScript | None] = (
            library.chosen(scenario.id, choice) if is_offline else [None]
        )
        for script in scripts:
            for repeat in range(1, settings.integer("repeats") + 1):
                name = script.name if script is not None else None
                key = _key(scenario.id, name, repeat, settings.integer("repeats"))
                planned.append(PlannedAttempt(Attempt(key, scenario, repeat, name), script))
    if not planned:
        known = ", ".join(library.names(scenario.id for scenario in scenarios)) or "none"
        what = f"no selected scenario has a script {choice!r}"
        raise UsageError(f"--offline-script: {what}; there are: {known}")
    return planned


def _key(scenario_id: str, script: str | None, repeat: int, repeats: int) -> str:
    key = scenario_id if script in {None, "sound"} else f"{scenario_id}@{script}"
    return f"{key}@{repeat}" if repeats > 1 else key

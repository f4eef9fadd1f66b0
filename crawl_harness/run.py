"""One CRAWL run, composed: settings in, a run directory and an exit status out."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from assistants.catalog import AssistantKit, FarEnd, factory_for
from assistants.config import LiveAgentSettings
from assistants.endpoints import Endpoint, live_endpoint
from assistants.frontend.fixture.library import NamedScript, ScriptLibrary
from assistants.frontend.fixture.machine import FixtureMachine
from assistants.frontend.fixture.script import ResolvedScript, acknowledging_script, resolve
from assistants.frontend.fixture.voice import assistant_voice
from assistants.resources import BUNDLED_APPLICATION, load_application, load_voice_prompt
from crawl_harness.caller import SOURCE, spoken_request, synthesizer
from shared.artifacts import RunDirectory
from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.pacing import PacingBound
from shared.dataset import Dataset, load_dataset, select
from shared.errors import UsageError
from shared.execution import run_batch
from shared.grading.policy import EvaluationPolicy
from shared.grading.verdict import Status
from shared.intervals import Interval
from shared.metrics.extended import EXTENDED_VERSION
from shared.metrics.interaction import METRICS_VERSION
from shared.observability.redaction import secrets_in
from shared.observability.trace import Trace
from shared.places import audio_cache, expanded, refuse_inside_package, results_root
from shared.reporting.console import Console
from shared.reporting.journal import RESULTS, Journal
from shared.reporting.names import run_name
from shared.reporting.schema import Report, Run
from shared.scenarios import single_turn_scenarios
from shared.settings import Kind, Origin, Settings
from shared.single_turn.attempt import Cancellation
from shared.single_turn.bench import Attempt, Bench, OpenedLine
from shared.single_turn.session import SpokenRequest
from shared.speech.port import Synthesizer

INTERRUPTED_STATUS = 130
FAILED_STATUS = 1
INFRASTRUCTURE_STATUS = 3


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

    @property
    def is_offline(self) -> bool:
        return self.endpoint is None


def evaluate(settings: Settings, bundled_data: Path) -> int:
    """Run CRAWL by its settings; mistakes raise before anything is created."""
    plan = _plan(settings, bundled_data)
    started = datetime.now(UTC)
    label = settings.text("run_name") or f"crawl_{'offline' if plan.is_offline else 'live'}"
    name = run_name(label.strip(), started)
    root = expanded(settings.path("results_dir") or results_root("crawl"), "--results-dir")
    refuse_inside_package(root, "--results-dir")
    directory = RunDirectory.create(root, name)
    keys = [planned.attempt.key for planned in plan.attempts]
    journal = Journal(directory, _run(plan, name, started), keys)
    console = Console(is_verbose=settings.switch("verbose"), is_json=settings.switch("json"))
    cancellation = Cancellation()
    bench = _bench(plan, directory, cancellation, console)

    def perform(planned: PlannedAttempt) -> None:
        row = bench.run(planned.attempt)
        if not cancellation.is_requested:
            journal.finished(row)
            console.finished(row)

    report: Report | None = None
    console.begin(len(keys))
    try:
        is_whole = run_batch(
            plan.attempts,
            perform,
            concurrency=settings.integer("concurrency"),
            cancellation=cancellation,
        )
        report = journal.close(datetime.now(UTC).isoformat(timespec="milliseconds"))
    finally:
        console.end(report, _from_here(directory.path / RESULTS))
    if not is_whole:
        return INTERRUPTED_STATUS
    return _exit_status(report, settings.text("fail_on"))


def _from_here(path: Path) -> str:
    """A path as short as it can be pasted: relative when it lies below the working directory."""
    here = Path.cwd()
    whole = path.resolve()
    return str(whole.relative_to(here) if whole.is_relative_to(here) else whole)


def _exit_status(report: Report, fail_on: str) -> int:
    statuses = {row.status for row in report.results}
    if Status.FAILED.value in statuses and fail_on in {"failed", "any"}:
        return FAILED_STATUS
    if Status.INFRASTRUCTURE_ERROR.value in statuses and fail_on in {"infrastructure", "any"}:
        return INFRASTRUCTURE_STATUS
    return 0


def _plan(settings: Settings, bundled_data: Path) -> Plan:
    factory_for(settings.text("assistant_mode"))
    if settings["assistant_endpoint"] and settings.origin("assistant_endpoint") is Origin.FLAG:
        raise UsageError("--assistant-endpoint: belongs to --assistant client; remove it")
    is_offline = settings.switch("offline")
    endpoint = None if is_offline else _endpoint(settings)
    _check_pace(settings, is_offline=is_offline)
    cached = settings.path("audio_cache_dir") or audio_cache(os.environ)
    cache = expanded(cached, "--audio-cache-dir")
    refuse_inside_package(cache, "--audio-cache-dir")
    voice = synthesizer(
        _voice_name(settings, is_offline=is_offline),
        cache,
        refresh=settings.switch("refresh_audio"),
    )
    dataset_path = expanded(settings.path("data") or bundled_data, "--data")
    dataset = load_dataset(dataset_path)
    folder = settings.path("application")
    kit = AssistantKit(
        LiveAgentSettings.of(settings),
        load_application(expanded(folder, "--application") if folder else BUNDLED_APPLICATION),
        load_voice_prompt(),
    )
    attempts = _attempts(settings, dataset, is_offline=is_offline)
    is_virtual = is_offline and settings["real_time"] is not True
    return Plan(settings, dataset, dataset_path, kit, endpoint, voice, tuple(attempts), is_virtual)


def _endpoint(settings: Settings) -> Endpoint:
    endpoint = live_endpoint(
        settings.text("endpoint"),
        allow_plaintext_loopback=settings.switch("allow_insecure_loopback"),
        setting="--endpoint",
    )
    if not settings["api_key"]:
        raise UsageError(
            "OPENAI_API_KEY: a live run needs a key; set it, or use --offline for a run without one"
        )
    return endpoint


def _check_pace(settings: Settings, *, is_offline: bool) -> None:
    if not is_offline and settings["real_time"] is False:
        raise UsageError(
            "--no-real-time: unpaced live audio measures nothing; remove it or use --offline"
        )
    if not is_offline and settings.origin("offline_script") is Origin.FLAG:
        raise UsageError("--offline-script: only a fixture plays scripts; add --offline")


def _voice_name(settings: Settings, *, is_offline: bool) -> str:
    name = settings["synthesizer"]
    if isinstance(name, str):
        return name
    if is_offline:
        return "tone"
    raise UsageError(
        "--synthesizer: a live run needs a voice: hibari (natural; uv sync --extra local-speech),"
        " or tone to check the protocol only"
    )


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
        known = ", ".join(library.names()) or "none"
        what = f"no selected scenario has a script {choice!r}"
        raise UsageError(f"--offline-script: {what}; there are: {known}")
    return planned


def _key(scenario_id: str, script: str | None, repeat: int, repeats: int) -> str:
    key = scenario_id if script in {None, "sound"} else f"{scenario_id}@{script}"
    return f"{key}@{repeat}" if repeats > 1 else key


def _bench(
    plan: Plan, directory: RunDirectory, cancellation: Cancellation, console: Console
) -> Bench:
    settings, detector = plan.settings, EnergyV1()
    scripts = {planned.attempt.key: planned.script for planned in plan.attempts}
    open_assistant = factory_for(settings.text("assistant_mode"))

    def request_for(attempt: Attempt) -> SpokenRequest:
        return spoken_request(plan.voice, detector, attempt.scenario.input.text)

    def line_for(attempt: Attempt, request: SpokenRequest, trace: Trace) -> OpenedLine:
        script = _resolved(scripts[attempt.key], request)
        far_end = _far_end(plan, attempt, script)
        brief = attempt.scenario.for_assistant()
        return OpenedLine(
            lambda clock: open_assistant(plan.kit, brief, far_end, clock, trace),
            None if script is None else f"{script.to_json()}\n",
        )

    fields = settings.text("redact_fields").split(",")
    return Bench(
        directory=directory,
        policy=_policy(plan),
        detector=detector,
        request_for=request_for,
        line_for=line_for,
        audio_source=SOURCE,
        timeout_ms=round(settings.number("response_timeout_seconds") * 1000),
        is_virtual=plan.is_virtual,
        secrets=[*settings.secrets(), *secrets_in(os.environ)],
        redact_fields=[field for field in fields if field.strip()],
        cancellation=cancellation,
        listener=console.event,
    )


def _resolved(script: NamedScript | None, request: SpokenRequest) -> ResolvedScript | None:
    """Put the script on the caller's track, where its speech truly starts and ends."""
    if script is None:
        return None
    extent = request.track.voiced.extent or Interval(0, 1)
    if script.script is None:
        return acknowledging_script(extent, request.text)
    return resolve(script.script, extent, request.text)


def _far_end(plan: Plan, attempt: Attempt, script: ResolvedScript | None) -> FarEnd:
    if plan.endpoint is not None:
        return plan.endpoint
    # A constant epoch: an offline run knows no date, so that it repeats to the byte.
    return FixtureMachine(
        voice=assistant_voice(), session_name=attempt.key, epoch_s=0, script=script
    )


def _policy(plan: Plan) -> EvaluationPolicy:
    phrases = plan.kit.application.phrases
    return EvaluationPolicy(
        pacing=PacingBound(
            p99_ms=plan.settings.integer("pacing_p99_ms"),
            stall_ms=plan.settings.integer("pacing_stall_ms"),
        ),
        confirmations=phrases.confirmations,
        refusal_patterns=phrases.refusal_patterns,
    )


def _run(plan: Plan, name: str, started: datetime) -> Run:
    return Run(
        id=name,
        module="crawl",
        execution_mode="offline_fixture" if plan.is_offline else "live",
        interaction="single_turn",
        dataset=_shown_path(plan.settings, "data", plan.dataset_path),
        attempts_planned=len(plan.attempts),
        started_at=started.isoformat(timespec="milliseconds"),
        configuration=_configuration(plan),
    )


def _configuration(plan: Plan) -> dict[str, object]:
    """Everything that could change a number, and where each setting came from."""
    recorded = plan.settings.recorded()
    application, detector = plan.kit.application, EnergyV1().id
    return {
        **{name: entry["value"] for name, entry in recorded.items()},
        "data": _shown_path(plan.settings, "data", plan.dataset_path),
        "application": application.name,
        "origins": {name: entry["origin"] for name, entry in recorded.items()},
        "audio_source": SOURCE,
        "caller": {
            "synthesizer": plan.voice.name,
            "version": plan.voice.version,
            "parameters": dict(plan.voice.parameters),
        },
        "is_scripted_fixture": plan.is_offline,
        "dataset_sha256": plan.dataset.sha256,
        "application_sha256": dict(application.digests),
        "voice_prompt_sha256": hashlib.sha256(plan.kit.voice_prompt.encode()).hexdigest(),
        "detector": {"name": detector.name, "version": detector.version},
        "metrics_version": METRICS_VERSION,
        "extended_version": EXTENDED_VERSION,
        "grading_version": _policy(plan).grading_version,
        "response_deadline_ms": _policy(plan).metrics.response_deadline_ms,
        "package_versions": {
            package: version(package)
            for package in ("gpt-live-evals", "numpy", "pydantic", "websockets")
        },
    }


def _shown_path(settings: Settings, name: str, path: Path) -> str:
    """A path as written when it is relative, else its last part: no machine's folders are named."""
    written = settings.values[name].written
    is_path = next(row.kind for row in settings.rows if row.name == name) is Kind.PATH
    if written is not None and is_path and not Path(written).is_absolute():
        return written
    return path.name

"""One run of a suite, composed: settings in, a run directory and an exit status out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from assistants.catalog import FarEnd, factory_for
from assistants.frontend.fixture.library import NamedScript
from assistants.frontend.fixture.machine import FixtureMachine
from assistants.frontend.fixture.script import ResolvedScript, acknowledging_script, resolve
from assistants.frontend.fixture.voice import assistant_voice
from assistants.frontend.vocabulary import VOCABULARY
from assistants.suite.detectors import second_for_assistant
from assistants.suite.header import run_header
from assistants.suite.listening import monitor_for
from assistants.suite.plan import Plan, PlannedAttempt, plan_run
from assistants.suite.suite import Suite
from shared.artifacts import NameTakenError, RunDirectory
from shared.audio.detection.energy_v1 import EnergyV1
from shared.config import load_settings
from shared.execution import INTERRUPTED_STATUS, Interrupts, run_batch
from shared.grading.verdict import Status
from shared.intervals import Interval
from shared.metrics.transcription.word_error import load_library
from shared.observability.trace import Trace
from shared.participant import Monitor
from shared.places import expanded, refuse_inside_package, results_root
from shared.reporting.console import Console
from shared.reporting.journal import RESULTS, Journal
from shared.reporting.names import run_name
from shared.reporting.schema import Report, Run
from shared.settings import Value
from shared.single_turn.attempt import Cancellation
from shared.single_turn.bench import Attempt, Bench, OpenedLine
from shared.single_turn.session import SpokenRequest
from shared.streams import stdout_for_results

FAILED_STATUS = 1
INFRASTRUCTURE_STATUS = 3
MOST_STARTS_AT_ONCE = 1_000


def evaluate(suite: Suite, flags: Mapping[str, Value]) -> int:
    """Run a suite by its flags and settings; mistakes raise before anything is created."""
    settings = load_settings(suite.rows, flags, bundled_toml=suite.bundled_toml)
    with stdout_for_results() as out:
        plan = plan_run(suite, settings)
        console = Console(
            is_verbose=settings.switch("verbose"), is_json=settings.switch("json"), out=out
        )
        return _run(plan, console)


def _run(plan: Plan, console: Console) -> int:
    settings, cancellation = plan.settings, Cancellation()
    with (
        Interrupts(cancellation) as interrupts,
        monitor_for(lambda line: console.warn([line]), is_wanted=plan.is_listened_to) as monitor,
    ):
        directory, header = _new_directory(plan)
        keys = [planned.attempt.key for planned in plan.attempts]
        journal = Journal(directory, header, keys)
        bench = _bench(plan, directory, cancellation, console, monitor)

        def perform(planned: PlannedAttempt) -> None:
            row = bench.run(planned.attempt)
            if not cancellation.is_requested:
                journal.finished(row)
                console.finished(row)

        # Now, because a tool may change the working directory.
        shown = _from_here(directory.path / RESULTS)
        report: Report | None = None
        console.warn(plan.warnings)
        # Now, because an attempt that ended would hold up those that still speak.
        load_library()
        console.begin(len(keys))
        try:
            run_batch(
                plan.attempts,
                perform,
                concurrency=settings.integer("concurrency"),
                cancellation=cancellation,
            )
            report = journal.close(datetime.now(UTC).isoformat(timespec="milliseconds"))
        finally:
            console.end(report, shown)
        if interrupts.came:
            return INTERRUPTED_STATUS
        return _exit_status(report, settings.text("fail_on"))


def _new_directory(plan: Plan) -> tuple[RunDirectory, Run]:
    """A directory of this run's own: two that begin in one millisecond take one after the other."""
    settings, now = plan.settings, datetime.now(UTC)
    label = settings.text("run_name") or _kind_of_run(plan)
    root = expanded(settings.path("results_dir") or results_root(plan.suite.name), "--results-dir")
    refuse_inside_package(root, "--results-dir")
    for later_ms in range(MOST_STARTS_AT_ONCE):
        started = now + timedelta(milliseconds=later_ms)
        name = run_name(label.strip(), started)
        header = run_header(plan, name, started)
        try:
            return RunDirectory.create(root, name), header
        except NameTakenError:
            if later_ms == MOST_STARTS_AT_ONCE - 1:
                raise
    raise AssertionError("the last name returns or raises")


def _kind_of_run(plan: Plan) -> str:
    return f"{plan.suite.name}_{'offline' if plan.is_offline else 'live'}"


def _from_here(path: Path) -> str:
    """A path as short as it can be pasted: relative when it lies below the working directory."""
    try:
        here, whole = Path.cwd(), path.resolve()
    except OSError:  # the working directory has vanished
        return str(path)
    return str(whole.relative_to(here) if whole.is_relative_to(here) else whole)


def _exit_status(report: Report, fail_on: str) -> int:
    statuses = {row.status for row in report.results}
    if Status.FAILED.value in statuses and fail_on in {"failed", "any"}:
        return FAILED_STATUS
    if Status.INFRASTRUCTURE_ERROR.value in statuses and fail_on in {"infrastructure", "any"}:
        return INFRASTRUCTURE_STATUS
    return 0


def _bench(
    plan: Plan,
    directory: RunDirectory,
    cancellation: Cancellation,
    console: Console,
    monitor: Monitor | None,
) -> Bench:
    settings = plan.settings
    scripts = {planned.attempt.key: planned.script for planned in plan.attempts}
    open_assistant = factory_for(settings.text("assistant_mode"))

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
        policy=plan.policy,
        detector=EnergyV1(),
        request_for=plan.caller.request_for,
        line_for=line_for,
        vocabulary=VOCABULARY,
        audio_source=plan.caller.source,
        timeout_ms=round(settings.number("response_timeout_seconds") * 1000),
        is_virtual=plan.is_virtual,
        secrets=plan.secrets,
        redact_fields=[field for field in fields if field.strip()],
        cancellation=cancellation,
        listener=console.event,
        hears_messages=settings.switch("verbose"),
        monitor=monitor,
        second_detector=second_for_assistant(settings),
        judge=plan.judge,
        public_facts=plan.kit.application.public_facts,
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

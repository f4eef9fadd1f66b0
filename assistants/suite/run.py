"""One run of a suite, composed: settings in, a run directory and an exit status out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from assistants.config import BOTH, MODES
from assistants.frontend.vocabulary import VOCABULARY
from assistants.suite.header import run_header
from assistants.suite.listening import monitor_for
from assistants.suite.plan import Plan, PlannedAttempt, plan_run
from assistants.suite.single_turns import single_turns
from assistants.suite.suite import Suite
from shared.artifacts import NameTakenError, RunDirectory
from shared.attempts.attempt import Play
from shared.attempts.bench import Bench
from shared.attempts.cancellation import Cancellation
from shared.config import load_settings
from shared.errors import said_of
from shared.execution import INTERRUPTED_STATUS, Interrupts, run_batch
from shared.grading.verdict import Status
from shared.metrics.transcription.word_error import load_library
from shared.participant import Monitor
from shared.places import (
    expanded,
    refuse_inside_package,
    results_root,
    same_working_directory,
    write_whole,
)
from shared.reporting.console import Console
from shared.reporting.journal import RESULTS, Journal
from shared.reporting.junit import junit
from shared.reporting.names import run_name
from shared.reporting.schema import ComparisonReport, PlannedReport, Report, Run
from shared.reporting.summary import SUMMARY, summary
from shared.settings import Settings, Value
from shared.streams import stdout_for_results

FAILED_STATUS = 1
INFRASTRUCTURE_STATUS = 3
SEVERITY = (INTERRUPTED_STATUS, FAILED_STATUS, INFRASTRUCTURE_STATUS, 0)
"""Of several runs' exit statuses the first in this order tells of all."""
MOST_STARTS_AT_ONCE = 1_000


type PlayOf = Callable[[Plan, Cancellation, Monitor | None], AbstractContextManager[Play]]
"""How a suite performs the attempts of a plan."""


def evaluate(suite: Suite, flags: Mapping[str, Value], play_of: PlayOf = single_turns) -> int:
    """Run a suite by its flags and settings; mistakes raise before anything is created."""
    settings = load_settings(suite.rows, flags, bundled_toml=suite.bundled_toml)
    with stdout_for_results() as out:
        console = Console(
            is_verbose=settings.switch("verbose"), is_json=settings.switch("json"), out=out
        )
        if settings.text("assistant_mode") == BOTH:
            return _compare(suite, settings, console, play_of)
        return _run(plan_run(suite, settings), console, play_of).exit_status


def _compare(suite: Suite, settings: Settings, console: Console, play_of: PlayOf) -> int:
    """One run after the other, alike but for the mode; both are planned before either begins."""
    plans = {mode: plan_run(suite, _of_mode(settings, mode), side=mode) for mode in MODES}
    shared_id = run_name("comparison", datetime.now(UTC))
    outcomes = []
    with console.together(shared_id):
        for mode, plan in plans.items():
            side = ComparisonReport(id=shared_id, side=mode, sides=list(plans))
            console.say_side(mode)
            # A tool of one side may change it, and the other's paths are read from it.
            with same_working_directory():
                outcomes.append(_run(plan, console, play_of, side))
            if outcomes[-1].exit_status == INTERRUPTED_STATUS:
                break
        console.compare([one.report for one in outcomes if one.report is not None])
    return min((one.exit_status for one in outcomes), key=SEVERITY.index)


def _of_mode(settings: Settings, mode: str) -> Settings:
    """The settings of one side; what belongs to the other mode is not its own."""
    own = settings.changed("assistant_mode", mode)
    if mode == "client":
        return own
    return own.changed("client_backend", None).changed("assistant_endpoint", "")


@dataclass(frozen=True, slots=True)
class _Outcome:
    report: Report | None
    exit_status: int


def _run(
    plan: Plan, console: Console, play_of: PlayOf, side: ComparisonReport | None = None
) -> _Outcome:
    settings, cancellation = plan.settings, Cancellation()
    with (
        Interrupts(cancellation) as interrupts,
        monitor_for(lambda line: console.warn([line]), is_wanted=plan.is_listened_to) as monitor,
        play_of(plan, cancellation, monitor) as play,
    ):
        directory, header = _new_directory(plan, side)
        journal = Journal(directory, header, [_named(planned) for planned in plan.attempts])
        bench = _bench(plan, directory, cancellation, console, play)

        def perform(planned: PlannedAttempt) -> None:
            row = bench.run(planned.attempt)
            if not cancellation.is_requested:
                journal.finished(row)
                console.finished(row)

        # Now, because a tool may change the working directory.
        shown = _from_here(directory.path / RESULTS)
        report: Report | None = None
        page: Path | None = None
        console.warn(plan.warnings)
        # Now, because an attempt that ended would hold up those that still speak.
        load_library()
        console.begin(len(plan.attempts))
        try:
            run_batch(
                plan.attempts,
                perform,
                concurrency=settings.integer("concurrency"),
                cancellation=cancellation,
            )
            report = journal.close(datetime.now(UTC).isoformat(timespec="milliseconds"))
            _retell(report, directory, plan.junit)
            if settings.switch("visualize"):
                page = _visualized(directory, console)
        finally:
            console.end(report, shown, None if page is None else _from_here(page))
        status = _exit_status(report, settings.text("fail_on"))
        return _Outcome(report, INTERRUPTED_STATUS if interrupts.came else status)


def _retell(report: Report, directory: RunDirectory, junit_file: Path | None) -> None:
    """Write what people and CI systems read; one that cannot be written hinders no other."""
    try:
        directory.replace(SUMMARY, summary(report).encode())
    finally:
        if junit_file is not None:
            write_whole(junit_file, junit(report))


def _visualized(directory: RunDirectory, console: Console) -> Path | None:
    """The page of the run. Whatever keeps it from being made changes nothing about the run."""
    # Only now: most runs make none.
    from shared.viewer.publish import publish

    try:
        return publish(directory.path, on_progress=console.page_progress)[0]
    except Exception as error:  # noqa: BLE001 - the evaluation stands, whatever a page came to
        console.say_unavailable(said_of(error))
        return None


def _named(planned: PlannedAttempt) -> PlannedReport:
    return PlannedReport(scenario_id=planned.attempt.scenario.id, key=planned.attempt.key)


def _new_directory(plan: Plan, side: ComparisonReport | None) -> tuple[RunDirectory, Run]:
    """A directory of this run's own: two that begin in one millisecond take one after the other."""
    settings, now = plan.settings, datetime.now(UTC)
    label = (settings.text("run_name") or _kind_of_run(plan)).strip()
    if side is not None:
        label = f"{label}_{side.side}"
    root = expanded(settings.path("results_dir") or results_root(plan.suite.name), "--results-dir")
    refuse_inside_package(root, "--results-dir")
    for later_ms in range(MOST_STARTS_AT_ONCE):
        started = now + timedelta(milliseconds=later_ms)
        name = run_name(label, started)
        header = run_header(plan, name, started, side)
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
    plan: Plan, directory: RunDirectory, cancellation: Cancellation, console: Console, play: Play
) -> Bench:
    settings = plan.settings
    fields = settings.text("redact_fields").split(",")
    return Bench(
        directory=directory,
        policy=plan.policy,
        play=play,
        vocabulary=VOCABULARY,
        audio_source=plan.caller.source,
        secrets=plan.secrets,
        redact_fields=[field for field in fields if field.strip()],
        cancellation=cancellation,
        listener=console.event,
        hears_messages=settings.switch("verbose"),
        judge=plan.judge,
        judge_repetitions=settings.integer("judge_repetitions"),
        public_facts=plan.kit.application.public_facts,
        debug_tick_ms=_debug_tick_ms(settings),
    )


def _debug_tick_ms(settings: Settings) -> int | None:
    """How wide ticks are to be, where a suite offers them and they are wanted."""
    if all(row.name != "debug_artifacts" for row in settings.rows):
        return None
    is_wanted = settings.switch("debug_artifacts") or settings.switch("visualize")
    return settings.integer("tick_ms") if is_wanted else None

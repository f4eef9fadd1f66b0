"""What a run will do, checked whole before anything is created or spent."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import product
from pathlib import Path
from typing import Any

from assistants.catalog import AssistantKit
from assistants.config import api_key
from assistants.endpoints import Endpoint, live_endpoint
from assistants.frontend.fixture.library import SOUND, Library, Named
from assistants.suite.detectors import hybrid_for_sensitivity
from assistants.suite.fit import refuse_misfits
from assistants.suite.judge import judge_of
from assistants.suite.junit_file import junit_file
from assistants.suite.kit import kit_of
from assistants.suite.listening import is_listened_to
from assistants.suite.secrecy import refuse_credentials
from assistants.suite.suite import Caller, Rendition, Suite
from shared.attempts.attempt import Attempt
from shared.attempts.identity import caller_report
from shared.audio.pacing import PacingBound
from shared.dataset import Dataset, load_dataset, select, with_shown_paths
from shared.environment import read_env_file
from shared.errors import UsageError
from shared.grading.judge import Judge
from shared.grading.policy import EvaluationPolicy
from shared.metrics.interaction import MetricPolicy
from shared.observability.credentials import secrets_in
from shared.places import expanded
from shared.scenarios import Scenario, is_artifact_id
from shared.settings import Origin, Settings
from shared.values import JsonObject


@dataclass(frozen=True, slots=True)
class PlannedAttempt:
    """An attempt and the script that is played in it: offline, and for a scripted caller.

    ``caller`` is everything that makes its caller this one, of which the attempt has the hash.
    """

    attempt: Attempt
    script: Named[Any] | None
    caller: JsonObject


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that was checked before anything is created or spent."""

    suite: Suite
    settings: Settings
    dataset: Dataset
    dataset_path: Path
    kit: AssistantKit
    endpoint: Endpoint | None
    caller: Caller
    attempts: tuple[PlannedAttempt, ...]
    is_virtual: bool
    secrets: tuple[str, ...] = field(repr=False)
    judge: Judge | None = None
    is_listened_to: bool = False
    left_out: tuple[str, ...] = ()
    junit: Path | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What whoever runs it should know at once, in one line each."""
        return (
            *self.dataset.warnings,
            *self.caller.warnings,
            *_unscripted(self.attempts),
            *_missing(self.left_out),
            *_unconnected(self.settings),
        )

    @property
    def is_offline(self) -> bool:
        return self.endpoint is None

    @property
    def policy(self) -> EvaluationPolicy:
        phrases = self.kit.application.phrases
        return EvaluationPolicy(
            metrics=_metric_policy(self.settings),
            pacing=PacingBound(
                p99_ms=self.settings.integer("pacing_p99_ms"),
                stall_ms=self.settings.integer("pacing_stall_ms"),
            ),
            confirmations=phrases.confirmations,
            refusal_patterns=phrases.refusal_patterns,
        )


def _metric_policy(settings: Settings) -> MetricPolicy:
    """By which deadline answers are in time: the contract's, where a suite lets nobody choose."""
    if not any(row.name == "response_deadline_ms" for row in settings.rows):
        return MetricPolicy()
    return MetricPolicy(response_deadline_ms=settings.integer("response_deadline_ms"))


def plan_run(suite: Suite, settings: Settings, *, side: str | None = None) -> Plan:
    """Check everything and choose the attempts; the first mistake found raises.

    ``side`` names the run among those of one comparison.
    """
    if _is_endpoint_flagged(settings) and settings.text("assistant_mode") != "client":
        raise UsageError(
            "--assistant-endpoint: belongs to --assistant client; add that or remove it"
        )
    is_offline = settings.switch("offline")
    is_virtual = is_offline and settings["real_time"] is not True
    endpoint = None if is_offline else _endpoint(settings)
    _check_pace(settings, is_offline=is_offline)
    is_heard = is_listened_to(settings, is_virtual=is_virtual)
    hybrid_for_sensitivity(settings)
    junit = junit_file(settings, side)
    dataset_path = expanded(settings.path("data") or suite.bundled_data, "--data")
    dataset = load_dataset(dataset_path)
    chosen = _chosen(suite, settings, dataset)
    caller = suite.caller(settings, dataset)
    kit = kit_of(settings)
    attempts = _attempts(settings, suite.library(dataset.directory), caller, chosen)
    used = {planned.attempt.scenario.id: planned.attempt.scenario for planned in attempts}
    if kit.client is None or kit.client.remote is None:
        refuse_misfits(used.values(), kit.application)
    secrets = _secrets(settings)
    keys = [planned.attempt.key for planned in attempts]
    label = settings.text("run_name")
    refuse_credentials(used.values(), keys, kit.application, label, secrets)
    return Plan(
        suite,
        settings,
        dataset,
        dataset_path,
        kit,
        endpoint,
        caller,
        tuple(attempts),
        is_virtual,
        secrets,
        None if is_offline else judge_of(settings, secrets),
        is_heard,
        _left_out(settings, chosen, used),
        junit,
    )


def _is_endpoint_flagged(settings: Settings) -> bool:
    is_given = bool(settings["assistant_endpoint"])
    return is_given and settings.origin("assistant_endpoint") is Origin.FLAG


def _unconnected(settings: Settings) -> tuple[str, ...]:
    """That an endpoint somebody has just given is not used."""
    if not (settings.switch("offline") and _is_endpoint_flagged(settings)):
        return ()
    return (
        "--assistant-endpoint: offline nothing is connected to; the scripts' own work is played"
        " here",
    )


def _chosen(suite: Suite, settings: Settings, dataset: Dataset) -> list[Scenario]:
    """The scenarios to run. Raises :class:`UsageError` for one that the suite does not take."""
    wanted = settings.text("example")
    taken = [each for each in dataset.scenarios if suite.takes(each)]
    if any(each.id == wanted and not suite.takes(each) for each in dataset.scenarios):
        raise UsageError(f"--example: {wanted} is not {suite.kind}; choose another")
    if not taken:
        raise UsageError(
            f"nothing to run: the dataset holds not one {suite.kind[2:]}; {suite.if_none}"
        )
    return select(taken, wanted, settings.integer("max_examples"))


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


def _attempts(
    settings: Settings, library: Library[Any], caller: Caller, chosen: Sequence[Scenario]
) -> list[PlannedAttempt]:
    """Every rendition with each of its scripts and repeats, in this order."""
    choice, is_offline = settings.text("offline_script"), settings.switch("offline")
    repeats = settings.integer("repeats")
    renditions = caller.renditions(chosen)
    of_one = Counter(rendition.scenario.id for rendition in renditions)
    planned = []
    for rendition in renditions:
        scenario, recording = rendition.scenario, rendition.recording
        scripts: Sequence[Named[Any] | None] = (
            library.chosen(library.owner(scenario.id, rendition.source_scenario_id), choice)
            if is_offline
            else [rendition.script]
        )
        kept = with_shown_paths(scenario)
        for script, repeat in product(scripts, range(1, repeats + 1)):
            name = script.name if script is not None else None
            parts = (
                _named_in_files(rendition) if of_one[scenario.id] > 1 else None,
                name if name != SOUND else None,
                str(repeat) if repeats > 1 else None,
            )
            key = "@".join((scenario.id, *(part for part in parts if part is not None)))
            played = None if script is None else script.script
            who = caller.identity(rendition, played)
            attempt = Attempt(key, kept, repeat, name, recording, caller_report(who))
            planned.append(PlannedAttempt(attempt, script, who))
    if not planned:
        raise UsageError(f"--offline-script: {_unknown_script(choice, library.names(of_one))}")
    return planned


def _unknown_script(choice: str, known: Sequence[str]) -> str:
    what = f"no selected scenario has a script {choice!r}"
    if choice == SOUND:
        return f"{what}; write scripts/sound/<scenario id>.json beside the dataset"
    near = get_close_matches(choice, known, n=1)
    if near:
        return f"{what}; did you mean {near[0]!r}?"
    return f"{what}; there are: {', '.join((SOUND, *known))}"


def _left_out(
    settings: Settings, chosen: Sequence[Scenario], used: Collection[str]
) -> tuple[str, ...]:
    """What of an offline run cannot be held: where nobody wrote who calls, nobody does."""
    if not settings.switch("offline") or settings.text("offline_script") != SOUND:
        return ()
    return tuple(one.id for one in chosen if one.id not in used)


def _unscripted(attempts: Sequence[PlannedAttempt]) -> tuple[str, ...]:
    """That scenarios fail for want of a script, and not by what an assistant did."""
    lost = {
        one.attempt.scenario.id
        for one in attempts
        if one.script is not None
        and one.script.script is None
        and one.attempt.scenario.expected.tools.required
    }
    if not lost:
        return ()
    return (
        f"no script beside this dataset for {len(lost)} of its scenarios that need tools"
        f" (such as scripts/sound/{min(lost)}.json): the fixture only acknowledges them, so they"
        " fail",
    )


def _missing(left_out: Sequence[str]) -> tuple[str, ...]:
    if not left_out:
        return ()
    return (
        f"no script beside this dataset for {len(left_out)} of its scenarios (such as"
        f" scripts/sound/{min(left_out)}.json): nobody would call, so they are left out",
    )


def _named_in_files(rendition: Rendition) -> str | None:
    """What a recording adds to the key of an attempt, which names files."""
    if rendition.recording is None:
        return None
    if not is_artifact_id(rendition.recording.id):
        raise UsageError(
            f'scenario "{rendition.scenario.id}": recording {rendition.recording.id!r}: where a'
            " scenario has several recordings their ids name files; use letters, digits, '.', '_'"
            " and '-'"
        )
    return rendition.recording.id

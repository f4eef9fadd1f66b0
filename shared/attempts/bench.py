"""Take one attempt from its scenario to its row: perform, seal, judge, write.

How it is performed comes in as a function, because that is what tiers differ in. Whatever goes
wrong in one attempt becomes its row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from shared.artifacts import RunDirectory
from shared.attempts.assess import assess
from shared.attempts.attempt import Attempt, Play, Traces
from shared.attempts.cancellation import Cancellation
from shared.attempts.conversation_files import Recordings
from shared.attempts.details import Judgeable, encode_details
from shared.attempts.files import AttemptFiles
from shared.attempts.judging import (
    dossier_for,
    judge_dossier,
    may_be_judged,
    note_asked,
    note_judgments,
)
from shared.errors import Stage
from shared.grading.assessment import Assessment
from shared.grading.dossier import Dossier
from shared.grading.judge import Judge, Judgments
from shared.grading.policy import EvaluationPolicy
from shared.intervals import IntervalSet
from shared.json_text import escaped, json_text
from shared.observability.evidence import Ending, Evidence, Failure
from shared.observability.redaction import Masker
from shared.observability.sealing import conceal, seal
from shared.observability.timeline import Timeline
from shared.observability.trace import Trace, Vocabulary
from shared.phrases import ConfirmationRule
from shared.reporting.assemble import attempt_result
from shared.reporting.schema import AttemptResult, RecordingReport
from shared.reporting.transcript import transcript
from shared.scenarios import Scenario, is_single_turn
from shared.values import JsonObject


@dataclass(frozen=True, slots=True)
class Bench:
    """Everything attempts of one run have in common.

    With ``debug_tick_ms`` conversations leave ticks of this width, and turns, as files.
    """

    directory: RunDirectory
    policy: EvaluationPolicy
    play: Play
    vocabulary: Vocabulary
    audio_source: str
    secrets: Sequence[str]
    redact_fields: Sequence[str]
    cancellation: Cancellation
    listener: Callable[[str, JsonObject], None]
    judge: Judge | None = None
    judge_repetitions: int = 1
    public_facts: JsonObject = field(default_factory=dict)
    hears_messages: bool = True
    debug_tick_ms: int | None = None

    def run(self, attempt: Attempt) -> AttemptResult:
        """Perform and judge one attempt, and write its files.

        A recording, transcript or trace that cannot be written is missing, and the row says so.
        Raises ``OSError`` when nothing more can be written, or not what judging again would need,
        and :class:`UsageError` for a scenario that cannot be kept without a credential in it.
        """
        scenario, masker = conceal(attempt.scenario, self.secrets)
        # Fields named by the user are masked in event logs alone: judging needs them.
        log_masker = masker.with_fields(self.redact_fields)
        traces = Traces(
            lambda: Trace(
                log_masker,
                self.vocabulary,
                lambda row: self.listener(attempt.key, row),
                hears_messages=self.hears_messages,
            )
        )
        performance = self.play(attempt, traces)
        opened = _Opened(attempt, scenario, masker, traces.assistant)
        judged = self._judged(opened, performance.evidence)
        _note_verdict(traces.assistant, judged)
        files = AttemptFiles(self.directory, attempt.key)
        evidence = judged.stored.evidence
        files.audio(performance.caller, performance.assistant, evidence)
        files.speech(performance.speech_file)
        files.text(judged.transcript)
        files.events(traces)
        script = performance.script
        files.script(None if script is None else _masked_script(script, masker))
        if is_single_turn(scenario):
            kept_as = "details"
        else:
            kept_as = "evidence"
            recordings = Recordings(performance.caller, performance.assistant)
            files.conversation(judged.stored, judged.assessment, recordings, self.debug_tick_ms)
        stored = replace(
            judged.stored,
            artifacts={**files.written, kept_as: files.kept},
            evidence=replace(evidence, warnings=(*evidence.warnings, *files.missing)),
        )
        self.directory.write(files.kept, encode_details(stored, judged.assessment))
        return result_of(stored, judged.assessment)

    def _judged(self, opened: _Opened, evidence: Evidence) -> _Judged:
        """Seal and judge. What cannot be judged is a row all the same, and no measurement."""
        try:
            return self._judge(opened, evidence)
        except Exception as error:  # noqa: BLE001 - one attempt must not lose the others
            what = f"the attempt could not be judged: unexpected {type(error).__name__}"
            return self._judge(opened, _emptied(evidence, what))

    def _judge(self, opened: _Opened, unsealed: Evidence) -> _Judged:
        scenario, masker = opened.scenario, opened.masker
        evidence = seal(unsealed, masker)
        policy = _policy_for(scenario, self.policy)
        assessment = assess(evidence, scenario, policy)
        dossier = dossier_for(evidence, scenario, assessment, masker.object(self.public_facts))
        judgments = None
        if dossier is not None and may_be_judged(assessment):
            judgments = self._judgments(dossier, opened, _ended_us(evidence))
            assessment = assess(evidence, scenario, policy, judgments)
        stored = Judgeable(
            opened.attempt.report,
            self.audio_source,
            {},
            evidence,
            scenario,
            policy,
            dossier,
            judgments,
            _masked_recording(opened.attempt.recording, masker),
        )
        # Both are tried here, where what cannot be written can still become something that can.
        encode_details(stored, assessment)
        result_of(stored, assessment)
        return _Judged(stored, assessment, transcript(evidence, _timeline(assessment)))

    def _judgments(self, dossier: Dossier, opened: _Opened, at_us: int) -> Judgments | None:
        """What the judge says about a measurement, if there is a judge."""
        if self.judge is None:
            return None
        scenario, trace = opened.scenario, opened.trace
        note_asked(trace, at_us, scenario, self.judge)
        judgments = judge_dossier(
            self.judge,
            dossier,
            scenario,
            opened.masker,
            self.cancellation,
            self.judge_repetitions,
        )
        note_judgments(trace, at_us, judgments)
        return judgments


@dataclass(frozen=True, slots=True)
class _Opened:
    """An attempt with what it is kept by: its scenario masked, its masker, its trace."""

    attempt: Attempt
    scenario: Scenario
    masker: Masker
    trace: Trace


@dataclass(frozen=True, slots=True)
class _Judged:
    """An attempt as it will be stored, before it has files, and what judging it came to."""

    stored: Judgeable
    assessment: Assessment
    transcript: str


def _emptied(evidence: Evidence, what: str) -> Evidence:
    """What is left of an attempt that cannot be judged: that it was, and why."""
    return replace(
        evidence,
        extent_ms=0,
        caller=replace(evidence.caller, voiced=IntervalSet()),
        assistant=replace(evidence.assistant, voiced=IntervalSet(), samples=0),
        observations=(),
        state_after=evidence.state_before,
        pacing=replace(evidence.pacing, lateness_us=()),
        ending=Ending.FAILED,
        failure=Failure(Stage.ATTEMPT_EXECUTION, what),
        warnings=(),
        second_opinion=None,
        caller_observations=(),
        cues=(),
        decisions=(),
        transport=None,
        settlement=None,
        cleanup=None,
        termination=None,
    )


def _masked_recording(recording: RecordingReport | None, masker: Masker) -> RecordingReport | None:
    if recording is None:
        return None
    return RecordingReport.model_validate(masker.object(recording.model_dump(mode="json")))


def _masked_script(script: str, masker: Masker) -> str:
    """The script as it may be kept. One that holds no credential keeps its form."""
    content = json.loads(script)
    masked = masker.machine_value(content)
    return escaped(script) if masked == content else f"{json_text(masked, indent=2)}\n"


def result_of(stored: Judgeable, assessment: Assessment) -> AttemptResult:
    """The row of a judged attempt, fresh or loaded."""
    return attempt_result(
        stored.evidence,
        stored.scenario,
        stored.policy,
        assessment,
        attempt=stored.attempt,
        artifacts=stored.artifacts,
        audio_source=stored.audio_source,
        recording=stored.recording,
    )


def judge_again(stored: Judgeable) -> AttemptResult:
    """Judge a stored attempt by its stored policy and judgments; only the details file is read."""
    return result_of(
        stored, assess(stored.evidence, stored.scenario, stored.policy, stored.judgments)
    )


def _policy_for(scenario: Scenario, policy: EvaluationPolicy) -> EvaluationPolicy:
    """The policy, with the scenario's own phrases in place of the application's if it has any."""
    expected = scenario.expected
    confirmations, refusals = expected.confirmation_patterns, expected.refusal_patterns
    return replace(
        policy,
        confirmations=policy.confirmations
        if confirmations is None
        else tuple(ConfirmationRule(rule.tools, rule.patterns) for rule in confirmations),
        refusal_patterns=policy.refusal_patterns if refusals is None else refusals,
    )


def _timeline(assessment: Assessment) -> Timeline | None:
    return assessment.observed.timeline if assessment.observed is not None else None


def _ended_us(evidence: Evidence) -> int:
    return max((seen.stamp.wall_us for seen in evidence.observations), default=0)


def _note_verdict(trace: Trace, judged: _Judged) -> None:
    """Close the trace with what the evaluator found."""
    at_us = _ended_us(judged.stored.evidence)
    verdict = judged.assessment.verdict
    checks: JsonObject = {check.id: check.status.value for check in verdict.checks}
    trace.internal("evaluation.checks.assessed", "evaluator", at_us, checks)
    outcome: JsonObject = {
        "status": verdict.status.value,
        "failed_checks": list(verdict.failed_checks),
        "error": None if verdict.failure is None else verdict.failure.stage.value,
    }
    trace.internal("evaluation.outcome.assessed", "evaluator", at_us, outcome)

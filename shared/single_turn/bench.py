"""Take one attempt from its scenario to its row: perform, seal, judge, write.

How it is performed comes in as a function, because that is what tiers differ in. Whatever goes
wrong in one attempt becomes its row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from shared.artifacts import RunDirectory
from shared.audio import wav
from shared.audio.mixdown import stereo
from shared.audio.pcm import SAMPLES_PER_MS, Pcm
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
from shared.reporting.schema import AttemptReport, AttemptResult, RecordingReport
from shared.reporting.transcript import transcript
from shared.scenarios import Scenario
from shared.single_turn.assess import assess
from shared.single_turn.attempt import Cancellation
from shared.single_turn.details import Judgeable, encode_details
from shared.single_turn.judging import (
    dossier_for,
    judge_dossier,
    may_be_judged,
    note_asked,
    note_judgments,
)
from shared.values import JsonObject


@dataclass(frozen=True, slots=True)
class Attempt:
    """One execution of one scenario. The key names its files."""

    key: str
    scenario: Scenario
    repeat: int = 1
    script: str | None = None
    recording: RecordingReport | None = None

    @property
    def report(self) -> AttemptReport:
        recording = None if self.recording is None else self.recording.id
        return AttemptReport(
            key=self.key, repeat=self.repeat, recording=recording, script=self.script
        )


@dataclass(frozen=True, slots=True)
class Performance:
    """One attempt before it is judged: the evidence unsealed, and what people may hear of it.

    ``caller`` is its audio as it was sent, ``assistant`` as it was heard, both from media time 0.
    ``script`` is what scripted far ends played, ``speech_file`` what a detector heard.
    """

    evidence: Evidence
    caller: Pcm
    assistant: Pcm
    script: str | None = None
    speech_file: bytes | None = None


type Play = Callable[[Attempt, Traces], Performance]
"""Perform one attempt. Whatever goes wrong in it is in its evidence."""


class Traces:
    """The event logs of one attempt's sessions: the assistant's, and others by their names."""

    def __init__(self, open_trace: Callable[[], Trace]) -> None:
        self._open = open_trace
        self.assistant = open_trace()
        self.others: dict[str, Trace] = {}

    def of(self, name: str) -> Trace:
        """The log of another session than the assistant's."""
        return self.others.setdefault(name, self._open())


@dataclass(frozen=True, slots=True)
class Bench:
    """Everything attempts of one run have in common."""

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
    public_facts: JsonObject = field(default_factory=dict)
    hears_messages: bool = True

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
        files = _Files(self.directory, attempt.key)
        evidence = judged.stored.evidence
        files.audio(performance.caller, performance.assistant, evidence)
        files.speech(performance.speech_file)
        files.text(judged.transcript)
        files.events(traces)
        script = performance.script
        files.script(None if script is None else _masked_script(script, masker))
        details = f"transcripts/{attempt.key}.json"
        stored = replace(
            judged.stored,
            artifacts={**files.written, "details": details},
            evidence=replace(evidence, warnings=(*evidence.warnings, *files.missing)),
        )
        self.directory.write(details, encode_details(stored, judged.assessment))
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
        judgments = judge_dossier(self.judge, dossier, scenario, opened.masker, self.cancellation)
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


class _Files:
    """One attempt's artifacts; ``written`` maps their names to relative paths.

    What is for people to hear and read may be ``missing``, each with a reason; only a directory in
    which nothing more can be written raises.
    """

    def __init__(self, directory: RunDirectory, key: str) -> None:
        self._directory = directory
        self._key = key
        self.written: dict[str, str] = {}
        self.missing: list[str] = []

    def audio(self, caller: Pcm, assistant: Pcm, evidence: Evidence) -> None:
        extent = evidence.extent_ms * SAMPLES_PER_MS
        if caller.size:
            self._write("input_audio", f"audio/{self._key}/input.wav", wav.encode(caller))
        if extent:
            heard = assistant[:extent]
            self._write("output_audio", f"audio/{self._key}/output.wav", wav.encode(heard))
            both = wav.encode(stereo(caller[:extent], heard))
            self._write("conversation_audio", f"audio/{self._key}/conversation.wav", both)

    def speech(self, content: bytes | None) -> None:
        if content is not None:
            self._write("input_speech", f"audio/{self._key}/input.speech.json", content)

    def text(self, lines: str) -> None:
        path = f"audio/{self._key}/conversation.transcript.txt"
        self._write("conversation_transcript", path, lines.encode("utf-8", "replace"))

    def events(self, traces: Traces) -> None:
        self._events("events", f"events/{self._key}.jsonl", traces.assistant)
        for name, trace in traces.others.items():
            self._events(f"{name}_events", f"events/{self._key}.{name}.jsonl", trace)

    def _events(self, name: str, path: str, trace: Trace) -> None:
        content = "".join(f"{line}\n" for line in trace.lines())
        self._write(name, path, content.encode("utf-8", "replace"))

    def script(self, script: str | None) -> None:
        if script is not None:
            self._write("script", f"scripts/{self._key}.json", script.encode())

    def _write(self, name: str, path: str, content: bytes) -> None:
        try:
            self.written[name] = self._directory.write(path, content)
        except OSError as error:
            if self._directory.is_lost(error):
                raise
            reason = error.strerror or "a link is in its way"
            self.missing.append(f"{name} could not be written: {reason}")

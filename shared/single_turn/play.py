"""How a single turn is performed: request, line, session; and whatever goes wrong in it.

What differs between suites and assistants comes in as two functions: where the request's audio
comes from, and how to open the assistant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shared.attempts.assistant import Opener
from shared.attempts.attempt import Attempt, Performance, Traces
from shared.attempts.cancellation import Cancellation
from shared.audio.detection.port import Detector
from shared.errors import AttemptError, Stage, said_of
from shared.intervals import IntervalSet
from shared.observability.evidence import Evidence, Failure, MeasuredOn, Track
from shared.observability.trace import Trace
from shared.participant import Monitor
from shared.single_turn.attempt import Performed, evidence_of, perform, unperformed
from shared.single_turn.session import SpokenRequest


@dataclass(frozen=True, slots=True)
class OpenedLine:
    """How to open an attempt's assistant; ``script`` is what a scripted far end will play."""

    opener: Opener
    script: str | None = None


@dataclass(frozen=True, slots=True)
class SingleTurn:
    """Performs single turns; what all of a run have in common."""

    detector: Detector
    request_for: Callable[[Attempt], SpokenRequest]
    line_for: Callable[[Attempt, SpokenRequest, Trace], OpenedLine]
    audio_source: str
    timeout_ms: int
    is_virtual: bool
    cancellation: Cancellation
    monitor: Monitor | None = None
    second_detector: Detector | None = None

    def __call__(self, attempt: Attempt, traces: Traces) -> Performance:
        request, performed, script = self._perform(attempt, traces.assistant)
        evidence = self._evidence(attempt, request, performed)
        return Performance(
            evidence, request.pcm, performed.assistant_pcm, script, request.speech_file
        )

    def _evidence(self, attempt: Attempt, request: SpokenRequest, performed: Performed) -> Evidence:
        name, detectors = attempt.scenario.id, (self.detector, self.second_detector)
        try:
            return evidence_of(name, request, performed, *detectors)
        except Exception as error:  # noqa: BLE001 - one attempt must not lose the others
            nothing = unperformed(attempt.scenario.application.initial_state)
            what = f"the attempt could not be measured: unexpected {type(error).__name__}"
            nothing.capture.failure = Failure(Stage.ATTEMPT_EXECUTION, what)
            return evidence_of(name, request, nothing, *detectors)

    def _perform(
        self, attempt: Attempt, trace: Trace
    ) -> tuple[SpokenRequest, Performed, str | None]:
        nothing = unperformed(attempt.scenario.application.initial_state)
        try:
            request = self.request_for(attempt)
        except AttemptError as error:
            nothing.capture.failure = Failure(error.stage, str(error))
            return self._unspoken(attempt), nothing, None
        except Exception as error:  # noqa: BLE001 - one attempt must not lose the others
            # A voice refuses a text with a ValueError.
            what = str(error) if isinstance(error, ValueError) else said_of(error)
            nothing.capture.failure = Failure(Stage.AUDIO_SYNTHESIS, what)
            return self._unspoken(attempt), nothing, None
        try:
            line = self.line_for(attempt, request, trace)
        except Exception as error:  # noqa: BLE001 - one attempt must not lose the others
            nothing.capture.failure = Failure(Stage.ATTEMPT_EXECUTION, said_of(error))
            return request, nothing, None
        try:
            performed = perform(
                request,
                line.opener,
                timeout_ms=self.timeout_ms,
                is_virtual=self.is_virtual,
                cancellation=self.cancellation,
                monitor=self.monitor,
            )
        except AttemptError as error:
            nothing.capture.failure = Failure(error.stage, str(error))
            return request, nothing, line.script
        except (Exception, SystemExit) as error:  # noqa: BLE001 - one attempt must not lose the others
            nothing.capture.failure = Failure(Stage.ATTEMPT_EXECUTION, said_of(error))
            return request, nothing, line.script
        return request, performed, line.script

    def _unspoken(self, attempt: Attempt) -> SpokenRequest:
        track = Track(IntervalSet(), 0, self.detector.id, MeasuredOn.CLEAN_SOURCE)
        text = attempt.scenario.input.text
        return SpokenRequest(np.zeros(0, np.int16), track, text, self.audio_source)

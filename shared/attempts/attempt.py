"""One attempt, how it is performed, and what a performance leaves to be judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shared.audio.pcm import Pcm
from shared.observability.evidence import Evidence
from shared.observability.trace import Trace
from shared.reporting.schema import AttemptReport, CallerReport, RecordingReport
from shared.scenarios import Scenario


@dataclass(frozen=True, slots=True)
class Attempt:
    """One execution of one scenario. The key names its files."""

    key: str
    scenario: Scenario
    repeat: int = 1
    script: str | None = None
    recording: RecordingReport | None = None
    caller: CallerReport | None = None

    @property
    def report(self) -> AttemptReport:
        recording = None if self.recording is None else self.recording.id
        return AttemptReport(
            key=self.key,
            repeat=self.repeat,
            recording=recording,
            script=self.script,
            caller=self.caller,
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

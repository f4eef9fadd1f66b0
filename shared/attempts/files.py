"""The files of one attempt, in the run directory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from shared.artifacts import RunDirectory
from shared.attempts.attempt import Traces
from shared.attempts.conversation_files import Recordings, result_file, tick_file, turn_file
from shared.attempts.details import Judgeable
from shared.audio import wav
from shared.audio.mixdown import stereo
from shared.audio.pcm import SAMPLES_PER_MS, Pcm
from shared.grading.assessment import Assessment
from shared.observability.evidence import Evidence
from shared.observability.trace import Trace


class AttemptFiles:
    """One attempt's artifacts; ``written`` maps their names to relative paths.

    ``kept`` is the one that judging again reads, which whoever holds this writes itself.
    What is for people to hear and read may be ``missing``, each with a reason; only a directory in
    which nothing more can be written raises.
    """

    def __init__(self, directory: RunDirectory, key: str) -> None:
        self._directory = directory
        self._key = key
        self.kept = f"transcripts/{key}.json"
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

    def conversation(
        self,
        stored: Judgeable,
        assessment: Assessment,
        recordings: Recordings,
        debug_tick_ms: int | None,
    ) -> None:
        """What a conversation came to; with a width of ticks also what is for diagnosis."""
        folder = f"audio/{self._key}"
        if debug_tick_ms is not None and assessment.observed is not None:
            ticks, turns = (
                f"{folder}/conversation.ticks.jsonl",
                f"{folder}/conversation.turns.jsonl",
            )
            self._made(
                "ticks", ticks, lambda: tick_file(stored, assessment, debug_tick_ms, recordings)
            )
            self._made("turns", turns, lambda: turn_file(stored, assessment))
        result = f"{folder}/conversation.result.json"
        tick_ms = debug_tick_ms if "ticks" in self.written else None
        names = {**self.written, "details": result, "evidence": self.kept}
        whole = replace(stored, artifacts=names)
        self._made("details", result, lambda: result_file(whole, assessment, tick_ms))

    def _made(self, name: str, path: str, content: Callable[[], bytes]) -> None:
        """A file that is derived from what is kept anyway, and may therefore be missing."""
        try:
            made = content()
        except Exception as error:  # noqa: BLE001 - one file must not lose the attempt
            self.missing.append(f"{name} could not be made: unexpected {type(error).__name__}")
        else:
            self._write(name, path, made)

    def _write(self, name: str, path: str, content: bytes) -> None:
        try:
            self.written[name] = self._directory.write(path, content)
        except OSError as error:
            if self._directory.is_lost(error):
                raise
            reason = error.strerror or "a link is in its way"
            self.missing.append(f"{name} could not be written: {reason}")

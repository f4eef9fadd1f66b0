"""The files a conversation has beside its recordings, made from what is stored of it alone.

Levels are the one thing that is not stored: they are measured on the recordings, and unknown where
there are none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from shared.attempts.details import Judgeable
from shared.audio.bin_levels import rms_per_bin
from shared.audio.pcm import Pcm
from shared.grading.assessment import Assessment
from shared.grading.verdict import Status
from shared.json_text import json_text
from shared.observability.observations import Speaker
from shared.reporting.conversation_result import conversation_result
from shared.reporting.ticks import tick_rows, turn_rows
from shared.values import JsonObject


@dataclass(frozen=True, slots=True)
class Recordings:
    """Both tracks from media time 0: the caller as it was sent, the assistant as it was heard."""

    caller: Pcm
    assistant: Pcm

    def levels(self, tick_ms: int, extent_ms: int) -> Mapping[Speaker, Sequence[float | None]]:
        """The RMS of each party in each tick."""
        tracks = {Speaker.CALLER: self.caller, Speaker.ASSISTANT: self.assistant}
        return {speaker: rms_per_bin(pcm, tick_ms, extent_ms) for speaker, pcm in tracks.items()}


def result_file(stored: Judgeable, assessment: Assessment, tick_ms: int | None = None) -> bytes:
    """``conversation.result.json``; ``tick_ms`` is that of the tick file, where there is one."""
    content = conversation_result(
        stored.evidence,
        stored.scenario,
        stored.policy,
        assessment,
        attempt=stored.attempt,
        audio_source=stored.audio_source,
        artifacts=stored.artifacts,
        tick_ms=tick_ms,
    )
    return f"{json_text(content, indent=2)}\n".encode()


def tick_file(
    stored: Judgeable, assessment: Assessment, tick_ms: int, recordings: Recordings | None = None
) -> bytes:
    """``conversation.ticks.jsonl``: a line per tick; empty where nothing was observed."""
    observed, evidence = assessment.observed, stored.evidence
    if observed is None:
        return b""
    levels = {} if recordings is None else recordings.levels(tick_ms, evidence.extent_ms)
    return _lines(tick_rows(observed.timeline, tick_ms, evidence.observations, levels))


def turn_file(stored: Judgeable, assessment: Assessment) -> bytes:
    """``conversation.turns.jsonl``: a line per caller turn; empty where nothing was observed."""
    observed = assessment.observed
    if observed is None:
        return b""
    return _lines(
        turn_rows(
            observed.interaction,
            observed.timeline,
            stored.evidence,
            stored.scenario,
            is_completed=assessment.verdict.status is Status.PASSED,
        )
    )


def _lines(rows: Iterable[JsonObject]) -> bytes:
    return "".join(f"{json_text(row)}\n" for row in rows).encode()

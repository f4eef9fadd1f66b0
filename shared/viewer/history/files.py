"""What a run left of one attempt: read, but not believed. Pure; who reads the files is a door."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from shared.values import JsonObject, JsonValue
from shared.viewer.history.reconstruction import Reconstructed


class Source(StrEnum):
    """One file of an attempt."""

    DETAILS = "details"
    TICKS = "ticks"
    TURNS = "turns"
    TRACE = "trace"
    TRANSCRIPT = "transcript"
    RECORDING = "recording"


@dataclass(frozen=True, slots=True)
class Lines:
    """What a file of JSON lines holds, in order, and how many of its lines were no JSON."""

    records: Sequence[JsonValue]
    broken: int = 0


@dataclass(frozen=True, slots=True)
class Files:
    """The content of an attempt's files; what there is nothing of is ``None``.

    ``trace`` is the assistant's event log. ``reconstructed`` is needed only where ticks are
    missing. ``reasons`` says of missing sources why, as the rest of a sentence: "is not there".
    """

    details: JsonObject | None = None
    ticks: Lines | None = None
    turns: Lines | None = None
    trace: Lines | None = None
    transcript: str | None = None
    reconstructed: Reconstructed | None = None
    reasons: Mapping[Source, str] = field(default_factory=dict)

"""Errors, sorted by who must act.

HarnessError
├── UsageError            the person at the terminal can fix it        exit 2
├── DatasetError          every fault found in a dataset, one per line  exit 2
└── AttemptError          this attempt is not a measurement; the batch goes on
    ├── ConnectError      handshake, start, authentication              stage session_start
    └── CollectError      the session broke while we listened           stage response_collection

A missed deadline, a refused tool or a failed check is a result and never raises.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum


class Stage(StrEnum):
    """Where an attempt stopped being a measurement."""

    AUDIO_INPUT = "audio_input"
    AUDIO_SYNTHESIS = "audio_synthesis"
    SESSION_START = "session_start"
    CALLER_OPENING = "caller_opening"
    ASSISTANT_OPENING = "assistant_opening"
    RESPONSE_COLLECTION = "response_collection"
    AUDIO_PACING = "audio_pacing"
    CALLER_SIMULATION = "caller_simulation"
    CLIENT_ASSISTANT = "client_assistant"
    SEMANTIC_JUDGE = "semantic_judge"
    ATTEMPT_EXECUTION = "attempt_execution"


class HarnessError(Exception):
    """Anything this project raises on purpose."""


class UsageError(HarnessError):
    """A mistake at the terminal, in one line: where, what, how to fix it."""


class DatasetError(HarnessError):
    """What is wrong with a dataset: one line per fault, all of a file at once."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = tuple(faults)


class AttemptError(HarnessError):
    """The attempt cannot be judged. Carries its stage; what was captured is kept."""

    def __init__(self, stage: Stage, message: str) -> None:
        super().__init__(message)
        self.stage = stage


def said_of(error: BaseException) -> str:
    """What may be told of an error: our own words, but of a stranger's exception its class."""
    if isinstance(error, HarnessError):
        return str(error)
    return f"unexpected {type(error).__name__}"

"""How a conversation was put away: what became of pending work, and of all there was to close.

Nothing in it unmakes a conversation, whose capture had ended by then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from shared.observability.observations import Speaker
from shared.values import JsonObject

US_PER_S = 1_000_000


class SettlementStatus(StrEnum):
    """What became of work that was under way when capture ended."""

    NOT_STARTED = "not_started"
    COMPLETED = "completed"
    TIMED_OUT = "timed_out"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class WorkSettlement:
    """How the grace for pending work was spent, and who was still at work after it.

    It is not started where there was nothing left to wait for: a session was lost, or the caller
    was unfit.
    """

    status: SettlementStatus = SettlementStatus.NOT_STARTED
    pending: tuple[Speaker, ...] = ()

    def as_json(self) -> JsonObject:
        """The object ``run_metadata.work_settlement``."""
        return {
            "status": self.status.value,
            "pending_participants": [one.value for one in self.pending],
        }

    def warnings(self) -> Iterator[str]:
        """Whose work was left unfinished, in one line each."""
        for speaker in self.pending:
            yield f"the {speaker.value}'s work was still under way when its grace was over"


class Component(StrEnum):
    """What there is to put away."""

    CALLER_CLOSE = "caller_close"
    ASSISTANT_CLOSE = "assistant_close"
    OBSERVER = "completion_observer"


CLOSES = {
    Speaker.CALLER: Component.CALLER_CLOSE,
    Speaker.ASSISTANT: Component.ASSISTANT_CLOSE,
}


class CleanupStatus(StrEnum):
    COMPLETED = "completed"
    TIMED_OUT = "timed_out"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class CleanupError:
    component: Component
    message: str


@dataclass(frozen=True, slots=True)
class Cleanup:
    """What putting away came to. ``finalized`` are the sides whose provider told the final usage.

    ``timed_out`` was cancelled when the budget was spent, ``unfinished`` did not even end then and
    was left. ``elapsed_us`` is wall time.
    """

    finalized: tuple[Speaker, ...]
    timed_out: tuple[Component, ...] = ()
    unfinished: tuple[Component, ...] = ()
    errors: tuple[CleanupError, ...] = ()
    elapsed_us: int = 0

    @property
    def status(self) -> CleanupStatus:
        if self.timed_out or self.unfinished:
            return CleanupStatus.TIMED_OUT
        is_whole = set(self.finalized) == set(Speaker) and not self.errors
        return CleanupStatus.COMPLETED if is_whole else CleanupStatus.ERROR

    def as_json(self) -> JsonObject:
        """The object ``run_metadata.cleanup``."""
        return {
            "status": self.status.value,
            "timed_out": [one.value for one in self.timed_out],
            "unfinished_tasks": [one.value for one in self.unfinished],
            "errors": [
                {"component": one.component.value, "message": one.message} for one in self.errors
            ],
            "elapsed_seconds": self.elapsed_us / US_PER_S,
            "finalized_participants": [one.value for one in self.finalized],
        }

    def warnings(self) -> Iterator[str]:
        """What whoever reads the result should know, in one line each.

        That a side told no final usage is for its session to say, and says why its close was late.
        """
        told = {CLOSES[speaker] for speaker in Speaker if speaker not in self.finalized}
        for late in dict.fromkeys((*self.timed_out, *self.unfinished)):
            if late not in told:
                yield f"{late.value}: did not end within the cleanup budget"
        for error in self.errors:
            yield f"{error.component.value}: {error.message}"

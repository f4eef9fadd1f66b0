"""How a conversation is put away: one budget for everything, and what is said of it afterwards.

Theory of operation. When capture has ended, work under way may go on for its grace; audio no
longer flows. Then one budget begins. Both sessions are closed side by side and neither waits for
the other, watchers are cancelled at once, and what is left of the budget is for whoever still
listens. A small reserve at its end is for seeing what was cancelled end. What has not ended then
is named and left.

Nothing that goes wrong here unmakes a conversation: evidence is whole before it begins. It
becomes a warning, and consumption that was never told stays unknown. The first failure of a
conversation stays its failure, whatever follows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from shared.observability.evidence import Failure
from shared.observability.observations import Speaker
from shared.values import JsonObject

LONGEST_RESERVE_US: Final = 100_000
SHARE_OF_RESERVE: Final = 5
LISTENING_US: Final = 1_000_000
US_PER_S: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Budget:
    """One deadline for closing everything. Instants are wall microseconds."""

    began_us: int
    total_us: int

    def __post_init__(self) -> None:
        if self.total_us <= 0:
            raise ValueError("a budget must last")

    @property
    def ends_us(self) -> int:
        return self.began_us + self.total_us

    @property
    def cancels_us(self) -> int:
        """When what has not ended by itself is cancelled; the rest is for seeing it end."""
        return self.ends_us - min(LONGEST_RESERVE_US, self.total_us // SHARE_OF_RESERVE)

    def listens_until_us(self, closed_us: int) -> int:
        """Until when last messages are waited for, once the closes are through."""
        return min(closed_us + LISTENING_US, self.cancels_us)

    def left_us(self, now_us: int) -> int:
        return max(0, self.ends_us - now_us)

    def elapsed_s(self, now_us: int) -> float:
        return (now_us - self.began_us) / US_PER_S


class SettlementStatus(StrEnum):
    """What became of work that was under way when capture ended."""

    NOT_STARTED = "not_started"
    COMPLETED = "completed"
    TIMED_OUT = "timed_out"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class WorkSettlement:
    """How the grace for pending work was spent, and who was still at work after it."""

    status: SettlementStatus = SettlementStatus.NOT_STARTED
    pending: tuple[Speaker, ...] = ()

    def as_json(self) -> JsonObject:
        return {
            "status": self.status.value,
            "pending_participants": [one.value for one in self.pending],
        }


class Grace:
    """Waits for pending work, and no longer than its grace from the end of capture."""

    def __init__(self, ended_us: int, grace_us: int) -> None:
        self._until_us = ended_us + grace_us

    def settlement(
        self, now_us: int, pending: Collection[Speaker], *, is_broken: bool = False
    ) -> WorkSettlement | None:
        """What it came to, or nothing while it is worth waiting."""
        who = tuple(sorted(set(pending)))
        if is_broken:
            return WorkSettlement(SettlementStatus.ERROR, who)
        if not who:
            return WorkSettlement(SettlementStatus.COMPLETED)
        if now_us >= self._until_us:
            return WorkSettlement(SettlementStatus.TIMED_OUT, who)
        return None

    def left_us(self, now_us: int) -> int:
        return max(0, self._until_us - now_us)


class Component(StrEnum):
    """What there is to put away."""

    CALLER_CLOSE = "caller_close"
    ASSISTANT_CLOSE = "assistant_close"
    OBSERVER = "completion_observer"
    TRACE = "event_log"
    MONITOR = "monitor"


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

    ``timed_out`` was cancelled, ``unfinished`` did not even end then.
    """

    finalized: tuple[Speaker, ...]
    timed_out: tuple[Component, ...] = ()
    unfinished: tuple[Component, ...] = ()
    errors: tuple[CleanupError, ...] = ()
    elapsed_s: float = 0.0

    @property
    def status(self) -> CleanupStatus:
        if self.timed_out or self.unfinished:
            return CleanupStatus.TIMED_OUT
        is_whole = set(self.finalized) == set(Speaker) and not self.errors
        return CleanupStatus.COMPLETED if is_whole else CleanupStatus.ERROR

    def as_json(self) -> JsonObject:
        return {
            "status": self.status.value,
            "timed_out": [one.value for one in self.timed_out],
            "unfinished_tasks": [one.value for one in self.unfinished],
            "errors": [
                {"component": one.component.value, "message": one.message} for one in self.errors
            ],
            "elapsed_seconds": round(self.elapsed_s, 6),
            "finalized_participants": [one.value for one in self.finalized],
        }

    def warnings(self) -> tuple[str, ...]:
        """What whoever reads the result should know, in one line each."""
        late = dict.fromkeys((*self.timed_out, *self.unfinished))
        unknown = [one.value for one in Speaker if one not in self.finalized]
        return (
            *(f"{one.value}: did not end within the cleanup budget" for one in late),
            *(f"{one.component.value}: {one.message}" for one in self.errors),
            *(f"the {one}'s session told no final usage: unknown" for one in unknown),
        )


def primary_failure(raised: Failure | None, parties: Iterable[Failure | None]) -> Failure | None:
    """The one failure of a conversation: what was raised in it, else the first party's own.

    The caller's comes first. What goes wrong in putting away is never it.
    """
    if raised is not None:
        return raised
    return next((one for one in parties if one is not None), None)

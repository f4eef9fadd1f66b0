"""How long putting a conversation away may take, and which of its failures is the one told.

Theory of operation. When capture has ended, work under way may go on for its grace; audio no
longer flows. Then one budget begins. Both sessions are closed side by side and neither waits for
the other, and a question to the observer is given up at once. A small reserve at the budget's end
is for seeing what was cancelled end. What has not ended then is named and left.

Nothing that goes wrong here unmakes a conversation: evidence is whole before it begins. It
becomes a warning, and consumption that was never told stays unknown. The first failure of a
conversation stays its failure, whatever follows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from shared.observability.evidence import Failure
from shared.observability.observations import Speaker
from shared.observability.shutdown import SettlementStatus, WorkSettlement

LONGEST_RESERVE_US: Final = 100_000
SHARE_OF_RESERVE: Final = 5


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


def primary_failure(raised: Failure | None, parties: Iterable[Failure | None]) -> Failure | None:
    """The one failure of a conversation: what was raised in it, else the first party's own.

    The caller's comes first. What goes wrong in putting away is never it.
    """
    if raised is not None:
        return raised
    return next((one for one in parties if one is not None), None)

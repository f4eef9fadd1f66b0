"""How many substantive turns a conversation had, for the ``turns`` pair.

Contract: ``docs/metrics-contract.md``, "Task counts".
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from shared.observability.evidence import CallerAction
from shared.observability.turns import Turn


def substantive_turns(caller: Sequence[Turn], assistant: Sequence[Turn]) -> int:
    """Caller turns that ask for a reply, the replies to them (one each), and the closing turns.

    A reply is an assistant turn that begins at or after such a caller turn's onset and before the
    next one's. Both sequences are in order of onset.
    """
    asking = [turn.span.start_ms for turn in caller if turn.expects_reply]
    speaking = [turn.span.start_ms for turn in assistant]
    closings = sum(turn.action is CallerAction.STOP for turn in caller)
    firsts = [bisect_left(speaking, onset_ms) for onset_ms in asking]
    replies = sum(first < following for first, following in pairwise([*firsts, len(speaking)]))
    return len(asking) + replies + closings

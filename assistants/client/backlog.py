"""How much of what a voice was told about delegations it has not taken yet.

A service limits how many texts may wait, and what runs into that limit looks like the service's own
refusal. Whoever has more to say than fits is at fault before it comes to that.
"""

from __future__ import annotations

from typing import Final

from assistants.frontend.appends import pieces
from shared.observability.observations import (
    CommandRejected,
    ContextAppended,
    ContextSent,
    Observation,
)

WAITING_MAX: Final = 100
"""Texts of at most 500 bytes each."""


class Backlog:
    """Counts what waits, by what a session shows."""

    def __init__(self) -> None:
        self._accepted = 0
        self._sent: dict[str, None] = {}

    def notice(self, seen: Observation) -> None:
        """Take in an observation of the session's, in order of receipt."""
        match seen:
            case ContextSent(client_event_id=event_id, delegation_id=str()):
                self._accepted = max(0, self._accepted - 1)
                self._sent[event_id] = None
            case ContextAppended(client_event_id=None):
                # It does not say which, and answers come in the order of what was sent.
                self._sent.pop(next(iter(self._sent), ""), None)
            case ContextAppended(client_event_id=str(event_id)):
                self._sent.pop(event_id, None)
            case CommandRejected(client_event_id=str(event_id)):
                self._sent.pop(event_id, None)
            case _:
                pass

    def takes(self, text: str) -> bool:
        """Whether there is room for the text, which then counts as waiting."""
        more = len(pieces(text))
        has_room = len(self._sent) + self._accepted + more <= WAITING_MAX
        self._accepted += more if has_room else 0
        return has_room

"""An assistant as an attempt needs it: ready to connect, its application's state in view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shared.clock import Clock
from shared.participant import Participant
from shared.values import JsonObject


@dataclass(frozen=True, slots=True)
class OpenAssistant:
    """An assistant ready to connect, and a view of its application's state.

    ``say`` has it say something of its own accord, once it is connected. ``began_with`` is the
    state before the session where only connecting tells it.
    """

    participant: Participant
    snapshot: Callable[[], JsonObject]
    say: Callable[[str], None] = lambda _: None
    began_with: Callable[[], JsonObject] | None = None

    def state_before(self, first: JsonObject) -> JsonObject:
        """The state before the session; ``first`` is what a look before it connected gave."""
        return first if self.began_with is None else self.began_with()


type Opener = Callable[[Clock], OpenAssistant]

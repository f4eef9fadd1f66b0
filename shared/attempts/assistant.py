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

    ``say`` has it say something of its own accord, once it is connected.
    """

    participant: Participant
    snapshot: Callable[[], JsonObject]
    say: Callable[[str], None] = lambda _: None


type Opener = Callable[[Clock], OpenAssistant]

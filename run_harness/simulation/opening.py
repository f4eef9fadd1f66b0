"""How a conversation begins: who speaks first, by when, and from where time counts.

======================  ===================================  ======================================
first speaker           the conversation starts              no measurement, by stage
======================  ===================================  ======================================
caller (by default)     at media time 0                      ``caller_opening``: not heard within
                                                             the deadline, or before the end
assistant               where the assistant is heard first   ``assistant_opening``: not heard in
                                                             time, or lost before it was, or the
                                                             caller was heard before
======================  ===================================  ======================================

The deadline is wall time from the command to begin, and what is heard exactly then is too late. A
greeting need not be over before the caller speaks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from shared.errors import Stage
from shared.observability.evidence import Failure
from shared.observability.observations import Speaker

DEADLINE_MS: Final = 20_000


@dataclass(frozen=True, slots=True)
class Heard:
    """Where each side was first heard, in media time; nothing while it has not been."""

    caller_ms: int | None = None
    assistant_ms: int | None = None

    def of(self, speaker: Speaker) -> int | None:
        return self.caller_ms if speaker is Speaker.CALLER else self.assistant_ms


class Opening:
    """Watches the first speaker. ``commanded_ms`` is the wall time of the command to begin."""

    def __init__(
        self, first: Speaker, *, commanded_ms: int, deadline_ms: int = DEADLINE_MS
    ) -> None:
        self._first = first
        self._late_from_ms = commanded_ms + deadline_ms
        self._deadline_ms = deadline_ms
        self._first_heard_ms: int | None = None

    @property
    def is_over(self) -> bool:
        """Whether the first speaker was heard."""
        return self._first_heard_ms is not None

    @property
    def started_ms(self) -> int | None:
        """The media time at which the conversation began."""
        return 0 if self._first is Speaker.CALLER else self._first_heard_ms

    def advance(self, wall_ms: int, heard: Heard) -> Failure | None:
        """Take in what was heard by now; a failure ends the attempt."""
        if self.is_over:
            return None
        first_ms = heard.of(self._first)
        if self._first is Speaker.ASSISTANT and _is_before(heard.caller_ms, first_ms):
            return self._failure("the caller spoke before the assistant's greeting")
        if wall_ms >= self._late_from_ms:
            return self._failure(
                f"the {self._first.value} was not heard within {self._deadline_ms / 1000:g} s"
            )
        self._first_heard_ms = first_ms
        return None

    def ended(self) -> Failure | None:
        """What it means that the conversation ends now."""
        if self.is_over:
            return None
        return self._failure(f"the {self._first.value} was never heard")

    def lost(self, failure: Failure) -> Failure:
        """The assistant's own failure: of one that was still to greet it is the opening's."""
        is_elsewhere = failure.stage is Stage.CLIENT_ASSISTANT
        if self.is_over or self._first is Speaker.CALLER or is_elsewhere:
            return failure
        return Failure(Stage.ASSISTANT_OPENING, failure.message)

    def _failure(self, message: str) -> Failure:
        is_callers = self._first is Speaker.CALLER
        return Failure(Stage.CALLER_OPENING if is_callers else Stage.ASSISTANT_OPENING, message)


def _is_before(one_ms: int | None, other_ms: int | None) -> bool:
    return one_ms is not None and (other_ms is None or one_ms < other_ms)

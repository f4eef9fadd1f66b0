"""What whoever reads a result should know of the sessions behind it."""

from __future__ import annotations

from collections.abc import Sequence

from shared.observability.observations import (
    AudioReceived,
    CommandRejected,
    ContextAppended,
    ContextSent,
    Observation,
    ResultHeldBack,
    SessionClosed,
    SessionOpened,
    ToolCalled,
    ToolReturned,
)

ASSISTANT = "assistant"


def session_warnings(
    observations: Sequence[Observation], party: str = ASSISTANT
) -> tuple[str, ...]:
    """What whoever reads results should know of a party's session, in one line each."""
    was_open = any(isinstance(seen, SessionOpened) for seen in observations)
    has_usage = any(
        isinstance(seen, SessionClosed) and seen.seconds is not None for seen in observations
    )
    warnings = []
    if was_open and not has_usage:
        warnings.append(f"the {party}'s session gave no final usage; its consumption is unknown")
    warnings += _stall_warnings(party, observations)
    returned = {one.call_id for one in observations if isinstance(one, ToolReturned)}
    warnings += [
        f"{made.name} had not returned; the state is the one before it"
        for made in observations
        if isinstance(made, ToolCalled) and made.call_id not in returned
    ]
    warnings += _context_warnings(observations)
    return tuple(warnings)


def _context_warnings(observations: Sequence[Observation]) -> list[str]:
    """What was said to the session and never taken, and what was not said to it."""
    answered = {
        one.client_event_id
        for one in observations
        if isinstance(one, ContextAppended | CommandRejected)
    }
    sent = [one for one in observations if isinstance(one, ContextSent)]
    lost = sum(one.client_event_id not in answered for one in sent)
    held = sum(isinstance(one, ResultHeldBack) for one in observations)
    warnings = []
    if lost:
        warnings.append(f"{lost} of {len(sent)} texts for the session were never acknowledged")
    if held:
        warnings.append(f"results that nobody wanted any more were held back ({held})")
    return warnings


def _stall_warnings(party: str, observations: Sequence[Observation]) -> tuple[str, ...]:
    """Whether a party's audio came so late that figures tell of it."""
    stalls = sum(isinstance(one, AudioReceived) and one.is_stall for one in observations)
    if not stalls:
        return ()
    return (f"the {party}'s audio stalled ({stalls}); figures count what came late as late",)

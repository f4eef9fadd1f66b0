"""What everybody who took part consumed, source by source; figures nobody gave are left out.

Of these the assistant's own, ``live_frontend`` and ``delegated_response``, count as consumption.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict

from shared.observability.evidence import Evidence
from shared.observability.observations import (
    Observation,
    ResponseEnded,
    SessionClosed,
    TokenUsage,
)
from shared.values import JsonObject


def usage_entries(evidence: Evidence) -> list[JsonObject]:
    """One entry per session, backend response and question to the observer that told its usage."""
    return [
        *_of_session(evidence.observations, "live_frontend", "delegated_response"),
        *_of_session(evidence.caller_observations, "caller_gpt_live", "caller_response"),
        *(
            {"source": "completion_observer", "asked_ms": one.asked_ms, **_tokens(one.usage)}
            for one in evidence.decisions
            if one.usage is not None
        ),
    ]


def _of_session(
    observations: Iterable[Observation], voice: str, backend: str
) -> Iterator[JsonObject]:
    """The final snapshot of a session, and each of its responses once."""
    seconds: float | None = None
    responses: dict[str, ResponseEnded] = {}
    for seen in observations:
        if isinstance(seen, SessionClosed):
            seconds = seen.seconds
        elif isinstance(seen, ResponseEnded):
            responses.setdefault(seen.response_id, seen)
    if seconds is not None:
        yield {"source": voice, "seconds": seconds}
    for one in responses.values():
        if one.usage is not None:
            named = {"response_id": one.response_id, "status": one.status.value, "model": one.model}
            given = {name: value for name, value in named.items() if value is not None}
            yield {"source": backend, **given, **_tokens(one.usage)}


def _tokens(usage: TokenUsage) -> JsonObject:
    return {name: value for name, value in asdict(usage).items() if value is not None}

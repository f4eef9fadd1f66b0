"""What the attempt consumed: session audio at the front, tokens at the back.

Only the provider's own final figures count. A figure is given when every part of it is known; what
is unknown stays absent. Contract: ``docs/metrics-contract.md``, "Consumption".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from shared.observability.evidence import Decision
from shared.observability.observations import (
    Observation,
    ResponseEnded,
    ResponseStatus,
    SessionClosed,
    TokenUsage,
)


@dataclass(frozen=True, slots=True)
class Consumption:
    """``backend`` is absent when no response completed; ``models`` holds two or more, or none."""

    frontend_audio_ms: int | None
    backend: TokenUsage | None
    models: Mapping[str, TokenUsage] = field(default_factory=dict)


def consumption(observations: Sequence[Observation]) -> Consumption:
    """Final session seconds, and the tokens of every completed response, each counted once."""
    completed = _completed_once(observations)
    by_model: dict[str, list[TokenUsage | None]] = {}
    for response in completed:
        if response.model is not None:
            by_model.setdefault(response.model, []).append(response.usage)
    return Consumption(
        frontend_audio_ms=frontend_audio_ms(observations),
        backend=total_usage([response.usage for response in completed]) if completed else None,
        models={model: total_usage(usages) for model, usages in sorted(by_model.items())}
        if len(by_model) > 1
        else {},
    )


@dataclass(frozen=True, slots=True)
class ToldUsage:
    """The tokens of the ``told`` calls, of all ``calls``, whose usage was told: no more than that.

    It is the whole only where both counts are the same.
    """

    calls: int
    told: int
    tokens: TokenUsage


def observer_usage(decisions: Sequence[Decision]) -> ToldUsage | None:
    """What questions to the completion observer consumed; nothing where none was asked."""
    return _told_usage([decision.usage for decision in decisions])


def backend_usage(observations: Sequence[Observation]) -> ToldUsage | None:
    """What completed responses of one session consumed; nothing where none completed."""
    return _told_usage([response.usage for response in _completed_once(observations)])


def frontend_audio_ms(observations: Sequence[Observation]) -> int | None:
    """What the session's own end says it heard and spoke in all."""
    closings = [seen.seconds for seen in observations if isinstance(seen, SessionClosed)]
    seconds = closings[-1] if closings else None
    return None if seconds is None else round(seconds * 1_000)


def _told_usage(usages: Sequence[TokenUsage | None]) -> ToldUsage | None:
    if not usages:
        return None
    told = [usage for usage in usages if usage is not None and usage != TokenUsage()]
    return ToldUsage(len(usages), len(told), total_usage(told) if told else TokenUsage())


def _completed_once(observations: Sequence[Observation]) -> list[ResponseEnded]:
    by_id: dict[str, ResponseEnded] = {}
    for seen in observations:
        if isinstance(seen, ResponseEnded):
            by_id.setdefault(seen.response_id, seen)
    return [one for one in by_id.values() if one.status is ResponseStatus.COMPLETED]


def total_usage(usages: Sequence[TokenUsage | None]) -> TokenUsage:
    """All of them as one; a figure that one of them lacks is unknown."""
    whole = [TokenUsage() if usage is None else _completed_total(usage) for usage in usages]
    return TokenUsage(
        input_tokens=_sum([usage.input_tokens for usage in whole]),
        output_tokens=_sum([usage.output_tokens for usage in whole]),
        total_tokens=_sum([usage.total_tokens for usage in whole]),
        cached_input_tokens=_sum([usage.cached_input_tokens for usage in whole]),
        cache_write_tokens=_sum([usage.cache_write_tokens for usage in whole]),
        reasoning_tokens=_sum([usage.reasoning_tokens for usage in whole]),
    )


def _completed_total(usage: TokenUsage) -> TokenUsage:
    """The same usage with a missing total made up from its two sides."""
    if usage.total_tokens is not None or usage.input_tokens is None or usage.output_tokens is None:
        return usage
    return replace(usage, total_tokens=usage.input_tokens + usage.output_tokens)


def _sum(figures: Sequence[int | None]) -> int | None:
    """The sum, unless a part of it is unknown."""
    known = [figure for figure in figures if figure is not None]
    return sum(known) if len(known) == len(figures) else None

"""Interaction limits a scenario declares: one check for each, and none where none is declared.

A figure without a population breaks no limit: the check says why it does not apply.
"""

from __future__ import annotations

from collections.abc import Callable

from shared.grading.case import Case
from shared.grading.verdict import Check, CheckStatus, Ref


def _response_rate_min(case: Case, limit: float) -> Check:
    rate = case.measured.response_rate
    if rate.value is None:
        return _check("response_rate_min", None, "no request was scored")
    return _check("response_rate_min", rate.value >= limit, f"{rate} answered, at least {limit:g}")


def _response_latency_max_ms(case: Case, limit: float) -> Check:
    """The largest latency observed, late answers included; a mean would hide one."""
    latencies = (
        *case.measured.response_latencies_ms,
        *case.measured.late_response_latencies_ms,
    )
    if not latencies:
        return _check("response_latency_max_ms", None, "no response was observed")
    worst = max(latencies)
    return _check("response_latency_max_ms", worst <= limit, f"{worst} ms, at most {limit:g} ms")


def _interruptions_max(case: Case, limit: float) -> Check:
    """Interruptions of eligible requests, and requests spoken through, which v2 excludes."""
    starts = [span.start_ms for turn in case.measured.turns for span in turn.interruptions]
    count = len(starts) + case.extended.spoken_through.count
    check = _check("interruptions_max", count <= limit, f"{count}, at most {limit:g}")
    refs = tuple(Ref(at_ms, "assistant began in the request") for at_ms in starts)
    return Check(check.id, check.status, check.because, refs)


def _yield_latency_max_ms(case: Case, limit: float) -> Check:
    """The longest the assistant went on, beyond the yield window too; a mean would hide one."""
    delays = [turn.yielding.delay_ms for turn in case.measured.turns if turn.yielding is not None]
    if not delays:
        return _check("yield_latency_max_ms", None, "the caller never interrupted")
    worst = max(delays)
    return _check("yield_latency_max_ms", worst <= limit, f"{worst} ms, at most {limit:g} ms")


def _false_yields_max(case: Case, limit: float) -> Check:
    rate = case.measured.backchannel_rate
    if not rate.total:
        return _check("false_yields_max", None, "there was no backchannel")
    count = rate.total - rate.count
    return _check("false_yields_max", count <= limit, f"{count}, at most {limit:g}")


def _floor_hold_max_ms(case: Case, limit: float) -> Check:
    longest = case.measured.floor_hold_durations.maximum_ms
    check = _check("floor_hold_max_ms", longest <= limit, f"{longest} ms, at most {limit:g} ms")
    refs = tuple(
        Ref(span.start_ms, f"silence of {span.duration_ms} ms")
        for span in case.measured.floor_hold
        if span.duration_ms > limit
    )
    return Check(check.id, check.status, check.because, refs)


LIMITS: dict[str, Callable[[Case, float], Check]] = {
    "response_rate_min": _response_rate_min,
    "response_latency_max_ms": _response_latency_max_ms,
    "interruptions_max": _interruptions_max,
    "yield_latency_max_ms": _yield_latency_max_ms,
    "false_yields_max": _false_yields_max,
    "floor_hold_max_ms": _floor_hold_max_ms,
}


def limit_checks(case: Case) -> tuple[Check, ...]:
    """One check for each limit the scenario declares."""
    declared = case.expected.interaction
    return tuple(
        check(case, limit)
        for name, check in LIMITS.items()
        if (limit := getattr(declared, name)) is not None
    )


def _check(name: str, is_kept: bool | None, because: str) -> Check:  # noqa: FBT001 - a tri-state
    if is_kept is None:
        return Check(name, CheckStatus.NOT_APPLICABLE, because)
    return Check(name, CheckStatus.PASSED if is_kept else CheckStatus.FAILED, because)

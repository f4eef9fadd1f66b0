"""Interaction limits a scenario declares: one check for each, and none where none is declared.

A figure without a population breaks no limit: the check says why it does not apply. But an
assistant that hums across a request's end takes it out of the population without answering it; that
breaks a limit on answering. What broke a limit is named by its moments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from shared.grading.case import Case
from shared.grading.verdict import Check, CheckStatus, Ref
from shared.metrics.backchannels import BackchannelOutcome, backchannels
from shared.metrics.episodes import Settled, settled_yields, stretches
from shared.metrics.responses import Outcome, Reason
from shared.observability.lookup import started_before
from shared.observability.turns import is_answer


def _response_rate_min(case: Case, limit: float) -> Check:
    rate = case.measured.response_rate
    if rate.value is None:
        return _unanswerable("response_rate_min", case, "no request was scored")
    missed = [
        Ref(turn.turn.span.end_ms, "request not answered in time")
        for turn in case.measured.turns
        if turn.opportunity.outcome is Outcome.MISSED
    ]
    because = f"{rate} answered, at least {limit:g}"
    return _check("response_rate_min", because, missed, is_kept=rate.value >= limit)


def _response_latency_max_ms(case: Case, limit: float) -> Check:
    """The largest latency observed, late answers included; a mean would hide one."""
    latencies = [
        (turn.opportunity.latency_ms, turn.turn.span.end_ms)
        for turn in case.measured.turns
        if turn.opportunity.latency_ms is not None
    ]
    if not latencies:
        return _unanswerable("response_latency_max_ms", case, "no response was observed")
    worst = max(latency for latency, _ in latencies)
    slow = [
        Ref(end_ms + latency, f"response after {latency} ms")
        for latency, end_ms in latencies
        if latency > limit
    ]
    because = f"{worst} ms, at most {limit:g} ms"
    return _check("response_latency_max_ms", because, slow, is_kept=worst <= limit)


def _interruptions_max(case: Case, limit: float) -> Check:
    """Interruptions of eligible requests, and requests spoken through, which v2 excludes."""
    turns = case.measured.turns
    starts = [span.start_ms for turn in turns for span in turn.interruptions]
    count = len(starts) + case.extended.spoken_through.count
    moments = [Ref(at_ms, "assistant began in the request") for at_ms in starts]
    moments += [
        Ref(turn.turn.span.end_ms, "assistant was still speaking when the request ended")
        for turn in turns
        if turn.opportunity.reason is Reason.ASSISTANT_ACTIVE
    ]
    because = f"{count}, at most {limit:g}"
    return _check("interruptions_max", because, moments, is_kept=count <= limit)


def _yield_latency_max_ms(case: Case, limit: float) -> Check:
    """The longest the assistant went on, beyond the yield window too; a mean would hide one.

    A pause between two words gives no floor away, so only 300 ms of silence end its speech.
    """
    turns = case.timeline.caller_turns
    settled = settled_yields(
        turns,
        case.timeline.assistant,
        window_ms=case.policy.metrics.yield_window_ms,
        observed_until_ms=case.timeline.extent.end_ms,
    )
    delays = [
        (one.delay_ms, turn.span.start_ms)
        for turn, one in zip(turns, settled, strict=True)
        if one is not None and one.outcome is not Settled.CENSORED
    ]
    if not delays:
        return _not_applicable("yield_latency_max_ms", "the caller never interrupted")
    worst = max(delay for delay, _ in delays)
    slow = [Ref(at_ms, f"went on for {delay} ms") for delay, at_ms in delays if delay > limit]
    because = f"{worst} ms, at most {limit:g} ms"
    return _check("yield_latency_max_ms", because, slow, is_kept=worst <= limit)


def _false_yields_max(case: Case, limit: float) -> Check:
    """Backchannels at which the assistant stopped speaking; a pause between words is no stop."""
    turns = case.timeline.caller_turns
    outcomes = backchannels(
        turns,
        stretches(case.timeline.assistant),
        window_ms=case.policy.metrics.backchannel_window_ms,
    )
    if not any(outcomes):
        return _not_applicable("false_yields_max", "there was no backchannel")
    moments = [
        Ref(turn.span.start_ms, "stopped for a backchannel")
        for turn, outcome in zip(turns, outcomes, strict=True)
        if outcome is BackchannelOutcome.FALSE_YIELD
    ]
    because = f"{len(moments)}, at most {limit:g}"
    return _check("false_yields_max", because, moments, is_kept=len(moments) <= limit)


def _floor_hold_max_ms(case: Case, limit: float) -> Check:
    longest = case.measured.floor_hold_durations.maximum_ms
    moments = [
        Ref(span.start_ms, f"silence of {span.duration_ms} ms")
        for span in case.measured.floor_hold
        if span.duration_ms > limit
    ]
    because = f"{longest} ms, at most {limit:g} ms"
    return _check("floor_hold_max_ms", because, moments, is_kept=longest <= limit)


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


def _unanswerable(name: str, case: Case, because: str) -> Check:
    """No request counts: for lack of evidence, or because a sound across its end was no answer."""
    hummed = [
        Ref(turn.turn.span.end_ms, "a sound across the request's end that answers nothing")
        for turn in case.measured.turns
        if turn.opportunity.reason is Reason.ASSISTANT_ACTIVE
        and (heard := started_before(case.timeline.assistant, turn.turn.span.end_ms)) is not None
        and not is_answer(heard, turn.turn.span.end_ms)
    ]
    if not hummed:
        return _not_applicable(name, because)
    return _check(name, f"{because}: the assistant only made a sound", hummed, is_kept=False)


def _check(name: str, because: str, moments: Iterable[Ref], *, is_kept: bool) -> Check:
    status = CheckStatus.PASSED if is_kept else CheckStatus.FAILED
    return Check(name, status, because, tuple(moments))


def _not_applicable(name: str, because: str) -> Check:
    return Check(name, CheckStatus.NOT_APPLICABLE, because)

"""Whatever a close, a question or a party's work does, putting away keeps its rules.

In virtual time, so that "within the budget" is exact to the microsecond.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from run_harness.simulation.closing import put_away, settled
from run_harness.simulation.shutdown import Budget, Grace, primary_failure
from shared.errors import Stage
from shared.observability.evidence import Failure
from shared.observability.observations import Speaker
from shared.observability.shutdown import (
    Cleanup,
    CleanupStatus,
    Component,
    SettlementStatus,
    WorkSettlement,
)
from shared.own_loop import run_alone
from shared.virtual_time import VirtualClock, VirtualLoop

US_PER_S = 1_000_000
instants = st.integers(0, 10**12)
spans = st.integers(1, 20 * US_PER_S)
FAILURES = st.builds(Failure, st.sampled_from(Stage), st.text(max_size=8))


@dataclass(frozen=True, slots=True)
class Task:
    """Ends by itself after so long, in an error or not, and after a cancellation so much later."""

    lasts_us: int
    resists_us: int
    breaks: bool

    async def run(self) -> None:
        try:
            await asyncio.sleep(self.lasts_us / US_PER_S)
        except asyncio.CancelledError:
            if not self.resists_us:
                raise
            await asyncio.sleep(self.resists_us / US_PER_S)
        if self.breaks:
            raise OSError("whatever the system says")


tasks = st.builds(
    Task, st.integers(0, 30 * US_PER_S), st.just(0) | st.integers(1, 30 * US_PER_S), st.booleans()
)


def in_virtual_time[T](work: Callable[[VirtualClock], Coroutine[Any, Any, T]]) -> T:
    async def alone() -> T:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        return await work(VirtualClock(loop))

    return run_alone(alone(), VirtualLoop)


@given(instants, spans)
def test_a_budget_keeps_a_reserve_for_seeing_the_end(began_us: int, total_us: int) -> None:
    budget = Budget(began_us, total_us)
    reserve_us = budget.ends_us - budget.cancels_us

    assert budget.ends_us - began_us == total_us
    assert 0 <= reserve_us <= 100_000
    assert reserve_us * 5 <= total_us


@given(tasks, tasks, st.none() | tasks, spans)
def test_putting_away_ends_in_time_and_accounts_for_everything(
    caller: Task, assistant: Task, question: Task | None, total_us: int
) -> None:
    budget = Budget(0, total_us)
    closes = {Component.CALLER_CLOSE: caller, Component.ASSISTANT_CLOSE: assistant}

    async def work(clock: VirtualClock) -> Cleanup:
        asked = None if question is None else asyncio.create_task(question.run())
        await asyncio.sleep(0)
        return await put_away({one: task.run for one, task in closes.items()}, asked, budget, clock)

    cleanup = in_virtual_time(work)
    late, stuck = set(cleanup.timed_out), set(cleanup.unfinished)
    broken = {one.component for one in cleanup.errors}

    assert 0 <= cleanup.elapsed_us <= total_us
    assert stuck <= late
    assert not broken & stuck
    assert Component.OBSERVER not in broken, "nobody waits for what a given-up question would say"
    assert (Component.OBSERVER not in late) or question is not None
    for one, task in closes.items():
        # Within a microsecond of the edge, which of two deadlines of one instant comes first is
        # the loop's affair.
        if task.lasts_us < budget.cancels_us - 1:
            assert one not in late
            assert (one in broken) == task.breaks
        if task.lasts_us > budget.cancels_us + 1:
            assert one in late
            assert (one in stuck) <= (task.resists_us > 0)
    if late:
        assert cleanup.status is CleanupStatus.TIMED_OUT


@given(tasks, tasks, spans)
def test_no_close_waits_for_the_other(one: Task, other: Task, total_us: int) -> None:
    """What becomes of a side is the same whatever the other one does."""
    quick = Task(0, 0, breaks=False)

    def of_caller(assistant: Task) -> tuple[bool, bool, bool]:
        async def work(clock: VirtualClock) -> Cleanup:
            closes = {Component.CALLER_CLOSE: one.run, Component.ASSISTANT_CLOSE: assistant.run}
            return await put_away(closes, None, Budget(0, total_us), clock)

        cleanup, mine = in_virtual_time(work), Component.CALLER_CLOSE
        return (
            mine in cleanup.timed_out,
            mine in cleanup.unfinished,
            mine in {error.component for error in cleanup.errors},
        )

    assert of_caller(other) == of_caller(quick)


@given(st.integers(0, 10 * US_PER_S), st.integers(0, 10 * US_PER_S), spans)
def test_a_grace_ends_with_the_last_work_or_is_spent(
    caller_us: int, assistant_us: int, grace_us: int
) -> None:
    done_us = {Speaker.CALLER: caller_us, Speaker.ASSISTANT: assistant_us}

    async def work(clock: VirtualClock) -> tuple[WorkSettlement, int]:
        came_to = await settled(
            Grace(0, grace_us),
            clock,
            pending=lambda: [one for one, at_us in done_us.items() if clock.now_us() < at_us],
            is_broken=lambda: False,
        )
        return came_to, clock.now_us()

    came_to, until_us = in_virtual_time(work)
    left = tuple(sorted(one for one, at_us in done_us.items() if at_us > grace_us))

    assert until_us <= grace_us
    assert came_to.pending == left
    assert came_to.status is (SettlementStatus.TIMED_OUT if left else SettlementStatus.COMPLETED)
    if not left:
        assert max(done_us.values()) <= until_us


@given(instants, st.integers(0, 20 * US_PER_S), st.sets(st.sampled_from(Speaker)), st.booleans())
def test_what_is_settled_at_once_is_settled_by_the_first_rule_that_holds(
    ended_us: int, after_us: int, pending: set[Speaker], is_broken: bool
) -> None:
    grace = Grace(ended_us, 5 * US_PER_S)
    came_to = grace.settlement(ended_us + after_us, pending, is_broken=is_broken)

    if came_to is None:
        assert pending
        assert not is_broken
        assert grace.left_us(ended_us + after_us) > 0
    else:
        assert set(came_to.pending) == pending
        assert (came_to.status is SettlementStatus.ERROR) is is_broken


@given(st.none() | FAILURES, st.lists(st.none() | FAILURES, max_size=3))
def test_the_first_failure_stays_the_failure(
    raised: Failure | None, parties: list[Failure | None]
) -> None:
    told = [one for one in (raised, *parties) if one is not None]

    assert primary_failure(raised, parties) is (told[0] if told else None)


@pytest.mark.parametrize("component", Component)
@given(st.sets(st.sampled_from(Speaker)))
def test_nothing_late_goes_without_a_word(component: Component, finalized: set[Speaker]) -> None:
    """A close that was late is told by its session, which then gave no final usage."""
    cleanup = Cleanup(tuple(sorted(finalized)), (component,))
    sides = {Component.CALLER_CLOSE: Speaker.CALLER, Component.ASSISTANT_CLOSE: Speaker.ASSISTANT}
    is_told_elsewhere = component in sides and sides[component] not in finalized

    assert bool(list(cleanup.warnings())) is not is_told_elsewhere

"""Putting away takes what its budget allows, whatever of it is stuck, broken or interrupted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from run_harness.simulation.closing import put_away, settled, whatever_happens
from run_harness.simulation.shutdown import Budget, Grace
from shared.observability.observations import Speaker
from shared.observability.shutdown import (
    Cleanup,
    CleanupError,
    Component,
    SettlementStatus,
    WorkSettlement,
)
from shared.own_loop import run_alone
from shared.virtual_time import VirtualClock, VirtualLoop

S = 1_000_000
CALLERS, ASSISTANTS, OBSERVER = (
    Component.CALLER_CLOSE,
    Component.ASSISTANT_CLOSE,
    Component.OBSERVER,
)
type Close = Callable[[], Coroutine[Any, Any, None]]


def lasting(seconds: float, done: list[float] | None = None) -> Close:
    """A close that takes so long; ``done`` is told when it is through."""

    async def close() -> None:
        await asyncio.sleep(seconds)
        if done is not None:
            done.append(asyncio.get_running_loop().time())

    return close


def resisting(seconds: float) -> Close:
    """A close that never ends by itself, and so long after its first cancellation."""

    async def close() -> None:
        loop, left_s, is_cancelled = asyncio.get_running_loop(), 100.0, False
        while left_s > 0:
            began_s = loop.time()
            try:
                await asyncio.sleep(left_s)
            except asyncio.CancelledError:
                left_s = seconds if not is_cancelled else left_s - (loop.time() - began_s)
                is_cancelled = True
            else:
                return

    return close


async def breaking() -> None:
    raise OSError("whatever the system says")


def put_away_both(
    caller: Close, assistant: Close, question: Close | None = None, total_us: int = 10 * S
) -> Cleanup:
    async def work() -> Cleanup:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        clock = VirtualClock(loop)
        asked = None if question is None else asyncio.create_task(question())
        await asyncio.sleep(0)
        closes = {CALLERS: caller, ASSISTANTS: assistant}
        return await put_away(closes, asked, Budget(clock.now_us(), total_us), clock)

    return run_alone(work(), VirtualLoop)


@pytest.mark.parametrize(
    ("caller", "assistant", "question", "came_to"),
    [
        pytest.param(
            lasting(2), lasting(3), None, Cleanup((), elapsed_us=3 * S), id="side-by-side"
        ),
        pytest.param(
            breaking,
            lasting(3),
            None,
            Cleanup(
                (),
                errors=(CleanupError(CALLERS, "unexpected OSError"),),
                elapsed_us=3 * S,
            ),
            id="one-that-breaks-takes-nothing-from-the-other",
        ),
        pytest.param(
            lasting(9.899999),
            lasting(1),
            None,
            Cleanup((), elapsed_us=9_899_999),
            id="one-that-is-through-just-in-time",
        ),
        pytest.param(
            lasting(9.900001),
            lasting(1),
            None,
            Cleanup((), (CALLERS,), elapsed_us=9_900_000),
            id="one-that-is-not-is-cancelled",
        ),
        pytest.param(
            lasting(1),
            resisting(0.05),
            None,
            Cleanup((), (ASSISTANTS,), elapsed_us=9_950_000),
            id="and-has-what-is-left-to-end",
        ),
        pytest.param(
            lasting(1),
            resisting(5),
            None,
            Cleanup((), (ASSISTANTS,), (ASSISTANTS,), elapsed_us=10 * S),
            id="one-that-resists-is-named-and-left",
        ),
        pytest.param(
            resisting(5),
            resisting(5),
            resisting(50),
            Cleanup(
                (),
                (CALLERS, ASSISTANTS, OBSERVER),
                (CALLERS, ASSISTANTS, OBSERVER),
                elapsed_us=10 * S,
            ),
            id="all-of-them-have-one-budget",
        ),
        pytest.param(
            lasting(1),
            lasting(2),
            lasting(50),
            Cleanup((), elapsed_us=2 * S),
            id="a-question-is-given-up-at-once",
        ),
        pytest.param(
            lasting(1),
            lasting(2),
            resisting(4),
            Cleanup((), elapsed_us=4 * S),
            id="and-may-take-its-time-over-it",
        ),
    ],
)
def test_putting_away(
    caller: Close, assistant: Close, question: Close | None, came_to: Cleanup
) -> None:
    assert put_away_both(caller, assistant, question) == came_to


def test_a_small_budget_is_one_too() -> None:
    cleanup = put_away_both(lasting(1), resisting(1), total_us=5)
    assert cleanup == Cleanup((), (CALLERS, ASSISTANTS), (ASSISTANTS,), elapsed_us=5)


@pytest.mark.parametrize("times", [1, 3])
def test_an_interrupt_lets_closing_end_and_is_told_then(times: int) -> None:
    done: list[float] = []

    async def closing() -> None:
        await whatever_happens(lasting(5, done)())

    async def work() -> bool:
        task = asyncio.create_task(closing())
        for _ in range(times):
            await asyncio.sleep(1)
            task.cancel()
        (ended,) = await asyncio.gather(task, return_exceptions=True)
        return isinstance(ended, asyncio.CancelledError)

    assert run_alone(work(), VirtualLoop)
    assert done == [5]


def test_what_goes_on_undisturbed_gives_what_it_gives() -> None:
    async def seven() -> int:
        return 7

    assert run_alone(whatever_happens(seven()), VirtualLoop) == 7


@pytest.mark.parametrize(
    ("busy_for_us", "broken_at_us", "settlement", "until_us"),
    [
        pytest.param(0, None, WorkSettlement(SettlementStatus.COMPLETED), 0, id="nothing-to-do"),
        pytest.param(
            4_990_000,
            None,
            WorkSettlement(SettlementStatus.COMPLETED),
            5 * S,
            id="work-that-ends-within-its-grace",
        ),
        pytest.param(
            5_000_001,
            None,
            WorkSettlement(SettlementStatus.TIMED_OUT, (Speaker.ASSISTANT,)),
            5 * S,
            id="work-that-does-not",
        ),
        pytest.param(
            60 * S,
            10_000,
            WorkSettlement(SettlementStatus.ERROR, (Speaker.ASSISTANT,)),
            20_000,
            id="work-whose-session-breaks",
        ),
    ],
)
def test_work_has_its_grace(
    busy_for_us: int, broken_at_us: int | None, settlement: WorkSettlement, until_us: int
) -> None:
    async def work() -> tuple[WorkSettlement, int]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        clock = VirtualClock(loop)
        came_to = await settled(
            Grace(0, 5 * S),
            clock,
            pending=lambda: [Speaker.ASSISTANT] if clock.now_us() < busy_for_us else [],
            is_broken=lambda: broken_at_us is not None and clock.now_us() >= broken_at_us,
        )
        return came_to, clock.now_us()

    assert run_alone(work(), VirtualLoop) == (settlement, until_us)

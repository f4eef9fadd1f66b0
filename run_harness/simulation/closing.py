"""Puts a conversation away, within the times that ``shutdown`` gives."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from typing import Any, Final

from run_harness.simulation.shutdown import Budget, Grace
from shared.audio.pcm import FRAME_MS
from shared.clock import Clock
from shared.errors import said_of
from shared.observability.observations import Speaker
from shared.observability.shutdown import Cleanup, CleanupError, Component, WorkSettlement

LOOK_EVERY_US: Final = FRAME_MS * 1_000
US_PER_S: Final = 1_000_000

type Closes = Mapping[Component, Callable[[], Coroutine[Any, Any, None]]]
"""What is closed side by side, by its name."""


async def settled(
    grace: Grace,
    clock: Clock,
    *,
    pending: Callable[[], Collection[Speaker]],
    is_broken: Callable[[], bool],
) -> WorkSettlement:
    """Wait while somebody is at work and the grace lasts; each look takes in what has come."""
    while True:
        who = pending()
        now_us = clock.now_us()
        settlement = grace.settlement(now_us, who, is_broken=is_broken())
        if settlement is not None:
            return settlement
        await clock.sleep_until(now_us + min(LOOK_EVERY_US, grace.left_us(now_us)))


async def put_away(
    closes: Closes, question: asyncio.Task[Any] | None, budget: Budget, clock: Clock
) -> Cleanup:
    """Close all at once within the budget, and give up the question under way.

    Never raises and never waits for what resists its cancellation. Who told a final usage is for
    whoever reads the sessions' last words to add.
    """
    tasks = {one: asyncio.create_task(close()) for one, close in closes.items()}
    if question is not None:
        question.cancel()
        tasks[Component.OBSERVER] = question
    timed_out = await _unfinished(tasks, budget.cancels_us, clock)
    for late in timed_out:
        tasks[late].cancel()
    unfinished = await _unfinished(tasks, budget.ends_us, clock)
    for task in tasks.values():
        # What is left has nobody any more who would ask how it ended.
        task.add_done_callback(_failure_of)
    return Cleanup(
        finalized=(),
        timed_out=timed_out,
        unfinished=unfinished,
        errors=tuple(
            CleanupError(one, said_of(failure))
            for one in closes
            if tasks[one].done() and (failure := _failure_of(tasks[one])) is not None
        ),
        elapsed_us=clock.now_us() - budget.began_us,
    )


async def _unfinished(
    tasks: Mapping[Component, asyncio.Task[Any]], until_us: int, clock: Clock
) -> tuple[Component, ...]:
    """Wait for all of them until then; say which have not ended."""
    waiting = _pending(tasks.values())
    if waiting:
        left_us = max(0, until_us - clock.now_us())
        await asyncio.wait(waiting, timeout=left_us / US_PER_S)
    return tuple(one for one, task in tasks.items() if not task.done())


def _pending(tasks: Iterable[asyncio.Task[Any]]) -> list[asyncio.Task[Any]]:
    return [task for task in tasks if not task.done()]


def _failure_of(task: asyncio.Task[Any]) -> BaseException | None:
    return None if task.cancelled() else task.exception()


async def whatever_happens[T](work: Coroutine[Any, Any, T]) -> T:
    """Do the work to its end though whoever waits for it is cancelled, however often; then it is.

    So an interrupt, or a second one, leaves no session open that could have been closed.
    """
    task = asyncio.create_task(work)
    cancellation: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancellation = error
    if cancellation is not None:
        raise cancellation
    return task.result()

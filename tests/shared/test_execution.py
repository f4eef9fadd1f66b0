"""A batch of attempts: what ends it, what does not, and what an interrupt is."""

from __future__ import annotations

import asyncio
import gc
import signal
import threading
from collections.abc import Callable

import pytest

from shared.attempts.cancellation import Cancellation
from shared.execution import Interrupts, run_batch


def performed(
    jobs: list[int], perform: Callable[[int], None], cancellation: Cancellation, at_once: int = 1
) -> None:
    run_batch(jobs, perform, concurrency=at_once, cancellation=cancellation)


def test_every_job_is_performed() -> None:
    done: list[int] = []
    performed([1, 2, 3], done.append, Cancellation())

    assert done == [1, 2, 3]


def test_what_was_there_before_is_not_collected_meanwhile() -> None:
    """Going over the whole program would stop every attempt that speaks in real time."""
    spared: list[int] = []
    performed([1], lambda _: spared.append(gc.get_freeze_count()), Cancellation())

    assert spared[0] > 10_000
    assert gc.get_freeze_count() == 0


def test_a_batch_that_fails_leaves_the_collector_as_it_was() -> None:
    def fail(_: int) -> None:
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        performed([1], fail, Cancellation())
    assert gc.get_freeze_count() == 0


def test_after_a_cancellation_nothing_more_is_begun() -> None:
    done: list[int] = []
    cancellation = Cancellation()

    def perform(job: int) -> None:
        done.append(job)
        if job == 2:
            cancellation.request()

    performed([1, 2, 3, 4], perform, cancellation)
    assert done == [1, 2]


def test_after_an_error_nothing_more_is_begun_and_it_is_raised() -> None:
    begun: list[int] = []

    def perform(job: int) -> None:
        begun.append(job)
        raise OSError(28, f"no space for {job}")

    with pytest.raises(OSError, match="no space for 1"):
        performed([1, 2, 3, 4], perform, Cancellation())
    assert begun == [1]


def test_after_an_error_what_runs_is_cancelled() -> None:
    cancellation = Cancellation()
    has_begun = threading.Event()
    ended: list[str] = []

    def perform(job: int) -> None:
        if job == 1:
            has_begun.wait(10)
            raise OSError(28, "no space")

        async def session() -> None:
            task = asyncio.current_task()
            assert task is not None
            cancellation.watch(task)
            has_begun.set()
            try:
                await asyncio.sleep(60)
            finally:
                ended.append("closed")

        asyncio.run(session())

    with pytest.raises(OSError, match="no space"):
        performed([1, 2, 3], perform, cancellation, at_once=2)
    assert ended == ["closed"]


def test_a_cancelled_attempt_did_not_take_place() -> None:
    def perform(_job: int) -> None:
        raise asyncio.CancelledError

    performed([1], perform, Cancellation())


def test_an_interrupt_is_a_request_and_the_handler_goes_with_it() -> None:
    before = signal.getsignal(signal.SIGINT)
    cancellation = Cancellation()
    asked = threading.Event()
    cancellation.request = asked.set  # type: ignore[method-assign]
    with Interrupts(cancellation) as interrupts:
        assert interrupts.came is False
        signal.raise_signal(signal.SIGINT)
        assert interrupts.came is True
        assert asked.wait(10)

    assert signal.getsignal(signal.SIGINT) is before


def test_outside_the_main_thread_no_handler_is_changed() -> None:
    before = signal.getsignal(signal.SIGINT)
    seen: list[object] = []

    def elsewhere() -> None:
        with Interrupts(Cancellation()):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == [before]

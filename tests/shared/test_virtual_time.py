"""The loop that jumps: exact instants, a stable order, and jobs that take no time at all."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.virtual_time import VirtualClock, VirtualLoop
from tests.support.rooms import in_virtual_time, virtual_loop

HOUR_US = 3_600_000_000


@pytest.mark.parametrize(
    "instant_us",
    [0, 1, 2, 3, 19_999, 20_000, 20_001, 1_000_000, HOUR_US - 1, 2 * HOUR_US + 7, 30 * HOUR_US],
)
def test_a_sleep_ends_exactly_at_its_instant(instant_us: int) -> None:
    async def story(clock: VirtualClock) -> int:
        await clock.sleep_until(instant_us)
        return clock.now_us()

    assert in_virtual_time(story) == instant_us


@given(st.lists(st.integers(1, 10**10), min_size=1, max_size=20, unique=True))
def test_every_sleeper_wakes_exactly_when_it_asked_to(instants_us: list[int]) -> None:
    async def story(clock: VirtualClock) -> list[tuple[int, int]]:
        woken: list[tuple[int, int]] = []

        async def sleeper(instant_us: int) -> None:
            await clock.sleep_until(instant_us)
            woken.append((instant_us, clock.now_us()))

        await asyncio.gather(*(sleeper(instant_us) for instant_us in instants_us))
        return woken

    assert in_virtual_time(story) == [
        (instant_us, instant_us) for instant_us in sorted(instants_us)
    ]


def test_two_hours_of_frames_do_not_drift() -> None:
    frames = 20_000

    async def story(clock: VirtualClock) -> list[int]:
        late: list[int] = []
        for index in range(0, 360_000, 360_000 // frames):
            await clock.sleep_until(index * 20_000)
            late.append(clock.now_us() - index * 20_000)
        return late

    assert set(in_virtual_time(story)) == {0}


@pytest.mark.parametrize("instant_us", [-1, 0, 99, 100], ids=lambda us: f"at-{us}")
def test_an_instant_that_has_come_is_not_waited_for(instant_us: int) -> None:
    async def story(clock: VirtualClock) -> int:
        await clock.sleep_until(100)
        await clock.sleep_until(instant_us)
        return clock.now_us()

    assert in_virtual_time(story) == 100


def test_each_clock_counts_from_its_own_beginning() -> None:
    async def story(first: VirtualClock) -> tuple[int, int]:
        await first.sleep_until(700)
        second = VirtualClock(virtual_loop())
        await second.sleep_until(40)
        return first.now_us(), second.now_us()

    assert in_virtual_time(story) == (740, 40)


def test_a_loop_starts_at_0() -> None:
    async def story(_: VirtualClock) -> tuple[int, float]:
        return virtual_loop().now_us, virtual_loop().time()

    assert in_virtual_time(story) == (0, 0.0)


def test_time_is_whole_microseconds() -> None:
    async def story(clock: VirtualClock) -> list[object]:
        seen: list[object] = []
        for delay_s in (1e-7, 0.6e-6, 1.4e-6, 1 / 3):
            await asyncio.sleep(delay_s)
            seen.append(clock.now_us())
        return seen

    seen = in_virtual_time(story)
    assert all(type(one) is int for one in seen)
    assert seen == [0, 1, 2, 333_335]


def test_a_day_passes_in_no_time() -> None:
    async def story(clock: VirtualClock) -> int:
        await asyncio.sleep(86_400)
        return clock.now_us()

    begun_s = time.monotonic()
    assert in_virtual_time(story) == 86_400_000_000
    assert time.monotonic() - begun_s < 5


# Order


@pytest.mark.parametrize("count", [2, 3, 4, 100])
def test_timers_of_one_instant_run_in_the_order_in_which_they_were_set(count: int) -> None:
    async def story(_: VirtualClock) -> list[int]:
        ran: list[int] = []
        for number in range(count):
            asyncio.get_running_loop().call_later(0.1, ran.append, number)
        await asyncio.sleep(0.2)
        return ran

    assert in_virtual_time(story) == list(range(count))


def test_it_is_the_instant_that_counts_and_not_how_it_was_reckoned() -> None:
    """0.1 + 0.2 and 0.3 are one instant, though not one number."""

    async def story(clock: VirtualClock) -> list[list[str]]:
        loop, orders = virtual_loop(), []
        for step in range(1, 200):
            ran: list[str] = []
            target_us = clock.now_us() + step * 20_000
            loop.call_later(step * 0.02, ran.append, "first")
            await clock.sleep_until(clock.now_us() + 3_000)
            loop.call_later((target_us - clock.now_us()) / 1e6, ran.append, "second")
            await clock.sleep_until(target_us + 1)
            orders.append(ran)
        return orders

    assert in_virtual_time(story) == [["first", "second"]] * 199


def test_the_earlier_instant_comes_first_whenever_it_was_asked_for() -> None:
    async def story(clock: VirtualClock) -> list[tuple[str, int]]:
        ran: list[tuple[str, int]] = []
        loop = virtual_loop()
        loop.call_later(2e-6, lambda: ran.append(("later", clock.now_us())))
        loop.call_later(1e-6, lambda: ran.append(("earlier", clock.now_us())))
        await asyncio.sleep(1)
        return ran

    assert in_virtual_time(story) == [("earlier", 1), ("later", 2)]


def test_a_cancelled_timer_neither_runs_nor_holds_time_up() -> None:
    async def story(clock: VirtualClock) -> tuple[list[int], int]:
        ran: list[int] = []
        loop = virtual_loop()
        timers = [loop.call_later(0.1, ran.append, number) for number in range(200)]
        for timer in timers[::2]:
            timer.cancel()
        await asyncio.sleep(0.1)
        return ran, clock.now_us()

    assert in_virtual_time(story) == (list(range(1, 200, 2)), 100_000)


def test_what_is_ready_goes_before_time_does() -> None:
    async def story(clock: VirtualClock) -> int:
        async with asyncio.timeout(1e-6):
            for _ in range(1_000):
                await asyncio.sleep(0)
        return clock.now_us()

    assert in_virtual_time(story) == 0


# Jumps


def test_a_jump_is_there_at_once() -> None:
    async def story(clock: VirtualClock) -> tuple[bool, int]:
        return clock.jump(20_000), clock.now_us()

    assert in_virtual_time(story) == (True, 20_000)


@pytest.mark.parametrize(
    ("timer_us", "is_free"),
    [
        pytest.param(19_999, False, id="a-timer-before-it"),
        pytest.param(20_000, False, id="a-timer-at-its-instant"),
        pytest.param(20_001, True, id="a-timer-after-it"),
    ],
)
def test_no_jump_passes(timer_us: int, is_free: bool) -> None:
    async def story(clock: VirtualClock) -> tuple[bool, int]:
        virtual_loop().call_later(timer_us / 1e6, lambda: None)
        return clock.jump(20_000), clock.now_us()

    assert in_virtual_time(story) == (is_free, 20_000 if is_free else 0)


@pytest.mark.parametrize(
    "instant_us", [pytest.param(100, id="now"), pytest.param(99, id="the-past")]
)
def test_no_jump_leads_to(instant_us: int) -> None:
    async def story(clock: VirtualClock) -> tuple[bool, int]:
        await clock.sleep_until(100)
        return clock.jump(instant_us), clock.now_us()

    assert in_virtual_time(story) == (False, 100)


def test_nobody_jumps_over_what_is_ready() -> None:
    async def story(clock: VirtualClock) -> bool:
        virtual_loop().call_soon(lambda: None)
        return clock.jump(20_000)

    assert not in_virtual_time(story)


def test_nobody_jumps_while_a_socket_is_watched() -> None:
    async def story(clock: VirtualClock) -> tuple[bool, bool]:
        here, there = socket.socketpair()
        with here, there:
            virtual_loop().add_reader(here, lambda: None)
            while_watched = clock.jump(20_000)
            virtual_loop().remove_reader(here)
            return while_watched, clock.jump(20_000)

    assert in_virtual_time(story) == (False, True)


def test_a_cancelled_task_jumps_no_more() -> None:
    async def story(clock: VirtualClock) -> bool:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        has_jumped = clock.jump(20_000)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(0)
        return has_jumped

    assert not in_virtual_time(story)


@given(st.lists(st.lists(st.integers(1, 40), max_size=8), min_size=1, max_size=4))
def test_whoever_jumps_meets_the_others_where_a_sleeper_does(pauses: list[list[int]]) -> None:
    def told(*, jumps: bool) -> list[tuple[int, int]]:
        async def story(clock: VirtualClock) -> list[tuple[int, int]]:
            seen: list[tuple[int, int]] = []

            async def one(number: int) -> None:
                for pause in pauses[number]:
                    until_us = clock.now_us() + pause
                    if not (jumps and clock.jump(until_us)):
                        await clock.sleep_until(until_us)
                    seen.append((number, clock.now_us()))

            await asyncio.gather(*(one(number) for number in range(len(pauses))))
            return seen

        return in_virtual_time(story)

    assert told(jumps=True) == told(jumps=False)


# Deadlines and jobs


@pytest.mark.parametrize(
    ("limit_us", "is_late"),
    [
        pytest.param(999_999, True, id="one-microsecond-too-few"),
        # Both fall due at once, and the limit was set first.
        pytest.param(1_000_000, True, id="as-long-as-the-sleep"),
        pytest.param(1_000_001, False, id="one-microsecond-more"),
    ],
)
def test_a_sleep_of_one_second_under_a_limit_of(limit_us: int, is_late: bool) -> None:
    async def story(clock: VirtualClock) -> bool:
        try:
            async with asyncio.timeout(limit_us / 1e6):
                await clock.sleep_until(1_000_000)
        except TimeoutError:
            return True
        return False

    assert in_virtual_time(story) is is_late


def blocks() -> str:
    time.sleep(0.2)
    return "done"


type Submit = Callable[[Callable[[], str]], Awaitable[str]]


@pytest.mark.parametrize(
    "submit",
    [
        pytest.param(
            lambda job: asyncio.get_running_loop().run_in_executor(None, job), id="an-executor"
        ),
        pytest.param(asyncio.to_thread, id="a-thread"),
    ],
)
def test_a_job_that_blocks_200_ms_times_nothing_out_and_takes_no_time(submit: Submit) -> None:
    async def story(clock: VirtualClock) -> tuple[str, int]:
        ran: list[int] = []
        virtual_loop().call_later(0.001, ran.append, 1)
        async with asyncio.timeout(1):
            result = await submit(blocks)
        assert ran == []
        return result, clock.now_us()

    assert in_virtual_time(story) == ("done", 0)


@pytest.mark.parametrize("error", [ValueError("no"), RuntimeError("no")], ids=repr)
def test_what_a_job_raises_comes_out_where_it_is_awaited(error: Exception) -> None:
    def fail() -> None:
        raise error

    async def story(_: VirtualClock) -> None:
        job = virtual_loop().run_in_executor(None, fail)
        await asyncio.sleep(1)
        with pytest.raises(type(error), match="no"):
            await job

    in_virtual_time(story)


def test_jobs_end_in_the_order_in_which_they_were_given() -> None:
    async def story(_: VirtualClock) -> list[int]:
        ended: list[int] = []

        async def job(number: int) -> None:
            await asyncio.to_thread(time.sleep, 0.01 if number == 0 else 0)
            ended.append(number)

        await asyncio.gather(*(job(number) for number in range(4)))
        return ended

    assert in_virtual_time(story) == [0, 1, 2, 3]


# Other threads


def test_a_cancellation_from_another_thread_wakes_an_idle_loop() -> None:
    begun = threading.Event()
    ended: list[str] = []

    def run() -> None:
        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            try:
                runner.run(idle())
            except asyncio.CancelledError:
                ended.append("cancelled")

    async def idle() -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.append((task, task.get_loop()))
        begun.set()
        await asyncio.Event().wait()  # nothing is due, ever

    tasks: list[tuple[asyncio.Task[object], asyncio.AbstractEventLoop]] = []
    thread = threading.Thread(target=run)
    thread.start()
    assert begun.wait(5)
    ((task, loop),) = tasks
    loop.call_soon_threadsafe(task.cancel)
    thread.join(5)
    assert not thread.is_alive()
    assert ended == ["cancelled"]


def test_a_cancellation_from_another_thread_stops_a_loop_that_never_waits() -> None:
    async def story(_: VirtualClock) -> None:
        task = asyncio.current_task()
        assert task is not None
        threading.Timer(0.02, virtual_loop().call_soon_threadsafe, [task.cancel]).start()
        while True:  # noqa: ASYNC110 - it is about a loop that is never idle
            await asyncio.sleep(0.02)

    with pytest.raises(asyncio.CancelledError):
        in_virtual_time(story)

"""Wall time: it starts at 0, goes forward, and is waited for."""

from __future__ import annotations

import asyncio

import pytest

from shared.wall_time import WallClock, wall_loop
from tests.support.rooms import in_wall_time

JITTER_US = 2_000_000  # how late a busy computer may be


def test_a_clock_starts_at_0_and_never_goes_back() -> None:
    async def story(clock: WallClock) -> list[int]:
        seen = [clock.now_us()]
        for _ in range(5):
            await asyncio.sleep(0.001)
            seen.append(clock.now_us())
        return seen

    seen = in_wall_time(story)
    assert 0 <= seen[0] < JITTER_US
    assert seen == sorted(seen)
    assert all(type(one) is int for one in seen)


def test_each_clock_counts_from_when_it_was_made() -> None:
    async def story(first: WallClock) -> tuple[int, int]:
        await first.sleep_until(20_000)
        second = WallClock(asyncio.get_running_loop())
        return first.now_us(), second.now_us()

    first_us, second_us = in_wall_time(story)
    assert first_us - second_us >= 19_000


def test_a_sleep_ends_at_its_instant_or_after_it() -> None:
    async def story(clock: WallClock) -> int:
        await clock.sleep_until(30_000)
        return clock.now_us()

    # The loop's own resolution may end a wait by so much early.
    assert 29_000 <= in_wall_time(story) < 30_000 + JITTER_US


@pytest.mark.parametrize("instant_us", [-1_000_000, 0, 1])
def test_an_instant_that_has_passed_is_not_waited_for(instant_us: int) -> None:
    async def story(clock: WallClock) -> int:
        await clock.sleep_until(5_000)
        before_us = clock.now_us()
        await clock.sleep_until(instant_us)
        return clock.now_us() - before_us

    assert in_wall_time(story) < JITTER_US


def test_waiting_by_absolute_instants_does_not_add_up() -> None:
    async def story(clock: WallClock) -> int:
        for index in range(1, 11):
            await clock.sleep_until(index * 5_000)
            await asyncio.sleep(0.002)
        return clock.now_us()

    assert in_wall_time(story) < 50_000 + JITTER_US


def test_a_sleep_gives_way_even_to_what_has_passed() -> None:
    async def story(clock: WallClock) -> bool:
        ran: list[int] = []
        asyncio.get_running_loop().call_soon(ran.append, 1)
        await clock.sleep_until(0)
        return ran == [1]

    assert in_wall_time(story)


def test_every_loop_is_a_fresh_one() -> None:
    first, second = wall_loop(), wall_loop()
    try:
        assert first is not second
        assert not first.is_running()
    finally:
        first.close()
        second.close()

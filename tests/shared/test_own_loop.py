"""A loop of one's own is left in time, whatever is still on it."""

from __future__ import annotations

import asyncio
import time

import pytest

from shared.own_loop import LEAVE_WITHIN_S, run_alone
from shared.virtual_time import VirtualLoop
from shared.wall_time import wall_loop

STRAYS: list[asyncio.Task[None]] = []


async def for_ever() -> None:
    await asyncio.sleep(1_000)


async def resisting() -> None:
    while True:
        try:
            await asyncio.sleep(1_000)
        except asyncio.CancelledError:
            continue


def test_it_gives_what_the_work_gives() -> None:
    async def work() -> int:
        await asyncio.sleep(3_600)
        return 7

    assert run_alone(work(), VirtualLoop) == 7


def test_it_raises_what_the_work_raises() -> None:
    async def work() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        run_alone(work(), VirtualLoop)


def test_what_is_left_behind_is_cancelled() -> None:
    async def work() -> asyncio.Task[None]:
        task = asyncio.create_task(for_ever())
        await asyncio.sleep(0)
        return task

    assert run_alone(work(), VirtualLoop).cancelled()


def test_what_resists_is_left_without_a_word(capfd: pytest.CaptureFixture[str]) -> None:
    async def work() -> None:
        STRAYS.append(asyncio.create_task(resisting()))
        await asyncio.sleep(0)

    began_s = time.monotonic()
    run_alone(work(), wall_loop)
    assert LEAVE_WITHIN_S <= time.monotonic() - began_s < LEAVE_WITHIN_S + 5
    assert not STRAYS.pop().done()
    assert capfd.readouterr() == ("", "")

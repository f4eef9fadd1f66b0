"""Two machines joined in memory: who hears what, in which order, and how they part."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from shared.participant import CloseRequest
from shared.testing.loopback import Loopback
from shared.virtual_time import VirtualClock
from tests.support.rooms import in_virtual_time


class End:
    """A machine that notes what happens to it and answers by a table."""

    def __init__(self, name: str, log: list[str]) -> None:
        self.name = name
        self.log = log
        self.outbox: list[str] = []
        self.answers: dict[str, list[str]] = {}
        self.alarms_us: list[int] = []
        self.request: CloseRequest | None = None
        self.closes_on: str | None = None
        self._is_busy = False

    def receive(self, message: str | bytes, at_us: int) -> None:
        assert isinstance(message, str)
        assert not self._is_busy, "called from inside a call"
        self._is_busy = True
        self.log.append(f"{at_us} {self.name} hears {message}")
        self.outbox += self.answers.get(message, [])
        if message == self.closes_on:
            self.request = CloseRequest(1000)
        self._is_busy = False

    def receive_eof(self, code: int | None, at_us: int) -> None:
        self.log.append(f"{at_us} {self.name} is left with {code}")

    def wake(self, at_us: int) -> None:
        self.log.append(f"{at_us} {self.name} wakes")
        self.alarms_us = [alarm_us for alarm_us in self.alarms_us if alarm_us > at_us]
        self.outbox.append(f"{self.name}'s alarm")

    def wakes_at(self) -> int | None:
        return min(self.alarms_us, default=None)

    def messages_to_send(self) -> list[str]:
        outbox, self.outbox = self.outbox, []
        return outbox

    def closing(self) -> CloseRequest | None:
        return self.request


class Pair:
    """Two ends, their line, and one log of all that happened."""

    def __init__(self, clock: VirtualClock) -> None:
        self.log: list[str] = []
        self.tapped: list[str] = []
        self.near, self.far = End("near", self.log), End("far", self.log)
        self.line = Loopback(
            self.near,
            self.far,
            clock,
            on_activity=lambda: self.log.append("activity"),
            tap=lambda direction, message, at_us: self.tapped.append(
                f"{at_us} {direction} {message!s}"
            ),
        )


def played(prepare: Callable[[Pair], None], *, for_us: int = 0) -> Pair:
    """Open, flush once, let time pass, close."""

    async def story(clock: VirtualClock) -> Pair:
        pair = Pair(clock)
        prepare(pair)
        await pair.line.open()
        await pair.line.flush()
        await clock.sleep_until(for_us)
        await pair.line.close()
        return pair

    return in_virtual_time(story)


def test_a_message_and_all_that_follows_from_it_happen_at_one_instant() -> None:
    def prepare(pair: Pair) -> None:
        pair.near.outbox = ["a"]
        pair.far.answers = {"a": ["b", "c"], "d": ["e"]}
        pair.near.answers = {"b": ["d"]}

    pair = played(prepare)
    assert pair.log == [
        *("0 far hears a", "0 near hears b", "0 near hears c", "0 far hears d", "0 near hears e"),
        "activity",
    ]


def test_messages_of_one_end_keep_their_order() -> None:
    def prepare(pair: Pair) -> None:
        pair.near.outbox = ["a", "b", "c"]

    assert played(prepare).log == ["0 far hears a", "0 far hears b", "0 far hears c"]


def test_the_tap_sees_what_near_says_and_hears_when_it_does() -> None:
    def prepare(pair: Pair) -> None:
        pair.near.outbox = ["a"]
        pair.far.answers = {"a": ["b"]}

    assert played(prepare).tapped == ["0 sent a", "0 received b"]


def test_near_is_told_of_activity_only_when_it_heard_something() -> None:
    def prepare(pair: Pair) -> None:
        pair.near.outbox = ["a"]

    assert "activity" not in played(prepare).log


def test_nothing_passes_before_it_is_opened_or_after_it_is_closed() -> None:
    async def story(clock: VirtualClock) -> list[str]:
        pair = Pair(clock)
        pair.near.outbox = ["too early"]
        await pair.line.flush()
        assert pair.log == []
        pair.near.outbox = ["in time"]
        await pair.line.open()
        await pair.line.flush()
        await pair.line.close()
        pair.near.outbox = ["too late"]
        await pair.line.flush()
        return pair.log

    assert in_virtual_time(story) == ["0 far hears in time"]


@pytest.mark.parametrize("name", ["near", "far"])
def test_each_end_is_woken_exactly_when_it_asked_to_be(name: str) -> None:
    def prepare(pair: Pair) -> None:
        (pair.near if name == "near" else pair.far).alarms_us = [1_500, 20_000]

    log = played(prepare, for_us=30_000).log
    assert [line for line in log if "wakes" in line] == [
        f"1500 {name} wakes",
        f"20000 {name} wakes",
    ]


def test_an_alarm_wakes_only_whose_it_is_and_passes_on_what_it_says() -> None:
    def prepare(pair: Pair) -> None:
        pair.far.alarms_us, pair.near.alarms_us = [10], [11]

    assert played(prepare, for_us=20).log == [
        *("10 far wakes", "10 near hears far's alarm", "activity", "activity"),
        *("11 near wakes", "11 far hears near's alarm", "activity"),
    ]


def test_two_alarms_of_one_instant_are_near_first() -> None:
    def prepare(pair: Pair) -> None:
        pair.far.alarms_us, pair.near.alarms_us = [10], [10]

    log = played(prepare, for_us=20).log
    assert log[:4] == [
        *("10 near wakes", "10 far wakes"),
        *("10 far hears near's alarm", "10 near hears far's alarm"),
    ]


def test_an_alarm_in_the_past_rings_at_once() -> None:
    async def story(clock: VirtualClock) -> list[str]:
        pair = Pair(clock)
        pair.near.alarms_us = [5]
        await pair.line.open()
        await clock.sleep_until(100)
        await pair.line.flush()
        await clock.sleep_until(200)
        await pair.line.close()
        return pair.log

    assert in_virtual_time(story)[0] == "100 near wakes"


def test_an_alarm_that_is_taken_back_wakes_nobody() -> None:
    async def story(clock: VirtualClock) -> list[str]:
        pair = Pair(clock)
        pair.near.alarms_us = [50]
        await pair.line.open()
        await pair.line.flush()
        pair.near.alarms_us = []
        await pair.line.flush()
        await clock.sleep_until(100)
        await pair.line.close()
        return pair.log

    assert not any("wakes" in line for line in in_virtual_time(story))


@pytest.mark.parametrize(
    ("first_us", "second_us"),
    [
        pytest.param(50, 20, id="earlier"),
        pytest.param(50, 49, id="one-microsecond-earlier"),
        pytest.param(50, 50, id="the-same"),
        pytest.param(50, 51, id="one-microsecond-later"),
        pytest.param(50, 80, id="later"),
    ],
)
def test_an_alarm_that_is_moved_wakes_at_its_new_instant_only(
    first_us: int, second_us: int
) -> None:
    async def story(clock: VirtualClock) -> list[str]:
        pair = Pair(clock)
        pair.near.alarms_us = [first_us]
        await pair.line.open()
        await pair.line.flush()
        pair.near.alarms_us = [second_us]
        await pair.line.flush()
        await clock.sleep_until(100)
        await pair.line.close()
        return pair.log

    woken = [line for line in in_virtual_time(story) if "wakes" in line]
    assert woken == [f"{second_us} near wakes"]


def test_nothing_rings_after_the_close() -> None:
    async def story(clock: VirtualClock) -> list[str]:
        pair = Pair(clock)
        pair.near.alarms_us = [50]
        await pair.line.open()
        await pair.line.flush()
        await pair.line.close()
        await asyncio.sleep(1)
        return pair.log

    assert in_virtual_time(story) == []


@pytest.mark.parametrize("code", [1000, 1011, None], ids=str)
def test_an_end_that_is_done_leaves_the_other_with_its_code(code: int | None) -> None:
    def prepare(pair: Pair) -> None:
        pair.far.request = CloseRequest(code)

    assert played(prepare).log == [f"0 near is left with {code}", "activity"]


def test_near_may_leave_too() -> None:
    def prepare(pair: Pair) -> None:
        pair.near.request = CloseRequest(1000)

    assert played(prepare).log == ["0 far is left with 1000", "activity"]


def test_last_words_arrive_before_the_end() -> None:
    def prepare(pair: Pair) -> None:
        pair.near.outbox = ["bye"]
        pair.far.answers, pair.far.closes_on = {"bye": ["closed"]}, "bye"

    assert played(prepare).log == [
        *("0 far hears bye", "0 near hears closed"),
        *("0 near is left with 1000", "activity", "activity"),
    ]


def test_they_part_once_and_nothing_rings_or_passes_afterwards() -> None:
    def prepare(pair: Pair) -> None:
        pair.near.alarms_us = [50]
        pair.near.request = pair.far.request = CloseRequest(1000)

    assert played(prepare, for_us=100).log == ["0 near is left with 1000", "activity"]

"""The 20 ms loop: which frame when and to whom, what is asked after each, and what ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from shared.audio.pacing import Pacer
from shared.audio.pcm import FRAME_BYTES, FRAME_SAMPLES, Pcm, to_bytes
from shared.clock import Clock
from shared.errors import AttemptError, Stage
from shared.observability.observations import Observation, Speaker, UsageReported
from shared.relay import Air, Relay
from tests.support.builders import at
from tests.support.rooms import in_virtual_time

LOST = AttemptError(Stage.RESPONSE_COLLECTION, "lost")
SOME_US = 5_000
CALLER_LEVEL, ASSISTANT_LEVEL = 1_000, 2_000


def frame(level: int) -> bytes:
    return to_bytes(np.full(FRAME_SAMPLES, level, np.int16))


@dataclass
class Someone:
    """A party whose frames are numbered, and who notes what it is asked, in a common log."""

    name: str
    clock: Clock
    log: list[str]
    level: int = 0
    lost_after: int | None = None
    breaks_after: int | None = None
    takes_us: Sequence[int] = ()
    said: int = 0
    heard: list[tuple[int, bytes]] = field(default_factory=list)
    was_cancelled: bool = False
    failure: AttemptError | None = None

    def speak(self) -> bytes:
        self.log.append(f"{self.name} speaks")
        self.said += 1
        return frame(self.level + self.said)

    async def hear(self, frame: bytes) -> None:
        self.log.append(f"{self.name} hears")
        self.heard.append((self.clock.now_us(), frame))
        number = len(self.heard)
        if number == self.breaks_after:
            raise RuntimeError(f"a fault of the {self.name}'s")
        if number <= len(self.takes_us):
            try:
                await self.clock.sleep_until(self.clock.now_us() + self.takes_us[number - 1])
            except asyncio.CancelledError:
                self.was_cancelled = True
                raise
        if number == self.lost_after:
            self.failure = LOST

    def observed(self) -> Sequence[Observation]:
        self.log.append(f"{self.name} observed")
        return [UsageReported(at(len(self.heard) * 20), self.level)]


@dataclass
class Played:
    """A conversation, and everything around it."""

    caller: Someone
    assistant: Someone
    relay: Relay
    pacer: Pacer
    log: list[str]
    taken: list[tuple[Speaker, int]] = field(default_factory=list)
    recorded: list[tuple[bytes, bytes, bytes]] = field(default_factory=list)
    asked_ms: list[int] = field(default_factory=list)
    reached_ms: int | None = None


@dataclass
class Story:
    """A conversation that is over when ``is_over`` says so."""

    is_over: Callable[[int], bool] = lambda now_ms: now_ms == 60
    first_due_us: int = 0
    air: Callable[[list[str]], Air] | None = None
    caller_lost_after: int | None = None
    caller_breaks_after: int | None = None
    caller_takes_us: Sequence[int] = ()
    lost_after: int | None = None
    breaks_after: int | None = None
    takes_us: Sequence[int] = ()

    def play(self) -> Played:
        return in_virtual_time(self.begin)

    async def begin(self, clock: Clock) -> Played:
        played = self.set_up(clock)
        await self.go_on(played)
        return played

    def set_up(self, clock: Clock) -> Played:
        log: list[str] = []
        caller = Someone(
            *("caller", clock, log, CALLER_LEVEL),
            lost_after=self.caller_lost_after,
            breaks_after=self.caller_breaks_after,
            takes_us=self.caller_takes_us,
        )
        assistant = Someone(
            *("assistant", clock, log, ASSISTANT_LEVEL),
            lost_after=self.lost_after,
            breaks_after=self.breaks_after,
            takes_us=self.takes_us,
        )
        pacer, recorded = Pacer(self.first_due_us), list[tuple[bytes, bytes, bytes]]()

        def record(said: bytes, sent: bytes, answered: bytes) -> None:
            log.append("recorded")
            recorded.append((said, sent, answered))

        air = self.air(log) if self.air is not None else None
        relay = Relay(caller, assistant, clock, pacer, air=air, record=record)
        return Played(caller, assistant, relay, pacer, log, recorded=recorded)

    async def go_on(self, played: Played) -> None:
        def take(side: Speaker, observed: Sequence[Observation]) -> None:
            played.log.append(f"{side} taken")
            played.taken += [(side, seen.stamp.media_ms) for seen in observed]

        def ask(now_ms: int) -> bool:
            played.log.append("asked")
            played.asked_ms.append(now_ms)
            return self.is_over(now_ms)

        played.reached_ms = await played.relay.run(take=take, is_over=ask)


class Louder:
    """Adds to the caller what the assistant says meanwhile, and notes that it was asked."""

    def __init__(self, log: list[str]) -> None:
        self._log = log

    def process(self, caller: Pcm, far_end: Pcm | None = None) -> Pcm:
        self._log.append("air")
        assert far_end is not None
        return caller + far_end


# What is said and heard


def test_each_hears_the_frames_of_the_other_every_20_ms_in_order() -> None:
    played = Story().play()
    assert played.assistant.heard == [(k * 20_000, frame(1_001 + k)) for k in range(3)]
    assert played.caller.heard == [(k * 20_000, frame(2_001 + k)) for k in range(3)]
    assert played.reached_ms == 60


def test_the_air_lies_on_the_way_from_the_caller_to_the_assistant_alone() -> None:
    played = Story(air=Louder).play()
    assert [heard for _, heard in played.assistant.heard] == [
        frame(3_002 + 2 * k) for k in range(3)
    ]
    assert [heard for _, heard in played.caller.heard] == [frame(2_001 + k) for k in range(3)]


def test_what_was_said_sent_and_answered_is_recorded() -> None:
    played = Story(is_over=lambda now_ms: now_ms == 20, air=Louder).play()
    assert played.recorded == [(frame(1_001), frame(3_002), frame(2_001))]


def test_without_air_a_frame_is_sent_as_it_was_said_to_the_byte() -> None:
    odd = bytes(range(240)) * 4
    assert len(odd) == FRAME_BYTES

    async def told(clock: Clock) -> bytes:
        story = Story(is_over=lambda _: True)
        played = story.set_up(clock)
        played.caller.speak = lambda: odd  # type: ignore[method-assign]
        await story.go_on(played)
        return played.assistant.heard[0][1]

    assert in_virtual_time(told) is odd


def test_everything_happens_in_one_order() -> None:
    played = Story(is_over=lambda now_ms: now_ms == 40, air=Louder).play()
    assert played.log == 2 * [
        *("caller speaks", "assistant speaks", "air", "recorded"),
        *("assistant hears", "caller hears"),
        *("caller observed", "caller taken", "assistant observed", "assistant taken", "asked"),
    ]


# What ends it


def test_what_was_observed_is_passed_on_with_its_side_and_then_the_end_is_asked_for() -> None:
    played = Story(is_over=lambda now_ms: now_ms == 40).play()
    sides = (Speaker.CALLER, Speaker.ASSISTANT)
    assert played.taken == [(side, now_ms) for now_ms in (20, 40) for side in sides]
    assert played.asked_ms == [20, 40]


def test_a_conversation_that_is_over_at_once_has_had_one_frame() -> None:
    played = Story(lambda _: True).play()
    assert (played.reached_ms, len(played.assistant.heard), len(played.caller.heard)) == (20, 1, 1)


@pytest.mark.parametrize(
    "story",
    [
        pytest.param(Story(lambda _: False, lost_after=3), id="an-assistant"),
        pytest.param(Story(lambda _: False, caller_lost_after=3), id="a-caller"),
    ],
)
def test_it_is_cut_by_the_loss_of(story: Story) -> None:
    played = story.play()
    assert played.reached_ms == 60
    assert played.taken[-2:] == [(Speaker.CALLER, 60), (Speaker.ASSISTANT, 60)]
    # Both had the last frame, and whether it was over is nobody's question any more.
    assert (len(played.caller.heard), len(played.assistant.heard)) == (3, 3)
    assert played.asked_ms == [20, 40]


@pytest.mark.parametrize(
    ("story", "fault"),
    [
        pytest.param(Story(breaks_after=2), "assistant", id="the-assistant"),
        pytest.param(Story(caller_breaks_after=2), "caller", id="the-caller"),
        pytest.param(
            Story(breaks_after=2, caller_breaks_after=2), "assistant", id="both-the-first"
        ),
        pytest.param(
            Story(breaks_after=2, caller_takes_us=[0, 1_000_000]),
            "assistant",
            id="one-while-the-other-waits",
        ),
    ],
)
def test_a_fault_is_raised_of(story: Story, fault: str) -> None:
    async def told(clock: Clock) -> tuple[Played, int]:
        played = story.set_up(clock)
        with pytest.raises(RuntimeError, match=f"a fault of the {fault}'s"):
            await story.go_on(played)
        return played, clock.now_us()

    played, ended_us = in_virtual_time(told)
    # At once, with what was measured so far, and nothing goes on behind its back.
    assert ended_us == 20_000
    assert played.relay.to_assistant.at_us == [0, 20_000]
    assert played.caller.was_cancelled is bool(story.caller_takes_us)


def test_whoever_ends_the_conversation_ends_both_halves_of_a_pair() -> None:
    story = Story(takes_us=[1_000_000], caller_takes_us=[1_000_000])

    async def told(clock: Clock) -> Played:
        played = story.set_up(clock)
        going_on = asyncio.create_task(story.go_on(played))
        await clock.sleep_until(SOME_US)
        going_on.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going_on
        return played

    played = in_virtual_time(told)
    assert played.caller.was_cancelled
    assert played.assistant.was_cancelled


# When


def test_the_first_frame_waits_until_it_is_due() -> None:
    played = Story(lambda now_ms: now_ms == 40, first_due_us=7_000).play()
    assert [when for when, _ in played.assistant.heard] == [7_000, 27_000]
    assert played.pacer.lateness_us == (0, 0)
    assert played.relay.to_caller.at_us == [7_000, 27_000]


@pytest.mark.parametrize(
    ("story", "to_assistant_us", "to_caller_us"),
    [
        pytest.param(Story(), [0, 0, 0], [0, 0, 0], id="none-where-none-takes-any"),
        pytest.param(Story(takes_us=[SOME_US]), [SOME_US, 0, 0], [0, 0, 0], id="the-assistants"),
        pytest.param(Story(caller_takes_us=[0, 7_000]), [0] * 3, [0, 7_000, 0], id="the-callers"),
        pytest.param(
            Story(takes_us=[SOME_US], caller_takes_us=[7_000]),
            [SOME_US, 0, 0],
            [7_000, 0, 0],
            id="each-its-own-side-by-side",
        ),
    ],
)
def test_latency_is_known_per_side(
    story: Story, to_assistant_us: list[int], to_caller_us: list[int]
) -> None:
    played = story.play()
    assert played.relay.to_assistant.latency_us == to_assistant_us
    assert played.relay.to_caller.latency_us == to_caller_us
    assert played.relay.to_assistant.lateness_us == [0, 0, 0]


@pytest.mark.parametrize(
    "story",
    [
        pytest.param(Story(lambda now_ms: now_ms == 100, takes_us=[50_000]), id="assistant"),
        pytest.param(Story(lambda now_ms: now_ms == 100, caller_takes_us=[50_000]), id="caller"),
    ],
)
def test_both_sides_wait_for_a_slow(story: Story) -> None:
    played = story.play()
    # 50 ms late, then caught up at 15 ms a frame, never in a burst.
    at_us = [0, 50_000, 65_000, 80_000, 95_000]
    late_us = [0, 30_000, 25_000, 20_000, 15_000]
    assert [when for when, _ in played.assistant.heard] == at_us
    assert [when for when, _ in played.caller.heard] == at_us
    assert list(played.pacer.lateness_us) == late_us
    for sends in (played.relay.to_caller, played.relay.to_assistant):
        assert (sends.at_us, sends.lateness_us) == (at_us, late_us)


def test_a_frame_that_was_never_taken_has_no_latency() -> None:
    async def told(clock: Clock) -> Played:
        story = Story(breaks_after=2)
        played = story.set_up(clock)
        with pytest.raises(RuntimeError):
            await story.go_on(played)
        return played

    sends = in_virtual_time(told).relay.to_assistant
    assert (len(sends.at_us), len(sends.lateness_us), len(sends.latency_us)) == (2, 2, 1)


def test_media_time_is_counted_in_frames_and_not_in_wall_time() -> None:
    played = Story(lambda now_ms: now_ms >= 60, takes_us=[400_000]).play()
    assert (played.reached_ms, played.asked_ms) == (60, [20, 40, 60])


def test_in_memory_a_pair_takes_no_turn_of_the_loop() -> None:
    """So what else is due at that instant comes before it or after it, never in between."""

    async def told(clock: Clock) -> list[str]:
        story = Story(lambda now_ms: now_ms == 20)
        played = story.set_up(clock)
        asyncio.get_running_loop().call_soon(played.log.append, "a turn of the loop")
        await story.go_on(played)
        return list(played.log)

    assert "a turn of the loop" not in in_virtual_time(told)

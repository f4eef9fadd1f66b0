"""The 20 ms loop: which frame when, what is asked after each, and what ends it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from shared.audio.pacing import Pacer
from shared.clock import Clock
from shared.errors import AttemptError, Stage
from shared.observability.observations import Observation, UsageReported
from shared.relay import relay
from tests.support.builders import at
from tests.support.rooms import in_virtual_time

LOST = AttemptError(Stage.RESPONSE_COLLECTION, "lost")


class Counting:
    """A voice whose frames are numbered."""

    def __init__(self) -> None:
        self._number = 0

    def speak(self) -> bytes:
        self._number += 1
        return str(self._number).encode()


@dataclass
class Assistant:
    """Notes the frames and when they came; shows one observation per frame."""

    clock: Clock
    lost_after: int | None = None
    takes_us: Sequence[int] = ()
    heard: list[tuple[int, bytes]] = field(default_factory=list)
    failure: AttemptError | None = None

    async def connect(self) -> None:
        raise NotImplementedError

    async def hear(self, frame: bytes) -> None:
        self.heard.append((self.clock.now_us(), frame))
        if len(self.heard) <= len(self.takes_us):
            await self.clock.sleep_until(self.clock.now_us() + self.takes_us[len(self.heard) - 1])
        if len(self.heard) == self.lost_after:
            self.failure = LOST

    def observed(self) -> Sequence[Observation]:
        return [UsageReported(at(len(self.heard) * 20), len(self.heard))]

    async def close(self) -> None:
        raise NotImplementedError


@dataclass
class Story:
    """A conversation that is over when ``is_over`` says so, and what was asked on the way."""

    is_over: Callable[[int], bool]
    lost_after: int | None = None
    takes_us: Sequence[int] = ()
    first_due_us: int = 0
    events: list[tuple[str, int]] = field(default_factory=list)

    def play(self) -> tuple[int, Assistant, Pacer]:
        return in_virtual_time(self._play)

    async def _play(self, clock: Clock) -> tuple[int, Assistant, Pacer]:
        assistant = Assistant(clock, self.lost_after, self.takes_us)
        pacer = Pacer(self.first_due_us)
        reached_ms = await relay(
            Counting(), assistant, clock, pacer, take=self._take, is_over=self._ask
        )
        return reached_ms, assistant, pacer

    def _take(self, observed: Sequence[Observation]) -> None:
        self.events += [("take", seen.stamp.media_ms) for seen in observed]

    def _ask(self, now_ms: int) -> bool:
        self.events.append(("ask", now_ms))
        return self.is_over(now_ms)


def test_frames_leave_every_20_ms_in_order() -> None:
    reached_ms, assistant, pacer = Story(lambda now_ms: now_ms == 80).play()
    assert assistant.heard == [(0, b"1"), (20_000, b"2"), (40_000, b"3"), (60_000, b"4")]
    assert (reached_ms, pacer.lateness_us) == (80, (0, 0, 0, 0))


def test_the_first_frame_waits_until_it_is_due() -> None:
    _, assistant, pacer = Story(lambda now_ms: now_ms == 40, first_due_us=7_000).play()
    assert [when for when, _ in assistant.heard] == [7_000, 27_000]
    assert pacer.lateness_us == (0, 0)


def test_after_each_frame_what_was_seen_is_passed_on_and_then_the_end_is_asked_for() -> None:
    story = Story(lambda now_ms: now_ms == 40)
    story.play()
    assert story.events == [("take", 20), ("ask", 20), ("take", 40), ("ask", 40)]


def test_a_conversation_that_is_over_at_once_has_had_one_frame() -> None:
    reached_ms, assistant, _ = Story(lambda _: True).play()
    assert (reached_ms, len(assistant.heard)) == (20, 1)


def test_an_assistant_that_is_gone_ends_it_and_its_last_observations_are_kept() -> None:
    story = Story(lambda _: False, lost_after=3)
    reached_ms, assistant, _ = story.play()
    assert (reached_ms, assistant.failure) == (60, LOST)
    assert story.events[-1] == ("take", 60)


def test_a_slow_assistant_makes_later_frames_late_and_the_lateness_is_recorded() -> None:
    story = Story(lambda now_ms: now_ms == 100, takes_us=[50_000])
    _, assistant, pacer = story.play()
    # 50 ms late, then caught up at 15 ms a frame, never in a burst.
    assert [when for when, _ in assistant.heard] == [0, 50_000, 65_000, 80_000, 95_000]
    assert pacer.lateness_us == (0, 30_000, 25_000, 20_000, 15_000)


def test_media_time_is_counted_in_frames_and_not_in_wall_time() -> None:
    story = Story(lambda now_ms: now_ms >= 60, takes_us=[400_000])
    reached_ms, _, _ = story.play()
    assert reached_ms == 60
    assert [now_ms for what, now_ms in story.events if what == "ask"] == [20, 40, 60]

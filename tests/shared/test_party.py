"""A session as a party: its chunks are played when they are due, and told once they were."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from shared.audio.pcm import FRAME_BYTES, FRAME_SAMPLES, SAMPLES_PER_MS, Pcm, from_bytes, to_bytes
from shared.audio.playout import Playout
from shared.clock import Stamp
from shared.errors import AttemptError, Stage
from shared.observability.observations import AudioReceived, Observation, UsageReported
from shared.participant import AudioArrived
from shared.party import LiveParty
from tests.support.builders import at

LOST = AttemptError(Stage.RESPONSE_COLLECTION, "lost")
QUIET = bytes(FRAME_BYTES)


def sound(duration_ms: int) -> Pcm:
    return np.full(duration_ms * SAMPLES_PER_MS, 1_000, np.int16)


def arrived(media_ms: int, duration_ms: int = 40, wall_us: int | None = None) -> AudioArrived:
    stamp = at(media_ms) if wall_us is None else Stamp(media_ms, wall_us)
    return AudioArrived(stamp, to_bytes(sound(duration_ms)))


@dataclass
class Session:
    """Shows what it is given; says its last words when it is closed."""

    last_words: Sequence[Observation] = ()
    shown: list[Observation] = field(default_factory=list)
    heard: list[bytes] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    failure: AttemptError | None = None

    async def connect(self) -> None:
        self.calls.append("connect")

    async def hear(self, frame: bytes) -> None:
        self.heard.append(frame)

    def observed(self) -> Sequence[Observation]:
        shown, self.shown = self.shown, []
        return shown

    async def close(self) -> None:
        self.calls.append("close")
        self.shown += self.last_words


@dataclass
class Line:
    """A party and the session behind it."""

    session: Session
    party: LiveParty

    @classmethod
    def with_hold(cls, hold_ms: int = 0, limit_ms: int = 60_000) -> Line:
        session = Session()
        return cls(session, LiveParty(session, Playout(hold_ms, limit_ms)))

    def frame(self, *shown: Observation) -> bytes:
        """Show something, then let it speak and hear one frame."""
        self.session.shown += shown
        said = self.party.speak()
        asyncio.run(self.party.hear(QUIET))
        return said


def sounding(frame: bytes) -> int:
    return int(np.count_nonzero(from_bytes(frame)))


def test_it_speaks_from_the_start_and_silence_before_anything_came() -> None:
    line = Line.with_hold()
    assert [line.frame(), line.frame()] == [QUIET, QUIET]
    assert list(line.party.observed()) == []


def test_what_came_after_one_frame_is_heard_in_the_next() -> None:
    line = Line.with_hold()
    line.frame()
    assert sounding(line.frame(arrived(20))) == FRAME_SAMPLES


@pytest.mark.parametrize(("hold_ms", "first"), [(0, 0), (20, 1), (200, 10)])
def test_it_is_held(hold_ms: int, first: int) -> None:
    line = Line.with_hold(hold_ms)
    frames = [line.frame(arrived(0)), *(line.frame() for _ in range(12))]
    assert [index for index, said in enumerate(frames) if sounding(said)] == [first, first + 1]


def test_by_default_it_is_held_for_200_ms() -> None:
    assert LiveParty(Session()).playout.report().hold_ms == 200


def test_audio_is_told_once_it_was_played_with_when_it_came_and_where_it_was_heard() -> None:
    line = Line.with_hold(20)
    told = []
    for shown in ([], [arrived(20, wall_us=23_456)], [], [], []):
        line.frame(*shown)
        told.append(list(line.party.observed()))
    received = AudioReceived(
        Stamp(20, 23_456),
        start_sample=40 * SAMPLES_PER_MS,
        samples=40 * SAMPLES_PER_MS,
        late_ms=0.0,
        is_stall=False,
        held_ms=20.0,
    )
    assert told == [[], [], [], [received], []]


def test_everything_else_is_told_at_once_and_in_order() -> None:
    line = Line.with_hold(200)
    seen = [UsageReported(at(0), number) for number in (1, 2)]
    line.frame(seen[0], arrived(0), seen[1])
    assert list(line.party.observed()) == seen


def test_what_was_seen_while_a_frame_was_handed_over_is_told_after_it() -> None:
    line = Line.with_hold()
    line.frame()
    line.session.shown.append(UsageReported(at(20), 1))
    assert list(line.party.observed()) == [UsageReported(at(20), 1)]


def test_silence_that_was_left_out_is_told() -> None:
    line = Line.with_hold(20)
    pause = AudioArrived(at(0), bytes(2 * FRAME_BYTES))
    line.frame(pause, arrived(0))
    for _ in range(4):
        line.frame()
    first, second = line.party.observed()
    assert isinstance(first, AudioReceived)
    assert isinstance(second, AudioReceived)
    assert (first.samples, first.dropped_samples, first.held_ms) == (0, 2 * FRAME_SAMPLES, None)
    assert (second.start_sample, second.held_ms) == (FRAME_SAMPLES, 20)


def test_what_it_hears_goes_to_the_session_as_it_is() -> None:
    line = Line.with_hold()
    asyncio.run(line.party.hear(b"\1\0"))
    assert line.session.heard == [b"\1\0"]


def test_it_is_gone_when_its_session_is() -> None:
    line = Line.with_hold()
    assert line.party.failure is None
    line.session.failure = LOST
    assert line.party.failure is LOST


def test_more_audio_than_may_wait_is_its_failure_and_what_waits_is_still_heard() -> None:
    line = Line.with_hold(limit_ms=50)
    assert sounding(line.frame(arrived(0, 40), arrived(0, 11), arrived(0, 1))) == FRAME_SAMPLES
    failure = line.party.failure
    assert failure is not None
    assert failure.stage is Stage.RESPONSE_COLLECTION
    assert "at most 50 ms may wait" in str(failure)
    assert sounding(line.frame()) == FRAME_SAMPLES
    # Whatever comes after what was refused would be a word without its beginning.
    assert sounding(line.frame()) == 0


def test_as_much_as_may_wait_is_no_failure() -> None:
    line = Line.with_hold(limit_ms=50)
    line.frame(arrived(0, 40), arrived(0, 10))
    assert line.party.failure is None


def test_connecting_and_closing_are_the_sessions() -> None:
    line = Line.with_hold()
    asyncio.run(line.party.connect())
    asyncio.run(line.party.close())
    assert line.session.calls == ["connect", "close"]


def test_at_the_close_what_is_half_heard_is_told_and_what_comes_then_is_heard_by_nobody() -> None:
    line = Line.with_hold()
    line.session.last_words = [arrived(20), UsageReported(at(20), 1)]
    line.frame(arrived(0, 40), arrived(0, 40))
    asyncio.run(line.party.close())
    half, last = line.party.observed()
    assert isinstance(half, AudioReceived)
    assert half.samples == FRAME_SAMPLES
    assert last == UsageReported(at(20), 1)
    assert line.party.playout.report().unplayed_sound_samples == 3 * FRAME_SAMPLES

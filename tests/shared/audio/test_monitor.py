from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from shared.audio.listening import HOLD_MS, MOST_WAITING_MS
from shared.audio.monitor import GRACE_S, StereoMonitor
from tests.support.sound_devices import SilentDevice

HOLD = HOLD_MS * 24
FRAME = np.full(480, 5, np.int16)
SECOND = np.full(24_000, 7, np.int16)
LAGS = "--listen: the output device lags, and some sound is left out; the run goes on, heard or not"


class Room:
    """A monitor, its device, and what it warned of."""

    def __init__(self) -> None:
        self.device = SilentDevice()
        self.warnings: list[str] = []
        self.monitor = StereoMonitor(self.device, self.warnings.append)


def test_the_caller_is_left_and_the_assistant_right() -> None:
    room = Room()
    room.monitor.begin()
    room.monitor.caller(0, FRAME)
    room.monitor.assistant(480, SECOND)
    both = room.device.pull(HOLD + 960)[HOLD:]
    assert both[:480].tolist() == [[5, 0]] * 480
    assert both[480:].tolist() == [[0, 7]] * 480


def test_the_next_conversation_starts_over() -> None:
    room = Room()
    room.monitor.caller(24_000, FRAME)
    room.device.pull(24_000)
    room.monitor.begin()
    room.monitor.caller(0, FRAME)
    both = room.device.pull(HOLD + 480)
    assert not both[:HOLD].any()
    assert both[HOLD:, 0].tolist() == FRAME.tolist()


def test_a_device_that_takes_nothing_holds_nobody_up_and_is_told_of_once() -> None:
    room = Room()
    began = time.monotonic()
    for index in range(MOST_WAITING_MS // 20 + 100):
        room.monitor.caller(index * 480, FRAME)
    assert time.monotonic() - began < 1
    assert room.warnings == [LAGS]


def test_a_device_that_wakes_up_plays_the_newest() -> None:
    room = Room()
    for index in range(10):
        room.monitor.caller(index * 24_000, np.full(24_000, index, np.int16))
    both = room.device.pull(MOST_WAITING_MS * 24)
    assert sorted(set(both[:, 0].tolist())) == [7, 8, 9]


def test_a_device_that_breaks_is_one_warning() -> None:
    room = Room()
    room.device.ended("the output device stopped")
    room.device.ended("the output device stopped")
    for index in range(1_000):
        room.monitor.caller(index * 480, FRAME)
    room.monitor.close()
    assert room.warnings == ["--listen: the output device stopped; the run goes on, heard or not"]


def test_nothing_is_kept_for_a_device_that_broke() -> None:
    room = Room()
    room.device.ended("the output device stopped")
    room.monitor.caller(0, FRAME)
    assert not room.device.pull(HOLD + 480).any()


def test_closing_waits_for_the_last_sound_and_warns_of_nothing() -> None:
    room = Room()
    room.monitor.caller(0, SECOND)
    closing = threading.Thread(target=room.monitor.close)
    closing.start()
    room.device.pull(HOLD + 23_999)
    closing.join(0.05)
    assert closing.is_alive()
    room.device.pull(1)
    closing.join(5)
    assert room.device.stopped == 1
    assert room.warnings == []


def test_closing_waits_no_longer_than_the_sound_lasts() -> None:
    room = Room()
    room.monitor.caller(0, FRAME)
    began = time.monotonic()
    room.monitor.close()
    assert time.monotonic() - began < 3 * (HOLD_MS / 1_000 + GRACE_S)
    assert room.device.stopped == 1


@pytest.mark.parametrize("is_broken", [False, True])
def test_with_nothing_to_hear_closing_does_not_wait(is_broken: bool) -> None:
    room = Room()
    if is_broken:
        room.monitor.caller(0, SECOND)
        room.device.ended("the output device stopped")
    began = time.monotonic()
    room.monitor.close()
    assert time.monotonic() - began < 0.2


def test_a_device_that_cannot_even_be_stopped_is_nobody_s_trouble(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    room = Room()

    def broken() -> None:
        raise RuntimeError("no such device")

    monkeypatch.setattr(room.device, "stop", broken)
    room.monitor.close()
    assert room.warnings == []


def test_what_comes_after_the_close_is_not_heard() -> None:
    room = Room()
    room.monitor.close()
    room.monitor.assistant(0, SECOND)
    assert not room.device.pull(48_000).any()


def test_many_threads_at_once_lose_nothing() -> None:
    room = Room()
    frames = 120

    def speak() -> None:
        for index in range(frames):
            room.monitor.caller(index * 480, np.full(480, index + 1, np.int16))

    speaking = threading.Thread(target=speak)
    speaking.start()
    heard = []
    while speaking.is_alive() or len(heard) < 200:
        heard.append(room.device.pull(480)[:, 0])
    speaking.join()
    heard.append(room.device.pull(frames * 480)[:, 0])
    whole = np.concatenate(heard)
    assert whole[whole > 0].tolist() == [index + 1 for index in range(frames) for _ in range(480)]

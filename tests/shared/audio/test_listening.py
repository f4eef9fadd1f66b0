from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.audio.listening import ASSISTANT, CALLER, Listening
from shared.audio.pcm import Pcm

MS = 24


def sound(value: int, ms: int) -> Pcm:
    return np.full(ms * MS, value, np.int16)


def heard(listening: Listening, ms: int) -> list[tuple[int, int]]:
    """What both ears get in each of the next milliseconds; none of which may change inside."""
    both = listening.take(ms * MS).reshape(ms, MS, 2)
    assert (both == both[:, :1]).all()
    return [(int(left), int(right)) for left, right in both[:, 0]]


def left(listening: Listening, ms: int) -> list[int]:
    return [value for value, _ in heard(listening, ms)]


def right(listening: Listening, ms: int) -> list[int]:
    return [value for _, value in heard(listening, ms)]


def held(hold_ms: int = 2) -> Listening:
    return Listening(hold_ms=hold_ms, most_waiting_ms=100)


def test_with_nothing_to_hear_there_is_silence() -> None:
    assert heard(held(), 2) == [(0, 0), (0, 0)]


def test_the_caller_is_left_and_the_assistant_right_each_in_its_place() -> None:
    listening = held()
    listening.add(CALLER, 0, sound(1, 2))
    listening.add(ASSISTANT, 1 * MS, sound(9, 2))
    assert heard(listening, 6) == [(0, 0), (0, 0), (1, 0), (1, 9), (0, 9), (0, 0)]


@pytest.mark.parametrize("start_ms", [0, 5, 60_000])
def test_the_first_piece_is_held_wherever_it_lies(start_ms: int) -> None:
    listening = held(3)
    listening.take(7 * MS)
    listening.add(CALLER, start_ms * MS, sound(1, 1))
    assert left(listening, 5) == [0, 0, 0, 1, 0]


def test_what_begins_before_the_first_piece_is_in_time_within_the_hold() -> None:
    listening = held(3)
    listening.add(CALLER, 10 * MS, sound(1, 1))
    listening.add(ASSISTANT, 7 * MS, sound(9, 1))
    assert heard(listening, 4) == [(0, 9), (0, 0), (0, 0), (1, 0)]


def test_a_gap_stays_a_gap() -> None:
    listening = held()
    listening.add(CALLER, 0, sound(1, 1))
    listening.add(CALLER, 4 * MS, sound(2, 1))
    assert left(listening, 8) == [0, 0, 1, 0, 0, 0, 2, 0]


@pytest.mark.parametrize(
    ("played_ms", "expected"),
    [
        pytest.param(3, [1, 2, 3, 0], id="early"),
        pytest.param(4, [2, 3, 0, 0], id="just-in-time"),
        pytest.param(5, [2, 3, 0, 0], id="a-millisecond-late"),
        pytest.param(40, [2, 3, 0, 0], id="very-late"),
    ],
)
def test_late_sound_is_shifted_and_never_cut(played_ms: int, expected: list[int]) -> None:
    listening = held()
    listening.add(CALLER, 0, sound(1, 2))
    listening.take(played_ms * MS)
    listening.add(CALLER, 2 * MS, sound(2, 1))
    listening.add(CALLER, 3 * MS, sound(3, 1))
    assert left(listening, 4) == expected


def test_an_ear_that_is_late_leaves_the_other_alone() -> None:
    listening = held()
    listening.add(CALLER, 0, sound(1, 4))
    listening.take(4 * MS)
    listening.add(ASSISTANT, 0, sound(9, 2))
    listening.add(CALLER, 4 * MS, sound(2, 1))
    assert heard(listening, 4) == [(1, 9), (1, 9), (2, 0), (0, 0)]


def test_a_late_ear_catches_up_in_digital_silence() -> None:
    listening = held()
    listening.add(ASSISTANT, 0, sound(1, 1))
    listening.take(6 * MS)  # 3 ms more than there was
    listening.add(ASSISTANT, 1 * MS, sound(2, 2))
    listening.add(ASSISTANT, 3 * MS, sound(0, 2))
    listening.add(ASSISTANT, 5 * MS, sound(3, 1))
    listening.add(ASSISTANT, 6 * MS, sound(0, 4))
    listening.add(ASSISTANT, 10 * MS, sound(4, 1))
    # 2 ms in the first silence, of which nothing is left, and what was still missing in the next.
    assert right(listening, 9) == [2, 2, 3, 0, 0, 0, 4, 0, 0]


def test_silence_that_holds_a_sound_is_not_shortened() -> None:
    listening = held()
    listening.add(ASSISTANT, 0, sound(1, 1))
    listening.take(5 * MS)
    listening.add(ASSISTANT, 1 * MS, np.concatenate([sound(0, 2), sound(2, 1)]))
    assert right(listening, 4) == [0, 0, 2, 0]


def test_a_piece_that_begins_before_the_end_of_the_last_follows_it() -> None:
    listening = held()
    listening.add(ASSISTANT, 0, sound(1, 3))
    listening.add(ASSISTANT, 2 * MS, sound(2, 2))
    assert right(listening, 8) == [0, 0, 1, 1, 1, 2, 2, 0]


@pytest.mark.parametrize(
    ("waiting_ms", "let_go_ms"),
    [pytest.param(98, 0, id="at-the-bound"), pytest.param(99, 1, id="beyond-it")],
)
def test_when_too_much_waits_the_oldest_is_let_go(waiting_ms: int, let_go_ms: int) -> None:
    listening = held(2)
    assert listening.add(CALLER, 0, sound(1, 3)) == 0
    assert listening.add(ASSISTANT, 0, sound(9, waiting_ms)) == let_go_ms * MS
    assert listening.waiting == 100 * MS
    silent_ms = 2 - let_go_ms
    assert heard(listening, 4)[silent_ms] == (1, 9)


def test_of_both_ears_alike() -> None:
    listening = held(0)
    for index in range(30):
        listening.add(CALLER, index * 10 * MS, sound(index, 10))
        listening.add(ASSISTANT, index * 10 * MS, sound(index, 10))
    assert heard(listening, 100) == [(index, index) for index in range(20, 30) for _ in range(10)]


def test_another_conversation_follows_what_waits() -> None:
    listening = held(2)
    listening.add(CALLER, 0, sound(1, 3))
    listening.begin()
    listening.add(ASSISTANT, 0, sound(9, 1))
    listening.add(CALLER, 1 * MS, sound(2, 1))
    assert heard(listening, 8) == [
        *[(0, 0), (0, 0), (1, 0), (1, 0), (1, 0)],
        *[(0, 9), (2, 0), (0, 0)],
    ]


def test_another_conversation_after_a_silence_is_held_anew() -> None:
    listening = held(2)
    listening.add(CALLER, 0, sound(1, 1))
    listening.take(50 * MS)
    listening.begin()
    listening.add(CALLER, 0, sound(2, 1))
    assert left(listening, 4) == [0, 0, 2, 0]


def test_what_waits_is_counted_to_the_last_sound() -> None:
    listening = held(2)
    assert listening.waiting == 0
    listening.add(CALLER, 0, sound(1, 3))
    assert listening.waiting == 5 * MS
    listening.take(4 * MS)
    assert listening.waiting == 1 * MS
    listening.take(4 * MS)
    assert listening.waiting == 0


@given(
    st.lists(
        st.one_of(
            st.integers(1, 900).map(lambda count: ("take", count)),
            st.integers(1, 900).map(lambda count: ("add", count)),
        ),
        max_size=40,
    )
)
def test_every_sample_of_a_track_is_heard_once_in_order(steps: list[tuple[str, int]]) -> None:
    listening = Listening(hold_ms=5, most_waiting_ms=10_000)
    said = 0
    ears: list[Pcm] = []
    for what, count in steps:
        if what == "take":
            ears.append(listening.take(count)[:, CALLER])
        else:
            listening.add(CALLER, said, np.arange(said + 1, said + count + 1).astype(np.int16))
            said += count
    ears.append(listening.take(listening.waiting)[:, CALLER])
    whole = np.concatenate(ears)
    assert np.array_equal(whole[whole != 0], np.arange(1, said + 1).astype(np.int16))

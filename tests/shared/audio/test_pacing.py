from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.audio.pacing import FRAME_US, LEAST_SPACING_US, Pacer, PacingBound, is_valid

FIRST_US = 1_000_000


def sent_by(pacer: Pacer, oversleeps_us: list[int], stalls_us: dict[int, int]) -> list[int]:
    """Send frame after frame; each wake-up is late by so much, some frames stall before sending."""
    now_us, sent_us = FIRST_US - 5_000, []
    for index, oversleep_us in enumerate(oversleeps_us):
        now_us += stalls_us.get(index, 0)
        while (wake_us := pacer.wait_until_us(index, now_us)) is not None:
            now_us = wake_us + oversleep_us
        pacer.record(index, now_us)
        sent_us.append(now_us)
    return sent_us


def test_a_punctual_sender_leaves_every_20_ms_and_is_never_late() -> None:
    pacer = Pacer(FIRST_US)
    assert sent_by(pacer, [0] * 4, {}) == [FIRST_US + index * FRAME_US for index in range(4)]
    assert pacer.lateness_us == (0, 0, 0, 0)


def test_waking_10_ms_late_every_time_does_not_add_up() -> None:
    pacer = Pacer(FIRST_US)
    sent_us = sent_by(pacer, [10_000] * 500, {})
    assert set(pacer.lateness_us) == {10_000}
    assert {later - earlier for earlier, later in pairwise(sent_us)} == {FRAME_US}


def test_after_a_stall_the_sender_catches_up_at_15_ms_and_then_keeps_time() -> None:
    pacer = Pacer(FIRST_US)
    sent_us = sent_by(pacer, [0] * 12, {2: 65_000})
    # Frame 1 left at 20 ms and the sender slept through until 85 ms, 45 ms after frame 2 was due.
    assert pacer.lateness_us[:4] == (0, 0, 45_000, 40_000)
    assert {b - a for a, b in pairwise(sent_us[2:])} == {LEAST_SPACING_US}
    assert pacer.lateness_us[11] == 0


@pytest.mark.parametrize(
    ("now_us", "expected"),
    [
        pytest.param(19_999, 20_000, id="before-its-deadline-a-frame-waits-for-it"),
        pytest.param(20_000, 24_000, id="at-the-deadline-it-waits-for-the-spacing"),
        pytest.param(23_999, 24_000, id="one-microsecond-before-15-ms-have-passed"),
        pytest.param(24_000, None, id="exactly-15-ms-after-the-frame-before"),
    ],
)
def test_the_frame_after_one_9_ms_late(now_us: int, expected: int | None) -> None:
    pacer = Pacer(0)
    pacer.record(0, 9_000)
    assert pacer.wait_until_us(1, now_us) == expected


@given(
    st.lists(st.integers(0, 30_000), min_size=1, max_size=80),
    st.dictionaries(st.integers(0, 79), st.integers(0, 700_000), max_size=3),
)
def test_no_frame_is_early_and_no_two_leave_within_15_ms(
    oversleeps_us: list[int], stalls_us: dict[int, int]
) -> None:
    pacer = Pacer(FIRST_US)
    sent_us = sent_by(pacer, oversleeps_us, stalls_us)
    assert all(late >= 0 for late in pacer.lateness_us)
    assert all(later - earlier >= LEAST_SPACING_US for earlier, later in pairwise(sent_us))


@given(st.lists(st.integers(0, 50_000_000), max_size=20))
def test_every_lateness_is_kept_against_the_unmoving_schedule(offsets_us: list[int]) -> None:
    pacer = Pacer(FIRST_US)
    for index, offset_us in enumerate(offsets_us):
        pacer.record(index, FIRST_US + offset_us)
    assert pacer.lateness_us == tuple(
        offset_us - index * FRAME_US for index, offset_us in enumerate(offsets_us)
    )


@pytest.mark.parametrize("index", [0, 2])
def test_a_frame_out_of_turn_is_refused(index: int) -> None:
    pacer = Pacer(0)
    pacer.record(0, 0)
    with pytest.raises(ValueError, match="frame 1 was next"):
        pacer.record(index, 20_000)


@pytest.mark.parametrize(
    ("lateness_us", "expected"),
    [
        pytest.param([], True, id="nothing-sent-nothing-late"),
        pytest.param([60_000], True, id="exactly-at-the-p99-bound"),
        pytest.param([60_001], False, id="one-microsecond-beyond-it"),
        pytest.param([0] * 99 + [400_000], True, id="one-in-a-hundred-exactly-at-the-stall-bound"),
        pytest.param([0] * 99 + [400_001], False, id="one-in-a-hundred-beyond-the-stall-bound"),
        pytest.param([0] * 98 + [61_000] * 2, False, id="two-in-a-hundred-beyond-the-p99-bound"),
        pytest.param([400_001] + [0] * 9_999, False, id="a-single-stall-among-many-frames"),
        pytest.param([61_000] + [0] * 98, False, id="one-in-ninety-nine-is-more-than-one-percent"),
    ],
)
def test_lateness_is_valid(lateness_us: list[int], *, expected: bool) -> None:
    assert is_valid(lateness_us) is expected


def test_a_sender_a_little_too_slow_for_ever_is_caught() -> None:
    pacer = Pacer(0)
    for index in range(300):
        pacer.record(index, index * 21_000)
    assert not is_valid(pacer.lateness_us)


def test_a_caller_may_declare_another_bound() -> None:
    assert is_valid([500_000], PacingBound(p99_ms=500, stall_ms=500))

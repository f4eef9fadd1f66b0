"""Loud frames of a recording, whatever blocks it comes in."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.viewer.history.reconstruction import Block, Span, reconstructed

RATE = 24_000
FRAME = 480


def level(value: int, frames: float, channels: int = 2) -> Block:
    """So many frames at one level in the first channel, silence in any other."""
    rows = np.zeros((round(frames * FRAME), channels), np.int16)
    rows[:, 0] = value
    return rows


def joined(*parts: Block) -> Block:
    return np.concatenate(parts)


@pytest.mark.parametrize(
    ("recording", "spans"),
    [
        pytest.param(level(219, 2), (), id="an-rms-just-below-the-limit-is-silence"),
        pytest.param(level(220, 2), ((0, 40),), id="an-rms-at-the-limit-is-loud"),
        pytest.param(level(-220, 2), ((0, 40),), id="the-sign-does-not-matter"),
        pytest.param(level(-32_768, 2), ((0, 40),), id="the-lowest-sample-does-not-overflow"),
        pytest.param(
            joined(level(0, 1), level(900, 1), level(0, 1), level(900, 1)),
            ((20, 40), (60, 80)),
            id="a-silent-frame-divides",
        ),
        pytest.param(
            joined(level(0, 1.75), level(900, 0.5)),
            ((20, 45),),
            id="half-a-loud-frame-makes-a-loud-frame-and-the-end-is-the-recordings",
        ),
        pytest.param(level(0, 0), (), id="nothing-at-all"),
    ],
)
def test_the_loud_spans_of(recording: Block, spans: tuple[Span, ...]) -> None:
    found = reconstructed([recording], RATE)
    assert found.caller == spans
    assert found.assistant == (() if len(recording) else found.assistant)
    assert found.duration_ms == len(recording) // 24


def test_the_right_channel_is_the_assistants() -> None:
    both = joined(level(900, 1), level(0, 1))[:, ::-1]
    assert reconstructed([both], RATE).assistant == ((0, 20),)
    assert reconstructed([both], RATE).caller == ()


@pytest.mark.parametrize("shape", [(-1, 1), (-1,)])
def test_one_channel_says_nothing_of_the_assistant(shape: tuple[int, ...]) -> None:
    mono = level(900, 2, channels=1).reshape(shape)
    found = reconstructed([mono], RATE)
    assert (found.caller, found.assistant) == (((0, 40),), None)


def test_a_recording_without_blocks_is_empty() -> None:
    found = reconstructed([], RATE)
    assert (found.caller, found.duration_ms) == ((), 0)


@pytest.mark.parametrize(
    ("rate", "end_ms"), [(8_000, 40), (16_000, 40), (44_100, 40), (22_050, 40)]
)
def test_other_rates_have_frames_of_as_long(rate: int, end_ms: int) -> None:
    samples = np.full(rate // 25, 900, np.int16)
    assert reconstructed([samples], rate).caller == ((0, end_ms),)


def test_a_duration_is_in_milliseconds_that_have_passed() -> None:
    duration_ms = reconstructed([np.zeros(24 * 7 + 23, np.int16)], RATE).duration_ms
    assert (duration_ms, type(duration_ms)) == (7, int)


def test_a_long_recording_is_never_whole_in_memory() -> None:
    block_frames, count = 50.5, 200
    size_bytes = 4 * round(block_frames * FRAME) * count
    tracemalloc.start()
    try:
        found = reconstructed((level(900, block_frames) for _ in range(count)), RATE)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.caller == ((0, 202_000),)
    assert peak_bytes < size_bytes / 10


def test_a_rate_without_frames_is_refused() -> None:
    with pytest.raises(ValueError, match="49 Hz has no frames"):
        reconstructed([level(1, 1)], 49)


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from([0, 219, 220, 9_000]), max_size=40),
    st.lists(st.integers(0, 2_000), min_size=1, max_size=6),
)
def test_how_it_is_cut_into_blocks_changes_nothing(levels: list[int], sizes: list[int]) -> None:
    whole = joined(level(0, 0.3), *(level(one, 0.6) for one in levels))
    blocks, at, turn = [], 0, 0
    while at < len(whole):
        size = sizes[turn % len(sizes)] + (turn % len(sizes) == 0)
        blocks.append(whole[at : at + size])
        at, turn = at + size, turn + 1
    assert reconstructed(blocks, RATE) == reconstructed([whole], RATE)

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.audio.effects.delay import DelayLine

STREAM = np.arange(1.0, 101.0)


@pytest.mark.parametrize("samples", [0, 1, 7, 99, 100, 101, 1_000])
def test_a_stream_comes_out_so_many_samples_later(samples: int) -> None:
    expected = np.concatenate([np.zeros(samples), STREAM])[: STREAM.size]
    assert DelayLine(samples).delayed(STREAM).tolist() == expected.tolist()


@given(
    samples=st.integers(0, 40),
    cuts=st.lists(st.integers(0, STREAM.size), max_size=20).map(sorted),
)
def test_blocks_of_any_size_come_out_as_one(samples: int, cuts: list[int]) -> None:
    line = DelayLine(samples)
    pieces = [line.delayed(block) for block in np.split(STREAM, cuts)]
    assert np.concatenate(pieces).tolist() == DelayLine(samples).delayed(STREAM).tolist()


def test_a_block_is_not_kept_by_reference() -> None:
    line, block = DelayLine(4), np.ones(4)
    line.delayed(block)
    block[:] = 9
    assert line.delayed(np.zeros(4)).tolist() == [1, 1, 1, 1]

"""Pairing: as large as any, the same every time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.pairing import largest_pairing


@pytest.mark.parametrize(
    ("fits", "pairs"),
    [
        pytest.param([], [], id="nobody"),
        pytest.param([[], [0]], [(1, 0)], id="one-fits-nothing"),
        pytest.param([[0, 1], [0, 1]], [(0, 0), (1, 1)], id="ties-go-to-the-first"),
        pytest.param([[0, 1], [0]], [(0, 1), (1, 0)], id="the-first-makes-room"),
        pytest.param([[0, 1], [0, 2], [0]], [(0, 1), (1, 2), (2, 0)], id="a-chain-makes-room"),
    ],
)
def test_pairs(fits: list[list[int]], pairs: list[tuple[int, int]]) -> None:
    assert largest_pairing(fits) == pairs


FITS = st.lists(st.lists(st.integers(0, 4), unique=True).map(sorted), max_size=5)


@given(fits=FITS)
def test_no_pairing_is_larger(fits: list[list[int]]) -> None:
    pairs = largest_pairing(fits)

    assert len(pairs) == brute_force(fits, frozenset())
    assert all(right in fits[left] for left, right in pairs)
    assert len({right for _, right in pairs}) == len(pairs)


def brute_force(fits: list[list[int]], taken: frozenset[int]) -> int:
    if not fits:
        return 0
    first, *rest = fits
    without = brute_force(rest, taken)
    return max([without, *(1 + brute_force(rest, taken | {r}) for r in first if r not in taken)])


def test_a_long_chain_needs_no_deep_stack() -> None:
    size = 2_000
    fits = [[i, i + 1] for i in range(size)] + [[0]]

    assert len(largest_pairing(fits)) == size + 1

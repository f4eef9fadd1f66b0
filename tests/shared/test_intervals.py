from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.intervals import Interval, IntervalSet
from tests.support.builders import spans

INSTANTS = range(60)
pairs = st.tuples(st.integers(0, 50), st.integers(1, 9)).map(lambda p: (p[0], p[0] + p[1]))
any_set = st.lists(pairs, max_size=8).map(IntervalSet.of)


def instants(of: IntervalSet) -> set[int]:
    """The set as the instants in it, by brute force."""
    return {t for span in of for t in range(span.start_ms, span.end_ms)}


@pytest.mark.parametrize(
    ("start_ms", "end_ms"),
    [pytest.param(5, 5, id="no-length"), pytest.param(6, 5, id="backwards")],
)
def test_an_empty_span_cannot_exist(start_ms: int, end_ms: int) -> None:
    with pytest.raises(ValueError, match="empty interval"):
        Interval(start_ms, end_ms)


def test_the_start_is_inside_and_the_end_is_not() -> None:
    span = Interval(100, 200)
    assert [span.contains(t) for t in (99, 100, 199, 200, 201)] == [False, True, True, False, False]


def test_touching_spans_share_no_instant() -> None:
    assert not Interval(0, 100).overlaps(Interval(100, 200))
    assert Interval(0, 101).overlaps(Interval(100, 200))


@pytest.mark.parametrize(
    ("given_spans", "expected"),
    [
        pytest.param([(0, 10), (10, 20)], [(0, 20)], id="touching-spans-are-one"),
        pytest.param([(0, 10), (11, 20)], [(0, 10), (11, 20)], id="a-gap-of-one-ms-stays"),
        pytest.param([(5, 20), (0, 10)], [(0, 20)], id="order-does-not-matter"),
        pytest.param([(0, 30), (5, 10)], [(0, 30)], id="a-span-inside-another-adds-nothing"),
    ],
)
def test_union_of(given_spans: list[tuple[int, int]], expected: list[tuple[int, int]]) -> None:
    union = IntervalSet.of(given_spans)
    assert [(span.start_ms, span.end_ms) for span in union] == expected


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param((Interval(0, 10), Interval(10, 20)), id="touching"),
        pytest.param((Interval(5, 10), Interval(0, 2)), id="out-of-order"),
    ],
)
def test_a_set_holds_only_disjoint_spans_in_order(raw: tuple[Interval, ...]) -> None:
    with pytest.raises(ValueError, match="out of order or touching"):
        IntervalSet(raw)


@given(any_set, any_set)
def test_algebra_agrees_with_sets_of_instants(a: IntervalSet, b: IntervalSet) -> None:
    assert instants(a | b) == instants(a) | instants(b)
    assert instants(a & b) == instants(a) & instants(b)
    assert instants(a - b) == instants(a) - instants(b)


@given(any_set, pairs)
def test_clipping_keeps_exactly_what_lies_inside(a: IntervalSet, window: tuple[int, int]) -> None:
    assert instants(a.clip(Interval(*window))) == instants(a) & set(range(*window))


@given(any_set)
def test_questions_agree_with_sets_of_instants(a: IntervalSet) -> None:
    inside = instants(a)
    assert a.total_ms == len(inside)
    assert [t for t in INSTANTS if a.contains(t)] == sorted(inside)
    assert a.longest_ms == max((span.duration_ms for span in a), default=0)
    extent = a.extent
    assert (extent.start_ms, extent.end_ms - 1) == (min(inside), max(inside)) if extent else not a


@given(any_set, st.integers(-100, 100))
def test_shifting_moves_every_instant(a: IntervalSet, offset_ms: int) -> None:
    assert instants(a.shifted(offset_ms)) == {t + offset_ms for t in instants(a)}


@pytest.mark.parametrize(
    ("limit_ms", "expected"),
    [
        pytest.param(50, [(0, 100), (150, 200)], id="a-gap-exactly-at-the-limit-stays"),
        pytest.param(51, [(0, 200)], id="one-ms-below-it-is-bridged"),
    ],
)
def test_merging_bridges_gaps(limit_ms: int, expected: list[tuple[int, int]]) -> None:
    assert spans((0, 100), (150, 200)).merged(gaps_below_ms=limit_ms) == spans(*expected)


def test_a_gap_is_measured_from_the_span_before_it() -> None:
    three = spans((100, 200), (450, 500), (540, 600))
    assert three.merged(gaps_below_ms=100) == spans((100, 200), (450, 600))

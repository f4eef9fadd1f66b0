from __future__ import annotations

import pytest

from shared.intervals import Interval
from shared.observability.lookup import started_before, starting_from, starting_inside
from tests.support.builders import spans

TWO = spans((100, 200), (300, 400))
THREE = spans((100, 200), (300, 400), (500, 600))


@pytest.mark.parametrize(
    ("instant_ms", "expected"),
    [
        pytest.param(100, (100, 200), id="at-its-start"),
        pytest.param(101, (300, 400), id="one-after-its-start"),
        pytest.param(300, (300, 400), id="at-the-last-start"),
        pytest.param(301, None, id="after-the-last-start"),
    ],
)
def test_the_first_span_from_an_instant(instant_ms: int, expected: tuple[int, int] | None) -> None:
    assert starting_from(TWO, instant_ms) == (Interval(*expected) if expected else None)


@pytest.mark.parametrize(
    ("instant_ms", "expected"),
    [
        pytest.param(100, None, id="a-span-does-not-start-before-its-own-start"),
        pytest.param(101, (100, 200), id="one-after-its-start"),
        pytest.param(250, (100, 200), id="though-it-has-ended"),
        pytest.param(900, (300, 400), id="the-last"),
    ],
)
def test_the_last_span_before_an_instant(instant_ms: int, expected: tuple[int, int] | None) -> None:
    assert started_before(TWO, instant_ms) == (Interval(*expected) if expected else None)


def test_of_three_spans_the_last_is_before_what_comes_after_them() -> None:
    assert started_before(THREE, 501) == Interval(500, 600)


def test_neither_edge_of_a_window_is_inside_it() -> None:
    assert starting_inside(TWO, Interval(100, 300)) == ()
    assert starting_inside(TWO, Interval(99, 301)) == TWO.spans

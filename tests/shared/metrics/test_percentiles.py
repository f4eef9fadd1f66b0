from __future__ import annotations

import pytest

from shared.metrics.percentiles import Spread, nearest_rank


@pytest.mark.parametrize(
    ("count", "percent", "expected"),
    [
        pytest.param(1, 1, 1, id="one-value-is-every-percentile"),
        pytest.param(1, 99, 1, id="one-value-is-the-highest-too"),
        pytest.param(2, 50, 1, id="the-lower-middle-of-two"),
        pytest.param(3, 50, 2, id="the-middle-of-three"),
        pytest.param(4, 50, 2, id="the-lower-middle-of-four"),
        pytest.param(10, 90, 9, id="the-ninth-of-ten"),
        pytest.param(11, 90, 10, id="rounded-up"),
        pytest.param(100, 99, 99, id="the-last-but-one-of-a-hundred"),
        pytest.param(101, 99, 100, id="the-last-but-one-of-a-hundred-and-one"),
        pytest.param(50, 100, 50, id="the-maximum"),
    ],
)
def test_the_percentile_of_one_to_n(count: int, percent: int, expected: int) -> None:
    assert nearest_rank(range(1, count + 1), percent) == expected


@pytest.mark.parametrize("percent", [0, 101])
def test_a_percentile_lies_in_1_to_100(percent: int) -> None:
    with pytest.raises(ValueError, match=r"in 1\.\.100"):
        nearest_rank([1, 2], percent)


def test_no_values_have_no_percentile() -> None:
    with pytest.raises(ValueError, match="no values"):
        nearest_rank([], 50)
    assert Spread.of([]) == Spread(count=0)


def test_a_spread_of_a_hundred() -> None:
    assert Spread.of(range(1, 101)) == Spread(count=100, p50=50, p90=90, p99=99, maximum=100)


def test_a_spread_sorts_and_keeps_integers() -> None:
    spread = Spread.of([300, 100, 200])
    assert spread == Spread(count=3, p50=200, p90=300, p99=300, maximum=300)
    assert isinstance(spread.p50, int)

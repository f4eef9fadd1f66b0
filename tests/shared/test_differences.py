from __future__ import annotations

from typing import Any

import pytest

from shared.differences import first_change, first_difference


@pytest.mark.parametrize(
    ("expected", "observed", "difference"),
    [
        pytest.param({"a": 1}, {"a": 1, "b": 2}, None, id="a-subset-differs-in-nothing"),
        pytest.param({"a": 1}, {"a": 2}, "a: 2, expected 1", id="a-value"),
        pytest.param({"a": 1}, {}, "a: missing, expected 1", id="a-missing-key"),
        pytest.param({"a": {"b": "x"}}, {"a": {"b": "y"}}, 'a.b: "y", expected "x"', id="inside"),
        pytest.param({"a": [1, 2]}, {"a": [1, 3]}, "a[1]: 3, expected 2", id="in-a-list"),
        pytest.param({"a": [1]}, {"a": [1, 2]}, "a: [1, 2], expected [1]", id="a-longer-list"),
        pytest.param(
            {"a": {"$match": "absent"}},
            {"a": 1},
            'a: 1, expected {"$match": "absent"}',
            id="a-comparator",
        ),
        pytest.param({"a": {"$match": "absent"}}, {}, None, id="an-absence-that-is-one"),
        pytest.param({"a": 1}, None, 'value: null, expected {"a": 1}', id="no-object-at-all"),
    ],
)
def test_the_first_difference_is(expected: Any, observed: Any, difference: str | None) -> None:
    assert first_difference(expected, observed) == difference


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        pytest.param({"a": 1}, {"a": 1}, None, id="none"),
        pytest.param({"a": 1}, {"a": 2}, "a: 2, was 1", id="a-value"),
        pytest.param({}, {"a": 2}, "a: new, 2", id="a-new-key"),
        pytest.param({"a": 1}, {}, "a: gone", id="a-key-that-is-gone"),
    ],
)
def test_the_first_change_of_a_state_is(before: Any, after: Any, change: str | None) -> None:
    assert first_change(before, after) == change

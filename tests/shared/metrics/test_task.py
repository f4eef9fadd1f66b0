from __future__ import annotations

import pytest

from shared.metrics.task import (
    count_pair,
    delegation_accuracy,
    delegations,
    expected_delegations,
    tool_accuracy,
)
from shared.observability.observations import (
    BackendText,
    DelegationBegan,
    ResponseBegan,
)
from shared.values import CountPair
from tests.support.builders import at


@pytest.mark.parametrize(
    ("matched", "expected", "actual", "prohibited", "accuracy"),
    [
        pytest.param(2, 2, 2, 0, 1.0, id="all-matched"),
        pytest.param(1, 2, 1, 0, 0.5, id="one-missing"),
        pytest.param(1, 1, 2, 0, 0.5, id="one-extra"),
        pytest.param(0, 2, 2, 0, 0.0, id="none-matched"),
        pytest.param(0, 0, 0, 0, 1.0, id="nothing-expected-nothing-called"),
        pytest.param(0, 0, 1, 0, 0.0, id="called-without-being-expected"),
        pytest.param(0, 1, 0, 0, 0.0, id="expected-and-never-called"),
        pytest.param(3, 2, 2, 0, 1.0, id="never-more-than-all"),
        pytest.param(2, 2, 2, 1, 0.0, id="a-prohibited-call"),
        pytest.param(None, None, None, 1, 0.0, id="a-prohibited-call-whatever-else-is-unknown"),
        pytest.param(2, 2, 2, None, None, id="unknown-prohibited-calls-block-a-score"),
        pytest.param(0, 2, 2, None, 0.0, id="but-not-a-zero"),
        pytest.param(2, None, 2, 0, None, id="unknown-expected"),
        pytest.param(2, 2, None, 0, None, id="unknown-actual"),
        pytest.param(None, 2, 2, 0, None, id="unknown-matched"),
        pytest.param(None, 0, 0, 0, 1.0, id="nothing-to-match"),
        pytest.param(None, 0, 1, 0, 0.0, id="nothing-to-match-it-with"),
        pytest.param(None, 1, 0, 0, 0.0, id="nothing-called-to-match"),
    ],
)
def test_tool_accuracy(matched, expected, actual, prohibited, accuracy: float | None) -> None:
    assert tool_accuracy(matched, expected, actual, prohibited) == accuracy


@pytest.mark.parametrize(
    ("policy", "delegations", "accuracy"),
    [
        ("required", 0, 0.0),
        ("required", 2, 1.0),
        ("forbidden", 0, 1.0),
        ("forbidden", 1, 0.0),
        ("optional", 0, 1.0),
        ("optional", 1, 1.0),
        ("required", None, None),
        ("sometimes", 1, None),
        (None, 1, None),
    ],
)
def test_delegation_accuracy(policy, delegations, accuracy: float | None) -> None:
    assert delegation_accuracy(policy, delegations) == accuracy


@pytest.mark.parametrize(
    ("policy", "expected"), [("required", 1), ("optional", 0), ("forbidden", 0), ("sometimes", 0)]
)
def test_a_single_turn_expects(policy: str, expected: int) -> None:
    assert expected_delegations(policy) == expected


def test_a_pair_needs_both_sides() -> None:
    assert count_pair(0, 2) == CountPair(actual=0, expected=2)
    assert count_pair(None, 2) is None
    assert count_pair(2, None) is None


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        pytest.param(DelegationBegan(at(100), "d1", "client", None), {"d1": 100}, id="its-notice"),
        pytest.param(ResponseBegan(at(100), "r1", "d1", None), {"d1": 100}, id="work-under-its-id"),
        pytest.param(ResponseBegan(at(100), "r1", None, None), {}, id="not-work-under-no-id"),
        pytest.param(BackendText(at(100), "r1", "d1", "m1", "Hello"), {}, id="not-what-it-says"),
    ],
)
def test_a_delegation_is_seen_by(seen, expected: dict[str, int]) -> None:
    assert delegations([seen]) == expected


def test_delegations_are_counted_by_id() -> None:
    repeated = [DelegationBegan(at(ms), "d1", "responses", None) for ms in (0, 100)]
    assert len(delegations([*repeated, DelegationBegan(at(200), "d2", "client", None)])) == 2


@pytest.mark.parametrize("planned", [0, 1, 3])
def test_a_golden_path_says_how_many_delegations_there_are_to_be(planned: int) -> None:
    assert expected_delegations("required", planned) == planned

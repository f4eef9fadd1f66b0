"""What a check may read: calls joined with their outcomes, and what was prohibited."""

from __future__ import annotations

from typing import Any

import pytest

from shared.grading.case import tool_uses
from shared.intervals import IntervalSet
from shared.observability.observations import Observation
from tests.support.builders import spans
from tests.support.judged import a_call, a_case, a_return, a_scenario, a_tool_use, an_attempt


def uses(*observations: Observation) -> list[tuple[str, int, int | None]]:
    """Every use as (call id, where it was called, where it returned)."""
    return [
        (use.call.call_id, use.called_index, use.returned_index)
        for use in tool_uses(an_attempt(observations=observations))
    ]


@pytest.mark.parametrize(
    ("observations", "expected"),
    [
        pytest.param([], [], id="no-call"),
        pytest.param([a_call()], [("c1", 0, None)], id="a-call-that-never-returned"),
        pytest.param([*a_tool_use()], [("c1", 0, 1)], id="a-call-and-its-outcome"),
        pytest.param(
            [
                a_call(call_id="a"),
                a_call(call_id="b"),
                a_return(call_id="b"),
                a_return(call_id="a"),
            ],
            [("a", 0, 3), ("b", 1, 2)],
            id="parallel-calls-in-the-order-they-were-made",
        ),
        pytest.param(
            [a_call("first"), a_call("second"), a_return("first"), a_return("second")],
            [("c1", 0, 2)],
            id="a-call-id-that-comes-again-is-the-first-call",
        ),
        pytest.param([a_return()], [], id="an-outcome-nobody-asked-for-is-no-use"),
    ],
)
def test_calls_are_joined_with_outcomes_by_id(
    observations: list[Observation], expected: list[tuple[str, int, int | None]]
) -> None:
    assert uses(*observations) == expected


@pytest.mark.parametrize(
    ("observations", "is_completed"),
    [
        pytest.param(a_tool_use(), True, id="completed"),
        pytest.param(a_tool_use(is_completed=False), False, id="failed"),
        pytest.param([a_call()], False, id="unanswered"),
    ],
)
def test_a_use_is_completed_only_by_a_completed_outcome(
    observations: list[Observation], is_completed: bool
) -> None:
    (use,) = tool_uses(an_attempt(observations=observations))

    assert use.is_completed is is_completed
    assert use.observed.is_completed is is_completed


PROHIBITED = {"expected__tools__prohibited": [{"name": "cancel", "arguments": {"id": "7"}}]}


@pytest.mark.parametrize(
    ("call", "is_prohibited"),
    [
        pytest.param(("cancel", {"id": "7"}), True, id="the-very-call"),
        pytest.param(("cancel", {"id": "7", "why": "x"}), True, id="with-more-arguments"),
        pytest.param(("cancel", {"id": "8"}), False, id="with-another-argument"),
        pytest.param(("cancel", {}), False, id="without-the-argument"),
        pytest.param(("book", {"id": "7"}), False, id="another-tool"),
    ],
)
@pytest.mark.parametrize("is_completed", [True, False])
def test_an_attempt_is_prohibited_whatever_came_of_it(
    call: tuple[str, dict[str, Any]], is_prohibited: bool, is_completed: bool
) -> None:
    evidence = an_attempt(observations=a_tool_use(*call, is_completed=is_completed))
    case = a_case(evidence, a_scenario(**PROHIBITED))

    assert bool(case.prohibited) is is_prohibited


@pytest.mark.parametrize(
    ("prohibited", "is_prohibited"),
    [
        pytest.param({"name": "cancel"}, True, id="a-tool-prohibited-with-any-arguments"),
        pytest.param({"name": "cancel", "arguments": {"id": "7"}}, False, id="with-given-ones"),
    ],
)
def test_a_call_with_broken_arguments_attempts(
    prohibited: dict[str, Any], is_prohibited: bool
) -> None:
    scenario = a_scenario(expected__tools__prohibited=[prohibited])
    evidence = an_attempt(observations=[a_call("cancel", is_broken=True)])

    assert bool(a_case(evidence, scenario).prohibited) is is_prohibited


@pytest.mark.parametrize("name", ["book", "move"], ids=["before-it", "after-it"])
def test_a_tool_named_otherwise_is_not_prohibited_with_it(name: str) -> None:
    scenario = a_scenario(expected__tools__prohibited=[{"name": "cancel"}])

    assert a_case(an_attempt(observations=[a_call(name)]), scenario).prohibited == ()


@pytest.mark.parametrize(
    ("caller", "end_ms"),
    [
        pytest.param(spans((100, 400), (700, 950)), 950, id="the-last-voiced-instant"),
        pytest.param(IntervalSet(), None, id="nothing-when-nothing-was-voiced"),
        pytest.param(spans((19_000, 25_000)), 20_000, id="never-beyond-the-observation"),
    ],
)
def test_the_request_ends_with(caller: IntervalSet, end_ms: int | None) -> None:
    assert a_case(an_attempt(caller=caller)).request_end_ms == end_ms

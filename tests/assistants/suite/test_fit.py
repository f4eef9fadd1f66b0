from __future__ import annotations

from typing import Any

import pytest

from assistants.resources import BUNDLED_APPLICATION, load_application
from assistants.suite.fit import refuse_misfits
from shared.errors import DatasetError
from shared.scenarios import Scenario
from tests.support.judged import a_scenario

APPLICATION = load_application(BUNDLED_APPLICATION)


def requiring(*calls: dict[str, Any]) -> Scenario:
    return a_scenario(expected__tools__required=list(calls))


@pytest.mark.parametrize(
    "scenario",
    [
        pytest.param(requiring(), id="that-requires-nothing"),
        pytest.param(
            requiring({"name": "create_reservation", "arguments": {"party_size": 2}}),
            id="that-requires-what-there-is",
        ),
        pytest.param(
            requiring({"name": "cancel_reservation", "arguments": {"x": {"$match": "absent"}}}),
            id="that-insists-on-an-absence",
        ),
        pytest.param(
            a_scenario(expected__tools__prohibited=[{"name": "launch"}]),
            id="that-prohibits-what-there-is-not",
        ),
    ],
)
def test_a_scenario_fits(scenario: Scenario) -> None:
    refuse_misfits([scenario], APPLICATION)


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        pytest.param(
            {"name": "create_reservatoin"},
            "has no tool \"create_reservatoin\"; did you mean 'create_reservation'",
            id="a-tool-that-is-misspelt",
        ),
        pytest.param({"name": "fly"}, "there are: cancel_reservation,", id="a-tool-of-another"),
        pytest.param(
            {"name": "create_reservation", "arguments": {"party_sise": 2}},
            "arguments.party_sise: create_reservation takes no such argument; did you mean",
            id="an-argument-that-is-misspelt",
        ),
    ],
)
def test_a_scenario_does_not_fit_that_requires(call: dict[str, Any], complaint: str) -> None:
    with pytest.raises(DatasetError) as refusal:
        refuse_misfits([requiring(call)], APPLICATION)
    (line,) = refusal.value.faults
    assert complaint in line


def test_all_misfits_are_named_at_once() -> None:
    with pytest.raises(DatasetError) as refusal:
        refuse_misfits([requiring({"name": "fly"}, {"name": "swim"})], APPLICATION)
    assert len(refusal.value.faults) == 2

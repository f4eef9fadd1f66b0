"""The rubric: five scores and no other, and which dimension applies to which scenario."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from crawl_harness.suite import CRAWL
from shared.dataset import load_dataset
from shared.grading.rubric import ANCHORS, DIMENSIONS, RUBRIC_VERSION, applicable, quarter_score
from shared.scenarios import Scenario
from tests.support.judged import a_conversation, a_scenario


@pytest.mark.parametrize(
    ("given", "score"),
    [(0, 0.0), (0.0, 0.0), (0.25, 0.25), (0.5, 0.5), (0.75, 0.75), (1, 1.0), (1.0, 1.0)],
)
def test_five_scores_are_taken_as_integers_or_floats(given: object, score: float) -> None:
    taken = quarter_score(given)

    assert taken == score
    assert type(taken) is float


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(0.6, id="another-number"),
        pytest.param(0.7500000000000001, id="the-float-after-one"),
        pytest.param(1.0000001, id="a-little-above-1"),
        pytest.param(-0.25, id="below-0"),
        pytest.param(2, id="above-1"),
        pytest.param(10**400, id="an-integer-no-float-holds"),
        pytest.param(float("nan"), id="nan"),
        pytest.param(float("inf"), id="infinity"),
        pytest.param(True, id="true"),
        pytest.param(False, id="false"),
        pytest.param("0.75", id="a-number-in-quotes"),
        pytest.param("1", id="one-in-quotes"),
        pytest.param("", id="nothing-in-quotes"),
        pytest.param(None, id="null"),
        pytest.param([1], id="a-list"),
        pytest.param({"score": 1}, id="an-object"),
        pytest.param(Decimal("0.75"), id="a-decimal"),
        pytest.param(Fraction(3, 4), id="a-fraction"),
        pytest.param(np.float64(0.75), id="a-float-of-another-make"),
    ],
)
def test_a_score_is_refused_and_never_rounded(given: object) -> None:
    with pytest.raises(ValueError, match=r"is none of 0, 0\.25, 0\.5, 0\.75 and 1"):
        quarter_score(given)


def test_every_score_has_an_anchor_of_its_own() -> None:
    assert sorted(ANCHORS) == [0, 0.25, 0.5, 0.75, 1]
    assert len({*ANCHORS.values()}) == 5
    assert RUBRIC_VERSION == "voice-semantic-v2"


def names(scenario: Scenario) -> list[str]:
    return [dimension.name for dimension in applicable(scenario)]


TASK = "task_understanding"
CONTEXT = "context_fidelity"
CLARIFICATION = "clarification_quality"
GROUNDED = "grounded_communication"
COHERENCE = "conversational_coherence"


def a_procedure_with(kind: str) -> Any:
    return {"id": "p", "steps": [{"id": "s", "kind": kind}]}


@pytest.mark.parametrize(
    ("scenario", "expected"),
    [
        pytest.param(a_scenario(), [TASK], id="a-plain-request-on-the-task"),
        pytest.param(
            a_scenario(input__text="Sorry, actually, do it instead."),
            [TASK],
            id="no-word-of-one-language-makes-a-correction",
        ),
        pytest.param(
            a_scenario(type="correction"), [TASK, CONTEXT], id="a-scenario-of-type-correction"
        ),
        pytest.param(
            a_scenario(type="x", tags=["y", "correction"]),
            [TASK, CONTEXT],
            id="a-correction-by-tag",
        ),
        pytest.param(
            a_scenario(input__context={"summary": "They spoke."}), [TASK, CONTEXT], id="a-summary"
        ),
        pytest.param(
            a_scenario(input__context={"history": [{"role": "user", "text": "Hi"}]}),
            [TASK, CONTEXT],
            id="a-history",
        ),
        pytest.param(a_scenario(type="clarification"), [TASK, CLARIFICATION], id="a-clarification"),
        pytest.param(
            a_scenario(expected__tools__required=[{"name": "look"}]),
            [TASK, GROUNDED],
            id="a-required-tool",
        ),
        pytest.param(
            a_scenario(expected__tools__prohibited=[{"name": "look"}]),
            [TASK],
            id="a-prohibited-tool-gives-nothing-to-report",
        ),
        pytest.param(a_scenario(type="refusal"), [TASK, GROUNDED], id="a-refusal-is-judged-too"),
        pytest.param(a_conversation(), [TASK, CONTEXT, COHERENCE], id="a-conversation"),
        pytest.param(
            a_conversation(expected__procedure=a_procedure_with("clarification")),
            [TASK, CONTEXT, CLARIFICATION, COHERENCE],
            id="a-procedure-that-asks-back",
        ),
        pytest.param(
            a_conversation(expected__procedure=a_procedure_with("refusal")),
            [TASK, CONTEXT, GROUNDED, COHERENCE],
            id="a-procedure-that-refuses",
        ),
    ],
)
def test_a_scenario_is_judged_on(scenario: Scenario, expected: list[str]) -> None:
    assert names(scenario) == expected


def test_a_bundled_scenario_takes_one_to_three_questions() -> None:
    bundled = load_dataset(CRAWL.bundled_data).scenarios

    assert {len(names(scenario)) for scenario in bundled} == {1, 2, 3}
    judged = {name for scenario in bundled for name in names(scenario)}
    assert judged == {TASK, CONTEXT, CLARIFICATION, GROUNDED}


def test_the_rubric_has_its_five_dimensions() -> None:
    assert [one.name for one in DIMENSIONS] == [TASK, CONTEXT, CLARIFICATION, GROUNDED, COHERENCE]

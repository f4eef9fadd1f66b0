"""What rests on the choice of the detector is told, and decides nothing."""

from __future__ import annotations

from typing import Any

import pytest

from shared.attempts.assess import assess
from shared.grading.policy import EvaluationPolicy
from shared.grading.sensitivity import CheckFlip, ResponseFlip, Sensitivity
from shared.grading.verdict import CheckStatus, Status
from shared.intervals import IntervalSet
from shared.metrics.responses import Outcome
from shared.observability.evidence import CallerAction, Evidence
from tests.support.builders import (
    SECOND_DETECTOR,
    a_caption,
    a_second_opinion,
    an_utterance,
    spans,
)
from tests.support.judged import a_scenario, an_attempt

CALLER = spans((0, 1_000))
ANSWER = spans((1_400, 2_000))
PASSED, FAILED = CheckStatus.PASSED, CheckStatus.FAILED
RESPONDED = CheckFlip("assistant_responded", PASSED, FAILED)


def sensitivity_of(evidence: Evidence, **edits: Any) -> Sensitivity:
    found = assess(evidence, a_scenario(**edits), EvaluationPolicy()).sensitivity
    assert found is not None
    return found


def heard_twice(
    caller: IntervalSet = CALLER, assistant: IntervalSet = ANSWER, **parts: Any
) -> Evidence:
    """A request answered after 400 ms, and the same as a second detector has it."""
    second = a_second_opinion(caller, assistant)
    return an_attempt(caller=CALLER, assistant=ANSWER, second_opinion=second, **parts)


@pytest.mark.parametrize(
    ("evidence", "responses", "checks"),
    [
        pytest.param(heard_twice(), (), (), id="that-sounds-the-same-to-both-flips-nothing"),
        pytest.param(
            heard_twice(caller=spans((0, 900))), (), (), id="with-another-latency-flips-nothing"
        ),
        pytest.param(
            heard_twice(assistant=spans((6_000, 7_000))),
            (),
            (),
            id="answered-at-the-deadline-by-the-other-flips-nothing",
        ),
        pytest.param(
            heard_twice(assistant=spans((6_001, 7_000))),
            (ResponseFlip(0, 1_000, Outcome.ANSWERED, Outcome.MISSED),),
            (),
            id="answered-a-millisecond-later-is-missed-by-the-other",
        ),
        pytest.param(
            heard_twice(assistant=spans()),
            (ResponseFlip(0, 1_000, Outcome.ANSWERED, Outcome.MISSED),),
            (RESPONDED,),
            id="whose-answer-the-other-does-not-hear",
        ),
        pytest.param(
            heard_twice(assistant=spans((900, 2_000))),
            (ResponseFlip(0, 1_000, Outcome.ANSWERED, Outcome.EXCLUDED),),
            (),
            id="spoken-across-by-the-other-is-excluded",
        ),
        pytest.param(
            heard_twice(caller=spans((0, 900)), assistant=spans((800, 2_000))),
            (ResponseFlip(0, 1_000, Outcome.ANSWERED, Outcome.EXCLUDED),),
            (),
            id="that-ends-elsewhere-for-the-other-is-named-by-its-first-end",
        ),
        pytest.param(
            heard_twice(caller=spans((0, 1))),
            (),
            (),
            id="heard-in-its-very-first-millisecond-alone-is-a-request-all-the-same",
        ),
        pytest.param(
            heard_twice(caller=spans()),
            (ResponseFlip(0, 1_000, Outcome.ANSWERED, None),),
            (CheckFlip("assistant_responded", PASSED, CheckStatus.NOT_APPLICABLE),),
            id="the-other-does-not-hear-at-all",
        ),
        pytest.param(
            an_attempt(caller=spans(), second_opinion=a_second_opinion(spans((0, 950)), ANSWER)),
            (ResponseFlip(0, 950, None, Outcome.ANSWERED),),
            (CheckFlip("assistant_responded", CheckStatus.NOT_APPLICABLE, PASSED),),
            id="only-the-other-hears",
        ),
    ],
)
def test_a_request(
    evidence: Evidence, responses: tuple[ResponseFlip, ...], checks: tuple[CheckFlip, ...]
) -> None:
    found = sensitivity_of(evidence)
    assert (found.responses, found.checks) == (responses, checks)
    assert found.has_flips == bool(responses or checks)


def test_a_declared_limit_flips_as_every_check_does() -> None:
    found = sensitivity_of(
        heard_twice(caller=spans((0, 999))),
        expected__interaction={"response_latency_max_ms": 400},
    )
    assert found.checks == (CheckFlip("response_latency_max_ms", PASSED, FAILED),)
    assert found.interaction.response_latencies_ms == (401,)


def test_utterances_are_compared_by_number_even_where_one_is_unheard() -> None:
    evidence = heard_twice(
        caller=spans((0, 1_000), (6_200, 7_000)),
        utterances=[
            an_utterance(0, 1_000, CallerAction.OPENING),
            an_utterance(3_000, 4_000),
            an_utterance(6_000, 7_000),
        ],
    )
    second = evidence.second_opinion
    three = an_attempt(
        caller=spans((0, 1_000), (3_000, 4_000), (6_000, 7_000)),
        assistant=ANSWER,
        utterances=evidence.utterances,
        second_opinion=second,
    )
    assert sensitivity_of(three).responses == (ResponseFlip(1, 4_000, Outcome.MISSED, None),)


def test_it_decides_nothing() -> None:
    evidence = heard_twice(assistant=spans())
    once = an_attempt(caller=CALLER, assistant=ANSWER)
    judged = assess(evidence, a_scenario(), EvaluationPolicy())
    alone = assess(once, a_scenario(), EvaluationPolicy())
    assert judged.verdict == alone.verdict
    assert judged.verdict.status is Status.PASSED
    assert judged.observed == alone.observed


def test_the_second_detector_is_named_and_its_numbers_are_its_own() -> None:
    found = sensitivity_of(heard_twice(caller=spans((0, 900))))
    assert found.tracks.caller.detector == SECOND_DETECTOR
    assert found.interaction.response_latencies_ms == (500,)


@pytest.mark.parametrize(
    "evidence",
    [
        pytest.param(an_attempt(assistant=ANSWER), id="measured-once"),
        pytest.param(heard_twice(extent_ms=0), id="never-observed"),
    ],
)
def test_there_is_none_of_an_attempt(evidence: Evidence) -> None:
    assert assess(evidence, a_scenario(), EvaluationPolicy()).sensitivity is None


SAID = (a_caption(0, 900, "A room, please."), a_caption(5_000, 5_900, "On Friday."))


@pytest.mark.parametrize(
    ("caller", "responses"),
    [
        pytest.param(spans((0, 1_000), (5_000, 6_000)), (), id="the-same-turns"),
        pytest.param(spans((100, 900), (5_100, 6_000)), (), id="turns-a-little-shorter"),
        pytest.param(
            spans((0, 1_000)),
            (ResponseFlip(1, 6_000, Outcome.MISSED, None),),
            id="one-turn-that-it-does-not-hear",
        ),
        pytest.param(
            spans((5_000, 6_000)),
            (ResponseFlip(0, 1_000, Outcome.ANSWERED, None),),
            id="the-first-turn-that-it-does-not-hear",
        ),
        pytest.param(
            spans((0, 1_000), (2_800, 3_000), (5_000, 6_000)),
            (ResponseFlip(2, 3_000, None, Outcome.MISSED),),
            id="one-turn-more",
        ),
        pytest.param(
            spans((0, 1_000), (5_000, 5_100), (6_100, 6_200)),
            (ResponseFlip(2, 6_200, None, Outcome.MISSED),),
            id="two-turns-for-one",
        ),
    ],
)
def test_in_a_conversation_turns_are_compared_that_touch(
    caller: IntervalSet, responses: tuple[ResponseFlip, ...]
) -> None:
    evidence = an_attempt(
        caller=spans((0, 1_000), (5_000, 6_000)),
        assistant=ANSWER,
        utterances=[],
        caller_observations=SAID,
        second_opinion=a_second_opinion(caller, ANSWER),
    )

    assert sensitivity_of(evidence).responses == responses

from __future__ import annotations

import pytest

from shared.intervals import IntervalSet
from shared.observability.evidence import SecondOpinion
from shared.reporting.flips import flips_of
from shared.reporting.schema import AttemptResult
from tests.support.builders import a_second_opinion, spans
from tests.support.judged import a_row, an_attempt

ANSWER = spans((1_400, 2_000))
CALLER = spans((0, 1_000))


def heard_twice(caller: IntervalSet, assistant: IntervalSet, *, is_masked: bool) -> AttemptResult:
    """An answered request by two detectors; a masked caller was measured by one."""
    evidence = an_attempt(caller=CALLER, assistant=ANSWER)
    second = a_second_opinion(caller, assistant)
    if is_masked:
        second = SecondOpinion(evidence.caller, second.assistant)
    return a_row(an_attempt(caller=CALLER, assistant=ANSWER, second_opinion=second), key="one")


@pytest.mark.parametrize(
    ("row", "lines"),
    [
        pytest.param(a_row(an_attempt(assistant=ANSWER)), [], id="measured-once"),
        pytest.param(heard_twice(CALLER, ANSWER, is_masked=False), [], id="that-flips-nothing"),
        pytest.param(
            heard_twice(CALLER, spans(), is_masked=True),
            [
                "one: by hybrid (assistant): request 1 answered -> missed;"
                " assistant_responded passed -> failed"
            ],
            id="whose-assistant-was-measured-twice",
        ),
        pytest.param(
            heard_twice(spans(), ANSWER, is_masked=False),
            [
                "one: by hybrid (caller) and hybrid (assistant): request 1 answered -> unheard;"
                " assistant_responded passed -> not_applicable"
            ],
            id="whose-tracks-were-both",
        ),
    ],
)
def test_what_is_said_of_a_row(row: AttemptResult, lines: list[str]) -> None:
    assert list(flips_of(row)) == lines

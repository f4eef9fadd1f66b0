"""An attempt judged is a value: judging the same evidence again gives the same assessment."""

from __future__ import annotations

from shared.errors import Stage
from shared.grading.assessment import Assessment, Observed
from shared.grading.verdict import decide
from shared.metrics.consumption import Consumption
from shared.observability.evidence import Failure
from tests.support.builders import spans
from tests.support.judged import a_case, an_attempt

REFUSED = decide(Failure(Stage.SESSION_START, "refused"), ())


def observed(answer_ms: int) -> Observed:
    case = a_case(an_attempt(assistant=spans((answer_ms, 3_000))))
    return Observed(case.timeline, case.measured, case.extended, case.tools, case.matching)


def test_the_same_observation_is_equal() -> None:
    assert observed(1_400) == observed(1_400)
    assert observed(1_400) != observed(1_401)


def test_a_session_that_never_began_is_judged_and_not_observed() -> None:
    judged = Assessment(REFUSED, Consumption(None, None), observed=None)

    assert judged == Assessment(REFUSED, Consumption(None, None), observed=None)
    assert judged != Assessment(REFUSED, Consumption(None, None), observed(1_400))

"""One verdict over validity and checks, in that order."""

from __future__ import annotations

from itertools import permutations

import pytest

from shared.errors import Stage
from shared.grading.verdict import Check, CheckStatus, Ref, Status, decide
from shared.observability.evidence import Failure

BROKEN = Failure(Stage.RESPONSE_COLLECTION, "the line broke")
P, F, N, U = CheckStatus


def checks(*statuses: CheckStatus) -> list[Check]:
    return [Check(f"check_{n}", status, f"because {n}") for n, status in enumerate(statuses)]


@pytest.mark.parametrize(
    ("statuses", "status"),
    [
        pytest.param([P], Status.PASSED, id="a-check-passed"),
        pytest.param([P, N], Status.PASSED, id="what-does-not-apply-does-not-count"),
        pytest.param([N], Status.PASSED, id="nothing-applied"),
        pytest.param([], Status.PASSED, id="nothing-was-checked"),
        pytest.param([P, F], Status.FAILED, id="one-failure-fails"),
        pytest.param([P, F, N, F], Status.FAILED, id="several-failures-fail"),
        pytest.param([P, U], Status.INFRASTRUCTURE_ERROR, id="an-unscored-check-outweighs-passing"),
        pytest.param([F, U], Status.FAILED, id="a-failure-outweighs-an-unscored-check"),
    ],
)
def test_a_valid_attempt(statuses: list[CheckStatus], status: Status) -> None:
    for ordered in permutations(statuses):
        assert decide(None, checks(*ordered)).status is status


@pytest.mark.parametrize("statuses", [[P], [F], [U], []])
def test_an_invalid_attempt_is_no_measurement_whatever_its_checks_say(
    statuses: list[CheckStatus],
) -> None:
    verdict = decide(BROKEN, checks(*statuses))

    assert verdict.status is Status.INFRASTRUCTURE_ERROR
    assert verdict.failure is BROKEN
    assert len(verdict.checks) == len(statuses)


def test_a_lost_grader_is_a_missing_measurement() -> None:
    failure = decide(None, checks(P, U)).failure

    assert failure is not None
    assert failure.stage is Stage.SEMANTIC_JUDGE
    assert "check_1" in failure.message


def test_a_judged_attempt_has_no_failure() -> None:
    assert decide(None, checks(P)).failure is None
    assert decide(None, checks(F)).failure is None


def test_a_check_keeps_the_moments_it_rests_on() -> None:
    broken = Check("on_time", F, "it was late", (Ref(400, "speech"), Ref(900, "end")))
    (kept,) = decide(None, [broken]).checks

    assert kept.refs == (Ref(400, "speech"), Ref(900, "end"))
    assert kept.refs != (Ref(400, "speech"), Ref(901, "end"))


def test_failed_checks_are_named_in_order() -> None:
    assert decide(None, checks(F, P, F, N)).failed_checks == ("check_0", "check_2")
    assert decide(BROKEN, checks(P, F)).failed_checks == ("check_1",)

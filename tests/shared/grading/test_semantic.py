"""What judgments come to: one check that may decide, and a mean that never does."""

from __future__ import annotations

import pytest

from shared.grading.judge import Judgments, Unscored
from shared.grading.semantic import NO_JUDGE, quality, scores, task_understanding
from shared.grading.verdict import CheckStatus
from tests.support.judges import a_judgment, judgments

LOST = Unscored("HTTP 429: slow down")


@pytest.mark.parametrize(
    ("said", "status", "because"),
    [
        pytest.param(None, CheckStatus.NOT_APPLICABLE, NO_JUDGE, id="no-judge-was-asked"),
        pytest.param(judgments(), CheckStatus.NOT_APPLICABLE, NO_JUDGE, id="nothing-was-asked"),
        pytest.param(
            judgments(task_understanding=1), CheckStatus.PASSED, "Because.", id="it-passed"
        ),
        pytest.param(
            judgments(task_understanding=a_judgment(0.25, passed=True)),
            CheckStatus.PASSED,
            "Because.",
            id="it-passed-with-a-low-score",
        ),
        pytest.param(
            judgments(task_understanding=a_judgment(0.75, passed=False)),
            CheckStatus.FAILED,
            "Because.",
            id="it-failed-with-a-high-score",
        ),
        pytest.param(
            judgments(task_understanding=LOST), CheckStatus.UNSCORED, LOST.reason, id="it-was-lost"
        ),
        pytest.param(
            judgments(task_understanding=1, grounded_communication=0),
            CheckStatus.PASSED,
            "Because.",
            id="another-dimension-failed",
        ),
    ],
)
def test_the_check_follows_the_judges_pass_or_fail_when(
    said: Judgments | None, status: CheckStatus, because: str
) -> None:
    check = task_understanding(said)

    assert (check.id, check.status, check.because) == ("task_understanding", status, because)


@pytest.mark.parametrize(
    ("said", "mean"),
    [
        pytest.param(None, None, id="no-judge-is-no-zero"),
        pytest.param(judgments(task_understanding=LOST), None, id="nothing-scored-is-no-zero"),
        pytest.param(judgments(task_understanding=0), 0.0, id="zero-is-zero"),
        pytest.param(
            judgments(task_understanding=0.75, context_fidelity=1), 0.875, id="between-the-quarters"
        ),
        pytest.param(
            judgments(task_understanding=LOST, context_fidelity=0.5), 0.5, id="over-what-was-scored"
        ),
    ],
)
def test_the_mean_is(said: Judgments | None, mean: float | None) -> None:
    assert quality(said) == mean


def test_scores_are_of_the_dimensions_that_have_one() -> None:
    said = judgments(task_understanding=0.75, context_fidelity=LOST, grounded_communication=1)

    assert scores(said) == {"task_understanding": 0.75, "grounded_communication": 1.0}


@pytest.mark.parametrize(
    ("length", "kept"),
    [
        pytest.param(300, "x" * 300, id="at-the-limit"),
        pytest.param(301, f"{'x' * 252} [49 characters removed]", id="one-more"),
    ],
)
def test_a_check_gives_a_reason_of_at_most_300_characters(length: int, kept: str) -> None:
    said = judgments(task_understanding=Unscored("x" * length))
    assert task_understanding(said).because == kept

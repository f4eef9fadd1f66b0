"""Every dimension is asked by itself, and a judge that breaks costs one answer."""

from __future__ import annotations

import asyncio

import pytest

from shared.grading.asking import ask
from shared.grading.dossier import Dossier
from shared.grading.judge import Judgment, Judgments, Unscored
from shared.grading.rubric import DIMENSIONS, RUBRIC_VERSION
from tests.support.judges import ScriptedJudge, a_reply


def asked(judge: ScriptedJudge) -> Judgments:
    return asyncio.run(ask(judge, Dossier({"said": "a table"}), DIMENSIONS, lambda text: text))


@pytest.mark.parametrize(
    "error", [RuntimeError("secret"), ValueError(), TimeoutError(), OSError(5)]
)
def test_a_judge_that_raises_about_one_dimension_answers_the_others(error: Exception) -> None:
    first, *others = DIMENSIONS
    judgments = asked(ScriptedJudge(a_reply(), by_dimension={first.name: error}))

    assert judgments.rubric_version == RUBRIC_VERSION
    assert [one.dimension for one in judgments.dimensions] == [one.name for one in DIMENSIONS]
    lost, *scored = judgments.dimensions
    assert lost.outcome == Unscored(f"unexpected {type(error).__name__}")
    assert all(isinstance(one.outcome, Judgment) for one in scored)
    assert len(scored) == len(others)


def test_being_cancelled_is_no_reply() -> None:
    with pytest.raises(asyncio.CancelledError):
        asked(ScriptedJudge(asyncio.CancelledError()))

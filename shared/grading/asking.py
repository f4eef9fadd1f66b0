"""Put an attempt's dossier to a judge, every dimension by itself and all of them at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from shared.grading.dossier import Dossier
from shared.grading.judge import Judge, JudgedDimension, Judgments, Reply, judged, question_about
from shared.grading.rubric import RUBRIC_VERSION, Dimension


async def ask(
    judge: Judge, dossier: Dossier, dimensions: Sequence[Dimension], mask: Callable[[str], str]
) -> Judgments:
    """Ask about each dimension. What goes wrong with one leaves the others as they are.

    ``mask`` goes over every text that came from outside. Being cancelled cancels every question.
    """
    outcomes = await asyncio.gather(*(_ask_one(judge, dossier, one, mask) for one in dimensions))
    return Judgments(RUBRIC_VERSION, tuple(outcomes))


async def _ask_one(
    judge: Judge, dossier: Dossier, dimension: Dimension, mask: Callable[[str], str]
) -> JudgedDimension:
    question = question_about(dimension, dossier)
    try:
        reply = await judge.ask(question)
    except Exception as error:  # noqa: BLE001 - a judge must not harm what it judges
        # The class alone: an exception's text may hold anything.
        reply = Reply(problem=f"unexpected {type(error).__name__}")
    return judged(question, reply, judge, mask, dossier.text)

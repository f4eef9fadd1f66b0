"""Put an attempt's dossier to a judge, every dimension by itself and all of them at once.

Repetitions follow one another, so that no more questions are under way than there are dimensions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from shared.grading.dossier import Dossier
from shared.grading.judge import Judge, JudgedDimension, Judgments, Reply, judged, question_about
from shared.grading.repetitions import pooled
from shared.grading.rubric import RUBRIC_VERSION, Dimension


async def ask(
    judge: Judge,
    dossier: Dossier,
    dimensions: Sequence[Dimension],
    mask: Callable[[str], str],
    repetitions: int = 1,
) -> Judgments:
    """Ask about each dimension. What goes wrong with one leaves the others as they are.

    ``mask`` goes over every text that came from outside. Being cancelled cancels every question.
    Fewer repetitions than one raise ``ValueError``.
    """
    if repetitions < 1:
        raise ValueError(f"a judge is asked at least once, not {repetitions} times")
    rounds = [
        await asyncio.gather(*(_ask_one(judge, dossier, one, mask, again) for one in dimensions))
        for again in range(repetitions)
    ]
    return Judgments(RUBRIC_VERSION, tuple(pooled(one) for one in zip(*rounds, strict=True)))


async def _ask_one(
    judge: Judge,
    dossier: Dossier,
    dimension: Dimension,
    mask: Callable[[str], str],
    repetition: int,
) -> JudgedDimension:
    shown = dossier.shown_for(dimension.name)
    question = question_about(dimension, shown, repetition)
    try:
        reply = await judge.ask(question)
    except Exception as error:  # noqa: BLE001 - a judge must not harm what it judges
        # The class alone: an exception's text may hold anything.
        reply = Reply(problem=f"unexpected {type(error).__name__}")
    return judged(question, reply, judge, mask, shown.text)

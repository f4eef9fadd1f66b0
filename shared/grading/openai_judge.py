"""The judge's port over the OpenAI Responses API.

Retries are ours and bounded, and every call has a limit of wall time; see ``model_call``.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

from shared.grading.judge import REPLY_SCHEMA, Question, Reply
from shared.grading.model_call import Retries
from shared.grading.openai_model import Form, ModelRequest, ModelService
from shared.wall_time import WallClock

MOST_OUTPUT_TOKENS: Final = 16_000


@dataclass(frozen=True, slots=True)
class OpenAIJudge:
    """Asks a model of the Responses API.

    The service's limit goes for each call and for any waiting between two; ``retries`` come on top
    of the first call.
    """

    model: str
    reasoning_effort: str
    service: ModelService
    retries: int

    async def ask(self, question: Question) -> Reply:
        """Ask, and again where that may help, and say what came of it in the end."""
        clock = WallClock(asyncio.get_running_loop())
        retries = Retries(self.retries, self.service.timeout_s)
        request = self._request(question)
        async with self.service.client() as client:
            call, calls = await self.service.call(client, request), 1
            while (wait_s := retries.wait_s(call, calls)) is not None:
                await asyncio.sleep(wait_s)
                call, calls = await self.service.call(client, request), calls + 1
        return call.reply(calls, clock.now_us())

    def _request(self, question: Question) -> ModelRequest:
        return ModelRequest(
            model=self.model,
            reasoning_effort=self.reasoning_effort,
            system=question.system,
            user=question.user,
            form=Form("judgment", REPLY_SCHEMA),
            most_output_tokens=MOST_OUTPUT_TOKENS,
        )

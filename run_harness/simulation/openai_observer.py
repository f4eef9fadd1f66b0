"""The observer's port over the OpenAI Responses API, beside the loop that audio runs on.

Its loop and its client live on a thread of their own, from the beginning of a run to its end: what
a call costs in encoding, encryption and reading takes no frame its time. A call is made once; when
to ask again is the business of ``completion``.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from run_harness.simulation.observer import EFFORT, MOST_OUTPUT_TOKENS, REPLY_SCHEMA, Question
from shared.grading.judge import Reply
from shared.grading.openai_model import Form, ModelRequest, ModelService
from shared.wall_time import WallClock, wall_loop

if TYPE_CHECKING:
    from openai import AsyncOpenAI

VERBOSITY: Final = "low"
END_WITHIN_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class OpenAIObserver:
    """Asks a model of the Responses API. Made by :func:`observer_at`; any loop may ask it."""

    model: str
    service: ModelService
    _client: AsyncOpenAI = field(repr=False)
    _loop: asyncio.AbstractEventLoop = field(repr=False)

    async def ask(self, question: Question) -> Reply:
        """Ask once, within the service's limit. Cancelling the task ends the call at once."""
        asked = asyncio.run_coroutine_threadsafe(self._ask(question), self._loop)
        return await asyncio.wrap_future(asked)

    async def _ask(self, question: Question) -> Reply:
        clock = WallClock(asyncio.get_running_loop())
        call = await self.service.call(self._client, self._request(question))
        return call.reply(1, clock.now_us())

    def _request(self, question: Question) -> ModelRequest:
        return ModelRequest(
            model=self.model,
            reasoning_effort=EFFORT,
            system=question.system,
            user=question.user,
            form=Form("observation", REPLY_SCHEMA),
            most_output_tokens=MOST_OUTPUT_TOKENS,
            verbosity=VERBOSITY,
        )


@contextmanager
def observer_at(service: ModelService, model: str) -> Iterator[OpenAIObserver]:
    """An observer that can be asked until the block is left; calls under way are then cut off.

    All that is slow about a first call is done here, before any audio flows.
    """
    loop = wall_loop()
    thread = threading.Thread(target=loop.run_forever, name="observer", daemon=True)
    thread.start()
    try:
        client = asyncio.run_coroutine_threadsafe(_opened(service), loop).result()
        try:
            yield OpenAIObserver(model, service, client, loop)
        finally:
            with suppress(TimeoutError):
                asyncio.run_coroutine_threadsafe(_ended(client), loop).result(END_WITHIN_S)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(END_WITHIN_S)
        if not thread.is_alive():
            loop.close()


async def _opened(service: ModelService) -> AsyncOpenAI:
    client = service.client()
    # Made on first use otherwise, which takes longer than many a frame.
    _ = client.responses
    return client


async def _ended(client: AsyncOpenAI) -> None:
    """Cut off what is under way, and the connections it was made over."""
    this = asyncio.current_task()
    under_way = [task for task in asyncio.all_tasks() if task is not this]
    for task in under_way:
        task.cancel()
    await asyncio.gather(*under_way, return_exceptions=True)
    await client.close()

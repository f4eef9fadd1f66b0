"""The judge's port over the OpenAI Responses API, through the official SDK.

Retries are ours and bounded, and every call has a limit of wall time; see ``model_call``.
"""

from __future__ import annotations

import asyncio
import importlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from shared.grading.judge import REPLY_SCHEMA, Question, Reply
from shared.grading.model_call import ModelCall, Retries, answered, refused
from shared.wall_time import WallClock

if TYPE_CHECKING:
    from openai import AsyncOpenAI

MOST_OUTPUT_TOKENS: Final = 16_000
LARGEST_BODY: Final = 4 * 1024 * 1024


def load_sdk() -> None:
    """Import the SDK now. It takes a second, in which audio under way would leave late."""
    importlib.import_module("openai")


class _BrokenOffError(Exception):
    """The body of a response did not come to its end."""


@dataclass(frozen=True, slots=True)
class OpenAIJudge:
    """Asks a model of the Responses API. The key never shows in a repr.

    ``timeout_s`` limits each call and any waiting between two; ``retries`` come on top of the first
    call. No proxy stands between us and this machine (``is_loopback``).
    """

    model: str
    reasoning_effort: str
    base_url: str
    is_loopback: bool
    timeout_s: float
    retries: int
    api_key: str = field(repr=False)

    async def ask(self, question: Question) -> Reply:
        """Ask, and again where that may help, and say what came of it in the end."""
        clock = WallClock(asyncio.get_running_loop())
        retries = Retries(self.retries, self.timeout_s)
        async with self._client() as client:
            call, calls = await self._call(client, question), 1
            while (wait_s := retries.wait_s(call, calls)) is not None:
                await asyncio.sleep(wait_s)
                call, calls = await self._call(client, question), calls + 1
        return call.reply(calls, clock.now_us())

    def _client(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient

        # A redirect would carry the key to somewhere nobody has allowed.
        http = DefaultAsyncHttpxClient(follow_redirects=False, trust_env=not self.is_loopback)
        return AsyncOpenAI(
            api_key=self.api_key,
            base_url=self.base_url,
            # The limit of a call is ours.
            timeout=None,
            max_retries=0,
            http_client=http,
        )

    async def _call(self, client: AsyncOpenAI, question: Question) -> ModelCall:
        from openai import APIConnectionError, APIStatusError

        try:
            async with asyncio.timeout(self.timeout_s):
                body = await self._body(client, question)
        except TimeoutError:
            return ModelCall(problem=f"no reply within {self.timeout_s:g} s", may_pass=True)
        except (APIConnectionError, _BrokenOffError) as error:
            cause = type(error.__cause__).__name__
            return ModelCall(problem=f"the line to the judge broke ({cause})", may_pass=True)
        except APIStatusError as error:
            now = datetime.now(UTC)
            return refused(error.status_code, error.body, error.response.headers, now)
        if body is None:
            return ModelCall(problem=f"the response is larger than {LARGEST_BODY} bytes")
        return answered(body)

    async def _body(self, client: AsyncOpenAI, question: Question) -> bytes | None:
        """The body as it came; nothing when it is larger than any judgment."""
        body = b""
        asked = client.responses.with_streaming_response.create(**self._request(question))
        async with asked as response:
            try:
                async for piece in response.iter_bytes():
                    body += piece
                    if len(body) > LARGEST_BODY:
                        return None
            except Exception as error:
                # Which errors there are is the transport's own affair.
                raise _BrokenOffError from error
        return body

    def _request(self, question: Question) -> dict[str, Any]:
        return {
            "model": self.model,
            "input": [
                {"role": "system", "content": question.system},
                {"role": "user", "content": question.user},
            ],
            "reasoning": {"effort": self.reasoning_effort},
            "text": {
                "format": {
                    "type": "json_schema",
                    "name": "judgment",
                    "schema": REPLY_SCHEMA,
                    "strict": True,
                }
            },
            "max_output_tokens": MOST_OUTPUT_TOKENS,
            "store": False,
        }

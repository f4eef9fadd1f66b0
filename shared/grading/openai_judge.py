"""The judge's port over the OpenAI Responses API, through the official SDK.

Retries are ours and bounded, and every call has a limit of wall time. What a second try could mend
(the line, HTTP 408, 409, 429 and 5xx) is tried again; a refusal by the rules and a reply of the
wrong form are not: the first would be refused again, and asking until an answer pleases is no
measurement.
"""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, NonNegativeInt, ValidationError

from shared.grading.judge import REPLY_SCHEMA, Question, Reply
from shared.observability.observations import TokenUsage

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

MOST_OUTPUT_TOKENS: Final = 16_000
LARGEST_BODY: Final = 4 * 1024 * 1024
FIRST_WAIT_S: Final = 0.5
WORTH_RETRYING: Final = frozenset({408, 409, 429})
SERVER_ERROR: Final = 500
HOPELESS_CODES: Final = frozenset({"insufficient_quota"})


def load_sdk() -> None:
    """Import the SDK now. It takes a second, in which audio under way would leave late."""
    importlib.import_module("openai")


class _BrokenOffError(Exception):
    """The body of a response did not come to its end."""


@dataclass(frozen=True, slots=True)
class _Call:
    """One request: what came of it, and after how many seconds another may do better, if any."""

    text: str | None = None
    problem: str | None = None
    usage: TokenUsage | None = None
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True)
class OpenAIJudge:
    """Asks a model of the Responses API. The key never shows in a repr.

    ``timeout_s`` limits each call and any waiting that the service asks for; ``retries`` come on
    top of the first call. No proxy stands between us and this machine (``is_loopback``).
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
        began_s = time.monotonic()
        calls = 0
        async with self._client() as client:
            while True:
                calls += 1
                # What the service asks for, or a wait that doubles.
                call = await self._call(client, question, FIRST_WAIT_S * 2 ** (calls - 1))
                wait_s = call.retry_after_s
                if wait_s is None or calls > self.retries or wait_s > self.timeout_s:
                    break
                await asyncio.sleep(wait_s)
        latency_ms = round((time.monotonic() - began_s) * 1000)
        return Reply(call.text, call.problem, latency_ms, calls, call.usage)

    def _client(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient

        # A redirect would carry the key to somewhere nobody has allowed.
        http = DefaultAsyncHttpxClient(follow_redirects=False, trust_env=not self.is_loopback)
        return AsyncOpenAI(
            api_key=self.api_key,
            base_url=self.base_url,
            timeout=self.timeout_s,
            max_retries=0,
            http_client=http,
        )

    async def _call(self, client: AsyncOpenAI, question: Question, wait_s: float) -> _Call:
        from openai import APIConnectionError, APIStatusError, APITimeoutError

        try:
            async with asyncio.timeout(self.timeout_s):
                body = await self._body(client, question)
        except (TimeoutError, APITimeoutError):
            return _Call(problem=f"no reply within {self.timeout_s:g} s", retry_after_s=wait_s)
        except (APIConnectionError, _BrokenOffError) as error:
            cause = type(error.__cause__ or error).__name__
            return _Call(problem=f"the line to the judge broke ({cause})", retry_after_s=wait_s)
        except APIStatusError as error:
            return _refused(error, wait_s)
        if body is None:
            return _Call(problem=f"the response is larger than {LARGEST_BODY} bytes")
        return _read(body.decode("utf-8", "replace"))

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


def _refused(error: APIStatusError, wait_s: float) -> _Call:
    body = error.body if isinstance(error.body, Mapping) else {}
    problem = f"HTTP {error.status_code}: {body.get('message') or 'no reason given'}"
    may_pass = error.status_code in WORTH_RETRYING or error.status_code >= SERVER_ERROR
    if not may_pass or body.get("code") in HOPELESS_CODES:
        return _Call(problem=problem)
    asked_s = _asked_to_wait(error.response.headers)
    return _Call(problem=problem, retry_after_s=wait_s if asked_s is None else asked_s)


def _asked_to_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds until the service wants to be asked again, by its headers."""
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with suppress(ValueError):
            seconds = float(headers.get(name, "")) * unit_s
            if isfinite(seconds) and seconds >= 0:
                return seconds
    with suppress(ValueError):
        at = parsedate_to_datetime(headers.get("retry-after", ""))
        aware = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
        return max(0.0, (aware - datetime.now(UTC)).total_seconds())
    return None


class _Content(BaseModel):
    type: str = ""
    text: str = ""
    refusal: str = ""


class _Item(BaseModel):
    type: str = ""
    content: list[_Content] | None = None


class _Error(BaseModel):
    message: str | None = None


class _Details(BaseModel):
    reason: str | None = None


class _Response(BaseModel):
    """As much of a response as we read; nothing else in it matters to us."""

    status: str
    output: list[_Item] = []
    error: _Error | None = None
    incomplete_details: _Details | None = None


class _InputDetails(BaseModel):
    cached_tokens: NonNegativeInt | None = None


class _OutputDetails(BaseModel):
    reasoning_tokens: NonNegativeInt | None = None


class _Usage(BaseModel):
    input_tokens: NonNegativeInt | None = None
    output_tokens: NonNegativeInt | None = None
    total_tokens: NonNegativeInt | None = None
    input_tokens_details: _InputDetails | None = None
    output_tokens_details: _OutputDetails | None = None


class _Billed(BaseModel):
    usage: _Usage | None = None


def _read(body: str) -> _Call:
    """The text of a completed response, or why it has none; usage counts either way."""
    usage = _usage(body)
    try:
        response = _Response.model_validate_json(body)
    except ValidationError:
        return _Call(problem="what came back is no response of the Responses API", usage=usage)
    return _Call(*_text_or_problem(response), usage=usage)


def _text_or_problem(response: _Response) -> tuple[str | None, str | None]:
    contents = [
        content
        for item in response.output
        if item.type == "message"
        for content in item.content or []
    ]
    if response.status == "failed":
        message = response.error.message if response.error else None
        return None, f"the response failed: {message or 'no reason given'}"
    if response.status == "incomplete":
        reason = response.incomplete_details.reason if response.incomplete_details else None
        return None, f"the response is incomplete: {reason or 'no reason given'}"
    if response.status != "completed":
        return None, f"the response is {response.status}, not completed"
    refusals = [content.refusal for content in contents if content.type == "refusal"]
    if refusals:
        return None, f"the judge refused: {' '.join(refusals)}"
    text = "".join(content.text for content in contents if content.type == "output_text")
    return (text, None) if text.strip() else (None, "the reply is empty")


def _usage(body: str) -> TokenUsage | None:
    try:
        usage = _Billed.model_validate_json(body).usage
    except ValidationError:
        return None
    if usage is None:
        return None
    inputs, outputs = usage.input_tokens_details, usage.output_tokens_details
    return TokenUsage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=usage.total_tokens,
        cached_input_tokens=inputs.cached_tokens if inputs else None,
        reasoning_tokens=outputs.reasoning_tokens if outputs else None,
    )

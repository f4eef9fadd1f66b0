"""One call of a model over the OpenAI Responses API, through the official SDK.

Every call has a limit of wall time and of size; whether to call again is ``model_call``'s business.
"""

from __future__ import annotations

import asyncio
import importlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from shared.grading.model_call import ModelCall, answered, refused
from shared.values import JsonObject

if TYPE_CHECKING:
    from openai import AsyncOpenAI

LARGEST_BODY: Final = 4 * 1024 * 1024


def load_sdk() -> None:
    """Import the SDK now. It takes a second, in which audio under way would leave late."""
    importlib.import_module("openai")


class _BrokenOffError(Exception):
    """The body of a response did not come to its end."""


@dataclass(frozen=True, slots=True)
class Form:
    """What a reply must be, for the provider to enforce: a JSON Schema and its name."""

    name: str
    schema: JsonObject


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model. ``verbosity`` is left to the model where none is given."""

    model: str
    reasoning_effort: str
    system: str
    user: str
    form: Form
    most_output_tokens: int
    verbosity: str | None = None

    def body(self) -> dict[str, Any]:
        """The request's fields. Nothing of it is stored by the provider."""
        form = {"type": "json_schema", "strict": True, **_fields(self.form)}
        verbosity = {} if self.verbosity is None else {"verbosity": self.verbosity}
        return {
            "model": self.model,
            "input": [
                {"role": "system", "content": self.system},
                {"role": "user", "content": self.user},
            ],
            "reasoning": {"effort": self.reasoning_effort},
            "text": {"format": form, **verbosity},
            "max_output_tokens": self.most_output_tokens,
            "store": False,
        }


def _fields(form: Form) -> dict[str, Any]:
    return {"name": form.name, "schema": form.schema}


@dataclass(frozen=True, slots=True)
class ModelService:
    """Where a model is reached. The key never shows in a repr.

    ``timeout_s`` limits each call. No proxy stands between us and this machine (``is_loopback``).
    """

    base_url: str
    is_loopback: bool
    timeout_s: float
    api_key: str = field(repr=False)

    def client(self) -> AsyncOpenAI:
        """A client to call with, to be closed by whoever asked for it."""
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

    async def call(self, client: AsyncOpenAI, request: ModelRequest) -> ModelCall:
        """Call once, and say what came of it. Being cancelled ends the call at once."""
        from openai import APIConnectionError, APIStatusError

        try:
            async with asyncio.timeout(self.timeout_s):
                body = await _body(client, request)
        except TimeoutError:
            return ModelCall(problem=f"no reply within {self.timeout_s:g} s", may_pass=True)
        except (APIConnectionError, _BrokenOffError) as error:
            cause = type(error.__cause__).__name__
            return ModelCall(problem=f"the line to the model broke ({cause})", may_pass=True)
        except APIStatusError as error:
            now = datetime.now(UTC)
            return refused(error.status_code, error.body, error.response.headers, now)
        if body is None:
            return ModelCall(problem=f"the response is larger than {LARGEST_BODY} bytes")
        return answered(body)


async def _body(client: AsyncOpenAI, request: ModelRequest) -> bytes | None:
    """The body as it came; nothing when it is larger than any reply."""
    body = b""
    asked = client.responses.with_streaming_response.create(**request.body())
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

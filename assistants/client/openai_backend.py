"""The reference backend: a model of the OpenAI Responses API, through the official SDK.

The provider keeps nothing: the application owns the history and sends it back whole
(:mod:`assistants.client.replay`). A request is what managed delegation would ask for, field by
field, and how to carry it. One task of a session runs at a time, because its history is one list.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, override

from assistants.client.backend import Backend, BackendContext, Emit, Handoff, WorkFailedError
from assistants.client.replay import Replay
from assistants.client.response_stream import Answer, ResponseStream, shown_code
from assistants.frontend.backend_events import FunctionCall, OutputItemDone
from shared.grading.model_call import ModelCall, Retries, refused
from shared.grading.openai_model import ModelService
from shared.own_loop import run_alone
from shared.wall_time import wall_loop

if TYPE_CHECKING:
    from openai import APIStatusError

ROUNDS_MAX: Final = 8
"""Requests for one task."""
RESPONSE_WITHIN_S: Final = 60.0
RETRIES: Final = Retries(most=2, longest_wait_s=5.0)
"""Somebody is waiting on the line meanwhile."""
MOST_BYTES: Final = 64 * 1024 * 1024
"""Of all responses of one session."""

_NOBODY: Final = ModelService(
    base_url="http://127.0.0.1:0/v1", is_loopback=True, timeout_s=1.0, api_key="nobody's"
)
_CARRIED: Final = {"stream": True, "store": False, "include": ["reasoning.encrypted_content"]}


class _NoResponseError(Exception):
    """A request came to no response, and is made again if ``call`` allows."""

    def __init__(self, call: ModelCall) -> None:
        super().__init__(call.problem)
        self.call = call


class _BrokenOffError(Exception):
    """The body of a response did not come to its end."""


def rehearse() -> None:
    """Load the SDK and make a request that reaches nobody.

    A first one takes up to half a second of imports, in which audio under way would leave late.
    """
    run_alone(_ask_nobody(), wall_loop)


async def _ask_nobody() -> None:
    client = _NOBODY.client()
    with suppress(Exception):
        async with asyncio.timeout(_NOBODY.timeout_s):
            create = client.responses.with_streaming_response.create
            async with create(model="none", input=[], **_CARRIED):  # type: ignore[call-overload]
                pass
    await client.close()


class OpenAIBackend(Backend):
    """Does the work of one session. Made on any thread, used on the loop of its session."""

    def __init__(self, service: ModelService, broken_off: str, context: BackendContext) -> None:
        self._service = service
        self._context = context
        self._replay = Replay(broken_off)
        self._one_at_a_time = asyncio.Lock()
        self._bytes_left = MOST_BYTES
        self._client = service.client()
        # Made on first use otherwise, which takes longer than many a frame.
        self._create = self._client.responses.with_streaming_response.create

    @override
    async def run(self, handoff: Handoff, emit: Emit) -> str:
        async with self._one_at_a_time:
            self._replay.begin(handoff.text, handoff.news)
            try:
                return await self._work(handoff, emit)
            finally:
                self._replay.end()

    @override
    async def close(self) -> None:
        await self._client.close()

    async def _work(self, handoff: Handoff, emit: Emit) -> str:
        for number in range(ROUNDS_MAX):
            if number:
                self._replay.amend(handoff.amendment())
            answer = await self._ask(emit)
            outputs = await handoff.outputs(answer.response_id) if answer.call_ids else ()
            self._replay.answered(answer, outputs)
            if not answer.call_ids:
                return answer.text
        raise WorkFailedError(f"no result within {ROUNDS_MAX} responses")

    async def _ask(self, emit: Emit) -> Answer:
        """Ask until a response begins; what has begun is never asked for again."""
        calls = 0
        while True:
            calls += 1
            try:
                return await self._ask_once(emit)
            except _NoResponseError as error:
                wait_s = RETRIES.wait_s(error.call, calls)
                if wait_s is None:
                    raise WorkFailedError(str(error.call.problem)) from None
            await asyncio.sleep(wait_s)

    async def _ask_once(self, emit: Emit) -> Answer:
        from openai import APIConnectionError, APIStatusError

        stream = ResponseStream()
        try:
            async with (
                asyncio.timeout(self._service.timeout_s),
                self._create(**self._body()) as response,
            ):
                await self._read(response.iter_bytes(), stream, emit)
        except TimeoutError:
            raise WorkFailedError(f"no response within {self._service.timeout_s:g} s") from None
        except (APIConnectionError, _BrokenOffError) as error:
            problem = f"the line to the model broke ({type(error.__cause__).__name__})"
            call = ModelCall(problem=problem, may_pass=not stream.is_begun)
            raise _NoResponseError(call) from None
        except APIStatusError as error:
            raise _NoResponseError(_refusal(error)) from None
        return stream.answer()

    async def _read(self, pieces: AsyncIterator[bytes], stream: ResponseStream, emit: Emit) -> None:
        while (piece := await _next_of(pieces)) is not None:
            self._bytes_left -= len(piece)
            if self._bytes_left < 0:
                raise WorkFailedError(f"all responses together are larger than {MOST_BYTES} bytes")
            for event in stream.receive(piece):
                if isinstance(event, OutputItemDone) and isinstance(event.item, FunctionCall):
                    self._replay.called(event.item)
                emit(event)

    def _body(self) -> dict[str, Any]:
        return {**self._context.responses, "input": self._replay.items, **_CARRIED}


async def _next_of(pieces: AsyncIterator[bytes]) -> bytes | None:
    try:
        return await anext(pieces, None)
    except Exception as error:
        # Which errors there are is the transport's own affair.
        raise _BrokenOffError from error


def _refusal(error: APIStatusError) -> ModelCall:
    """What an HTTP status other than success comes to, told by its code alone."""
    now = datetime.now(UTC)
    call = refused(error.status_code, error.body, error.response.headers, now)
    code = error.body.get("code") if isinstance(error.body, Mapping) else None
    return replace(call, problem=f"HTTP {error.status_code} ({shown_code(code)})")

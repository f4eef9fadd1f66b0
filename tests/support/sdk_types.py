"""The official SDK's types as a judge of single messages, as strict as they can be made.

The SDK itself reads leniently. Here its unions get a real discriminator, nothing is coerced, fields
it does not declare are refused but for two that the wire is known to carry, and what its types
leave open (ids that must be there, whole samples, one part per message) is checked beside them.
"""

from __future__ import annotations

import base64
import functools
import json
import typing
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

HISTORY_MESSAGES_MAX = 128
UNDECLARED = ("obfuscation", "response.store", "store")
APPENDS = frozenset(
    {
        "session.instructions.append",
        "session.thinking.append",
        "session.commentary.append",
    }
)


class SdkDisagreementError(AssertionError):
    """The SDK's types do not take this message for one of theirs."""


def check_client(message: dict[str, Any]) -> None:
    """Raise unless the SDK could have sent this."""
    _validate(_client_events(), message)
    kind = message["type"]
    if kind in APPENDS and "delegation_id" not in message:
        raise SdkDisagreementError(f"{kind}: delegation_id must be there, null or not")
    if kind == "session.input_audio.append":
        _check_audio(message["audio"])
    if kind == "response.item.create" and message["item"].get("type") == "function_call_output":
        _check(message["item"].get("call_id"), "a call's output must name the call")
    if kind == "session.start":
        _check_history(message["session"].get("input") or [])


def check_server(message: dict[str, Any]) -> None:
    """Raise unless the SDK would understand this as what it is."""
    kind = message.get("type")
    if kind == "error" and message.get("error", {}).get("code", "") is None:
        # The wire shows null here, although the type does not allow it.
        message = message | {"error": message["error"] | {"code": ""}}
    _validate(_server_events(), message)
    if kind == "session.output_audio.delta":
        _check_audio(message["delta"])
    if kind == "response.event":
        _validate(_backend_events(), message["event"])


def check_response(response: dict[str, Any]) -> None:
    """Raise unless the SDK would read this as a whole response of a model."""
    _validate(_responses(), response)


def check_stream_event(event: dict[str, Any]) -> None:
    """Raise unless the SDK would read this as an event of a streamed response."""
    _validate(_backend_events(), event)


def _validate(adapter: TypeAdapter[Any], message: dict[str, Any]) -> None:
    try:
        event = adapter.validate_json(json.dumps(message), strict=True)
    except ValidationError as error:
        raise SdkDisagreementError(str(error)) from None
    undeclared = [path for path in _undeclared(event) if not path.endswith(UNDECLARED)]
    kind = message.get("type", message.get("object"))
    _check(not undeclared, f"{kind}: the SDK does not know {undeclared}")


def _undeclared(value: object, path: str = "") -> Iterator[str]:
    if isinstance(value, BaseModel):
        for name in value.model_extra or {}:
            yield f"{path}.{name}"
        for name in value.model_fields_set & set(type(value).model_fields):
            yield from _undeclared(getattr(value, name), f"{path}.{name}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _undeclared(item, f"{path}[{index}]")


def _check_audio(encoded: str) -> None:
    try:
        samples = base64.b64decode(encoded, validate=True)
    except ValueError as error:
        raise SdkDisagreementError(f"audio is not base64: {error}") from None
    _check(len(samples) % 2 == 0, "audio holds half a sample")


def _check_history(messages: list[dict[str, Any]]) -> None:
    _check(len(messages) <= HISTORY_MESSAGES_MAX, "too long a history")
    _check(all(len(one["content"]) == 1 for one in messages), "a message has one part")


def _check(holds: object, otherwise: str) -> None:
    if not holds:
        raise SdkDisagreementError(otherwise)


# Importing the SDK takes about a second, so it is left until it is needed.


@functools.cache
def _client_events() -> TypeAdapter[Any]:
    from openai.types.live import ClientEvent

    return _discriminated(ClientEvent)


@functools.cache
def _server_events() -> TypeAdapter[Any]:
    from openai.types.live import ServerEvent

    return _discriminated(ServerEvent)


@functools.cache
def _responses() -> TypeAdapter[Any]:
    from openai.types.responses import Response

    return TypeAdapter(Response)


@functools.cache
def _backend_events() -> TypeAdapter[Any]:
    from openai.types.responses import ResponseStreamEvent

    return _discriminated(ResponseStreamEvent)


def _discriminated(union: Any) -> TypeAdapter[Any]:
    # What the SDK annotates as a discriminator is not one to pydantic.
    return TypeAdapter(Annotated[typing.get_args(union)[0], Field(discriminator="type")])

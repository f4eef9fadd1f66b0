"""Responses of the Responses API as it streams them, each as the text of a whole body."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from assistants.frontend.fixture.http_script import HttpScript, parse_http_script

type Item = dict[str, Any]

USAGE = {
    "input_tokens": 300,
    "input_tokens_details": {"cached_tokens": 200},
    "output_tokens": 20,
    "output_tokens_details": {"reasoning_tokens": 5},
    "total_tokens": 320,
}


def a_call(call_id: str, arguments: str = "{}", name: str = "look_up", **more: Any) -> Item:
    return {
        "id": f"fc_{call_id}",
        "type": "function_call",
        "status": "completed",
        "arguments": arguments,
        "call_id": call_id,
        "name": name,
        **more,
    }


def a_message(text: str, item_id: str = "msg_1", **more: Any) -> Item:
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return {
        "id": item_id,
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [part],
        **more,
    }


def reasoning(item_id: str = "rs_1", **more: Any) -> Item:
    return {"id": item_id, "type": "reasoning", "summary": [], **more}


SEALED = reasoning(encrypted_content="gAAAA-sealed")


def events(
    response_id: str, *items: Item, status: str = "completed", **ended: Any
) -> Iterator[Item]:
    """Every event of one response; ``ended`` is merged into the last snapshot."""
    begun: Item = {
        "id": response_id,
        "object": "response",
        "created_at": 1_790_000_000,
        "status": "in_progress",
        "model": "a-backend",
        "instructions": "Everything it was told.",
        "tools": [{"type": "function", "name": "look_up"}],
        "output": [],
        "usage": None,
    }
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    for index, item in enumerate(items):
        yield from _item_events(index, item)
    last = {**begun, "status": status, "output": list(items), "usage": USAGE, **ended}
    yield {"type": f"response.{status}", "response": last}


def _item_events(index: int, item: Item) -> Iterator[Item]:
    where = {"output_index": index}
    yield {"type": "response.output_item.added", **where, "item": {**item, "status": "in_progress"}}
    within = {**where, "item_id": item["id"]}
    if item["type"] == "reasoning":
        yield {"type": "response.reasoning_summary_text.delta", **within, "delta": "Hm."}
    if item["type"] == "function_call":
        arguments = item["arguments"]
        yield {"type": "response.function_call_arguments.delta", **within, "delta": arguments}
        yield {"type": "response.function_call_arguments.done", **within, "arguments": arguments}
    yield {"type": "response.output_item.done", **where, "item": item}


def sse(*streamed: Mapping[str, Any]) -> str:
    """Events as one body, numbered from 0."""
    return "".join(
        f"event: {event['type']}\ndata: {json.dumps({**event, 'sequence_number': number})}\n\n"
        for number, event in enumerate(streamed)
    )


def a_stream(response_id: str, *items: Item, **ended: Any) -> str:
    return sse(*events(response_id, *items, **ended))


def answering(*rules: Mapping[str, Any] | str) -> HttpScript:
    """An HTTP end that gives these answers in turn, each once; a text is a streamed body."""
    answers = [
        {"to": "responses", "times": 1, **(_body(rule) if isinstance(rule, str) else rule)}
        for rule in rules
    ]
    return parse_http_script(json.dumps({"format": "live-fixture-http/1", "answers": answers}))


def _body(text: str) -> dict[str, Any]:
    return {"body": text, "content_type": "text/event-stream"}

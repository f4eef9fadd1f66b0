"""A client of GPT Live with the official SDK: silence in, tool calls answered, a proper end."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import time
from typing import Any

from openai import AsyncOpenAI

FRAME_S = 0.05
FRAME = base64.b64encode(bytes(2_400)).decode()


def renew_loan(asked: Any) -> Any:
    raise ValueError(f"{asked['loan_id']} was renewed too often")


TOOLS = {"find_loan": dict, "find_member": dict, "renew_loan": renew_loan}


def run_tool(name: str, arguments: str) -> str:
    """The output for the backend, whatever comes: a tool that fails is an answer too."""
    try:
        return json.dumps({"ok": True, "found": TOOLS[name](json.loads(arguments))})
    except (LookupError, TypeError, ValueError) as error:
        return json.dumps({"ok": False, "error": str(error)})


async def stream_silence(connection: Any) -> None:
    """Send audio as it sounds, by the clock and without ever stopping."""
    began = time.monotonic()
    frames = 0
    while True:
        await connection.session.input_audio.append(audio=FRAME)
        frames += 1
        await asyncio.sleep(max(0.0, began + frames * FRAME_S - time.monotonic()))


async def converse(connection: Any, delegation: Any) -> None:
    session = {"model": "gpt-live-1", "delegation": delegation}
    await connection.session.start(session=session, event_id="start")
    calls: list[Any] = []
    has_spoken = is_closing = False
    sender: asyncio.Task[None] | None = None
    async for event in connection:
        match event.type:
            case "session.started":
                sender = asyncio.create_task(stream_silence(connection))
            case "session.delegation.created" if event.delegation.target == "client":
                await connection.session.commentary.append(
                    content="It is due on Friday.", delegation_id=event.delegation.id
                )
            case "response.event" if event.event["type"] == "response.output_item.done":
                if event.event["item"]["type"] == "function_call":
                    calls.append(event.event["item"])
            case "response.event" if event.event["type"] == "response.completed" and calls:
                for call in calls:
                    output = run_tool(call["name"], call["arguments"])
                    await connection.response.item.create(
                        item={
                            "type": "function_call_output",
                            "call_id": call["call_id"],
                            "output": output,
                        }
                    )
                calls.clear()
                await connection.response.create()
            case "session.output_audio.delta" if any(base64.b64decode(event.delta)):
                has_spoken = True
            case "session.output_audio.delta" if has_spoken and not is_closing:
                is_closing = True
                await connection.session.close(event_id="close")
            case "session.closed":
                break
    if sender is not None:
        sender.cancel()


async def main() -> None:
    # The SDK appends /live/sessions by itself.
    base_url = os.environ["LIVE_URL"].removesuffix("/live/sessions")
    client = AsyncOpenAI(websocket_base_url=base_url)
    delegation: Any = {"type": "client"}
    if os.environ.get("DELEGATION") != "client":
        tools = [{"type": "function", "name": name} for name in TOOLS]
        delegation = {"type": "responses", "responses": {"model": "a-backend", "tools": tools}}
    async with client.live.connect(websocket_connection_options={"proxy": None}) as connection:
        await asyncio.wait_for(converse(connection, delegation), 30)


if __name__ == "__main__":
    asyncio.run(main())

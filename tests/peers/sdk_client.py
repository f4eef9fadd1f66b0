"""One round with openai-python: ``sdk_client.py PORT KEY responses|failing|client``.

Streams silence, answers every tool call (or the delegation itself), waits for speech, closes, and
prints what it saw as JSON lines. In the mode ``failing`` its second tool fails, and it says so to
the backend. Exits with 0 only if all of that happened.
"""

from __future__ import annotations

import asyncio
import base64
import json
import sys
import time
from typing import Any

from openai import AsyncOpenAI

FRAME_S = 0.05
FRAME = base64.b64encode(bytes(2_400)).decode()
WITHIN_S = 20.0
TOOLS = [{"type": "function", "name": "first"}, {"type": "function", "name": "second"}]
FAILED = '{"ok":false,"error":"the tool broke"}'


def say(**facts: object) -> None:
    print(json.dumps(facts), flush=True)  # noqa: T201 - its output is read by a test


class Round:
    """What has happened so far, and what to do about the next event."""

    def __init__(self, connection: Any, mode: str) -> None:
        self.connection = connection
        self.mode = mode
        self.calls: list[dict[str, Any]] = []
        self.calls_answered = 0
        self.pieces = 0
        self.has_spoken = False
        self.is_closing = False
        self.errors = 0
        self.seconds: float | None = None

    async def take(self, event: Any) -> None:
        match event.type:
            case "session.output_audio.delta":
                await self.listen(base64.b64decode(event.delta))
            case "response.event":
                await self.follow(event.event)
            case "session.delegation.created":
                say(saw=event.type, offset_ms=event.offset_ms, goes_to=event.delegation.target)
                if event.delegation.target == "client":
                    await self.connection.session.commentary.append(
                        content="It is done.", delegation_id=event.delegation.id, event_id="told"
                    )
            case "session.closed":
                self.seconds = event.usage.seconds
            case "error":
                self.errors += 1
                say(saw="error", message=event.error.message)
            case _:
                say(saw=event.type, text=getattr(event, "delta", None))

    async def listen(self, audio: bytes) -> None:
        self.pieces += 1
        if any(audio):
            self.has_spoken = True
        elif self.has_spoken and not self.is_closing:
            self.is_closing = True
            await self.connection.session.close(event_id="bye")

    async def follow(self, event: dict[str, Any]) -> None:
        say(saw=event["type"], sequence_number=event["sequence_number"])
        if event["type"] == "response.output_item.done":
            if event["item"]["type"] == "function_call":
                self.calls.append(event["item"])
        elif event["type"] == "response.completed" and self.calls:
            for call in self.calls:
                output = self.run(call["name"])
                await self.connection.response.item.create(
                    item={
                        "type": "function_call_output",
                        "call_id": call["call_id"],
                        "output": output,
                    }
                )
            self.calls_answered += len(self.calls)
            self.calls = []
            await self.connection.response.create()

    def run(self, tool: str) -> str:
        return FAILED if (self.mode, tool) == ("failing", "second") else "ok"


async def converse(port: str, key: str, mode: str) -> Round:
    client = AsyncOpenAI(api_key=key, base_url=f"http://127.0.0.1:{port}/v1")
    delegation: Any = {"type": "client"}
    if mode != "client":
        delegation = {"type": "responses", "responses": {"model": "a-backend", "tools": TOOLS}}
    async with client.live.connect(websocket_connection_options={"proxy": None}) as connection:
        await connection.session.start(
            session={"model": "gpt-live-1", "delegation": delegation}, event_id="begin"
        )
        started = await connection.recv()
        say(saw=started.type, client_event_id=started.client_event_id)
        sender = asyncio.create_task(stream_silence(connection))
        round_ = Round(connection, mode)
        async for event in connection:
            await round_.take(event)
            if round_.seconds is not None:
                break
        sender.cancel()
        return round_


async def stream_silence(connection: Any) -> None:
    began = time.monotonic()
    frames = 0
    while True:
        await connection.session.input_audio.append(audio=FRAME)
        frames += 1
        await asyncio.sleep(max(0.0, began + frames * FRAME_S - time.monotonic()))


async def main() -> int:
    port, key, mode = sys.argv[1:]
    async with asyncio.timeout(WITHIN_S):
        done = await converse(port, key, mode)
    say(
        saw="the end",
        seconds=done.seconds,
        pieces=done.pieces,
        calls_answered=done.calls_answered,
        errors=done.errors,
    )
    is_whole = done.has_spoken and done.seconds and not done.errors
    return 0 if is_whole and done.calls_answered == (0 if mode == "client" else 2) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

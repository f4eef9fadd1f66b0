"""The trace: every message of a session, redacted, for people who debug. Never read back.

Audio is counted, not kept: consecutive audio messages of one direction and loudness become one row
that says how many messages and bytes it stands for, closed by any other message.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from shared.observability.redaction import Masker
from shared.values import JsonObject, JsonValue

LONGEST_TEXT: Final = 800
MOST_MESSAGES_PER_ROW: Final = 50
AUDIO_FIELDS: Final = {
    "session.input_audio.append": "audio",
    "session.output_audio.delta": "delta",
}
DIRECTIONS: Final = {"sent": "client_to_server", "received": "server_to_client"}


@dataclass(slots=True)
class _AudioRow:
    """Audio messages that stand in one row."""

    direction: str
    kind: str
    loudness: str
    since_us: int
    messages: int = 0
    characters: int = 0


class Trace:
    """Collects one attempt's messages, masked and numbered. A listener sees each row at once."""

    def __init__(
        self, masker: Masker, listener: Callable[[JsonObject], None] | None = None
    ) -> None:
        self._masker = masker
        self._listener = listener
        self._rows: list[JsonObject] = []
        self._audio: dict[str, _AudioRow] = {}

    def message(self, direction: str, message: str | bytes, at_us: int) -> None:
        """Note one message: ``sent`` or ``received``."""
        if isinstance(message, bytes):
            self._note(direction, "binary", "live_frontend", at_us, {"bytes": len(message)})
            return
        try:
            content = json.loads(message)
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict):
            self._note(direction, "unreadable", "live_frontend", at_us, {"text": message})
            return
        kind = str(content.get("type", "untyped"))
        audio = content.get(AUDIO_FIELDS.get(kind, ""))
        if isinstance(audio, str):
            self._note_audio(direction, kind, audio, at_us)
        else:
            self._note(direction, kind, _source(content), at_us, content)

    def internal(self, kind: str, source: str, at_us: int, event: JsonObject) -> None:
        """Note something of our own: a tool's outcome, a verdict."""
        self._note("internal", kind, source, at_us, event)

    def lines(self) -> list[str]:
        """JSON lines, one per row, in order."""
        self._flush()
        return [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in self._rows]

    def _note(self, direction: str, kind: str, source: str, at_us: int, event: JsonValue) -> None:
        self._flush()
        self._add(direction, kind, source, at_us, event)

    def _add(self, direction: str, kind: str, source: str, at_us: int, event: JsonValue) -> None:
        row: JsonObject = {
            "type": kind,
            "event_index": len(self._rows) + 1,
            "event_time_ms": at_us / 1000,
            "source": source,
            "direction": DIRECTIONS.get(direction, direction),
            "event": _shortened(self._masker.value(event)),
        }
        self._rows.append(row)
        if self._listener is not None:
            self._listener(row)

    def _note_audio(self, direction: str, kind: str, audio: str, at_us: int) -> None:
        # Zero bytes are "A" in base64; the prefix spares most sound the longer look.
        is_silent = audio.startswith("AAAA") and not audio.strip("A=")
        loudness = "silence" if is_silent else "sound"
        row = self._audio.get(direction)
        if row is not None and (row.loudness != loudness or row.messages >= MOST_MESSAGES_PER_ROW):
            self._flush()
            row = None
        if row is None:
            row = self._audio[direction] = _AudioRow(direction, kind, loudness, at_us)
        row.messages += 1
        row.characters += len(audio)

    def _flush(self) -> None:
        for row in self._audio.values():
            source = "caller_audio" if row.direction == "sent" else "live_frontend"
            event: JsonObject = {
                "messages": row.messages,
                "audio_base64_characters": row.characters,
                "audio_kind": row.loudness,
            }
            self._add(row.direction, row.kind, source, row.since_us, event)
        self._audio.clear()


def _source(content: dict[str, JsonValue]) -> str:
    kind = content.get("type")
    if kind == "response.event":
        return "delegated_responses"
    return "live_frontend"


def _shortened(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        if len(value) <= LONGEST_TEXT:
            return value
        return f"{value[:LONGEST_TEXT]} [{len(value) - LONGEST_TEXT} characters left out]"
    if isinstance(value, dict):
        return {key: _shortened(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_shortened(inner) for inner in value]
    return value

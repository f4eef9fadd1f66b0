"""The trace: every message of a session, redacted, for people who debug. Never read back.

Audio is counted, not kept: consecutive audio messages of one direction and loudness become one row
that says how many messages and bytes it stands for, closed by any other message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Final

from shared.json_text import json_text, json_value, portable
from shared.observability.redaction import Masker
from shared.strict_json import MAX_DEPTH, parse
from shared.values import JsonObject, JsonValue

LONGEST_TEXT: Final = 800
# No word and no id is as long: audio in a place where none belongs.
_ENCODED: Final = re.compile(r"[A-Za-z0-9+/=_-]{200,}")
MOST_MESSAGES_PER_ROW: Final = 50
PIECES_OF_A_CREDENTIAL: Final = 20
"""How far back a listener's row is masked together with what went before."""
INTERNAL: Final = "internal"
DIRECTIONS: Final = {"sent": "client_to_server", "received": "server_to_client"}


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a trace must know of a dialect's messages.

    ``audio_fields`` maps a kind of message to the field that holds its audio, ``speech_fields`` to
    the one that holds a piece of a transcript. A message of the kind ``envelope`` carries an event
    of the backend; texts of the kinds ``by_programs`` are no speech, so assignments in them are
    masked too.
    """

    audio_fields: Mapping[str, str]
    envelope: str
    by_programs: frozenset[str]
    speech_fields: Mapping[str, str] = field(default_factory=dict)


UNREADABLE: Final = "unreadable"


@dataclass(slots=True)
class _AudioRow:
    """Audio messages that stand in one row."""

    direction: str
    kind: str
    loudness: str
    since_us: int
    messages: int = 0
    characters: int = 0

    def has_room_for(self, kind: str, loudness: str) -> bool:
        is_alike = (self.kind, self.loudness) == (kind, loudness)
        return is_alike and self.messages < MOST_MESSAGES_PER_ROW


@dataclass(slots=True)
class _Speech:
    """A transcript that comes in pieces: each as it came, and the number of its row."""

    pieces: list[str] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Noted:
    """A row before it is masked."""

    number: int
    direction: str
    kind: str
    source: str
    at_us: int
    event: JsonValue


class Trace:
    """Collects one attempt's messages; they are masked when the session is over.

    Masking a long message would hold up the audio that is being sent meanwhile. Only for a listener
    that hears messages is it done at once.

    A credential that comes in pieces shows only at its end: the listener has seen its beginning by
    then, the lines do not have it.
    """

    def __init__(
        self,
        masker: Masker,
        vocabulary: Vocabulary,
        listener: Callable[[JsonObject], None] | None = None,
        *,
        hears_messages: bool = True,
    ) -> None:
        self._masker = masker
        self._vocabulary = vocabulary
        self._listener = listener
        self._hears_messages = hears_messages and listener is not None
        self._noted: list[_Noted] = []
        self._audio: dict[str, _AudioRow] = {}
        self._speech: dict[str, _Speech] = {}

    def message(
        self, direction: str, message: str | bytes, at_us: int, source: str = "live_frontend"
    ) -> None:
        """Note one message: ``sent`` or ``received``. ``source`` is which line it came over."""
        if isinstance(message, bytes):
            self._note(direction, "binary", source, at_us, {"bytes": len(message)})
            return
        content = _object_in(message)
        if content is None:
            self._note(direction, UNREADABLE, source, at_us, {"text": message})
            return
        named = content.get("type")
        kind = named if isinstance(named, str) else "untyped"
        audio = content.get(self._vocabulary.audio_fields.get(kind, ""))
        spoken = content.get(self._vocabulary.speech_fields.get(kind, ""))
        if isinstance(audio, str):
            self._note_audio(direction, kind, audio, at_us)
        elif isinstance(spoken, str):
            self._note_speech(direction, kind, spoken, at_us, content)
        elif kind == self._vocabulary.envelope:
            # A backend's texts are mostly arguments, which need not be JSON to hold a credential.
            event = _without_pieces(content)
            self._note(direction, kind, "delegated_responses", at_us, event)
        else:
            self._note(direction, kind, source, at_us, content)

    def internal(self, kind: str, source: str, at_us: int, event: JsonObject) -> None:
        """Note something of our own: a tool's outcome, a verdict."""
        self._note(INTERNAL, kind, source, at_us, event)

    def lines(self) -> list[str]:
        """JSON lines, one per row, in order."""
        self._flush()
        rows = [self._row(noted) for noted in self._noted]
        for kind, speech in self._speech.items():
            pieces = self._masker.pieces(speech.pieces)
            for number, piece in zip(speech.rows, pieces, strict=True):
                rows[number] = self._with_speech(rows[number], kind, piece)
        # What only its field's name told at first may stand in other rows as well.
        keys = self._masker.new_keys
        if keys:
            masker = self._masker.knowing(keys)
            rows = [_object(masker.texts(row)) for row in rows]
        return [json_text(portable(row)) for row in rows]

    def _note(self, direction: str, kind: str, source: str, at_us: int, event: JsonValue) -> None:
        self._flush()
        self._add(direction, kind, source, at_us, event)

    def _add(self, direction: str, kind: str, source: str, at_us: int, event: JsonValue) -> None:
        noted = _Noted(len(self._noted) + 1, direction, kind, source, at_us, event)
        self._noted.append(noted)
        if self._listener is not None and (self._hears_messages or direction == INTERNAL):
            self._listener(self._row(noted))

    def _row(self, noted: _Noted) -> JsonObject:
        return {
            "type": _shortened(self._masker.prose(noted.kind)),
            "event_index": noted.number,
            "event_time_ms": noted.at_us / 1000,
            "source": noted.source,
            "direction": DIRECTIONS.get(noted.direction, noted.direction),
            "event": _shortened(self._masked(noted.kind, noted.event)),
        }

    def _masked(self, kind: str, event: JsonValue) -> JsonValue:
        if kind in {UNREADABLE, self._vocabulary.envelope, *self._vocabulary.by_programs}:
            return self._masker.machine_value(event)
        return self._masker.value(event)

    def _note_speech(
        self, direction: str, kind: str, piece: str, at_us: int, content: JsonObject
    ) -> None:
        self._flush()
        speech = self._speech.setdefault(kind, _Speech())
        speech.pieces.append(piece)
        speech.rows.append(len(self._noted))
        if self._hears_messages:
            *_, masked = self._masker.pieces(speech.pieces[-PIECES_OF_A_CREDENTIAL:])
            content = {**content, self._vocabulary.speech_fields[kind]: masked}
        self._add(direction, kind, "live_frontend", at_us, content)

    def _with_speech(self, row: JsonObject, kind: str, piece: str) -> JsonObject:
        event = row["event"]
        if not isinstance(event, Mapping):
            return row
        field_name = self._vocabulary.speech_fields[kind]
        return {**row, "event": {**event, field_name: _shortened_text(piece, field_name)}}

    def _note_audio(self, direction: str, kind: str, audio: str, at_us: int) -> None:
        # Zero bytes are "A" in base64; the prefix spares most sound the longer look, and the
        # comparison whole groups of three bytes the longest.
        is_silent = audio.startswith("AAAA") and (
            audio == "A" * len(audio) or not audio.strip("A=")
        )
        loudness = "silence" if is_silent else "sound"
        row = self._audio.get(direction)
        if row is not None and not row.has_room_for(kind, loudness):
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


def _without_pieces(content: JsonObject) -> JsonObject:
    """The envelope, but of a text that is still being written only how much it is.

    The whole comes in a later event; a credential that is cut in two nobody can mask.
    """
    event = content.get("event")
    piece = event.get("delta") if isinstance(event, Mapping) else None
    if not isinstance(event, Mapping) or not isinstance(piece, str):
        return content
    return {**content, "event": {**event, "delta": f"[{len(piece)} characters]"}}


def _object_in(message: str) -> JsonObject | None:
    """The message as an object; nothing when it is none, or nested too deep to be walked."""
    try:
        content = json_value(message)
        # In audio messages, which are long and many, there is but one brace to be found.
        nests = message.rfind("{") > 0 or "[" in message
        if nests and message.count("{") + message.count("[") > MAX_DEPTH:
            parse(message)  # refuses depth
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _object(value: JsonValue) -> JsonObject:
    if not isinstance(value, Mapping):
        raise TypeError("an object stays an object")
    return value


def _shortened(value: JsonValue, field: str = "") -> JsonValue:
    """The value as a person wants to read it: no audio, no endless text, nothing but JSON."""
    match value:
        case str():
            return _shortened_text(value, field)
        case float() if not isfinite(value):
            return str(value)
        case Mapping():
            return {key: _shortened(inner, key) for key, inner in value.items()}
        case Sequence():
            return [_shortened(inner, field) for inner in value]
        case _:
            return value


def _shortened_text(text: str, field: str) -> str:
    if field == "audio":
        return f"[{len(text)} characters of audio]"
    legible = _ENCODED.sub(lambda run: f"[{len(run.group())} encoded characters]", text)
    if len(legible) <= LONGEST_TEXT:
        return legible
    return f"{legible[:LONGEST_TEXT]} [{len(legible) - LONGEST_TEXT} characters left out]"

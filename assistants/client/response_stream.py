"""One streamed response of the Responses API, read from its bytes: no socket and no clock.

Theory of operation. Server-sent events come in pieces of any size; the data of each is one JSON
object, read strictly and typed by the schema that reads a session's own backend events. Kinds it
does not know are skipped. Output items are kept as they came, because they go back word for word;
a response counts as answered by ``response.completed`` alone. Whatever else ends it is an error in
our words: of the service's only codes are repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from assistants.client.backend import WorkFailedError
from assistants.frontend.backend_events import (
    BackendEvent,
    BackendMessage,
    OtherBackendEvent,
    OutputItemDone,
    OutputText,
    Refusal,
    ResponseCompleted,
    ResponseCreated,
    ResponseFailed,
    ResponseIncomplete,
    ResponseInProgress,
)
from shared.strict_json import JsonSyntaxError, parse
from shared.values import JsonObject, JsonValue

LARGEST_RESPONSE = 4 * 1024 * 1024
"""Bytes of one stream, everything counted."""
NO_CODE = "no code given"

_EVENT: TypeAdapter[BackendEvent] = TypeAdapter(BackendEvent)
_MARK = b"\xef\xbb\xbf"
_END_OF_STREAM = b"[DONE]"
_CALL = "function_call"
_ERROR = "error"
_TRIMMED: JsonObject = {"instructions": None, "tools": (), "output": ()}
_CODE = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class EventData:
    """Cuts a stream of server-sent events, in pieces of any size, into the data of each event."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []
        self._is_begun = False

    def receive(self, piece: bytes) -> Iterator[bytes]:
        """Take the next bytes; yield the data of every event they complete."""
        lines = (self._rest + piece).splitlines(keepends=True)
        # A carriage return at the end may be half of a line's end.
        self._rest = lines.pop() if lines and not lines[-1].endswith(b"\n") else b""
        for line in lines:
            yield from self._take(line.rstrip(b"\r\n"))

    def _take(self, line: bytes) -> Iterator[bytes]:
        if not self._is_begun:
            line, self._is_begun = line.removeprefix(_MARK), True
        field, _, value = line.partition(b":")
        if field == b"data":
            self._data.append(value.removeprefix(b" "))
        elif not line and self._data:
            yield b"\n".join(self._data)
            self._data = []


@dataclass(frozen=True, slots=True)
class Answer:
    """A completed response: its output items word for word, its calls, and what it says."""

    response_id: str
    items: tuple[JsonObject, ...]
    call_ids: tuple[str, ...]
    text: str


class ResponseStream:
    """Takes the bytes of one response and says what they show, until it is over."""

    def __init__(self) -> None:
        self._events = EventData()
        self._size = 0
        self.is_begun = False
        self._items: dict[int, JsonObject] = {}
        self._messages: dict[int, BackendMessage] = {}
        self._response_id: str | None = None
        self._output: tuple[JsonObject, ...] = ()

    def receive(self, piece: bytes) -> Iterator[BackendEvent]:
        """Take the next bytes; yield every event of a kind we know, as a session would show it.

        Raises :class:`WorkFailedError` once the response has failed or is no response.
        """
        self._size += len(piece)
        if self._size > LARGEST_RESPONSE:
            raise WorkFailedError(f"the response is larger than {LARGEST_RESPONSE} bytes")
        for data in self._events.receive(piece):
            # What comes after the end is nothing of the response.
            if data != _END_OF_STREAM and self._response_id is None:
                yield from self._read(data)

    def answer(self) -> Answer:
        """What it came to, once the stream is over; :class:`WorkFailedError` if that is nothing."""
        if self._response_id is None:
            raise WorkFailedError("the stream ended before the response did")
        streamed = tuple(self._items[place] for place in sorted(self._items))
        items = tuple(filter(_is_whole, self._output or streamed))
        call_ids = _call_ids(filter(_is_whole, streamed))
        if _call_ids(items) != call_ids or len(set(call_ids)) < len(call_ids):
            raise WorkFailedError("the calls of the response are not those that it streamed")
        if any(_is_sealed_shut(one) for one in items):
            raise WorkFailedError("its reasoning came without what it takes to send it back")
        messages = [self._messages[place] for place in sorted(self._messages)]
        return Answer(self._response_id, items, call_ids, _text_of(messages))

    def _read(self, data: bytes) -> Iterator[BackendEvent]:
        text, raw = _object_in(data)
        if raw.get("type", _ERROR) == _ERROR:
            nested = raw.get("error")
            code = (nested if isinstance(nested, Mapping) else raw).get("code")
            raise WorkFailedError(f"the service reported an error ({shown_code(code)})")
        try:
            event = _EVENT.validate_json(text)
        except ValidationError:
            raise WorkFailedError("an event of the response is not what its type says") from None
        if not isinstance(event, OtherBackendEvent):
            self.is_begun = True
            self._note(event, raw)
            yield _trimmed(event)
            _refuse_unfinished(event)

    def _note(self, event: BackendEvent, raw: JsonObject) -> None:
        match event:
            case OutputItemDone(output_index=place, item=item):
                self._items[place] = _part(raw, "item")
                if isinstance(item, BackendMessage):
                    self._messages[place] = item
            case ResponseCompleted(response=response):
                self._response_id = response.id
                output = _part(raw, "response").get("output")
                listed = output if isinstance(output, list) else ()
                self._output = tuple(one for one in listed if isinstance(one, Mapping))
            case _:
                pass


def _object_in(data: bytes) -> tuple[str, JsonObject]:
    """The text of an event, and what it says."""
    with suppress(UnicodeDecodeError, JsonSyntaxError):
        text = data.decode()
        document = parse(text)
        if isinstance(document.value, Mapping) and not document.flaws:
            return text, document.value
    raise WorkFailedError("an event of the response is no JSON object")


def _part(raw: JsonObject, key: str) -> JsonObject:
    part = raw[key]
    return part if isinstance(part, Mapping) else {}


def _trimmed(event: BackendEvent) -> BackendEvent:
    """The event as a session would carry it: what the request said is not told again."""
    match event:
        case (
            ResponseCreated()
            | ResponseInProgress()
            | ResponseCompleted()
            | ResponseFailed()
            | ResponseIncomplete()
        ):
            return event.model_copy(update={"response": event.response.model_copy(update=_TRIMMED)})
        case _:
            return event


def _refuse_unfinished(event: BackendEvent) -> None:
    match event:
        case ResponseFailed(response=response):
            code = response.error.code if response.error else None
            raise WorkFailedError(f"the response failed ({shown_code(code)})")
        case ResponseIncomplete(response=response):
            details = response.incomplete_details
            reason = shown_code(details.reason if details else None)
            raise WorkFailedError(f"the response is incomplete ({reason})")
        case _:
            pass


def _is_whole(item: JsonObject) -> bool:
    """Whether it may be sent back: a call that broke off was run by nobody and has no output."""
    return item.get("type") != _CALL or item.get("status") in {None, "completed"}


def _call_ids(items: Iterable[JsonObject]) -> tuple[str, ...]:
    return tuple(str(one.get("call_id")) for one in items if one.get("type") == _CALL)


def _is_sealed_shut(item: JsonObject) -> bool:
    """Whether this is reasoning of which there is only a name, kept by nobody."""
    return item.get("type") == "reasoning" and not item.get("encrypted_content")


def _text_of(messages: Sequence[BackendMessage]) -> str:
    """What the response says: its answer, without what it remarked on the way to it."""
    answers = [one for one in messages if one.phase != "commentary"] or messages
    return "\n".join(filter(None, ("".join(map(_words, one.content)) for one in answers)))


def _words(part: object) -> str:
    match part:
        case OutputText(text=text):
            return text
        case Refusal(refusal=text):
            return text
        case _:
            return ""


def shown_code(code: JsonValue) -> str:
    """A code as the service gave it, if it looks like one."""
    return code if isinstance(code, str) and _CODE.fullmatch(code) else NO_CODE

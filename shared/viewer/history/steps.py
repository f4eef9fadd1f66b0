"""Steps of delegated work as any file tells them: the provider's own events, whole, in an envelope
or flattened by a harness, under the names of all ages.

Of an event a step keeps identities, a name, a status and, of a final answer, its text. Arguments,
results, requests and reasoning are not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from shared.values import JsonObject, JsonValue
from shared.viewer.history.untrusted import (
    first_identifier,
    first_instant_ms,
    identifier,
    label,
    record,
    records,
    text,
)

CLIENT: Final = "client"
COMPLETED, FAILED, INCOMPLETE = "completed", "failed", "incomplete"
_DEFAULT_TARGET: Final = "responses"


class StepKind(StrEnum):
    DELEGATED = "delegated"
    APPLICATION_ENDED = "application_ended"
    RESPONSE_BEGAN = "response_began"
    RESPONSE_ENDED = "response_ended"
    ITEM = "item"
    CALLED = "called"
    RETURNED = "returned"
    SENT_BACK = "sent_back"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Step:
    """One step. ``name`` is the tool's or the delegation's target; ``text`` is a final answer.

    ``is_item`` says that it came as a piece of a response's own output.
    """

    kind: StepKind
    at_ms: int | None
    delegation_id: str | None = None
    response_id: str | None = None
    previous_response_id: str | None = None
    call_id: str | None = None
    item_id: str | None = None
    name: str | None = None
    status: str | None = None
    text: str | None = None
    is_item: bool = False


_ENVELOPE: Final = "response.event"
_CREATED: Final = ("session.delegation.created", "delegation.created")
_APPLICATION: Final = {
    "client_delegation.completed": COMPLETED,
    "client_delegation.failed": FAILED,
}
_APPLICATION_FAILED: Final = "client_delegation_failed"
_ENDINGS: Final = {
    "response.completed": COMPLETED,
    "response.failed": FAILED,
    "response.incomplete": INCOMPLETE,
}
_ITEM_DONE: Final = "response.output_item.done"
_ITEMS: Final = ("response.output_item.added", _ITEM_DONE)
_RETURNS: Final = {"tool.completed": COMPLETED, "tool.failed": FAILED}
_OUTPUTS: Final = ("delegation.function_call_output.created", "response.item.create")
_SENT: Final = {
    "tool.outputs_sent": StepKind.SENT_BACK,
    "tool.outputs_refused": StepKind.REFUSED,
}


def steps(event: JsonObject, delegation_id: str | None = None) -> Iterator[Step]:
    """The steps that one event tells, most often one or none.

    ``delegation_id`` is the one named by the envelope in which the event came.
    """
    told_type = event.get("type", event.get("event_type"))
    kind = told_type if isinstance(told_type, str) else ""
    if kind == _ENVELOPE:
        yield from _unwrapped(event)
    elif kind in _CREATED:
        yield _delegated(event)
    elif kind in _APPLICATION or kind == "error":
        yield from _application_ended(event, _APPLICATION.get(kind))
    elif kind == "response.created":
        yield _step(StepKind.RESPONSE_BEGAN, event, delegation_id)
    elif kind in _ENDINGS:
        output = record(event.get("response")).get("output")
        yield from _messages(event, output, delegation_id)
        yield _step(StepKind.RESPONSE_ENDED, event, delegation_id, status=_ENDINGS[kind])
    elif kind in _ITEMS:
        yield from _item(event, delegation_id, is_done=kind == _ITEM_DONE)
    elif kind == "tool.called":
        yield _step(StepKind.CALLED, event, delegation_id, name=label(event.get("name")))
    elif kind in _RETURNS:
        name, status = label(event.get("name")), _RETURNS[kind]
        yield _step(StepKind.RETURNED, event, delegation_id, name=name, status=status)
    elif kind in _OUTPUTS and _is_output(record(event.get("item"))):
        yield _step(StepKind.RETURNED, event, delegation_id)
    elif kind in _SENT:
        yield _step(_SENT[kind], event, delegation_id)


def heard_ms(event: JsonObject) -> int | None:
    """When it happened in media time: at its receipt, where that was noted.

    What else there may be is a provider's own offset, which can lie some seconds off.
    """
    receipt = record(event.get("_relay_receipt"))
    return first_instant_ms(
        receipt.get("media_ms"),
        event.get("_evaluation_offset_ms"),
        event.get("timestamp_ms"),
        event.get("offset_ms"),
    )


def _unwrapped(envelope: JsonObject) -> Iterator[Step]:
    """What the event in an envelope tells, at the envelope's time. Envelopes do not nest."""
    inner = record(envelope.get("event"))
    if inner.get("type") == _ENVELOPE:
        return
    named = first_identifier(envelope.get("delegation_id"), envelope.get("delegation_item_id"))
    yield from steps({**inner, "_relay_receipt": {"media_ms": heard_ms(envelope)}}, named)


def _delegated(event: JsonObject) -> Step:
    made = record(event.get("delegation", event.get("item")))
    target = label(made.get("target")) or label(event.get("target")) or label(event.get("name"))
    return Step(
        StepKind.DELEGATED,
        heard_ms(event),
        first_identifier(
            made.get("id"), event.get("delegation_id"), event.get("delegation_item_id")
        ),
        first_identifier(made.get("response_id"), event.get("response_id")),
        name=target or _DEFAULT_TARGET,
    )


def _application_ended(event: JsonObject, status: str | None) -> Iterator[Step]:
    """The application's own word on work handed to it; an error of any other kind is none."""
    if status is None and record(event.get("error")).get("code") != _APPLICATION_FAILED:
        return
    yield _step(
        StepKind.APPLICATION_ENDED,
        event,
        None,
        status=status or FAILED,
        answer=text(event.get("text")) if status == COMPLETED else None,
    )


def _item(event: JsonObject, delegation_id: str | None, *, is_done: bool) -> Iterator[Step]:
    """A call, or a message that has come to its end; of other pieces only whose they are."""
    item = record(event.get("item"))
    kind = item.get("type")
    if kind == "message" and is_done:
        yield from _messages(event, [item], delegation_id)
    elif kind == "function_call" or (kind is None and identifier(event.get("call_id"))):
        name = label(item.get("name")) or label(event.get("name"))
        yield _step(StepKind.CALLED, event, delegation_id, name=name, is_item=True)
    else:
        yield _step(StepKind.ITEM, event, delegation_id, is_item=True)


def _messages(event: JsonObject, output: JsonValue, delegation_id: str | None) -> Iterator[Step]:
    """The final answers among pieces of output."""
    for item in records(output):
        answer = _final_answer(item)
        if answer is not None:
            yield _step(StepKind.ITEM, event, delegation_id, answer=answer, is_item=True)


def _final_answer(item: JsonObject) -> str | None:
    """What a finished message of the backend says; its notes on the way there are none."""
    is_final = (
        item.get("type") == "message"
        and item.get("role") in (None, "assistant")
        and item.get("status") in (None, COMPLETED)
        and item.get("phase") in (None, "final_answer")
    )
    if not is_final:
        return None
    parts = [
        told
        for part in records(item.get("content"))
        if part.get("type") == "output_text" and (told := text(part.get("text"))) is not None
    ]
    return text("".join(parts)) or None


def _is_output(item: JsonObject) -> bool:
    """Whether a call's output was handed back. What it was is not looked at."""
    return item.get("type", "function_call_output") == "function_call_output"


def _step(
    kind: StepKind,
    event: JsonObject,
    delegation_id: str | None,
    *,
    name: str | None = None,
    status: str | None = None,
    answer: str | None = None,
    is_item: bool = False,
) -> Step:
    item, response = record(event.get("item")), record(event.get("response"))
    return Step(
        kind,
        heard_ms(event),
        first_identifier(
            delegation_id, event.get("delegation_id"), event.get("delegation_item_id")
        ),
        first_identifier(event.get("response_id"), item.get("response_id"), response.get("id")),
        first_identifier(event.get("previous_response_id"), response.get("previous_response_id")),
        first_identifier(event.get("call_id"), item.get("call_id")),
        identifier(item.get("id")),
        name,
        status,
        answer,
        is_item,
    )

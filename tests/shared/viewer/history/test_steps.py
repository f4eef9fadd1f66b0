"""An event of delegated work is the same step under every name and in every envelope."""

from __future__ import annotations

from typing import Any

import pytest

from shared.viewer.history.steps import Step, StepKind, heard_ms, steps

DELEGATED = Step(StepKind.DELEGATED, 320, "d", "r", name="responses")


def only(event: dict[str, Any]) -> Step:
    (step,) = steps({"timestamp_ms": 320, **event})
    return step


@pytest.mark.parametrize(
    "event",
    [
        {"type": "session.delegation.created",
         "delegation": {"id": "d", "target": "responses", "response_id": "r"}},
        {"type": "delegation.created",
         "item": {"id": "d", "target": "responses", "response_id": "r"}},
        {"type": "session.delegation.created", "delegation_id": "d", "response_id": "r",
         "target": "responses"},
        {"type": "session.delegation.created", "delegation_item_id": "d", "response_id": "r"},
        {"event_type": "session.delegation.created", "delegation_id": "d", "response_id": "r",
         "name": "responses", "kind": "delegation"},
    ],
)  # fmt: skip
def test_a_delegation_is(event: dict[str, Any]) -> None:
    assert only(event) == DELEGATED


@pytest.mark.parametrize(
    ("event", "step"),
    [
        (
            {"type": "client_delegation.completed", "delegation_id": "d", "text": "Done."},
            Step(StepKind.APPLICATION_ENDED, 320, "d", status="completed", text="Done."),
        ),
        (
            {"type": "client_delegation.failed", "delegation_id": "d", "text": "secret"},
            Step(StepKind.APPLICATION_ENDED, 320, "d", status="failed"),
        ),
        (
            {"type": "error", "delegation_id": "d", "error": {"code": "client_delegation_failed"}},
            Step(StepKind.APPLICATION_ENDED, 320, "d", status="failed"),
        ),
        (
            {"type": "response.created",
             "response": {"id": "r", "previous_response_id": "p", "input": "secret"}},
            Step(StepKind.RESPONSE_BEGAN, 320, None, "r", "p"),
        ),
        (
            {"type": "response.incomplete", "response_id": "r", "delegation_item_id": "d"},
            Step(StepKind.RESPONSE_ENDED, 320, "d", "r", status="incomplete"),
        ),
        (
            {"type": "tool.called", "call_id": "c", "name": "book", "arguments": "secret"},
            Step(StepKind.CALLED, 320, call_id="c", name="book"),
        ),
        (
            {"type": "tool.failed", "call_id": "c", "name": "book", "error": "secret"},
            Step(StepKind.RETURNED, 320, call_id="c", name="book", status="failed"),
        ),
        (
            {"type": "response.output_item.done",
             "item": {"id": "i", "type": "function_call", "name": "book", "call_id": "c",
                      "arguments": "secret"}},
            Step(StepKind.CALLED, 320, call_id="c", item_id="i", name="book", is_item=True),
        ),
        (
            {"type": "response.output_item.done", "item": {"id": "i", "type": "reasoning",
                                                           "content": "secret"}},
            Step(StepKind.ITEM, 320, item_id="i", is_item=True),
        ),
        (
            {"type": "delegation.function_call_output.created", "item": {"call_id": "c",
                                                                         "output": "secret"}},
            Step(StepKind.RETURNED, 320, call_id="c"),
        ),
        (
            {"type": "response.item.create",
             "item": {"type": "function_call_output", "call_id": "c", "output": "secret"}},
            Step(StepKind.RETURNED, 320, call_id="c"),
        ),
        (
            {"type": "tool.outputs_sent", "response_id": "r"},
            Step(StepKind.SENT_BACK, 320, None, "r"),
        ),
    ],
)  # fmt: skip
def test_a_step_is(event: dict[str, Any], step: Step) -> None:
    assert only(event) == step


@pytest.mark.parametrize(
    "event",
    [
        {"type": "error", "error": {"code": "other"}},
        {"type": "error", "error": "client_delegation_failed"},
        {"type": "response.item.create", "item": {"type": "message", "content": "secret"}},
        {"type": "simulator.action"},
        {"type": "session.context.append", "content": "secret"},
        {"type": ["tool.called"]},
        {"type": "response.event", "event": {"type": "response.event"}},
        {},
    ],
)
def test_no_step_is(event: dict[str, Any]) -> None:
    assert list(steps(event)) == []


def message(**changes: Any) -> dict[str, Any]:
    parts = [{"type": "output_text", "text": "Booked"}, {"type": "output_text", "text": "."}]
    return {"id": "i", "type": "message", "role": "assistant", "content": parts, **changes}


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({}, "Booked."),
        ({"status": "completed", "phase": "final_answer"}, "Booked."),
        ({"status": None, "phase": None, "role": None}, "Booked."),
        ({"phase": "commentary"}, None),
        ({"status": "in_progress"}, None),
        ({"role": "user"}, None),
        ({"content": [{"type": "input_text", "text": "secret"}]}, None),
        ({"content": [{"type": "refusal", "refusal": "secret"}]}, None),
        ({"content": "secret"}, None),
        ({"content": [{"type": "output_text", "text": 3}]}, None),
    ],
)
def test_only_a_final_answer_is_told(change: dict[str, Any], text: str | None) -> None:
    done = {"type": "response.output_item.done", "item": message(**change)}
    assert [step.text for step in steps(done)] == ([] if text is None else [text])
    ended = {"type": "response.completed", "response": {"id": "r", "output": [message(**change)]}}
    assert [step.text for step in steps(ended)] == [*([] if text is None else [text]), None]


def test_a_message_that_is_only_begun_says_nothing() -> None:
    assert only({"type": "response.output_item.added", "item": message()}).text is None


def test_an_envelope_gives_its_owner_and_its_time() -> None:
    inner = {"type": "response.created", "response": {"id": "r"}, "offset_ms": 5}
    envelope = {"type": "response.event", "delegation_id": "d", "event": inner}
    assert only({**envelope, "_relay_receipt": {"media_ms": 330}}) == Step(
        StepKind.RESPONSE_BEGAN, 330, "d", "r"
    )


@pytest.mark.parametrize(
    ("event", "at_ms"),
    [
        ({"_relay_receipt": {"media_ms": 1}, "_evaluation_offset_ms": 2, "offset_ms": 4}, 1),
        ({"_relay_receipt": {"media_ms": "1"}, "_evaluation_offset_ms": 2}, 2),
        ({"timestamp_ms": 3, "offset_ms": 4}, 3),
        ({"offset_ms": 4}, 4),
        ({"event_time_ms": 5}, None),
        ({"offset_ms": -1}, None),
    ],
)
def test_the_position_at_receipt_goes_before_any_offset(
    event: dict[str, Any], at_ms: int | None
) -> None:
    assert heard_ms(event) == at_ms

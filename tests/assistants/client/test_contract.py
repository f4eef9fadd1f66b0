"""The contract with a remote application: what is a message, what is none, what is said of it."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from assistants.client.contract import (
    ID_MAX,
    MESSAGE_BYTES_MAX,
    TEXT_MAX,
    WHOLE_MAX,
    BrokenContractError,
    encode,
    message_to_application,
    message_to_harness,
)
from assistants.client.contract_schema import DIRECTIONS, SCHEMA_FILE, rendered_schema

SCHEMA = json.loads(SCHEMA_FILE.read_text("utf-8"))
READ = {"MessageToApplication": message_to_application, "MessageToHarness": message_to_harness}
SECRET = "sk-nobody-may-see-this"

type Message = dict[str, Any]


def validator(direction: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator({**SCHEMA, "anyOf": [{"$ref": f"#/$defs/{direction}"}]})


def test_the_shipped_file_is_what_the_types_say() -> None:
    assert SCHEMA_FILE.read_text("utf-8") == rendered_schema(), (
        "run: uv run python -m assistants.client.contract_schema"
    )
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def configure(*texts: str) -> Message:
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
        for text in texts
    ]
    return {"type": "session.configure", "version": 1, "initial_items": items}


def live(kind: str, **fields: Any) -> Message:
    return {"type": "live.event", "event": {"type": kind, **fields}}


def heard(**edits: Any) -> Message:
    fields = {"start_ms": 0, "end_ms": 200, "delta": "Hello"}
    return live("session.input_transcript.delta", **{**fields, **edits})


def delegated(delegation_id: Any = "d1", target: str = "client", **fields: Any) -> Message:
    delegation = {"id": delegation_id, "target": target}
    return live("session.delegation.created", offset_ms=0, delegation=delegation, **fields)


def ready(**fields: Any) -> Message:
    return {"type": "session.ready", "version": 1, **fields}


def reported(kind: str, **fields: Any) -> Message:
    return {"type": "assistant.event", "event": {"type": kind, **fields}}


def called(**edits: Any) -> Message:
    fields = {"call_id": "c1", "name": "look_up", "arguments": "{}", "delegation_id": "d1"}
    return reported("tool.called", **{**fields, **edits})


def says(content: Any = "Done.", kind: str = "session.commentary.append", **edits: Any) -> Message:
    return {
        "type": "live.send",
        "event": {"type": kind, "delegation_id": "d1", "content": content, **edits},
    }


def gives_up(code: Any = "busy", **fields: Any) -> Message:
    return {"type": "error", "error": {"code": code, "message": "no", **fields}}


OF_A_RESPONSE = {"response_id": "r1", "delegation_id": "d1"}
TO_APPLICATION, TO_HARNESS = DIRECTIONS
TAKEN = {
    "a-start-without-history": (TO_APPLICATION, configure()),
    "the-longest-history": (TO_APPLICATION, configure(*["x"] * 128)),
    "a-fragment": (TO_APPLICATION, heard(event_id="event_1")),
    "a-fragment-without-words": (TO_APPLICATION, heard(delta="")),
    "the-latest-fragment": (TO_APPLICATION, heard(start_ms=WHOLE_MAX, end_ms=WHOLE_MAX)),
    "the-voices-fragment": (
        TO_APPLICATION,
        live("session.output_transcript.delta", start_ms=1, end_ms=2, delta="Hm"),
    ),
    "a-delegation": (TO_APPLICATION, delegated()),
    "the-longest-id": (TO_APPLICATION, delegated("d" * ID_MAX)),
    "the-end": (TO_APPLICATION, live("session.closed", reason="close_requested")),
    "ready": (TO_HARNESS, ready()),
    "ready-with-a-state": (TO_HARNESS, ready(application_state={"orders": []})),
    "ready-with-null-for-no-state": (TO_HARNESS, ready(application_state=None)),
    "a-call": (TO_HARNESS, called(response_id="r1")),
    "a-call-with-broken-arguments": (TO_HARNESS, called(arguments="{")),
    "a-result-of-any-kind": (TO_HARNESS, reported("tool.completed", call_id="c1", result=[1])),
    "no-result": (TO_HARNESS, reported("tool.completed", call_id="c1", result=None)),
    "a-refusal": (TO_HARNESS, reported("tool.failed", call_id="c1", error="no")),
    "a-response": (TO_HARNESS, reported("response.created", **OF_A_RESPONSE)),
    "a-text": (TO_HARNESS, reported("response.text", **OF_A_RESPONSE, text="")),
    "a-response-and-its-tokens": (
        TO_HARNESS,
        reported("response.completed", **OF_A_RESPONSE, model="m", usage={"total_tokens": 3}),
    ),
    "a-response-that-failed": (
        TO_HARNESS,
        reported("response.failed", **OF_A_RESPONSE, code="server_error"),
    ),
    "a-response-cut-short": (TO_HARNESS, reported("response.incomplete", **OF_A_RESPONSE)),
    "a-handover": (
        TO_HARNESS,
        reported("client_delegation.handoff", delegation_id="d1", news=""),
    ),
    "an-end": (TO_HARNESS, reported("client_delegation.completed", delegation_id="d1")),
    "a-failure": (TO_HARNESS, reported("client_delegation.failed", delegation_id="d1")),
    "a-replacement": (TO_HARNESS, reported("client_delegation.superseded", delegation_id="d1")),
    "something-to-say": (TO_HARNESS, says()),
    "the-longest-thing-to-say": (TO_HARNESS, says("x" * TEXT_MAX)),
    "something-to-know": (TO_HARNESS, says(kind="session.thinking.append")),
    "through": (TO_HARNESS, {"type": "session.closed"}),
    "given-up": (TO_HARNESS, gives_up()),
}
REFUSED = {
    "another-version": (TO_APPLICATION, {**configure(), "version": 2}),
    "no-version": (TO_APPLICATION, {"type": "session.configure", "initial_items": []}),
    "a-version-as-text": (TO_APPLICATION, {**configure(), "version": "1"}),
    "a-history-one-too-long": (TO_APPLICATION, configure(*["x"] * 129)),
    "a-start-with-instructions": (TO_APPLICATION, {**configure(), "instructions": "x"}),
    "a-start-with-a-state": (TO_APPLICATION, {**configure(), "application_state": {}}),
    "sound": (TO_APPLICATION, live("session.output_audio.delta", delta="AAAA")),
    "an-instant-before-the-call": (TO_APPLICATION, heard(start_ms=-1)),
    "an-instant-that-is-true": (TO_APPLICATION, heard(start_ms=True)),
    "an-instant-beyond-any": (TO_APPLICATION, heard(end_ms=WHOLE_MAX + 1)),
    "words-that-are-none": (TO_APPLICATION, heard(delta=None)),
    "a-fragment-with-more": (TO_APPLICATION, heard(item_id="i")),
    "an-empty-id": (TO_APPLICATION, delegated("")),
    "an-id-one-too-long": (TO_APPLICATION, delegated("d" * (ID_MAX + 1))),
    "an-id-that-is-a-number": (TO_APPLICATION, delegated(1)),
    "somebody-elses-delegation": (TO_APPLICATION, delegated(target="responses")),
    "an-event-of-its-own": (TO_APPLICATION, heard()["event"]),
    "an-answer-the-wrong-way": (TO_APPLICATION, ready()),
    "ready-for-another-version": (TO_HARNESS, {"type": "session.ready", "version": 2}),
    "ready-with-a-list-for-a-state": (TO_HARNESS, ready(application_state=[])),
    "ready-with-more": (TO_HARNESS, ready(session="s")),
    "a-call-without-an-owner": (
        TO_HARNESS,
        reported("tool.called", call_id="c", name="n", arguments="{}"),
    ),
    "arguments-that-are-no-text": (TO_HARNESS, called(arguments={})),
    "a-call-with-more": (TO_HARNESS, called(note="x")),
    "an-outcome-without-a-result": (TO_HARNESS, reported("tool.completed", call_id="c1")),
    "fewer-tokens-than-none": (
        TO_HARNESS,
        reported("response.completed", **OF_A_RESPONSE, usage={"total_tokens": -1}),
    ),
    "tokens-of-another-kind": (
        TO_HARNESS,
        reported("response.completed", **OF_A_RESPONSE, usage={"audio_tokens": 1}),
    ),
    "an-error-among-events": (TO_HARNESS, reported("error", message="x")),
    "something-to-say-in-general": (TO_HARNESS, says(delegation_id=None)),
    "nothing-to-say": (TO_HARNESS, says("")),
    "blanks-to-say": (TO_HARNESS, says(" \n")),
    "one-letter-too-many-to-say": (TO_HARNESS, says("x" * (TEXT_MAX + 1))),
    "instructions-for-the-voice": (TO_HARNESS, says(kind="session.instructions.append")),
    "an-append-with-an-id-of-its-own": (TO_HARNESS, says(event_id="e")),
    "a-code-that-is-a-sentence": (TO_HARNESS, gives_up("I am busy")),
    "a-code-one-too-long": (TO_HARNESS, gives_up("x" * 65)),
    "an-error-with-more": (TO_HARNESS, gives_up(trace="x")),
    "a-question-the-wrong-way": (TO_HARNESS, configure()),
    "no-type": (TO_HARNESS, {"version": 1}),
    "a-type-nobody-knows": (TO_HARNESS, {"type": "hello"}),
}
UNSOUND = {
    "nothing": "",
    "half-of-it": '{"type":"session.ready"',
    "a-list": '[{"type":"session.ready","version":1}]',
    "two-of-them": '{"type":"session.closed"}{"type":"session.closed"}',
    "a-key-twice": '{"type":"session.ready","version":1,"version":1}',
    "no-number": '{"type":"session.ready","version":1,"application_state":{"a":NaN}}',
    "half-a-character": '{"type":"session.ready","version":1,"application_state":{"a":"\\ud800"}}',
    "too-deep": '{"type":"session.ready","version":1,"application_state":{"a":'
    + "[" * 80
    + "]" * 80
    + "}}",
}


@pytest.mark.parametrize("name", TAKEN)
def test_it_takes(name: str) -> None:
    direction, message = TAKEN[name]
    assert list(validator(direction).iter_errors(message)) == []
    read = READ[direction](json.dumps(message))
    assert READ[direction](encode(read)) == read


@pytest.mark.parametrize("name", REFUSED)
def test_it_refuses(name: str) -> None:
    direction, message = REFUSED[name]
    assert list(validator(direction).iter_errors(message)) != []
    with pytest.raises(BrokenContractError):
        READ[direction](json.dumps(message))


@pytest.mark.parametrize("name", UNSOUND)
def test_it_refuses_what_two_readers_could_read_differently(name: str) -> None:
    with pytest.raises(BrokenContractError):
        message_to_harness(UNSOUND[name])


def test_what_is_blank_to_some_alone_is_blank() -> None:
    with pytest.raises(BrokenContractError):
        message_to_harness(json.dumps(says("\x1c\x1f")))


def test_a_binary_message_is_none() -> None:
    with pytest.raises(BrokenContractError, match="a binary message"):
        message_to_harness(json.dumps(ready()).encode())


@pytest.mark.parametrize(
    ("size", "is_taken"),
    [
        pytest.param(MESSAGE_BYTES_MAX - 1, True, id="one-byte-fewer"),
        pytest.param(MESSAGE_BYTES_MAX, True, id="exactly-the-largest"),
        pytest.param(MESSAGE_BYTES_MAX + 1, False, id="one-byte-more"),
    ],
)
@pytest.mark.parametrize("letter", ["x", "ü"])
def test_a_message_of(size: int, is_taken: bool, letter: str) -> None:
    text = json.dumps(ready(application_state={"a": "@"}), ensure_ascii=False)
    room = size - len(text.encode()) + 1
    width = len(letter.encode())
    filled = text.replace("@", "." * (room % width) + letter * (room // width))
    assert len(filled.encode()) == size
    if is_taken:
        message_to_harness(filled)
    else:
        with pytest.raises(BrokenContractError, match="over 262144 bytes"):
            message_to_harness(filled)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        pytest.param({"type": SECRET}, "no such type", id="a-type"),
        pytest.param({**ready(), SECRET: SECRET}, "a key that the contract", id="a-key"),
        pytest.param(called(**{SECRET: 1}), "tool.called", id="a-key-of-an-event"),
        pytest.param(ready(application_state=SECRET), "application_state", id="a-value"),
        pytest.param(gives_up(f"{SECRET} {SECRET}"), "error", id="a-code"),
        pytest.param(reported(SECRET), "no such type", id="an-event"),
    ],
)
def test_what_is_told_of_it_holds_nothing_of_it(message: Message, told: str) -> None:
    with pytest.raises(BrokenContractError) as broken:
        message_to_harness(json.dumps(message))
    assert SECRET not in str(broken.value)
    assert told in str(broken.value)
    assert "\n" not in str(broken.value)

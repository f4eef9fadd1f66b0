"""Every message is exactly one event, an event of tomorrow, or a named fault; never a crash."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistants.frontend.backend_events import (
    FunctionCall,
    OtherBackendEvent,
    OtherItem,
    OutputItemDone,
    ResponseCompleted,
)
from assistants.frontend.events import (
    CLIENT_EVENT_TYPES,
    ErrorEvent,
    InputAudioAppend,
    MalformedKind,
    MalformedMessage,
    OutputAudioDelta,
    ResponseEvent,
    SessionClose,
    SessionClosed,
    SessionStart,
    ThinkingAppend,
    UnknownEvent,
    appended_samples,
    decode_audio,
    encode,
    encode_audio,
    encoded_append,
    parse_client_event,
    parse_server_event,
)
from assistants.frontend.session_config import SessionConfig

START = {"type": "session.start", "event_id": "e1", "session": {"model": "gpt-live-1"}}
DELTA = {"type": "session.output_audio.delta", "delta": "AAAA"}


def a_start(**session: object) -> str:
    return json.dumps(START | {"session": {"model": "gpt-live-1", **session}})


def a_backend(**responses: object) -> str:
    settings = {"model": "a-backend", **responses}
    return a_start(delegation={"type": "responses", "responses": settings})


def a_backend_event(**event: object) -> str:
    return json.dumps({"type": "response.event", "event_id": "event_1", "event": event})


def fault_of(text: str) -> MalformedMessage:
    with pytest.raises(MalformedMessage) as caught:
        parse_client_event(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "kind", "param"),
    [
        pytest.param("", MalformedKind.NOT_JSON, None, id="nothing"),
        pytest.param("nope", MalformedKind.NOT_JSON, None, id="a-word"),
        pytest.param('{"type":', MalformedKind.NOT_JSON, None, id="cut-short"),
        pytest.param("\ud800", MalformedKind.NOT_JSON, None, id="a-lone-surrogate"),
        pytest.param('{"type":"\\ud800"}', MalformedKind.NOT_JSON, None, id="an-escaped-one"),
        pytest.param("[" * 100_000, MalformedKind.NOT_JSON, None, id="bottomless-nesting"),
        pytest.param(
            '{"type":"session.close","event_id":' + "9" * 5_000 + "}",
            MalformedKind.NOT_JSON,
            None,
            id="a-number-of-5000-digits",
        ),
        pytest.param("[]", MalformedKind.NOT_AN_OBJECT, None, id="a-list"),
        pytest.param("null", MalformedKind.NOT_AN_OBJECT, None, id="null"),
        pytest.param("{}", MalformedKind.MISSING_FIELD, "type", id="no-type"),
        pytest.param('{"type":3}', MalformedKind.UNKNOWN_TYPE, "type", id="a-number-for-a-type"),
        pytest.param(
            '{"type":"session.input_audio.commit"}',
            MalformedKind.UNKNOWN_TYPE,
            "type",
            id="an-event-of-another-dialect",
        ),
        pytest.param(
            '{"type":"session.close","x":1}', MalformedKind.UNKNOWN_FIELD, "x", id="an-extra-field"
        ),
        pytest.param(
            '{"type":"session.close","event_id":5}',
            MalformedKind.WRONG_VALUE,
            "event_id",
            id="an-id-that-is-a-number",
        ),
        pytest.param(
            '{"type":"session.thinking.append","content":"x"}',
            MalformedKind.MISSING_FIELD,
            "delegation_id",
            id="an-append-that-leaves-the-delegation-open",
        ),
        pytest.param(
            '{"type":"session.update","session":{"instructions":"x"}}',
            MalformedKind.UNKNOWN_FIELD,
            "session.instructions",
            id="an-update-of-the-instructions",
        ),
        pytest.param(
            '{"type":"response.item.create","item":{"type":"function_call_output","output":"x"}}',
            MalformedKind.MISSING_FIELD,
            "item.call_id",
            id="an-output-of-no-call",
        ),
    ],
)
def test_a_client_may_not_send(text: str, kind: MalformedKind, param: str | None) -> None:
    fault = fault_of(text)
    assert (fault.kind, fault.param) == (kind, param)


@pytest.mark.parametrize(
    ("text", "kind", "param"),
    [
        pytest.param(
            a_start(turn_detection={}),
            MalformedKind.UNKNOWN_FIELD,
            "session.turn_detection",
            id="turn-detection",
        ),
        pytest.param(
            a_start(tools=[]), MalformedKind.UNKNOWN_FIELD, "session.tools", id="tools-at-the-top"
        ),
        pytest.param(
            a_start(audio={"format": {"type": "audio/pcm", "rate": 48_000}}),
            MalformedKind.WRONG_VALUE,
            "session.audio.format.rate",
            id="a-rate-it-has-not",
        ),
        pytest.param(
            a_start(audio={"format": {"type": "audio/pcm", "rate": "24000"}}),
            MalformedKind.WRONG_VALUE,
            "session.audio.format.rate",
            id="a-number-in-quotes",
        ),
        pytest.param(
            a_start(audio={"format": {"type": "audio/pcmu", "rate": 16_000}}),
            MalformedKind.WRONG_VALUE,
            "session.audio.format.rate",
            id="telephone-audio-at-another-rate",
        ),
        pytest.param(
            a_start(delegation={"type": "none"}),
            MalformedKind.WRONG_VALUE,
            "session.delegation",
            id="a-delegation-of-no-kind",
        ),
        pytest.param(
            a_start(delegation={"type": "responses"}),
            MalformedKind.MISSING_FIELD,
            "session.delegation.responses",
            id="a-backend-without-settings",
        ),
        pytest.param(
            a_backend(reasoning={"effort": "max"}),
            MalformedKind.WRONG_VALUE,
            "session.delegation.responses.reasoning.effort",
            id="an-effort-it-has-not",
        ),
        pytest.param(
            a_backend(max_output_tokens=15),
            MalformedKind.WRONG_VALUE,
            "session.delegation.responses.max_output_tokens",
            id="fifteen-output-tokens",
        ),
        pytest.param(
            a_backend(tools=[{"type": "function"}]),
            MalformedKind.MISSING_FIELD,
            "session.delegation.responses.tools[0].name",
            id="a-tool-without-a-name",
        ),
        pytest.param(
            a_backend(tools=[{"type": "function", "function": {"name": "a"}}]),
            MalformedKind.UNKNOWN_FIELD,
            "session.delegation.responses.tools[0].function",
            id="a-tool-nested-as-in-chat",
        ),
        pytest.param(
            a_start(input=[{"role": "system", "content": [{"text": "a"}]}]),
            MalformedKind.WRONG_VALUE,
            "session.input[0]",
            id="a-system-message-in-the-history",
        ),
        pytest.param(
            a_start(input=[{"role": "user", "content": [{"text": "a"}, {"text": "b"}]}]),
            MalformedKind.WRONG_VALUE,
            "session.input[0].content",
            id="two-parts-in-one-message",
        ),
        pytest.param(
            a_start(input=[{"role": "user", "content": [{"text": "a"}]}] * 129),
            MalformedKind.WRONG_VALUE,
            "session.input",
            id="a-129th-message-of-history",
        ),
        pytest.param(
            json.dumps(START | {"session": {}}),
            MalformedKind.MISSING_FIELD,
            "session.model",
            id="no-model",
        ),
    ],
)
def test_a_session_may_not_ask_for(text: str, kind: MalformedKind, param: str) -> None:
    fault = fault_of(text)
    assert (fault.kind, fault.param, fault.event_id) == (kind, param, "e1")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(a_start(delegation=None), id="no-delegation-said-with-null"),
        pytest.param(a_start(instructions=None, input=[]), id="defaults-said-aloud"),
        pytest.param(a_backend(max_output_tokens=16), id="sixteen-output-tokens"),
        pytest.param(a_backend(tools=[{"type": "web_search", "x": 1}]), id="a-hosted-tool"),
        pytest.param(
            a_start(input=[{"role": "user", "content": [{"text": "a"}]}] * 128), id="128-messages"
        ),
        pytest.param(a_start(audio={"output": {"voice": {"id": "v"}}}), id="a-voice-of-ones-own"),
    ],
)
def test_a_session_may_ask_for(text: str) -> None:
    assert isinstance(parse_client_event(text), SessionStart)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_no_number_without_end_gets_in(number: str) -> None:
    tool = {"type": "function", "name": "a", "parameters": {"most": ["MOST"]}}
    text = a_backend(tools=[tool]).replace('"MOST"', number)
    assert fault_of(text).kind in {MalformedKind.NOT_JSON, MalformedKind.WRONG_VALUE}


@pytest.mark.parametrize("parse", [parse_client_event, parse_server_event])
def test_a_constant_that_json_lacks_is_refused_where_nobody_looks(parse) -> None:
    text = '{"type":"session.output_audio.delta","delta":"","x":NaN}'
    with pytest.raises(MalformedMessage):
        parse(text)


def test_words_that_look_like_such_constants_are_words() -> None:
    text = '{"type":"session.commentary.append","content":"NaN, Infinity","delegation_id":null}'
    assert encode(parse_client_event(text)) == text


@given(st.text() | st.recursive(st.none() | st.text(), st.lists).map(json.dumps))
def test_whatever_comes_is_an_event_or_a_fault(text: str) -> None:
    for parse in (parse_client_event, parse_server_event):
        with contextlib.suppress(MalformedMessage):
            parse(text)


def test_a_server_event_of_tomorrow_is_an_unknown_event() -> None:
    event = parse_server_event('{"type":"session.future","event_id":"event_1","shiny":[1]}')
    assert event == UnknownEvent(type="session.future", event_id="event_1")


def test_fields_of_tomorrow_are_ignored() -> None:
    assert parse_server_event(json.dumps(DELTA | {"hue": "blue"})) == OutputAudioDelta(delta="AAAA")


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param({"type": DELTA["type"]}, id="a-delta-without-audio"),
        pytest.param(DELTA | {"delta": 5}, id="a-delta-that-is-a-number"),
        pytest.param({"type": "session.closed", "event_id": "e"}, id="an-end-without-a-reason"),
        pytest.param(
            {
                "type": "session.input_transcript.delta",
                "event_id": "e",
                "delta": "x",
                "start_ms": "0",
                "end_ms": 200,
            },
            id="a-time-in-quotes",
        ),
        pytest.param(
            {"type": "error", "event_id": "e", "error": {"type": "server_error"}},
            id="an-error-without-a-message",
        ),
        pytest.param(
            {"type": "response.event", "event_id": "e", "event": {}}, id="a-nested-event-of-no-kind"
        ),
        pytest.param(
            {
                "type": "response.event",
                "event_id": "e",
                "event": {
                    "type": "response.output_item.done",
                    "output_index": 0,
                    "sequence_number": 1,
                    "item": {"type": "function_call", "name": "a", "arguments": "{}"},
                },
            },
            id="a-call-without-an-id",
        ),
    ],
)
def test_a_known_server_event_must_be_whole(broken: dict[str, object]) -> None:
    with pytest.raises(MalformedMessage):
        parse_server_event(json.dumps(broken))


def test_an_error_may_lack_code_and_parameter() -> None:
    text = (
        '{"type":"error","event_id":"e",'
        '"error":{"type":"server_error","code":null,"message":"m","param":null}}'
    )
    event = parse_server_event(text)
    assert isinstance(event, ErrorEvent)
    assert (event.error.code, event.error.param) == (None, None)


def test_an_end_without_session_and_usage_is_an_end() -> None:
    event = parse_server_event('{"type":"session.closed","event_id":"e","reason":"new"}')
    assert event == SessionClosed(event_id="e", reason="new")


def test_a_call_is_read_out_of_its_envelope() -> None:
    item = {"type": "function_call", "id": "fc_1", "status": "completed", "name": "look_up"}
    text = a_backend_event(
        type="response.output_item.done",
        output_index=0,
        sequence_number=5,
        item=item | {"call_id": "call_1", "arguments": "{broken"},
    )
    envelope = parse_server_event(text)
    assert isinstance(envelope, ResponseEvent)
    assert envelope.event == OutputItemDone(
        output_index=0,
        sequence_number=5,
        item=FunctionCall(
            id="fc_1", status="completed", name="look_up", call_id="call_1", arguments="{broken"
        ),
    )


def test_backend_events_and_items_of_no_interest_are_named_only() -> None:
    thinking = parse_server_event(a_backend_event(type="response.reasoning.delta", delta="hm"))
    item = parse_server_event(
        a_backend_event(
            type="response.output_item.added",
            output_index=0,
            sequence_number=2,
            item={"type": "reasoning", "summary": []},
        )
    )
    assert isinstance(thinking, ResponseEvent)
    assert thinking.event == OtherBackendEvent(type="response.reasoning.delta")
    assert isinstance(item, ResponseEvent)
    assert getattr(item.event, "item", None) == OtherItem(type="reasoning")


def test_a_completed_response_tells_what_it_consumed() -> None:
    envelope = parse_server_event(
        a_backend_event(
            type="response.completed",
            sequence_number=7,
            response={
                "id": "resp_1",
                "status": "completed",
                "usage": {"input_tokens": 4, "output_tokens": 3, "total_tokens": 7, "new": 1},
            },
        )
    )
    assert isinstance(envelope, ResponseEvent)
    assert isinstance(envelope.event, ResponseCompleted)
    assert envelope.event.response.usage is not None
    assert envelope.event.response.usage.total_tokens == 7


def test_absent_fields_stay_absent_and_nulls_that_count_stay_null() -> None:
    assert json.loads(encode(SessionClose())) == {"type": "session.close"}
    assert json.loads(encode(ThinkingAppend(content="x", delegation_id=None))) == {
        "type": "session.thinking.append",
        "content": "x",
        "delegation_id": None,
    }
    start = encode(SessionStart(session=SessionConfig(model="gpt-live-1")))
    assert json.loads(start) == {"type": "session.start", "session": {"model": "gpt-live-1"}}


@given(st.binary())
def test_an_append_is_written_as_any_other_event(samples: bytes) -> None:
    assert encoded_append(samples) == encode(InputAudioAppend(audio=encode_audio(samples)))


@given(st.binary())
def test_an_append_written_so_is_read_at_a_glance(samples: bytes) -> None:
    assert appended_samples(encoded_append(samples)) == samples


APPEND = '{"type":"session.input_audio.append","audio":"%s"}'


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(APPEND % "AAA", id="padding-lacks"),
        pytest.param(APPEND % "AA AA", id="a-blank-within"),
        pytest.param(APPEND % "ÄÖÜß", id="other-letters"),
        pytest.param(APPEND % "\\u0041AAA", id="an-escape"),
        pytest.param(APPEND % 'AAAA","event_id":"a', id="one-field-more"),
        pytest.param(APPEND[:-4] + "}", id="a-quote-that-would-count-twice"),
        pytest.param(" " + APPEND % "AAAA", id="a-blank-before"),
        pytest.param(APPEND % "AAAA" + "\n", id="a-line-end-after"),
        pytest.param('{"audio":"AAAA","type":"session.input_audio.append"}', id="the-other-order"),
        pytest.param('{"type":"session.close"}', id="another-event"),
        pytest.param("", id="nothing"),
    ],
)
def test_what_is_written_otherwise_is_not(text: str) -> None:
    assert appended_samples(text) is None


@given(st.text('A=+/a\\"}, ') | st.text())
def test_whatever_is_read_at_a_glance_is_what_parsing_finds(audio: str) -> None:
    samples = appended_samples(APPEND % audio)
    if samples is not None:
        event = parse_client_event(APPEND % audio)
        assert event == InputAudioAppend(audio=audio)
        assert decode_audio(audio) == samples


@given(st.binary())
def test_audio_survives_the_wire(samples: bytes) -> None:
    event = parse_client_event(encode(InputAudioAppend(audio=encode_audio(samples))))
    assert isinstance(event, InputAudioAppend)
    assert decode_audio(event.audio) == samples


@pytest.mark.parametrize("text", ["%%%", "AAA", "AA AA", "AAAA\n", "ÄÖÜß"])
def test_audio_that_is_no_base64_is_a_fault(text: str) -> None:
    with pytest.raises(MalformedMessage) as caught:
        decode_audio(text)
    assert caught.value.kind is MalformedKind.BAD_AUDIO


def test_a_client_knows_eleven_commands() -> None:
    assert len(CLIENT_EVENT_TYPES) == len(set(CLIENT_EVENT_TYPES)) == 11

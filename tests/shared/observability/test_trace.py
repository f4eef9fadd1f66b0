"""The trace: every message once, in order, numbered and masked; audio counted and never kept."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistants.frontend.vocabulary import VOCABULARY
from shared.observability.redaction import Masker
from shared.observability.trace import LONGEST_TEXT, MOST_MESSAGES_PER_ROW, Trace
from shared.strict_json import MAX_DEPTH

KNOWN = "a-secret-of-ours"
SILENCE = base64.b64encode(bytes(960)).decode()
SOUND = base64.b64encode(bytes(range(1, 241)) * 4).decode()

type Row = dict[str, Any]


def spoken(audio: str) -> str:
    return json.dumps({"type": "session.input_audio.append", "audio": audio})


def heard(audio: str) -> str:
    return json.dumps({"type": "session.output_audio.delta", "delta": audio})


def rows_of(*messages: tuple[str, str | bytes], every_us: int = 20_000) -> list[Row]:
    """The rows of messages that came at a steady pace."""
    trace = Trace(Masker([KNOWN]), VOCABULARY)
    for index, (direction, message) in enumerate(messages):
        trace.message(direction, message, index * every_us)
    return [json.loads(line) for line in trace.lines()]


def the_row(message: str | bytes) -> Row:
    (row,) = rows_of(("received", message))
    return row


def test_a_row_says_what_when_from_whom_and_which_way() -> None:
    message = {"type": "session.started", "session": {"id": "s"}}

    assert rows_of(("sent", '{"type":"session.start"}'), ("received", json.dumps(message))) == [
        {
            "type": "session.start",
            "event_index": 1,
            "event_time_ms": 0.0,
            "source": "live_frontend",
            "direction": "client_to_server",
            "event": {"type": "session.start"},
        },
        {
            "type": "session.started",
            "event_index": 2,
            "event_time_ms": 20.0,
            "source": "live_frontend",
            "direction": "server_to_client",
            "event": message,
        },
    ]


def test_what_the_backend_says_has_its_own_source() -> None:
    assert the_row('{"type":"response.event","event":{}}')["source"] == "delegated_responses"


def test_our_own_events_are_internal() -> None:
    trace = Trace(Masker(), VOCABULARY)
    trace.internal("evaluation.outcome.assessed", "evaluator", 5, {"status": "passed"})
    (line,) = trace.lines()
    row = json.loads(line)

    assert (row["source"], row["direction"]) == ("evaluator", "internal")
    assert row["event"] == {"status": "passed"}


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        pytest.param("not json", "unreadable", id="that-is-no-json"),
        pytest.param("[1]", "unreadable", id="that-is-no-object"),
        pytest.param("", "unreadable", id="that-is-empty"),
        pytest.param('{"a":1}', "untyped", id="without-a-type"),
        pytest.param('{"type":["a"]}', "untyped", id="whose-type-is-no-text"),
        pytest.param(b"\x00\x01", "binary", id="of-bytes"),
        pytest.param(
            '{"type":"a","b":' + "[" * MAX_DEPTH + "]" * MAX_DEPTH + "}",
            "unreadable",
            id="one-level-too-deep",
        ),
        pytest.param(
            '{"type":"a","b":' + "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1) + "}",
            "a",
            id="as-deep-as-may-be",
        ),
        pytest.param('{"type":"a","b":' + "[" * 900 + "]" * 900 + "}", "unreadable", id="deeper"),
        pytest.param("[" * 100_000, "unreadable", id="so-deep-that-the-parser-gives-up"),
    ],
)
def test_a_message_is_noted_all_the_same(message: str | bytes, kind: str) -> None:
    assert the_row(message)["type"] == kind


def test_bytes_are_counted() -> None:
    assert the_row(bytes(960))["event"] == {"bytes": 960}


def test_consecutive_audio_is_one_row_that_says_how_much_it_stands_for() -> None:
    first, second = rows_of(*[("sent", spoken(SOUND))] * 3, ("sent", '{"type":"session.close"}'))

    assert first["type"] == "session.input_audio.append"
    assert first["event_time_ms"] == 0.0
    assert first["source"] == "caller_audio"
    assert first["event"] == {
        "messages": 3,
        "audio_base64_characters": 3 * len(SOUND),
        "audio_kind": "sound",
    }
    assert (second["type"], second["event_index"]) == ("session.close", 2)


def shape(rows: list[Row]) -> list[tuple[str, str, int]]:
    return [(r["direction"][:6], r["event"]["audio_kind"], r["event"]["messages"]) for r in rows]


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        pytest.param(
            [("sent", spoken(SILENCE)), ("sent", spoken(SOUND)), ("sent", spoken(SOUND))],
            [("client", "silence", 1), ("client", "sound", 2)],
            id="when-silence-turns-into-sound",
        ),
        pytest.param(
            [("sent", spoken(SOUND)), ("received", heard(SOUND)), ("sent", spoken(SOUND))],
            [("client", "sound", 2), ("server", "sound", 1)],
            id="not-when-the-other-side-speaks-meanwhile",
        ),
        pytest.param(
            [("sent", spoken(SOUND))] * (MOST_MESSAGES_PER_ROW + 1),
            [("client", "sound", MOST_MESSAGES_PER_ROW), ("client", "sound", 1)],
            id="when-it-stands-for-enough",
        ),
        pytest.param(
            [("sent", spoken(SOUND)), ("sent", heard(SOUND))],
            [("client", "sound", 1), ("client", "sound", 1)],
            id="when-a-message-of-another-kind-carries-audio",
        ),
        pytest.param(
            [("sent", spoken(SILENCE)), ("sent", spoken("AAAAAA=="))],
            [("client", "silence", 2)],
            id="not-when-a-message-is-shorter",
        ),
    ],
)
def test_a_row_of_audio_ends(
    messages: list[tuple[str, str]], expected: list[tuple[str, str, int]]
) -> None:
    assert shape(rows_of(*messages)) == expected


lines = st.lists(
    st.sampled_from(
        [
            ("sent", spoken(SOUND)),
            ("sent", spoken(SILENCE)),
            ("received", heard(SOUND)),
            ("received", heard(SILENCE)),
            ("received", '{"type":"session.started"}'),
        ]
    ),
    max_size=130,
)


@given(lines, st.integers(0, 10**9), st.integers(0, 10**9))
def test_when_messages_came_moves_no_row(
    messages: list[tuple[str, str]], one_us: int, other_us: int
) -> None:
    def untimed(rows: list[Row]) -> list[Row]:
        return [{**row, "event_time_ms": 0} for row in rows]

    assert untimed(rows_of(*messages, every_us=one_us)) == untimed(
        rows_of(*messages, every_us=other_us)
    )


@given(lines)
def test_every_message_is_accounted_for_and_rows_are_numbered_without_gaps(
    messages: list[tuple[str, str]],
) -> None:
    rows = rows_of(*messages)

    assert sum(row["event"].get("messages", 1) for row in rows) == len(messages)
    assert [row["event_index"] for row in rows] == list(range(1, len(rows) + 1))


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(spoken(SOUND), id="where-it-belongs"),
        pytest.param(heard(SOUND), id="where-it-belongs-too"),
        pytest.param(json.dumps({"type": "unknown", "audio": SOUND}), id="in-an-unknown-message"),
        pytest.param(json.dumps({"audio": SOUND}), id="in-a-message-without-a-type"),
        pytest.param(
            json.dumps({"type": "response.event", "event": {"delta": SOUND}}), id="in-an-envelope"
        ),
        pytest.param(json.dumps({"type": "a", "list": [SOUND]}), id="in-a-list"),
        pytest.param(heard(SOUND)[:-20], id="in-a-message-cut-short"),
        pytest.param(
            json.dumps({"type": "a", "data": base64.urlsafe_b64encode(bytes(400)).decode()}),
            id="in-another-alphabet",
        ),
    ],
)
@pytest.mark.parametrize("direction", ["sent", "received"])
def test_audio_never_stands_in_a_row(message: str, direction: str) -> None:
    (row,) = rows_of((direction, message))
    text = json.dumps(row)

    assert SOUND[:40] not in text
    assert "A" * 40 not in text


def test_a_field_of_audio_is_counted_however_short() -> None:
    assert the_row('{"type":"a","audio":"AAAA"}')["event"]["audio"] == "[4 characters of audio]"


def test_audio_that_is_no_text_is_noted_as_it_is() -> None:
    assert the_row('{"type":"session.output_audio.delta","delta":5}')["event"]["delta"] == 5


@pytest.mark.parametrize(
    ("length", "shown"),
    [
        pytest.param(LONGEST_TEXT, "é" * LONGEST_TEXT, id="the-longest"),
        pytest.param(
            LONGEST_TEXT + 1, "é" * LONGEST_TEXT + " [1 characters left out]", id="one-longer"
        ),
    ],
)
def test_a_text_is_shortened_beyond(length: int, shown: str) -> None:
    message = json.dumps({"type": "a", "text": ["é" * length]})

    assert the_row(message)["event"]["text"] == [shown]


def test_masking_comes_before_shortening() -> None:
    text = "é " * (LONGEST_TEXT // 2 - 4) + KNOWN

    assert KNOWN[:8] not in json.dumps(the_row(json.dumps({"type": "a", "text": text})))


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(json.dumps({"type": "a", "b": KNOWN}), id="in-a-value"),
        pytest.param(json.dumps({"type": KNOWN}), id="in-a-type"),
        pytest.param(json.dumps({"type": "a", KNOWN: 1}), id="in-a-key"),
        pytest.param(f"no json {KNOWN}", id="in-a-message-that-cannot-be-read"),
        pytest.param(
            json.dumps({"type": "a", "arguments": json.dumps({"b": KNOWN})}), id="in-json-in-text"
        ),
    ],
)
def test_a_known_secret_is_masked(message: str) -> None:
    assert KNOWN not in json.dumps(the_row(message))


def test_of_a_backends_unfinished_text_only_the_length_is_noted() -> None:
    event = {"type": "response.output_text.delta", "delta": "a-secr"}
    row = the_row(json.dumps({"type": "response.event", "event": event}))

    assert row["event"]["event"] == {**event, "delta": "[6 characters]"}


@pytest.mark.parametrize(
    ("message", "is_masked"),
    [
        pytest.param(
            {"type": "error", "error": {"message": "token=abcdefgh"}}, True, id="in-an-error"
        ),
        pytest.param(
            {"type": "response.event", "event": {"item": {"arguments": "token=abcdefgh"}}},
            True,
            id="in-what-a-backend-writes",
        ),
        pytest.param(
            {"type": "session.output_transcript.delta", "delta": "The secret: mushrooms."},
            False,
            id="but-not-in-speech",
        ),
    ],
)
def test_an_assignment_is_masked(message: Row, is_masked: bool) -> None:
    assert (the_row(json.dumps(message))["event"] != message) is is_masked


def test_fields_named_by_the_user_are_masked_in_arguments_too() -> None:
    trace = Trace(Masker().with_fields(["guest_name"]), VOCABULARY)
    arguments = json.dumps({"guest_name": "Maya", "party_size": 2})
    trace.message("received", json.dumps({"type": "a", "item": {"arguments": arguments}}), 0)
    (line,) = trace.lines()

    assert "Maya" not in line
    assert '\\"party_size\\":2' in line


@pytest.mark.parametrize(
    "number", [pytest.param("NaN", id="no-number"), "Infinity", "-Infinity", "1e999"]
)
def test_a_number_that_json_lacks_leaves_the_line_json(number: str) -> None:
    def refuse(name: str) -> None:
        raise AssertionError(name)

    trace = Trace(Masker(), VOCABULARY)
    trace.message("received", f'{{"type":"a","b":{number}}}', 0)
    (line,) = trace.lines()

    assert isinstance(json.loads(line, parse_constant=refuse)["event"]["b"], str)


def test_half_a_character_breaks_nothing() -> None:
    trace = Trace(Masker([KNOWN]), VOCABULARY)
    trace.message("received", '{"type":"a\\ud800","b":"\\udfff","\\ud800":1}', 0)
    (line,) = trace.lines()

    assert json.loads(line.encode("utf-8", "replace"))["event_index"] == 1


def test_a_listener_sees_each_row_as_it_is_closed() -> None:
    seen: list[str] = []
    trace = Trace(Masker([KNOWN]), VOCABULARY, lambda row: seen.append(json.dumps(row)))
    trace.message("sent", spoken(SOUND), 0)
    assert seen == []

    trace.message("received", json.dumps({"type": "a", "b": KNOWN}), 5)
    assert [json.loads(row)["type"] for row in seen] == ["session.input_audio.append", "a"]
    assert KNOWN not in "".join(seen)

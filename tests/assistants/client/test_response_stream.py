"""A streamed response read from its bytes, however they come and whatever they hold."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistants.client.backend import WorkFailedError
from assistants.client.response_stream import (
    LARGEST_RESPONSE,
    Answer,
    EventData,
    ResponseStream,
)
from assistants.frontend.backend_events import (
    BackendEvent,
    FunctionCall,
    OutputItemDone,
    ResponseCompleted,
    ResponseCreated,
    ResponseFailed,
)
from tests.support.streamed_responses import (
    SEALED,
    Item,
    a_call,
    a_message,
    a_stream,
    events,
    reasoning,
    sse,
)


def data_of(*pieces: bytes) -> list[bytes]:
    cutter = EventData()
    return [data for piece in pieces for data in cutter.receive(piece)]


@pytest.mark.parametrize(
    ("pieces", "data"),
    [
        pytest.param([b"data: a\n\n"], [b"a"], id="one-line"),
        pytest.param([b"data: a\r\n\r\n"], [b"a"], id="lines-ended-as-on-another-system"),
        pytest.param([b"data: a\r", b"\n\r", b"\n"], [b"a"], id="a-line's-end-cut-in-two"),
        pytest.param([b"da", b"ta: ", b"a", b"\n", b"\n"], [b"a"], id="one-byte-after-another"),
        pytest.param([b"data: a\ndata: b\n\n"], [b"a\nb"], id="two-lines-of-data"),
        pytest.param([b"data:a\n\ndata:  b\n\n"], [b"a", b" b"], id="one-blank-is-no-data"),
        pytest.param([b": wait\nevent: x\nid: 1\ndata: a\n\n"], [b"a"], id="other-fields"),
        pytest.param([b"\xef\xbb\xbfdata: a\n\n"], [b"a"], id="a-mark-of-the-encoding"),
        pytest.param([b"event: x\n\n\n\n"], [], id="an-event-without-data"),
        pytest.param([b"data: a\n"], [], id="no-blank-line-yet"),
        pytest.param([b"", b"data: a\n\n", b""], [b"a"], id="nothing-in-a-piece"),
    ],
)
def test_a_stream_is_cut_into_data(pieces: Sequence[bytes], data: Sequence[bytes]) -> None:
    assert data_of(*pieces) == data


WHOLE = a_stream("resp_1", SEALED, a_call("c1"), a_message("Zwölf.")).encode()


def read(*pieces: bytes) -> tuple[list[BackendEvent], Answer]:
    stream = ResponseStream()
    seen = [event for piece in pieces for event in stream.receive(piece)]
    return seen, stream.answer()


@given(st.lists(st.integers(0, len(WHOLE)), max_size=12))
def test_where_the_pieces_end_makes_no_difference(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(WHOLE)]
    pieces = [WHOLE[start:end] for start, end in pairwise(edges)]
    assert read(*pieces) == read(WHOLE)


def test_an_answer_is_its_items_word_for_word_its_calls_and_its_words() -> None:
    items = [
        SEALED,
        a_call("c1", '{"a":'),
        a_call("c2"),
        a_message("One."),
        a_message("Two.", "m2"),
    ]
    _, answer = read(a_stream("resp_1", *items).encode())
    assert answer == Answer("resp_1", tuple(items), ("c1", "c2"), "One.\nTwo.")


def test_events_are_those_that_a_session_would_show() -> None:
    seen, _ = read(WHOLE)
    created, completed = seen[0], seen[-1]
    assert isinstance(created, ResponseCreated)
    assert isinstance(completed, ResponseCompleted)
    assert [one.type for one in seen] == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.output_item.done",
        "response.output_item.added",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_item.done",
        "response.output_item.added",
        "response.output_item.done",
        "response.completed",
    ]
    assert completed.response.usage is not None
    assert completed.response.usage.total_tokens == 320


def test_no_event_repeats_what_the_request_said() -> None:
    seen, _ = read(WHOLE)
    told = "".join(event.model_dump_json() for event in seen)
    assert "Everything it was told." not in told
    assert '"tools":[{' not in told
    assert "sealed" not in told


def test_output_that_the_last_snapshot_leaves_out_is_that_of_the_items() -> None:
    items = (SEALED, a_message("Yes."))
    _, answer = read(a_stream("resp_1", *items, output=[]).encode())
    assert answer.items == items


def test_items_come_in_the_order_of_their_places() -> None:
    created, progress, added, first, added_2, second, completed = events(
        "resp_1", a_message("One."), a_message("Two.", "m2"), output=[]
    )
    _, answer = read(sse(created, progress, added_2, second, added, first, completed).encode())
    assert [item["id"] for item in answer.items] == ["msg_1", "m2"]


@pytest.mark.parametrize(
    ("items", "text"),
    [
        pytest.param([], "", id="nothing"),
        pytest.param([a_message(""), a_message("Yes.", "m2")], "Yes.", id="an-empty-message-first"),
        pytest.param(
            [a_message("Let me see.", phase="commentary"), a_message("Yes.", "m2")],
            "Yes.",
            id="a-remark-on-the-way",
        ),
        pytest.param([a_message("Hm.", phase="commentary")], "Hm.", id="a-remark-alone"),
        pytest.param(
            [a_message("", content=[{"type": "refusal", "refusal": "No."}])], "No.", id="a-refusal"
        ),
        pytest.param(
            [a_message("", content=[{"type": "hologram", "light": 1}])], "", id="no-words-at-all"
        ),
    ],
)
def test_it_says(items: list[Item], text: str) -> None:
    assert read(a_stream("resp_1", *items).encode())[1].text == text


def test_a_call_that_broke_off_is_not_sent_back() -> None:
    items = [a_call("c1", status="incomplete"), a_call("c2")]
    _, answer = read(a_stream("resp_1", *items).encode())
    assert (answer.call_ids, answer.items) == (("c2",), (items[1],))


def an_error(**content: Any) -> bytes:
    return f"data: {json.dumps(content)}\n\n".encode()


FAILED = {"error": {"code": "server_error", "message": "key sk-1234567890 is at fault"}}
CUT_OFF = {"incomplete_details": {"reason": "max_output_tokens"}}


@pytest.mark.parametrize(
    ("body", "why"),
    [
        pytest.param(b"", "the stream ended before the response did", id="nothing"),
        pytest.param(
            WHOLE[: WHOLE.index(b"event: response.completed")],
            "the stream ended before the response did",
            id="all-but-the-last-event",
        ),
        pytest.param(WHOLE[:-1], "the stream ended before", id="all-but-the-last-byte"),
        pytest.param(
            a_stream("r", status="failed", **FAILED).encode(),
            "the response failed (server_error)",
            id="a-failed-response",
        ),
        pytest.param(
            a_stream("r", status="failed").encode(),
            "the response failed (no code given)",
            id="a-failure-without-a-code",
        ),
        pytest.param(
            a_stream("r", status="failed", error={"code": "sk key\n", "message": ""}).encode(),
            "the response failed (no code given)",
            id="a-code-that-is-none",
        ),
        pytest.param(
            a_stream("r", status="incomplete", **CUT_OFF).encode(),
            "the response is incomplete (max_output_tokens)",
            id="an-incomplete-response",
        ),
        pytest.param(
            an_error(type="error", code="rate_limit_exceeded", message="secret"),
            "the service reported an error (rate_limit_exceeded)",
            id="an-error-event",
        ),
        pytest.param(
            an_error(type="error", error={"code": "overloaded"}),
            "the service reported an error (overloaded)",
            id="an-error-inside",
        ),
        pytest.param(
            an_error(error={"code": "overloaded"}),
            "the service reported an error (overloaded)",
            id="an-error-without-a-type",
        ),
        pytest.param(b"data: {\n\n", "an event of the response is no JSON object", id="no-json"),
        pytest.param(b"data: []\n\n", "an event of the response is no JSON object", id="a-list"),
        pytest.param(b"data: \xff\n\n", "an event of the response is no JSON", id="no-text"),
        pytest.param(
            b'data: {"type": "response.created", "type": "x"}\n\n',
            "an event of the response is no JSON",
            id="a-key-twice",
        ),
        pytest.param(
            b"data: " + b"[" * 100_000 + b"\n\n", "an event of the response is no", id="a-deep-one"
        ),
        pytest.param(
            an_error(type="response.created", response={}),
            "an event of the response is not what its type says",
            id="a-response-without-an-id",
        ),
        pytest.param(
            a_stream("r", reasoning()).encode(), "its reasoning came without", id="open-reasoning"
        ),
        pytest.param(
            a_stream("r", reasoning(encrypted_content="")).encode(),
            "its reasoning came without",
            id="blank-reasoning",
        ),
        pytest.param(
            a_stream("r", a_call("c1"), a_call("c1")).encode(),
            "the calls of the response are not those that it streamed",
            id="two-calls-with-one-id",
        ),
        pytest.param(
            a_stream("r", output=[a_call("c1")]).encode(),
            "the calls of the response are not those that it streamed",
            id="a-call-that-was-never-streamed",
        ),
        pytest.param(
            a_stream("r", a_call("c1"), output=[a_message("Done.")]).encode(),
            "the calls of the response are not those that it streamed",
            id="a-call-that-is-taken-back",
        ),
    ],
)
def test_it_comes_to_nothing_after(body: bytes, why: str) -> None:
    with pytest.raises(WorkFailedError) as failed:
        read(body)
    assert str(failed.value).startswith(why)
    assert "secret" not in str(failed.value)
    assert "sk-" not in str(failed.value)


@given(st.integers(0, len(WHOLE)), st.integers(0, len(WHOLE)), st.binary(max_size=40))
def test_whatever_a_stream_holds_it_is_an_answer_or_a_failure(
    start: int, end: int, noise: bytes
) -> None:
    with suppress(WorkFailedError):
        read(WHOLE[:start] + noise + WHOLE[end:])


def test_a_failed_response_is_shown_before_it_fails() -> None:
    stream, seen = ResponseStream(), list[BackendEvent]()
    with pytest.raises(WorkFailedError):
        seen.extend(stream.receive(a_stream("r", status="failed", **FAILED).encode()))
    assert isinstance(seen[-1], ResponseFailed)
    assert stream.is_begun


def test_what_comes_after_the_end_is_nothing_of_the_response() -> None:
    late = a_stream("resp_2", a_call("c9")).encode() + b"data: [DONE]\n\ndata: {\n\n"
    assert read(WHOLE + late) == read(WHOLE)


def test_unknown_events_alone_are_no_beginning() -> None:
    stream = ResponseStream()
    assert list(stream.receive(an_error(type="response.queued", response={}))) == []
    assert not stream.is_begun


@pytest.mark.parametrize(
    ("more", "is_taken"),
    [pytest.param(0, True, id="as-large-as-can-be"), pytest.param(1, False, id="one-byte-more")],
)
def test_a_response_has_a_size(more: int, is_taken: bool) -> None:
    padding = b": " + b"x" * (LARGEST_RESPONSE - len(WHOLE) - 3 + more) + b"\n"
    if is_taken:
        assert read(padding + WHOLE) == read(WHOLE)
    else:
        with pytest.raises(WorkFailedError, match="larger than 4194304 bytes"):
            read(padding, WHOLE)


def test_an_item_told_twice_is_one_item() -> None:
    told = list(events("resp_1", a_call("c1"), a_message("Yes.", "m2")))
    done = [event for event in told if event["type"] == "response.output_item.done"]
    _, answer = read(sse(*told[:-1], *done, told[-1]).encode())
    assert (answer.call_ids, answer.text, len(answer.items)) == (("c1",), "Yes.", 2)


def test_arguments_stay_as_the_model_wrote_them() -> None:
    seen, answer = read(a_stream("r", a_call("c1", '{"a": 1')).encode())
    done = [event.item for event in seen if isinstance(event, OutputItemDone)]
    assert [one.arguments for one in done if isinstance(one, FunctionCall)] == ['{"a": 1']
    assert answer.items[0]["arguments"] == '{"a": 1'

"""Every message of every offline attempt, from either end, is one the official SDK knows.

The messages are taken from the line itself, whole and unmasked. That the judge refuses a broken
event of each type is shown where it is tested.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tests.support.runs import Lines, Spoken
from tests.support.sdk_types import check_client, check_server

CLIENT_TYPES = {
    "session.start",
    "session.input_audio.append",
    "response.item.create",
    "response.create",
    "session.close",
}
SERVER_TYPES = {
    "session.started",
    "session.input_transcript.delta",
    "session.output_transcript.delta",
    "session.output_audio.delta",
    "session.delegation.created",
    "response.event",
    "session.closed",
}
BACKEND_TYPES = {
    "response.created",
    "response.output_item.added",
    "response.function_call_arguments.done",
    "response.output_item.done",
    "response.completed",
}


@pytest.fixture(scope="module")
def spoken(sound_lines: Lines, defect_lines: Lines) -> set[Spoken]:
    """Each message once: much of the audio is the same silence."""
    return {one for lines in (sound_lines, defect_lines) for line in lines.values() for one in line}


def types(messages: Iterable[Spoken], direction: str) -> set[str]:
    return {one.event["type"] for one in messages if one.direction == direction}


def test_what_our_client_sends_is_known(spoken: set[Spoken]) -> None:
    for one in spoken:
        if one.direction == "sent":
            check_client(one.event)


def test_what_the_fixture_sends_is_known(spoken: set[Spoken]) -> None:
    for one in spoken:
        if one.direction == "received":
            check_server(one.event)


def test_the_runs_speak_all_that_a_single_turn_needs(spoken: set[Spoken]) -> None:
    assert types(spoken, "sent") == CLIENT_TYPES
    assert types(spoken, "received") >= SERVER_TYPES
    backend = {
        one.event["event"]["type"] for one in spoken if '"type":"response.event"' in one.text
    }
    assert backend >= BACKEND_TYPES


def test_all_attempts_are_heard(sound_lines: Lines, defect_lines: Lines) -> None:
    assert len(sound_lines) == 21
    assert len(defect_lines) >= 21
    for line in [*sound_lines.values(), *defect_lines.values()]:
        assert (line[0].direction, line[0].event["type"]) == ("sent", "session.start")
        assert (line[-1].direction, line[-1].event["type"]) == ("received", "session.closed")

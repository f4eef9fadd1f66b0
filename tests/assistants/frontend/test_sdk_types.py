"""Our schema and the official SDK's types agree on every message that either end sends."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assistants.frontend.events import (
    CLIENT_EVENT_TYPES,
    CommentaryAppend,
    DelegationCreated,
    FunctionCallOutput,
    InputAudioAppend,
    InputAudioMute,
    InputAudioUnmute,
    InputMessage,
    InstructionsAppend,
    MalformedMessage,
    ResponseCreate,
    ResponseItemCreate,
    SessionClose,
    SessionStart,
    SessionUpdate,
    TextPart,
    ThinkingAppend,
    encode,
    parse_client_event,
    parse_server_event,
)
from assistants.frontend.session_config import (
    AssistantText,
    AudioConfig,
    AudioOutput,
    ClientDelegation,
    CustomVoice,
    FunctionChoice,
    FunctionTool,
    HeardMessage,
    HostedTool,
    InputText,
    PcmFormat,
    Reasoning,
    ResponsesConfig,
    ResponsesDelegation,
    ResponsesDelegationUpdate,
    ResponsesUpdate,
    SessionChange,
    SessionConfig,
    SpokenMessage,
    TextConfig,
)
from tests.support.far_end import Caller, a_script, client_work
from tests.support.sdk_types import SdkDisagreementError, check_client, check_server

TOOL = FunctionTool(
    name="look_up",
    description="Looks something up.",
    parameters={"type": "object", "properties": {"what": {"type": "string"}}},
    strict=True,
)
BACKEND = ResponsesConfig(
    model="a-backend",
    instructions="Use the tools.",
    max_output_tokens=400,
    parallel_tool_calls=True,
    reasoning=Reasoning(effort="xhigh", summary="auto"),
    service_tier="default",
    text=TextConfig(verbosity="low"),
    tool_choice=FunctionChoice(name="look_up"),
    tools=(TOOL, HostedTool(type="web_search")),
)
FULL = SessionConfig(
    model="gpt-live-1",
    instructions="Speak briefly.",
    audio=AudioConfig(format=PcmFormat(), output=AudioOutput(voice="marin")),
    delegation=ResponsesDelegation(acknowledgement_delay_ms=0, responses=BACKEND),
    input=(
        HeardMessage(role="developer", content=(InputText(text="The line is bad."),)),
        HeardMessage(role="user", content=(InputText(type="input_text", text="Hello."),)),
        SpokenMessage(content=(AssistantText(type="output_text", text="Welcome back."),)),
    ),
    store=False,
    safety_identifier="someone",
)
OWN_VOICE = SessionConfig(
    model="gpt-live-1",
    audio=AudioConfig(output=AudioOutput(voice=CustomVoice(id="voice_1"))),
    delegation=ClientDelegation(acknowledgement_delay_ms=400),
)
COMMANDS = (
    SessionStart(event_id="c1", session=FULL),
    SessionStart(session=OWN_VOICE),
    SessionStart(session=SessionConfig(model="gpt-live-1.1")),
    SessionUpdate(session=SessionChange()),
    SessionUpdate(session=SessionChange(delegation=ClientDelegation())),
    SessionUpdate(
        event_id="c2",
        session=SessionChange(
            delegation=ResponsesDelegationUpdate(
                responses=ResponsesUpdate(instructions="Be short.", tools=(TOOL,))
            )
        ),
    ),
    InputAudioAppend(audio="AAAAAAAA"),
    InputAudioMute(event_id="c3"),
    InputAudioUnmute(),
    InstructionsAppend(content="The caller is known.", delegation_id=None),
    ThinkingAppend(content="Looking.", delegation_id="item_1"),
    CommentaryAppend(event_id="c4", content="It is there.", delegation_id="item_1"),
    ResponseItemCreate(item=FunctionCallOutput(call_id="call_1", output='{"n":1}')),
    ResponseItemCreate(
        item=InputMessage(role="user", content=(TextPart(type="input_text", text="Hello?"),))
    ),
    ResponseItemCreate(item=InputMessage(role="user", content="Hello?")),
    ResponseCreate(event_id="c5"),
    SessionClose(event_id="c6"),
)


def every_kind_of_server_message() -> list[dict[str, Any]]:
    """What the service's end says in sessions that use all it can do."""
    work = {
        "delegate": "d",
        "at": "start+1000",
        "rounds": [
            {"calls": [{"name": "a"}, {"name": "b", "raw_arguments": "{broken"}]},
            {"calls": [{"name": "a", "arguments": {"n": [1, None]}}]},
        ],
        "reply": "All of it is done.",
    }
    heard = [{"text": "do it", "start_ms": 400, "end_ms": 600}]
    script = a_script(work, {"say": "Done.", "at": "d.done+100"}, hears=heard)
    busy = Caller(script, config=FULL, frame_ms=100).start().speak(1_000)
    for command in COMMANDS:
        if not isinstance(command, SessionStart | SessionClose):
            busy.send(command)
    busy.send_text("oops")
    busy.send_text('{"type":"session.hello","event_id":"c9"}')
    busy.speak(15_000)
    busy.send(CommentaryAppend(content="Too late.", delegation_id=None))
    busy.close()
    patient = Caller(a_script(work), config=client_work(), frame_ms=100).start().speak(1_000)
    patient.send(ResponseCreate())
    ref = patient.of(DelegationCreated)[0].delegation.id
    patient.send(ThinkingAppend(event_id="t", content="Looking.", delegation_id=ref))
    patient.send(CommentaryAppend(content="It is there.", delegation_id=ref))
    patient.speak(1_000).close()
    silent = Caller(config=OWN_VOICE).start().pass_time(31_000)
    return [json.loads(one.text) for caller in (busy, patient, silent) for one in caller.received]


MESSAGES = every_kind_of_server_message()
OF_KIND = {(message.get("event") or message)["type"]: message for message in MESSAGES}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.type)
def test_the_sdk_could_have_sent_our_command(command: Any) -> None:
    check_client(json.loads(encode(command)))


def test_every_command_is_among_them() -> None:
    assert {command.type for command in COMMANDS} == set(CLIENT_EVENT_TYPES)


def test_the_sdk_understands_all_that_the_fixture_says() -> None:
    for message in MESSAGES:
        check_server(message)


def test_every_kind_is_among_it() -> None:
    assert set(OF_KIND) == {
        "session.started",
        "session.updated",
        "session.input_audio.muted",
        "session.input_audio.unmuted",
        "session.instructions.appended",
        "session.thinking.appended",
        "session.commentary.appended",
        "session.output_audio.delta",
        "session.input_transcript.delta",
        "session.output_transcript.delta",
        "session.delegation.created",
        "session.usage.updated",
        "session.closed",
        "error",
        "response.created",
        "response.in_progress",
        "response.completed",
        "response.output_item.added",
        "response.output_item.done",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.content_part.added",
        "response.content_part.done",
        "response.output_text.delta",
        "response.output_text.done",
    }


def test_what_the_fixture_says_reads_back_as_it_was_sent() -> None:
    for message in MESSAGES:
        assert json.loads(encode(parse_server_event(json.dumps(message)))) == message


def without(path: str, message: dict[str, Any]) -> dict[str, Any]:
    """A copy that lacks one field, given as a dotted path."""
    copy: dict[str, Any] = json.loads(json.dumps(message))
    *parents, last = path.split(".")
    place = copy
    for name in parents:
        place = place[name]
    del place[last]
    return copy


def with_(path: str, value: object, message: dict[str, Any]) -> dict[str, Any]:
    """A copy with one field set, given as a dotted path."""
    copy: dict[str, Any] = json.loads(json.dumps(message))
    *parents, last = path.split(".")
    place = copy
    for name in parents:
        place = place[name]
    place[last] = value
    return copy


NEEDED_BY_COMMAND = {
    "session.start": "session.model",
    "session.update": "session",
    "session.input_audio.append": "audio",
    "session.instructions.append": "delegation_id",
    "session.thinking.append": "content",
    "session.commentary.append": "delegation_id",
    "response.item.create": "item",
}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.type)
def test_a_command_with_a_field_too_few_or_too_many_is_rejected_by_both(command: Any) -> None:
    message = json.loads(encode(command))
    broken = [message | {"surprise": 1}, message | {"event_id": 5}]
    if command.type in NEEDED_BY_COMMAND:
        broken.append(without(NEEDED_BY_COMMAND[command.type], message))
    for one in broken:
        with pytest.raises(SdkDisagreementError):
            check_client(one)
        with pytest.raises(MalformedMessage):
            parse_client_event(json.dumps(one))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        pytest.param("session.turn_detection", {}, id="turn-detection"),
        pytest.param("session.audio.format.rate", 48_000, id="a-rate-it-has-not"),
        pytest.param("session.audio.format.rate", "24000", id="a-number-in-quotes"),
        pytest.param("session.delegation.type", "none", id="a-delegation-of-no-kind"),
        pytest.param("session.delegation.responses.temperature", 1.0, id="a-temperature"),
        pytest.param("session.delegation.responses.reasoning.effort", "max", id="an-effort"),
        pytest.param("session.delegation.responses.tools", [{"type": "function"}], id="a-tool"),
        pytest.param("session.input", [{"role": "system", "content": []}], id="a-system-message"),
    ],
)
def test_a_start_is_rejected_by_both_for(path: str, value: object) -> None:
    broken = with_(path, value, json.loads(encode(COMMANDS[0])))
    with pytest.raises(SdkDisagreementError):
        check_client(broken)
    with pytest.raises(MalformedMessage):
        parse_client_event(json.dumps(broken))


NEEDED_BY_MESSAGE = {
    "session.started": "session.id",
    "session.updated": "session.expires_at",
    "session.input_audio.muted": "event_id",
    "session.input_audio.unmuted": "event_id",
    "session.instructions.appended": "start_ms",
    "session.thinking.appended": "end_ms",
    "session.commentary.appended": "start_ms",
    "session.output_audio.delta": "delta",
    "session.input_transcript.delta": "start_ms",
    "session.output_transcript.delta": "end_ms",
    "session.delegation.created": "delegation.target",
    "session.usage.updated": "usage.seconds",
    "session.closed": "reason",
    "error": "error.message",
    "response.created": "event.response.id",
    "response.in_progress": "event.sequence_number",
    "response.completed": "event.response",
    "response.output_item.added": "event.item",
    "response.output_item.done": "event.item",
    "response.function_call_arguments.delta": "event.item_id",
    "response.function_call_arguments.done": "event.arguments",
    "response.content_part.added": "event.part",
    "response.content_part.done": "event.content_index",
    "response.output_text.delta": "event.delta",
    "response.output_text.done": "event.text",
}


@pytest.mark.parametrize(("kind", "needed"), NEEDED_BY_MESSAGE.items(), ids=lambda one: one)
def test_a_message_that_lacks_what_it_needs_is_rejected_by_both(kind: str, needed: str) -> None:
    broken = without(needed, OF_KIND[kind])
    with pytest.raises(SdkDisagreementError):
        check_server(broken)
    with pytest.raises(MalformedMessage):
        parse_server_event(json.dumps(broken))


@pytest.mark.parametrize("kind", NEEDED_BY_MESSAGE)
def test_a_field_the_sdk_does_not_know_is_found(kind: str) -> None:
    message = OF_KIND[kind]
    path = "event.surprise" if "event" in message else "surprise"
    with pytest.raises(SdkDisagreementError, match=r"surprise"):
        check_server(with_(path, 1, message))


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(with_("type", "session.future", OF_KIND["error"]), id="an-unknown-kind"),
        pytest.param(with_("delta", "%%%", OF_KIND["session.output_audio.delta"]), id="no-base64"),
        pytest.param(
            with_("delta", "AA==", OF_KIND["session.output_audio.delta"]), id="half-a-sample"
        ),
        pytest.param(with_("reason", "tired", OF_KIND["session.closed"]), id="an-unknown-reason"),
        pytest.param(
            with_("event.type", "response.nope", OF_KIND["response.created"]), id="nested"
        ),
    ],
)
def test_the_sdk_is_stricter_than_we_are_about(broken: dict[str, Any]) -> None:
    with pytest.raises(SdkDisagreementError):
        check_server(broken)
    parse_server_event(json.dumps(broken))


def test_a_null_code_is_the_one_liberty_the_wire_takes() -> None:
    check_server(with_("error.code", None, OF_KIND["error"]))
    with pytest.raises(SdkDisagreementError):
        check_server(without("error.code", OF_KIND["error"]))

"""The start body of a managed session: what is asked for, and what an assistant never learns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from assistants.config import EFFORTS, VERBOSITIES, LiveAgentSettings
from assistants.frontend.events import SessionStart, encode
from assistants.resources import BUNDLED_APPLICATION, load_application, load_voice_prompt
from assistants.responses.session import session_config
from assistants.runtime import ToolRuntime
from assistants.tool_schema import strict_tool
from crawl_harness.suite import CRAWL
from shared.clock import Clock
from shared.observability.observations import ToolCalled, ToolStatus
from shared.scenarios import Scenario
from shared.values import JsonObject
from tests.support.builders import at
from tests.support.rooms import in_virtual_time
from tests.support.scenario_documents import CONVERSATION, REQUEST, edited
from tests.support.sdk_types import check_client

APPLICATION = load_application(BUNDLED_APPLICATION)
SHIPPED = json.loads(CRAWL.bundled_data.read_text("utf-8"))["scenarios"]
VOICE_PROMPT = "Speak briefly."


def start_of(
    scenario: Scenario | None = None, settings: LiveAgentSettings | None = None
) -> dict[str, Any]:
    """The message as it goes over the wire."""
    brief = (scenario or a_scenario()).for_assistant()
    config = session_config(settings or LiveAgentSettings(), APPLICATION, VOICE_PROMPT, brief)
    message: dict[str, Any] = json.loads(encode(SessionStart(event_id="start", session=config)))
    return message


def a_scenario(**edits: Any) -> Scenario:
    return Scenario.model_validate(edited(REQUEST, edits))


def context_in(prompt: str) -> dict[str, Any]:
    context: dict[str, Any] = json.loads(prompt.rsplit("\n", 1)[-1])
    return context


def test_the_body_is_what_the_settings_say() -> None:
    session = start_of()["session"]
    backend = session["delegation"]["responses"]
    assert session["model"] == "gpt-live-1"
    assert session["audio"] == {
        "format": {"type": "audio/pcm", "rate": 24_000},
        "output": {"voice": "marin"},
    }
    assert session["delegation"]["type"] == "responses"
    assert backend["model"] == "gpt-5.6-terra"
    assert backend["reasoning"] == {"effort": "none"}
    assert backend["text"] == {"verbosity": "low"}
    assert backend["max_output_tokens"] == 1_000
    assert (backend["tool_choice"], backend["parallel_tool_calls"]) == ("auto", True)


def test_voice_and_backend_are_prompted_apart_and_know_the_same() -> None:
    session = start_of()["session"]
    voice, backend = session["instructions"], session["delegation"]["responses"]["instructions"]
    assert voice.startswith(f"{VOICE_PROMPT}\n\n{APPLICATION.scope_prompt}\n\n## ")
    assert backend.startswith(f"{APPLICATION.backend_prompt}\n\n## ")
    assert APPLICATION.backend_prompt not in voice
    assert APPLICATION.scope_prompt not in backend
    assert context_in(voice) == context_in(backend)


@pytest.mark.parametrize(
    "changes",
    [
        *({"backend_reasoning_effort": effort} for effort in EFFORTS),
        *({"backend_verbosity": verbosity} for verbosity in VERBOSITIES),
        {"backend_max_output_tokens": 16},
        {"voice": "voice_123"},
        {"model": "gpt-live-1.1", "backend_model": "another"},
    ],
    ids=str,
)
def test_the_sdk_could_have_sent_it(changes: dict[str, Any]) -> None:
    check_client(start_of(settings=replace(LiveAgentSettings(), **changes)))


@pytest.mark.parametrize(
    ("name", "voice"),
    [
        pytest.param("marin", "marin", id="a-name"),
        pytest.param("voice_123", {"id": "voice_123"}, id="a-custom-one"),
        pytest.param("voice_", {"id": "voice_"}, id="the-prefix-alone"),
        pytest.param("voice", "voice", id="one-letter-less-than-the-prefix"),
        pytest.param("Voice_1", "Voice_1", id="the-prefix-in-another-case"),
        pytest.param("my_voice_1", "my_voice_1", id="the-prefix-inside"),
    ],
)
def test_a_voice_is(name: str, voice: object) -> None:
    message = start_of(settings=LiveAgentSettings(voice=name))
    assert message["session"]["audio"]["output"]["voice"] == voice


# What went before


def test_without_a_history_there_is_no_input() -> None:
    assert "input" not in start_of()["session"]


def test_a_history_is_sent_in_order_each_message_one_part() -> None:
    history = [{"role": "user", "text": "Hi"}, {"role": "assistant", "text": "Good day"}]
    message = start_of(a_scenario(**{"input.context": {"history": history}}))
    check_client(message)
    assert message["session"]["input"] == [
        {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "Hi"}],
        },
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Good day"}],
        },
    ]


def test_128_messages_can_be_sent() -> None:
    history = [{"role": "user", "text": "Hi"}] * 128
    message = start_of(a_scenario(**{"input.context": {"history": history}}))
    check_client(message)
    assert len(message["session"]["input"]) == 128


@pytest.mark.parametrize(
    ("edits", "context"),
    [
        pytest.param({}, {"authorized_application_state": {}}, id="an-empty-state"),
        pytest.param(
            {"application": {"initial_state": {"ids": ["R-1"]}}},
            {"authorized_application_state": {"ids": ["R-1"]}},
            id="a-state",
        ),
        pytest.param(
            {"input.context": {"summary": "Called before."}},
            {
                "authorized_application_state": {},
                "previous_conversation_summary": "Called before.",
            },
            id="a-summary",
        ),
        pytest.param(
            {"input.context": {"summary": " ", "history": [{"role": "user", "text": "Hi"}]}},
            {"authorized_application_state": {}},
            id="a-blank-summary-is-none",
        ),
    ],
)
def test_the_context_is(edits: dict[str, Any], context: dict[str, Any]) -> None:
    known = context_in(start_of(a_scenario(**edits))["session"]["instructions"])
    assert known == {"business_facts": APPLICATION.public_facts, **context}


# What an assistant never learns

SECRET = "zq-secret"  # the beginning of everything that must not be told


def a_scenario_full_of_secrets() -> Scenario:
    call = {"name": f"{SECRET}-tool", "arguments": {f"{SECRET}-key": f"{SECRET}-value"}}
    return Scenario.model_validate(
        edited(
            CONVERSATION,
            {
                "id": f"{SECRET}-id",
                "title": f"{SECRET}-title",
                "type": f"{SECRET}-type",
                "tags": [f"{SECRET}-tag"],
                "input.text": f"{SECRET}-request",
                "expected.answer": f"{SECRET}-answer",
                "expected.criteria": [f"{SECRET}-criterion"],
                "expected.tools": {"required": [call], "prohibited": [call | {"arguments": {}}]},
                "expected.state": {f"{SECRET}-state": f"{SECRET}-value"},
                "expected.refusal_patterns": [f"{SECRET}-pattern"],
                "expected.interaction": {"floor_hold_max_ms": 512_347},
                "simulation_parameters.known_facts": {
                    "name": f"{SECRET}-name",
                    "time": f"{SECRET}-time",
                },
                "simulation_parameters.agenda.0.commitment": f"{SECRET}-goal",
            },
        )
    )


def test_nothing_of_what_is_expected_or_of_the_caller_is_in_the_body() -> None:
    scenario = a_scenario_full_of_secrets()
    assert SECRET in scenario.model_dump_json()
    body = json.dumps(start_of(scenario))
    assert SECRET not in body
    assert "512347" not in body


def test_nothing_hidden_in_the_facts_is_in_the_body() -> None:
    hidden = APPLICATION.facts["hidden"]
    assert isinstance(hidden, Mapping)
    body = json.dumps(start_of())
    assert all(key not in body for key in ("hidden", *hidden))


def test_no_key_is_in_the_body() -> None:
    assert "sk-1234" not in json.dumps(start_of(settings=LiveAgentSettings(api_key="sk-1234")))


def test_two_scenarios_with_the_same_brief_start_the_same_session() -> None:
    assert start_of(a_scenario_full_of_secrets()) == start_of(a_scenario())


@pytest.mark.parametrize("document", SHIPPED, ids=lambda document: document["id"])
def test_a_shipped_scenario_starts_a_session_that_does_not_know_how_it_is_judged(
    document: dict[str, Any],
) -> None:
    scenario = Scenario.model_validate_json(json.dumps(document))
    config = session_config(
        LiveAgentSettings(), APPLICATION, load_voice_prompt(), scenario.for_assistant()
    )
    text = encode(SessionStart(event_id="start", session=config))
    check_client(json.loads(text))
    # The answer itself may be a fact that the assistant is there to give.
    for secret in (scenario.id, scenario.input.text, *scenario.expected.criteria):
        assert secret not in text


# Strict tools


def a_tool(properties: Mapping[str, Any], required: list[str] | None = None) -> JsonObject:
    parameters: dict[str, Any] = {"type": "object", "properties": properties}
    if required is not None:
        parameters["required"] = required
    return {"type": "function", "name": "book", "description": "Book.", "parameters": parameters}


TEXT = {"type": "string"}
NULL = {"type": "null"}


@pytest.mark.parametrize(
    ("properties", "required", "strict"),
    [
        pytest.param({"a": TEXT}, ["a"], {"a": TEXT}, id="a-required-one-stays"),
        pytest.param({"a": TEXT}, [], {"a": {"anyOf": [TEXT, NULL]}}, id="an-optional-one"),
        pytest.param({"a": TEXT}, None, {"a": {"anyOf": [TEXT, NULL]}}, id="nothing-is-required"),
        pytest.param(
            {"a": {"type": ["string", "null"]}},
            [],
            {"a": {"type": ["string", "null"]}},
            id="an-optional-one-that-may-be-null-already",
        ),
        pytest.param(
            {"a": {"type": ["string", "integer"]}},
            [],
            {"a": {"anyOf": [{"type": ["string", "integer"]}, NULL]}},
            id="an-optional-one-of-two-kinds",
        ),
        pytest.param(
            {"a": {"enum": ["x", "y"]}},
            [],
            {"a": {"anyOf": [{"enum": ["x", "y"]}, NULL]}},
            id="an-optional-choice",
        ),
        pytest.param({}, [], {}, id="no-properties"),
    ],
)
def test_a_strict_tool_requires_everything_and_lets_what_was_optional_be_null(
    properties: dict[str, Any], required: list[str] | None, strict: dict[str, Any]
) -> None:
    tool = a_tool(properties, required)
    before = json.dumps(tool)
    assert strict_tool(tool) == {
        "type": "function",
        "name": "book",
        "description": "Book.",
        "strict": True,
        "parameters": {
            "type": "object",
            "properties": strict,
            "required": list(properties),
            "additionalProperties": False,
        },
    }
    assert json.dumps(tool) == before


def test_every_tool_of_the_application_is_sent_strict() -> None:
    tools = start_of()["session"]["delegation"]["responses"]["tools"]
    assert [tool["name"] for tool in tools] == [tool["name"] for tool in APPLICATION.tools]
    for tool in tools:
        parameters = tool["parameters"]
        assert tool["strict"] is True
        assert parameters["additionalProperties"] is False
        assert parameters["required"] == list(parameters["properties"])


@pytest.mark.parametrize(
    ("sent", "received"),
    [
        pytest.param({"a": "x", "b": None}, {"a": "x"}, id="null-for-left-out"),
        pytest.param({"a": "x", "b": "y"}, {"a": "x", "b": "y"}, id="everything"),
    ],
)
def test_what_a_strict_schema_lets_a_model_send_is_what_the_tool_itself_allows(
    sent: dict[str, Any], received: dict[str, Any]
) -> None:
    tool = a_tool({"a": TEXT, "b": TEXT}, ["a"])
    Draft202012Validator(strict_tool(tool)["parameters"]).validate(sent)
    desk = Desk()

    async def story(_: Clock) -> ToolStatus:
        return (await ToolRuntime(desk, [tool]).run(a_call(sent))).status

    assert in_virtual_time(story) is ToolStatus.COMPLETED
    assert desk.received == [received]


class Desk:
    """An application that notes what it is asked."""

    def __init__(self) -> None:
        self.received: list[JsonObject] = []

    def call(self, _name: str, arguments: JsonObject, _call_id: str) -> JsonObject:
        self.received.append(arguments)
        return {}

    def snapshot(self) -> JsonObject:
        return {}


def a_call(arguments: JsonObject) -> ToolCalled:
    return ToolCalled(
        at(0),
        call_id="c1",
        name="book",
        raw_arguments=json.dumps(arguments),
        arguments=arguments,
        response_id="r1",
        delegation_id="d1",
    )

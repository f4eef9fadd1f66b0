"""What must not be known is not told: the truth to the assistant, a credential to a file.

What an assistant may know of a scenario is the request, the earlier conversation, the state it is
authorized for and the public facts. Anything else that stands in ``expected`` is a leak.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from websockets.http11 import Request, Response
from websockets.sync.server import ServerConnection, serve

from assistants.resources import BUNDLED_APPLICATION, load_application
from shared.dataset import load_dataset
from shared.scenarios import Scenario
from tests.support.runs import (
    DATA,
    FinishedRun,
    Lines,
    a_copy_of_the_data,
    crawl_eval,
    evaluate_here,
    rewrite,
)

SCENARIOS = {one.id: one for one in load_dataset(DATA / "scenarios.json").scenarios}
FACTS = load_application(BUNDLED_APPLICATION).public_facts


def texts(value: Any) -> Iterator[str]:
    """Every text in a value, keys included, and what is inside texts that are JSON themselves."""
    match value:
        case dict():
            for key, inner in value.items():
                yield key
                yield from texts(inner)
        case list() | tuple():
            for inner in value:
                yield from texts(inner)
        case str():
            yield value
            yield from texts(embedded(value))


def pairs(value: Any) -> Iterator[tuple[str, str]]:
    """Every key with its plain value, however deep."""
    match value:
        case dict():
            for key, inner in value.items():
                if isinstance(inner, dict | list | tuple):
                    yield from pairs(inner)
                else:
                    yield key, json.dumps(inner)
                    yield from pairs(inner)
        case list() | tuple():
            for inner in value:
                yield from pairs(inner)
        case str():
            yield from pairs(embedded(value))


def embedded(text: str) -> Any:
    """The JSON in a text: all of it, or its last line as in a prompt."""
    try:
        value = json.loads(text.rpartition("\n")[2])
    except ValueError:
        return None
    return value if isinstance(value, dict | list) else None


def told(lines: Lines, *, before_work: bool = False) -> Iterator[tuple[Scenario, list[Any]]]:
    """What our client says in each attempt, audio aside; up to the first result of a tool."""
    for name, line in lines.items():
        events = [one.event for one in line if one.direction == "sent" and not one.is_audio]
        kinds = [event["type"] for event in events]
        if before_work and "response.item.create" in kinds:
            events = events[: kinds.index("response.item.create")]
        yield SCENARIOS[name.partition("#")[0]], events


def authorized(scenario: Scenario) -> list[Any]:
    return [scenario.input.model_dump(), scenario.application.initial_state, FACTS]


def wanted_values(scenario: Scenario) -> set[tuple[str, str]]:
    tools = scenario.expected.tools
    calls = [call.arguments for call in (*tools.required, *tools.prohibited)]
    return {pair for pair in pairs([*calls, scenario.expected.state]) if pair[0] != "unchanged"}


def test_no_expected_answer_and_no_criterion_is_told(
    sound_lines: Lines, defect_lines: Lines
) -> None:
    for lines in (sound_lines, defect_lines):
        for scenario, events in told(lines):
            secret = {scenario.expected.answer, *scenario.expected.criteria}
            secret -= set(texts(authorized(scenario)))
            said = "\n".join(texts(events))
            assert [text for text in secret if text in said] == [], scenario.id


def test_no_expected_value_is_told_before_a_tool_has_returned_it(
    sound_lines: Lines, defect_lines: Lines
) -> None:
    for lines in (sound_lines, defect_lines):
        for scenario, events in told(lines, before_work=True):
            secret = wanted_values(scenario) - set(pairs(authorized(scenario)))
            assert secret & set(pairs(events)) == set(), scenario.id


def test_there_is_something_to_keep_secret(sound_lines: Lines) -> None:
    """The two tests above are about most scenarios, and would find what they look for."""
    secret = {
        name: wanted_values(one) - set(pairs(authorized(one))) for name, one in SCENARIOS.items()
    }
    assert sum(bool(values) for values in secret.values()) >= 10
    all_said = {name.partition("#")[0]: line for name, line in sound_lines.items()}
    for name, values in secret.items():
        assert values <= set(pairs([one.event for one in all_said[name]])) or not values, name


PLANTED = "planted-expectation-"


def with_planted_expectations(content: Any) -> Any:
    """Everything that is expected replaced by what can come from nowhere else."""
    count = 0

    def planted(value: Any) -> Any:
        nonlocal count
        if isinstance(value, dict):
            return {key: planted(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [planted(inner) for inner in value]
        count += 1
        return f"{PLANTED}{count}"

    for scenario in content["scenarios"]:
        expected = scenario["expected"]
        tools = [*expected["tools"]["required"], *expected["tools"].get("prohibited", [])]
        for call in tools:
            call["arguments"] = planted(call.get("arguments", {"name": ""}))
        expected["state"] = {"outcome": planted("")}
        expected["answer"] = planted("")
        expected["criteria"] = planted(expected["criteria"])
        expected["diagnostic_terms"] = [planted("")]
        expected["refusal_patterns"] = [planted("")]
        rules = [{"tools": ["a_tool"], "patterns": [planted("")]}]
        expected["confirmation_patterns"] = rules
    return content


def test_a_planted_expectation_never_crosses_the_line(tmp_path: Path) -> None:
    data = a_copy_of_the_data(tmp_path / "data")
    rewrite(data / "scenarios.json", with_planted_expectations)
    run, lines = evaluate_here(tmp_path / "results", data=str(data / "scenarios.json"))
    assert [one for line in lines.values() for one in line if PLANTED in one.text] == []
    assert all(PLANTED.encode() in run.details(key) for key in run.rows)


# Credentials. Each is planted where it could get into a file, and looked for in all of them.

KEY = "sk-proj-0123456789canaryOfTheKey"
SERVICE_TOKEN = "canary-of-a-service-token"
SPOKEN = "sk-canaryThatTheAssistantSays00"
IN_ARGUMENTS = "canaryInTheArgumentsOfACall"
IN_BROKEN_ARGUMENTS = "canaryInBrokenArguments"
IN_A_REPLY = "canaryInTheReplyOfTheBackend"
IN_AN_ERROR = "canaryInTheTextOfAnError"
ENVIRONMENT = {"OPENAI_API_KEY": KEY, "ACME_SERVICE_TOKEN": SERVICE_TOKEN}


def with_planted_credentials(data: Path) -> None:
    """A scenario whose request, state and assistant are full of credentials."""

    def scenario(content: Any) -> Any:
        chosen = content["scenarios"][0]
        chosen["input"]["text"] += f" My token is {SERVICE_TOKEN}."
        chosen["application"]["initial_state"] = {"note": f"the key is {KEY}"}
        chosen["expected"]["answer"] += f" {SERVICE_TOKEN}"
        return {**content, "scenarios": [chosen]}

    def script(content: Any) -> Any:
        calls = [
            {
                "name": "create_reservation",
                "raw_arguments": f'{{"guest_name": "x", "api_key": "{IN_BROKEN_ARGUMENTS}", ',
            },
            {
                "name": "create_reservation",
                "arguments": {"guest_name": f"Bearer {IN_ARGUMENTS}", "token": SERVICE_TOKEN},
            },
        ]
        work = {
            "delegate": "planted",
            "at": "caller_end+4000",
            "rounds": [{"calls": calls}],
            "reply": f"Authorization: Bearer {IN_A_REPLY} and {KEY}",
        }
        said = {"say": f"The key is {SPOKEN} and {SERVICE_TOKEN}.", "at": "planted.done+700"}
        return {**content, "steps": [*content["steps"], work, said]}

    rewrite(data / "scenarios.json", scenario)
    rewrite(data / "scripts/sound/restaurant_001.json", script)


def everything(run: FinishedRun) -> dict[str, bytes]:
    """All that a run leaves behind, on disk and on the terminal."""
    said = {"stdout": run.stdout.encode(), "stderr": run.stderr.encode()}
    return {**run.files(), **said}


def leaks(run: FinishedRun, canaries: Iterable[str]) -> list[tuple[str, str]]:
    return [
        (name, canary)
        for name, content in everything(run).items()
        for canary in canaries
        if canary.encode() in content
    ]


@pytest.mark.parametrize("output", ["--verbose", "--json"])
def test_a_planted_credential_gets_into_no_artifact(output: str, tmp_path: Path) -> None:
    data = a_copy_of_the_data(tmp_path / "data")
    with_planted_credentials(data)
    run = crawl_eval(
        tmp_path / "results",
        "--offline",
        output,
        "--data",
        data / "scenarios.json",
        environment=ENVIRONMENT,
    )
    canaries = [KEY, SERVICE_TOKEN, SPOKEN, IN_ARGUMENTS, IN_BROKEN_ARGUMENTS, IN_A_REPLY]
    assert leaks(run, canaries) == []
    # They were there: their places are marked, and equal ones are marked alike.
    (key,) = run.rows
    assert run.details(key).count(b"[redacted:") >= len(canaries)
    assert b"[redacted:" in run.files("events")[f"events/{key}.jsonl"]
    assert b"[redacted:" in run.files("scripts")[f"scripts/{key}.json"]


@contextmanager
def a_service_that_refuses(at: str) -> Iterator[str]:
    """A service that repeats credentials in what it refuses with; gives its address."""
    text = f"Incorrect API key provided: {KEY}. You sent Authorization: Bearer {IN_AN_ERROR}."

    def at_the_door(connection: ServerConnection, _request: Request) -> Response | None:
        return connection.respond(HTTPStatus.UNAUTHORIZED, text) if at == "the door" else None

    def at_the_start(connection: ServerConnection) -> None:
        connection.recv(timeout=20)
        error = {"type": "invalid_request_error", "code": "invalid_api_key", "message": text}
        error |= {"param": None, "client_event_id": None}
        connection.send(json.dumps({"type": "error", "event_id": "event_1", "error": error}))
        connection.close()

    with serve(at_the_start, "127.0.0.1", 0, process_request=at_the_door) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        port = server.socket.getsockname()[1]
        yield f"ws://127.0.0.1:{port}/v1/live/sessions"
        server.shutdown()
        thread.join(timeout=20)


@pytest.mark.parametrize("at", ["the door", "the start"])
def test_a_credential_in_the_text_of_an_error_gets_into_no_artifact(
    at: str, tmp_path: Path
) -> None:
    with a_service_that_refuses(at) as url:
        run = crawl_eval(
            tmp_path / "results",
            "--synthesizer",
            "tone",
            "--endpoint",
            url,
            "--max-examples",
            "1",
            "--verbose",
            environment={**ENVIRONMENT, "OPENAI_LIVE_ALLOW_INSECURE_LOOPBACK": "true"},
        )
    assert leaks(run, [KEY, SERVICE_TOKEN, IN_AN_ERROR]) == []
    (row,) = run.rows.values()
    assert (row["status"], row["error"]["stage"]) == ("infrastructure_error", "session_start")
    if at == "the start":
        assert "[redacted:" in row["error"]["message"]

"""A dataset, an application and a service that are full of canaries."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from threading import Thread
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from tests.support import service_messages as service
from tests.support.canaries import FORMS, MACHINE_FORMS, SPECIALS, SPELLINGS, Canary, Nest

SCENARIOS = 14
CONVERSATIONS = 5
OBSERVATIONS = 12
AGENDA = ("ask", "insist")
ECHO = '''
"""An application that gives back whatever it is given."""

class Application:
    def __init__(self, initial_state, facts):
        self._state = dict(initial_state)

    def snapshot(self):
        return dict(self._state)

    def call(self, name, arguments, call_id):
        if "refuse" in arguments:
            raise ValueError(arguments["refuse"])
        self._state.update(arguments.get("keep") or {})
        return {"echo": arguments.get("value")}
'''
ECHO_TOOL = {
    "type": "function",
    "name": "echo",
    "description": "Give back what is given.",
    "parameters": {
        "type": "object",
        "properties": {"value": {}, "keep": {}, "refuse": {"type": "string"}},
        "required": [],
    },
}


def an_echo(folder: Path, source: str = ECHO) -> Path:
    """An application folder with one tool; ``source`` may be another application of that tool."""
    (folder / "prompts").mkdir(parents=True)
    (folder / "prompts/scope.txt").write_text("Deal with anything.")
    (folder / "prompts/backend.txt").write_text("Use the tool.")
    (folder / "tools.json").write_text(json.dumps([ECHO_TOOL]))
    (folder / "tools.py").write_text(source)
    (folder / "facts.json").write_text("{}")
    (folder / "phrases.json").write_text("{}")
    return folder


def a_script(*calls: dict[str, Any], reply: str = "Done.", said: str = "All done.") -> Any:
    """The assistant works through calls, one after the other, and says how it went."""
    rounds = [{"calls": [{"name": "echo", **call}]} for call in calls]
    steps: list[dict[str, Any]] = [{"say": said, "at": "caller_end+400"}]
    if rounds:
        work = {"delegate": "d1", "at": "caller_end+300", "rounds": rounds, "reply": reply}
        steps = [work, {"say": said, "at": "d1.done+700"}]
    return {"format": "gpt-live-script/1", "steps": steps}


def a_dataset(folder: Path, scenarios: dict[str, tuple[dict[str, Any], Any]]) -> Path:
    """A scenario file with a sound script for each; keyed by id: further fields, script."""
    (folder / "scripts/sound").mkdir(parents=True)
    documents = []
    for name, (fields, script) in scenarios.items():
        document = {
            "id": name,
            "title": "A request",
            "interaction": "single_turn",
            "input": {"text": "Please do it."},
            "expected": {"answer": "Done."},
        }
        documents.append(document | fields)
        (folder / f"scripts/sound/{name}.json").write_text(json.dumps(script), "utf-8")
    path = folder / "scenarios.json"
    path.write_text(json.dumps({"scenarios": documents}), "utf-8")
    return path


def in_prose(nest: Nest) -> Iterator[Callable[[], Canary]]:
    """Makers of canaries that are recognised even in speech."""
    known = [
        lambda a=a, b=b: nest.known(a, b)  # type: ignore[misc]
        for a in SPELLINGS
        for b in SPECIALS
    ]
    forms = [lambda a=a, b=b: nest.form(a, b) for a in FORMS for b in SPELLINGS]  # type: ignore[misc]
    return cycle([*known, *forms])


def in_data(nest: Nest) -> Iterator[Callable[[], Canary]]:
    """Makers of canaries that are recognised in what programs write."""
    forms = [
        lambda a=a, b=b: nest.form(a, b)  # type: ignore[misc]
        for b in SPELLINGS
        for a in (*MACHINE_FORMS, *FORMS)
    ]
    return cycle(forms)


def plant_dataset(folder: Path, nest: Nest) -> Path:
    """Scenarios with a canary in every text that they, their scripts and their tools have."""
    prose, data = in_prose(nest), in_data(nest)

    def said() -> str:
        return next(prose)().spelled

    def written() -> str:
        return next(data)().spelled

    scenarios: dict[str, tuple[dict[str, Any], Any]] = {}
    for number in range(SCENARIOS):
        fields = {
            "title": f"A request {said()}",
            "tags": [f"tag {said()}"],
            "input": {"text": f"Please do it, {said()}.", "context": {"summary": f"It {said()}"}},
            "application": {
                "initial_state": {"password": nest.field().spelled, "note": f"n {written()}"}
            },
            "expected": {"answer": f"Done {said()}", "criteria": [f"It is done {written()}"]},
        }
        calls = (
            {"arguments": {"value": [f"v {written()}", f"w {said()}", {"deep": [written()]}]}},
            {"arguments": {"value": {said(): 1, "n": f"x {said()}"}}},
            {"arguments": {"refuse": f"no {written()}"}},
            {"arguments": {"refuse": f"no {said()}"}},
            {"arguments": {"keep": {"one": f"{written()} ", "two": f"a {said()} b"}}},
            {"arguments": {"value": {"token": nest.field().spelled}}},
            {"arguments": {"keep": {"cookie": [nest.field().spelled]}}},
            {"arguments": {"value": json.dumps({"client_secret": nest.field().spelled})}},
            {"raw_arguments": f'{{"api_key": "{nest.field().spelled}", '},
            {"raw_arguments": f"broken {written()} "},
            {"arguments": {"value": said()}, "call_id": f"call_{number} {said()}"},
        )
        reply = f"It is {said()} and {said()} "
        script = a_script(*calls, reply=reply, said=f"It is {said()} now.")
        scenarios[f"planted_{number:02}"] = (fields, script)
    return a_dataset(folder, scenarios)


def hostile_messages(nest: Nest) -> list[str]:
    """What a hostile service says between the start and the close of a session."""
    prose, data = in_prose(nest), in_data(nest)

    def said() -> str:
        return next(prose)().spelled

    def written() -> str:
        return next(data)().spelled

    messages = [
        service.delegated(f"d {said()}", response_id=f"r {said()}"),
        service.backend(service.began(f"r {said()}"), f"d {said()}"),
        service.backend(service.call(f"c {said()}", f"t {said()}", f'{{"a": "{written()}')),
        service.backend(service.message(f"m {said()} ", item_id=f"i {said()}")),
    ]
    for _ in range(16):
        for speak in (service.said, service.heard):
            first, second = next(prose)().halves
            messages += [speak(f" so {first}"), speak(f"{second} it is. ")]
    for _ in range(12):
        messages += [
            service.error(f"code {said()}", f"message {written()} ", param=f"p {said()}"),
            json.dumps({"type": f"session.{said()}", "event_id": f"e {said()}"}),
            f'{{"type": "error", "broken {written()} ',
            json.dumps({"type": "info", "event_id": "e", "code": said(), "message": written()}),
        ]
    return messages


@contextmanager
def a_hostile_service(nest: Nest) -> Iterator[str]:
    """A service on loopback that fills every field it may fill; gives its address."""
    started = json.loads(service.started())
    prose = in_prose(nest)
    started["session"] |= {"id": f"live {next(prose)().spelled}", "model": next(prose)().spelled}
    messages = hostile_messages(nest)
    closed = service.closed(f"over {next(prose)().spelled}", 3.0)

    def session(connection: ServerConnection) -> None:
        connection.recv(timeout=20)
        connection.send(json.dumps(started))
        for message in messages:
            connection.send(message)
        try:
            while '"session.close"' not in str(connection.recv(timeout=20)):
                connection.send(service.audio(bytes(960)))
            connection.send(closed)
        except ConnectionClosed:
            return

    with serve(session, "127.0.0.1", 0) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        port = server.socket.getsockname()[1]
        yield f"ws://127.0.0.1:{port}/v1/live/sessions"
        server.shutdown()
        thread.join(timeout=20)


def plant_conversations(folder: Path, nest: Nest) -> Path:
    """The same for conversations: in what the caller is, knows and says, in what either session's
    service sends beside it, and in what the observer answers."""
    prose, data = in_prose(nest), in_data(nest)

    def said() -> str:
        return next(prose)().spelled

    def written() -> str:
        return next(data)().spelled

    scenarios: dict[str, tuple[dict[str, Any], Any]] = {}
    for number in range(CONVERSATIONS):
        opening = f"Please do it, {said()}."
        calls = (
            {"arguments": {"value": [f"v {written()}", {"deep": [f"w {said()}"]}]}},
            {"arguments": {"refuse": f"no {written()}"}},
            {"arguments": {"keep": {"one": f"{written()} ", "token": nest.field().spelled}}},
            {"raw_arguments": f'{{"api_key": "{nest.field().spelled}", '},
        )
        work = {
            "delegate": "d1",
            "at": "heard1.ended+600",
            "rounds": [{"calls": [{"name": "echo", **call}]} for call in calls],
            "reply": f"It is {said()} ",
        }
        thinks = {
            "delegate": "thought",
            "at": "heard1.ended+600",
            "rounds": [],
            "reply": f"Say {said()} ",
        }
        ends = {"say": f"Thank you, {said()}. Bye.", "at": "heard2.ended+600"}
        script = {
            "format": "gpt-live-conversation/1",
            "title": f"A talk {said()}",
            "caller": {
                "steps": [
                    {"say": opening, "at": "start+500"},
                    a_noise(said, written),
                    thinks,
                    {"say": f"Do it with {said()}.", "at": "heard1.ended+2000"},
                    ends,
                ]
            },
            "assistant": {
                "steps": [
                    {"say": f"With {said()}?", "at": "heard1.ended+500"},
                    a_noise(said, written),
                    work,
                    {"say": f"It is {said()} now.", "at": "heard2.ended+4000"},
                ]
            },
            "observer": [
                {"reason": f"Broken off {written()}", "code": said()},
                *(_observed(f"It {said()} is {written()} ") for _ in range(OBSERVATIONS)),
            ],
        }
        fields = {
            "interaction": "multi_turn",
            "title": f"A talk {said()}",
            "tags": [f"tag {said()}"],
            "input": {"text": opening, "context": {"summary": f"It {said()}"}},
            "application": {
                "initial_state": {"password": nest.field().spelled, "note": f"n {written()}"}
            },
            "expected": {
                "answer": f"Done {said()}",
                "criteria": [f"It is done {written()}"],
                "golden_path": {"turns": 7, "delegations": 1},
            },
            "simulation_parameters": _a_planted_caller(said, written),
        }
        scenarios[f"talk_{number:02}"] = (fields, script)
    return a_dataset(folder, scenarios)


def _a_planted_caller(said: Callable[[], str], written: Callable[[], str]) -> dict[str, Any]:
    return {
        "goal": f"Have it done, {said()}.",
        "known_facts": {"number": said(), "note": f"n {written()}"},
        "expectations": [f"It will {said()}."],
        "persona": {
            "description": f"Somebody {said()}.",
            "speech_instructions": f"Speak {said()}.",
            "backchannels": [f"mm {said()}"],
        },
        "agenda": [
            {
                "id": name,
                "commitment": f"Say {said()}.",
                "trigger_condition": f"When {said()}.",
                "completion_condition": f"Once {said()}.",
                "action": "answer",
                "facts": ["number"],
                "response_hint": f"It is {said()}.",
            }
            for name in AGENDA
        ],
    }


def a_noise(said: Callable[[], str], written: Callable[[], str]) -> dict[str, Any]:
    """What a service may send into a session at any time."""
    events = [
        json.loads(service.error(f"code {said()}", f"message {written()} ", param=f"p {said()}")),
        {"type": f"session.{said()}", "event_id": f"e {said()}"},
        {"type": "info", "event_id": "e", "code": said(), "message": written()},
    ]
    texts = [{"text": f'{{"type": "error", "broken {written()} '}]
    return {"send": [*({"event": one} for one in events), *texts], "at": "heard1.began+200"}


def _observed(reason: str) -> dict[str, Any]:
    return {
        "reason": reason,
        "objectives": [{"id": name, "expressed": False, "turn": None} for name in AGENDA],
        "caller_in_role": True,
        "closing_turn": None,
        "closing_turn_carries_request": None,
        "outcome": "unresolved",
        "should_drain": False,
    }

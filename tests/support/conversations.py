"""One short request to a service that misbehaves: the installed command on one side of a socket.

Each conversation is a service (a script, or a few lines of its own) and what the command is given.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assistants.frontend.fixture.http import http_end
from assistants.frontend.fixture.http_script import HttpScript, parse_http_script
from assistants.frontend.fixture.message_log import MessageLog
from shared.attempts.details import decode_details
from shared.observability.evidence import Evidence
from tests.support.runs import FinishedRun, Row, crawl_eval
from tests.support.services import (
    LIVE,
    Conversed,
    Services,
    Stall,
    on_the_track_of,
    quick_settings,
)

REQUEST = "A table, please."
SCENARIO: dict[str, Any] = {
    "id": "request",
    "title": "One short request",
    "interaction": "single_turn",
    "input": {"text": REQUEST},
    "expected": {"answer": "Done."},
}
BOOKING = {"guest_name": "Maya", "date": "2027-06-18", "time": "18:30", "party_size": 2}
BOOKS = {"name": "create_reservation", "arguments": BOOKING}

type Step = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Held:
    """A finished conversation: our side's files, and the messages as the service saw them."""

    run: FinishedRun
    log: tuple[dict[str, Any], ...]

    @property
    def row(self) -> Row:
        return self.run.rows["request"]

    @property
    def details(self) -> dict[str, Any]:
        details: dict[str, Any] = json.loads(self.run.details("request"))
        return details

    @property
    def caller_turns(self) -> list[dict[str, Any]]:
        """What was measured of each caller turn of a conversation."""
        content = (self.run.folder / "audio/request/conversation.result.json").read_bytes()
        turns: list[dict[str, Any]] = json.loads(content)["turn_metrics"]
        return turns

    @property
    def evidence(self) -> Evidence:
        return decode_details(self.run.details("request")).evidence

    @property
    def trace(self) -> list[dict[str, Any]]:
        lines = (self.run.folder / "events/request.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines]

    def messages(self, what: str, kind: str) -> list[dict[str, Any]]:
        """``sent`` or ``received`` by the service, of one kind, in order."""
        return [
            line["message"]
            for line in self.log
            if line["what"] == what
            and isinstance(line["message"], dict)
            and line["message"].get("type") == kind
        ]


@dataclass(frozen=True, slots=True)
class Conversation:
    """What a service does, and with what the command is run. ``mishaps`` are keys of the script."""

    steps: Sequence[Step] = ()
    mishaps: Mapping[str, Any] = field(default_factory=dict)
    expected: Mapping[str, Any] = field(default_factory=dict)
    tags: Sequence[str] = ()
    service: Conversed | None = None
    options: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    application: Callable[[Path], Path] | None = None
    assistant: Mapping[str, float] = field(default_factory=dict)
    response_timeout_s: float = 15
    stall: Stall | None = None
    judge: Sequence[Mapping[str, Any]] | None = None
    """What a judge answers, as rules of the HTTP end; without it nobody is asked."""

    def hold(self, services: Services, folder: Path) -> Held:
        """Have the conversation over a socket."""
        log = io.StringIO()
        with ExitStack() as up:
            if self.service is None:
                script = on_the_track_of(REQUEST, self._script)
                url = up.enter_context(services.playing(script, log=MessageLog(log)))
            else:
                url = up.enter_context(services.conversing(self.service))
            if self.stall is not None:
                url = up.enter_context(services.behind(url, self.stall))
            given: list[str | Path] = ["--endpoint", url]
            environment = dict(self.environment)
            if self.judge is not None:
                models = up.enter_context(http_end(_judging(self.judge)))
                environment["OPENAI_BASE_URL"] = models.url
                given += ["--judge-cache-dir", folder / "judgments"]
            run = self._run(folder, given, environment)
        return Held(run, tuple(json.loads(line) for line in log.getvalue().splitlines()))

    def hold_in_memory(self, folder: Path) -> Held:
        """Have it in virtual time, where a position is exact."""
        scripts = folder / "scripts" / "sound"
        scripts.mkdir(parents=True)
        (scripts / "request.json").write_text(self._script, "utf-8")
        return Held(self._run(folder, ["--offline"], self.environment), ())

    def _run(
        self, folder: Path, given: Sequence[str | Path], environment: Mapping[str, str]
    ) -> FinishedRun:
        folder.mkdir(parents=True, exist_ok=True)
        expected = {**SCENARIO["expected"], **self.expected}
        scenario = {**SCENARIO, "expected": expected, "tags": self.tags}
        data = a_dataset(folder / "data.json", scenario)
        settings = quick_settings(
            response_timeout_s=self.response_timeout_s,
            assistant=self.assistant,
            is_judged=self.judge is not None,
        )
        (folder / "settings.toml").write_text(settings, "utf-8")
        application: list[str | Path] = []
        if self.application is not None:
            application = ["--application", self.application(folder / "application")]
        return crawl_eval(
            folder / "results",
            *("--data", data, "--config", folder / "settings.toml", "--synthesizer", "tone"),
            *(*given, *application, *self.options),
            environment={**LIVE, **environment},
        )

    @property
    def _script(self) -> str:
        script = {"format": "gpt-live-script/1", "steps": [*self.steps], **self.mishaps}
        return json.dumps(script)


def _judging(rules: Sequence[Mapping[str, Any]]) -> HttpScript:
    answers = [{"to": "responses", **rule} for rule in rules]
    return parse_http_script(json.dumps({"format": "live-fixture-http/1", "answers": answers}))


def a_dataset(path: Path, *scenarios: Mapping[str, Any]) -> Path:
    path.write_text(json.dumps({"scenarios": scenarios}), "utf-8")
    return path


def says(text: str, at: str = "caller_end+400") -> Step:
    return {"say": text, "at": at}


def delegates(*calls: Mapping[str, Any], **parts: Any) -> Step:
    """Work that begins 300 ms after the request: a round of calls, if there are any."""
    rounds = [{"calls": list(calls)}] if calls else []
    return {"delegate": "d1", "at": "caller_end+300", "rounds": rounds, "reply": "Done.", **parts}


def sends(*events: Mapping[str, Any], at: str = "caller_end+400") -> Step:
    return {"send": [{"event": event} for event in events], "at": at}


def an_error(code: str, message: str) -> dict[str, Any]:
    error = {"type": "invalid_request_error", "code": code, "message": message, "param": None}
    return {"type": "error", "event_id": f"event_{code}", "error": error}

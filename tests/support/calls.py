"""One short call between two scripted parties: the installed command, in memory or over sockets.

Over sockets each party's far end is a service of its own, and a stall may come between it and us.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assistants.frontend.fixture.conversation_script import parse_conversation_script
from assistants.frontend.fixture.http import http_end
from assistants.frontend.fixture.http_script import parse_http_script
from shared.observability.observations import Speaker
from tests.support.conversations import Held, Step, a_dataset
from tests.support.runs import FinishedRun, installed
from tests.support.services import LIVE, Services, Stall

REQUEST = "Good evening. Are you open?"
ANSWER = "Yes, we are."
SOUND: tuple[tuple[Step, ...], tuple[Step, ...]] = (
    (
        {"say": REQUEST, "at": "start+300"},
        {"say": "Thank you. Bye.", "at": "heard1.ended+500", "action": "STOP"},
    ),
    ({"say": ANSWER, "at": "heard1.ended+500"},),
)
"""What caller and assistant do when nothing goes wrong."""
RESOLVED: dict[str, Any] = {
    "reason": "The question was answered and the caller took leave.",
    "objectives": [
        {"id": "ask", "expressed": True, "turn": "c1"},
        {"id": "ask_again", "expressed": False, "turn": None},
    ],
    "caller_in_role": True,
    "closing_turn": "c2",
    "closing_turn_carries_request": False,
    "outcome": "resolved",
    "should_drain": True,
}
"""What an observer answers that sees the end of it in the second turn."""
SCENARIO: dict[str, Any] = {
    "id": "request",
    "title": "One short call",
    "interaction": "multi_turn",
    "input": {"text": REQUEST},
    "expected": {"answer": "It is open.", "golden_path": {"turns": 7, "delegations": 0}},
    "simulation_parameters": {
        "goal": "Learn whether the house is open.",
        "known_facts": {"evening": "Friday"},
        "agenda": [
            {
                "id": name,
                "commitment": "Ask.",
                "trigger_condition": "The assistant listens.",
                "completion_condition": "The caller has asked.",
                "action": "answer",
                "response_hint": "Are you open?",
            }
            for name in ("ask", "ask_again")
        ],
    },
}


@dataclass(frozen=True, slots=True)
class Call:
    """What both parties do. Mishaps are keys of a side of a conversation script.

    ``stalls`` is who the service is whose line stalls, and when. ``models`` are rules of the HTTP
    end; without them nobody observes and nobody judges, and a quiet line ends the call.
    """

    caller: Sequence[Step] = SOUND[0]
    assistant: Sequence[Step] = SOUND[1]
    caller_mishaps: Mapping[str, Any] = field(default_factory=dict)
    assistant_mishaps: Mapping[str, Any] = field(default_factory=dict)
    expected: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    observer: Sequence[Mapping[str, Any]] = ()
    stalls: Mapping[Speaker, Stall] = field(default_factory=dict)
    models: Sequence[Mapping[str, Any]] | None = None
    options: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    session: Mapping[str, float] = field(default_factory=dict)
    simulation: Mapping[str, Any] = field(default_factory=dict)

    def hold(self, services: Services, folder: Path) -> Held:
        """Have the call over two sockets."""
        script = parse_conversation_script(self.script)
        with ExitStack() as up:
            urls = {}
            for speaker in Speaker:
                url = up.enter_context(services.playing(script.side(speaker)))
                if speaker in self.stalls:
                    url = up.enter_context(services.behind(url, self.stalls[speaker]))
                urls[speaker] = url
            given = ["--endpoint", urls[Speaker.ASSISTANT]]
            given += ["--simulator-endpoint", urls[Speaker.CALLER]]
            environment = {**LIVE, **self.environment}
            if self.models is None:
                given += ["--no-judge", "--no-semantic-drain"]
            else:
                rules = [{"to": "responses", **rule} for rule in self.models]
                answers = json.dumps({"format": "live-fixture-http/1", "answers": rules})
                models = up.enter_context(http_end(parse_http_script(answers)))
                environment["OPENAI_BASE_URL"] = models.url
                given += ["--judge-cache-dir", str(folder / "judgments")]
            return Held(self._run(folder, given, environment), ())

    def hold_with(self, caller_url: str, assistant_url: str, folder: Path) -> Held:
        """Have the call with services that are up already; nobody observes and nobody judges."""
        given = _between(caller_url, assistant_url)
        return Held(self._run(folder, given, {**LIVE, **self.environment}), ())

    def hold_in_memory(self, folder: Path) -> Held:
        """Have it in virtual time, where a position is exact."""
        place = folder / "scripts" / "sound"
        place.mkdir(parents=True)
        (place / "request.json").write_text(self.script, "utf-8")
        return Held(self._run(folder, ["--offline"], self.environment), ())

    @property
    def script(self) -> str:
        return json.dumps(
            {
                "format": "gpt-live-conversation/1",
                "caller": {"steps": list(self.caller), **self.caller_mishaps},
                "assistant": {"steps": list(self.assistant), **self.assistant_mishaps},
                "observer": list(self.observer),
            }
        )

    def arguments(self, caller_url: str, assistant_url: str, folder: Path) -> list[str | Path]:
        """What the command is given for this, for whoever starts it alone."""
        return self._arguments(folder, _between(caller_url, assistant_url))

    def _run(
        self, folder: Path, given: Sequence[str], environment: Mapping[str, str]
    ) -> FinishedRun:
        arguments = self._arguments(folder, given)
        return installed("run-eval", folder / "results", *arguments, environment=environment)

    def _arguments(self, folder: Path, given: Sequence[str]) -> list[str | Path]:
        folder.mkdir(parents=True, exist_ok=True)
        expected = {**SCENARIO["expected"], **self.expected}
        data = a_dataset(folder / "data.json", {**SCENARIO, **self.fields, "expected": expected})
        (folder / "settings.toml").write_text(self._settings, "utf-8")
        return ["--data", data, "--config", folder / "settings.toml", *given, *self.options]

    @property
    def _settings(self) -> str:
        """Short waits, and no bound on our own pace, because a busy machine is no defect."""
        tables: dict[str, Mapping[str, Any]] = {
            "simulation": {
                "quiet_line_ms": 2_000,
                "drain_ms": 500,
                "max_duration_seconds": 40,
                **self.simulation,
            },
            "audio": {"pacing_p99_ms": 60_000, "pacing_stall_ms": 60_000},
            "judge": {"retries": 0},
            "assistant": {
                "connect_timeout_seconds": 5,
                "start_timeout_seconds": 5,
                "close_timeout_seconds": 2,
                **self.session,
            },
        }
        return "".join(
            f"[{name}]\n" + "".join(f"{key} = {json.dumps(one)}\n" for key, one in rows.items())
            for name, rows in tables.items()
        )


def _between(caller_url: str, assistant_url: str) -> list[str]:
    services = ["--endpoint", assistant_url, "--simulator-endpoint", caller_url]
    return [*services, "--no-judge", "--no-semantic-drain"]

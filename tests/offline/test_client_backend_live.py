"""``crawl-eval --assistant client`` against one ``live-fixture``: its sessions, and its models.

One attempt in real time, as long as what is said in it: a short request, work with a tool round
over HTTP, and an answer.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.beside import evidence
from tests.support.live_fixtures import a_live_fixture
from tests.support.runs import (
    FinishedRun,
    Row,
    a_copy_of_the_data,
    crawl_eval,
    evaluate_here,
    rewrite,
)
from tests.support.services import patient
from tests.support.streamed_responses import SEALED, a_call, a_message, a_stream

KEY = "sk-a-key-that-nobody-may-see"
BACKEND_KEY = "sk-another-that-nobody-may-see"
EXAMPLE = "restaurant_009"
REQUEST = "Cancel R three four one."

CALL = a_call("call_1", '{"reservation_id":"R-341"}', "cancel_reservation")
RESULT = a_message("R-341 is cancelled.")
STREAMED = {"to": "responses", "content_type": "text/event-stream"}
ANSWERS = [
    {**STREAMED, "when": "function_call_output", "body": a_stream("resp_2", RESULT)},
    {**STREAMED, "body": a_stream("resp_1", SEALED, CALL)},
]


@dataclass(frozen=True)
class Made:
    """A run, and every message that crossed the lines of its two services."""

    run: FinishedRun
    messages: list[dict[str, Any]]

    @property
    def row(self) -> Row:
        return self.run.rows[EXAMPLE]

    @property
    def asked(self) -> list[dict[str, Any]]:
        """What the model was asked, one body after the other."""
        return [body for body in self.messages if "include" in body]

    def seen(self, kind: str) -> list[dict[str, Any]]:
        observations = evidence(self.run, EXAMPLE)["observations"]
        return [one for one in observations if one["observation"] == kind]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """One attempt."""
    folder = tmp_path_factory.mktemp("client")
    data = a_copy_of_the_data(folder / "data") / "scenarios.json"
    rewrite(data, _shorter)
    offline, _ = evaluate_here(folder / "offline", data=str(data), example=EXAMPLE)
    script = offline.folder / "scripts" / f"{EXAMPLE}.json"
    answers, log = folder / "answers.json", folder / "log.jsonl"
    answers.write_text(json.dumps({"format": "live-fixture-http/1", "answers": ANSWERS}), "utf-8")
    given = ("--script", script, "--http-script", answers, "--log", log)
    with a_live_fixture(folder / "end", *given) as (sessions, models):
        run = crawl_eval(
            folder / "results",
            *("--assistant", "client", "--synthesizer", "tone", "--no-judge", "--data", data),
            *("--endpoint", sessions, "--example", EXAMPLE, "--config", patient(folder)),
            environment={
                "OPENAI_API_KEY": KEY,
                "OPENAI_RESPONSES_API_KEY": BACKEND_KEY,
                "OPENAI_BASE_URL": models,
                "OPENAI_LIVE_ALLOW_INSECURE_LOOPBACK": "true",
                "OPENAI_LIVE_BACKEND_REASONING_EFFORT": "max",
            },
        )
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    return Made(run, [one for line in lines if isinstance(one := line.get("message"), dict)])


def _shorter(content: Any) -> Any:
    scenarios = [one for one in content["scenarios"] if one["id"] == EXAMPLE]
    scenarios[0]["input"]["text"] = REQUEST
    return {**content, "scenarios": scenarios}


def test_the_model_does_the_work_with_the_tools_of_the_application(live: Made) -> None:
    assert (live.row["status"], live.row["error"]) == ("passed", None)
    assert [one["detail"] for one in live.seen("DelegationEnded")] == [None]
    (call,) = live.seen("ToolCalled")
    assert (call["name"], call["response_id"]) == ("cancel_reservation", "resp_1")
    assert [one["text"] for one in live.seen("ContextSent")] == ["R-341 is cancelled."]


def test_the_evidence_is_that_of_managed_delegation(live: Made) -> None:
    kinds = ("ResponseBegan", "ToolCalled", "ToolReturned", "WorkContinued", "BackendText")
    assert [len(live.seen(kind)) for kind in kinds] == [2, 1, 1, 1, 1]
    assert [one["usage"]["total_tokens"] for one in live.seen("ResponseEnded")] == [320, 320]
    assert live.row["metrics"]["consumption"]["backend"] == {
        "total_tokens": 640,
        "input": {"total_tokens": 600, "cached_tokens": 400},
        "output": {"total_tokens": 40, "reasoning_tokens": 10},
    }


def test_the_model_is_asked_about_what_was_said_and_then_about_what_came_of_it(live: Made) -> None:
    first, second = live.asked
    (task,) = first["input"]
    words = task["content"][0]["text"]
    assert REQUEST in words
    assert "CALLER (new): " in words
    assert second["input"][:3] == [task, SEALED, CALL]
    (output,) = second["input"][3:]
    assert (output["type"], output["call_id"]) == ("function_call_output", "call_1")
    assert json.loads(output["output"])["cancelled"] is True


def test_the_session_is_told_neither_tools_nor_what_its_backend_is_told(live: Made) -> None:
    first, _ = live.asked
    start = next(one for one in live.messages if one.get("type") == "session.start")
    assert start["session"]["delegation"] == {"type": "client"}
    assert first["reasoning"] == {"effort": "max"}
    assert first["instructions"].splitlines()[0] not in str(start)
    assert "cancel_reservation" not in str(start)


def test_no_key_is_in_anything_that_was_written(live: Made) -> None:
    written = b"".join(live.run.files().values()) + (live.run.stdout + live.run.stderr).encode()
    assert KEY.encode() not in written
    assert BACKEND_KEY.encode() not in written
    assert SEALED["encrypted_content"].encode() not in written


def test_the_report_says_what_could_change_a_number(live: Made) -> None:
    added = live.run.report["run"]["configuration"]["client_delegation"]
    prompts = added.pop("prompt_sha256")
    assert added == {
        "backend": "openai",
        "response_timeout_seconds": 60.0,
        "responses_max": 8,
        "retries": 2,
    }
    folder = Path(__file__).parent.parent.parent / "assistants" / "client" / "prompts"
    assert prompts == {
        path.stem: hashlib.sha256(path.read_text("utf-8").strip().encode()).hexdigest()
        for path in folder.glob("*.txt")
    }

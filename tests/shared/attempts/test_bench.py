"""One attempt from its request to its row and its files, whatever goes wrong on the way."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistants.frontend.vocabulary import VOCABULARY
from shared.artifacts import RunDirectory
from shared.attempts import bench
from shared.attempts.assistant import OpenAssistant
from shared.attempts.attempt import Attempt
from shared.attempts.bench import Bench, judge_again
from shared.attempts.cancellation import Cancellation
from shared.attempts.details import decode_details
from shared.audio import wav
from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.detection.port import Detector, DetectorId
from shared.audio.pcm import Pcm, silence, to_bytes
from shared.clock import Clock
from shared.errors import AttemptError, Stage, UsageError
from shared.grading.judge import Judge
from shared.grading.policy import EvaluationPolicy
from shared.intervals import IntervalSet
from shared.observability.evidence import MeasuredOn, Track
from shared.observability.observations import (
    Faulted,
    Observation,
    SessionClosed,
    SessionOpened,
    ToolCalled,
    ToolReturned,
    ToolStatus,
)
from shared.observability.trace import Trace
from shared.participant import AudioArrived
from shared.scenarios import Scenario
from shared.single_turn.play import OpenedLine, SingleTurn
from shared.single_turn.session import SpokenRequest
from shared.values import JsonObject
from tests.support.builders import a_caption, at
from tests.support.judged import a_policy, a_scenario

SECRET_OF_OURS = "a-secret-of-ours"
DETECTOR = EnergyV1()


def loud(duration_ms: int) -> Pcm:
    """Sound that any detector hears."""
    samples = np.full(duration_ms * 24, 8_000, np.int16)
    samples[::2] = -8_000
    return samples


@dataclass
class Assistant:
    """Hears the caller out, speaks for 600 ms, and shows what it is told to."""

    observations: Sequence[Observation] = ()
    error: Exception | None = None
    at_connect: Exception | None = None
    heard_ms: int = 0
    waiting: list[Observation] = field(default_factory=list)
    failure: AttemptError | None = None

    async def connect(self) -> None:
        if self.at_connect is not None:
            raise self.at_connect
        self.waiting = [SessionOpened(at(0), "live_1", "gpt-live-1")]

    async def hear(self, _frame: bytes) -> None:
        self.heard_ms += 20
        if self.error is not None and self.heard_ms >= 500:
            raise self.error
        if self.heard_ms % 100 == 0:
            speaks = 1_500 <= self.heard_ms < 2_100
            pcm = loud(100) if speaks else silence(100)
            self.waiting.append(AudioArrived(at(self.heard_ms), to_bytes(pcm)))
        self.waiting += [s for s in self.observations if s.stamp.media_ms == self.heard_ms]

    def observed(self) -> Sequence[Observation]:
        seen, self.waiting = self.waiting, []
        return seen

    async def close(self) -> None:
        self.waiting.append(SessionClosed(at(self.heard_ms), "requested", self.heard_ms / 1_000))


@dataclass
class Room:
    """A bench over a run directory, with an assistant to be described."""

    directory: RunDirectory
    seen: list[tuple[str, str]] = field(default_factory=list)
    assistant: Assistant = field(default_factory=Assistant)
    state: JsonObject = field(default_factory=dict)
    script: str | None = None
    policy: EvaluationPolicy = field(default_factory=EvaluationPolicy)
    redact_fields: Sequence[str] = ()
    at_request: Exception | None = None
    at_line: Exception | None = None
    judge: Judge | None = None
    judge_repetitions: int = 1
    public_facts: JsonObject = field(default_factory=dict)
    cancellation: Cancellation = field(default_factory=Cancellation)
    second_track: Track | None = None
    second_detector: Detector | None = None
    speech_file: bytes | None = None

    def run(self, scenario: Scenario | None = None, key: str = "a_request") -> Any:
        bench = Bench(
            directory=self.directory,
            policy=self.policy,
            play=SingleTurn(
                detector=DETECTOR,
                request_for=self._request,
                line_for=self._line,
                audio_source="crawl.synthetic",
                timeout_ms=5_000,
                is_virtual=True,
                cancellation=self.cancellation,
                second_detector=self.second_detector,
            ),
            vocabulary=VOCABULARY,
            audio_source="crawl.synthetic",
            secrets=[SECRET_OF_OURS],
            redact_fields=self.redact_fields,
            cancellation=self.cancellation,
            listener=lambda key, row: self.seen.append((key, str(row["type"]))),
            judge=self.judge,
            judge_repetitions=self.judge_repetitions,
            public_facts=self.public_facts,
        )
        return bench.run(Attempt(key, scenario or a_scenario(), 1, "sound"))

    def _request(self, attempt: Attempt) -> SpokenRequest:
        if self.at_request is not None:
            raise self.at_request
        pcm = np.concatenate([loud(1_000), silence(200)])
        track = Track(DETECTOR.voiced(pcm), pcm.size, DETECTOR.id, MeasuredOn.CLEAN_SOURCE)
        return SpokenRequest(
            pcm,
            track,
            attempt.scenario.input.text,
            "crawl.synthetic",
            second_track=self.second_track,
            speech_file=self.speech_file,
        )

    def _line(self, _attempt: Attempt, _request: SpokenRequest, trace: Trace) -> OpenedLine:
        if self.at_line is not None:
            raise self.at_line

        def open_assistant(_clock: Clock) -> OpenAssistant:
            trace.message("sent", '{"type":"session.start","guest_name":"Maya"}', 0)
            trace.message("received", json.dumps({"type": "a", "b": SECRET_OF_OURS}), 10)
            return OpenAssistant(self.assistant, lambda: self.state)

        return OpenedLine(open_assistant, self.script)

    def files(self) -> set[str]:
        root = self.directory.path
        return {p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()}

    def text(self, relative: str) -> str:
        return (self.directory.path / relative).read_text("utf-8")

    def everything(self) -> bytes:
        return b"".join((self.directory.path / name).read_bytes() for name in sorted(self.files()))


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(RunDirectory.create(tmp_path, "run"))


def test_a_good_attempt_leaves_its_row_and_its_files(room: Room) -> None:
    room.script = '{"format": "gpt-live-script/1"}\n'
    row = room.run()

    assert row.status == "passed"
    assert row.attempt.key == "a_request"
    assert room.files() == {
        "audio/a_request/input.wav",
        "audio/a_request/output.wav",
        "audio/a_request/conversation.wav",
        "audio/a_request/conversation.transcript.txt",
        "events/a_request.jsonl",
        "scripts/a_request.json",
        "transcripts/a_request.json",
    }
    assert set(row.artifacts.values()) == room.files()
    assert room.text("scripts/a_request.json") == room.script


class Deaf:
    """A detector that hears nothing."""

    id = DetectorId("deaf", "1", {})

    def voiced(self, _pcm: Pcm) -> IntervalSet:
        return IntervalSet()


NOT_HEARD = Track(IntervalSet(), 28_800, Deaf.id, MeasuredOn.CLEAN_SOURCE)


@pytest.mark.parametrize(
    ("track", "detector", "names"),
    [
        pytest.param(None, None, None, id="once"),
        pytest.param(NOT_HEARD, Deaf(), ("deaf", "deaf"), id="both-twice"),
        pytest.param(None, Deaf(), ("energy-v1", "deaf"), id="the-assistant-twice"),
        pytest.param(NOT_HEARD, None, ("deaf", "energy-v1"), id="the-caller-twice"),
    ],
)
def test_tracks_are_measured(
    track: Track | None, detector: Deaf | None, names: tuple[str, str] | None, room: Room
) -> None:
    room.second_track, room.second_detector = track, detector
    row = room.run()

    found = row.metrics.audio.extended.sensitivity
    assert row.status == "passed"
    assert (found is not None) == (names is not None)
    if found is not None:
        assert tuple(source.detector for source in found.speech.values()) == names
    stored = decode_details(room.text("transcripts/a_request.json").encode())
    assert judge_again(stored).model_dump_json() == row.model_dump_json()


def test_what_a_network_heard_is_kept_beside_the_recording(room: Room) -> None:
    room.speech_file = b"{}"
    row = room.run()

    assert row.artifacts["input_speech"] == "audio/a_request/input.speech.json"
    assert room.text(row.artifacts["input_speech"]) == "{}"


def test_tracks_are_cut_to_what_was_observed(room: Room) -> None:
    row = room.run()
    details = decode_details((room.directory.path / row.artifacts["details"]).read_bytes())
    audio = room.directory.path / "audio" / "a_request"

    assert wav.read_mono(audio / "input.wav").size == 1_200 * 24
    assert wav.read_mono(audio / "output.wav").size <= details.evidence.extent_ms * 24
    assert row.metrics.audio.response_latency_ms == pytest.approx(500, abs=120)


def test_the_stored_attempt_judges_to_the_row_it_gave(room: Room) -> None:
    row = room.run()
    stored = (room.directory.path / row.artifacts["details"]).read_bytes()

    assert judge_again(decode_details(stored)) == row


def test_the_trace_closes_with_checks_and_verdict(room: Room) -> None:
    room.run()
    rows = [json.loads(line) for line in room.text("events/a_request.jsonl").splitlines()]

    assert [row["type"] for row in rows[-2:]] == [
        "evaluation.checks.assessed",
        "evaluation.outcome.assessed",
    ]
    assert rows[-1]["event"] == {"status": "passed", "failed_checks": [], "error": None}
    assert rows[-2]["event"]["assistant_responded"] == "passed"
    assert [row["event_index"] for row in rows] == list(range(1, len(rows) + 1))
    assert room.seen == [("a_request", row["type"]) for row in rows]


def test_the_state_after_the_attempt_is_the_applications(room: Room) -> None:
    room.state = {"booked": True}

    assert room.run(a_scenario(expected__state={"booked": True})).status == "passed"


def refused() -> Exception:
    return AttemptError(Stage.SESSION_START, "HTTP 401: refused at the handshake")


@pytest.mark.parametrize(
    ("parts", "stage", "message", "kept"),
    [
        pytest.param(
            {"at_request": UsageError("no voice")},
            "audio_synthesis",
            "no voice",
            {"audio/a_request/conversation.transcript.txt"},
            id="no-audio-could-be-made",
        ),
        pytest.param(
            {"at_request": ValueError("nothing to say")},
            "audio_synthesis",
            "nothing to say",
            {"audio/a_request/conversation.transcript.txt"},
            id="there-was-nothing-to-say",
        ),
        pytest.param(
            {"at_line": UsageError("before the session")},
            "attempt_execution",
            "before the session",
            {"audio/a_request/input.wav", "audio/a_request/conversation.transcript.txt"},
            id="the-script-cannot-be-put-on-the-track",
        ),
        pytest.param(
            {"assistant": Assistant(at_connect=refused())},
            "session_start",
            "HTTP 401: refused at the handshake",
            {"audio/a_request/input.wav", "audio/a_request/conversation.transcript.txt"},
            id="the-session-never-began",
        ),
        pytest.param(
            {"assistant": Assistant(error=AttemptError(Stage.RESPONSE_COLLECTION, "it broke"))},
            "response_collection",
            "it broke",
            {
                "audio/a_request/input.wav",
                "audio/a_request/output.wav",
                "audio/a_request/conversation.wav",
                "audio/a_request/conversation.transcript.txt",
            },
            id="the-session-broke-and-what-was-captured-is-kept",
        ),
        pytest.param(
            {"assistant": Assistant(error=RuntimeError("the key is sk-12345"))},
            "attempt_execution",
            "unexpected RuntimeError",
            {"audio/a_request/input.wav", "audio/a_request/conversation.transcript.txt"},
            id="a-bug-whose-text-nobody-may-see",
        ),
        pytest.param(
            {"assistant": Assistant(error=SystemExit(0))},
            "attempt_execution",
            "unexpected SystemExit",
            {"audio/a_request/input.wav", "audio/a_request/conversation.transcript.txt"},
            id="an-application-that-exits",
        ),
    ],
)
def test_an_attempt_becomes_its_row_when(
    parts: dict[str, Any], stage: str, message: str, kept: set[str], room: Room
) -> None:
    row = replace(room, **parts).run()

    assert row.status == "infrastructure_error"
    assert (row.error.stage, row.error.message) == (stage, message)
    audio = {name for name in room.files() if name.startswith("audio/")}
    assert audio == kept
    assert set(row.artifacts.values()) == room.files()
    assert "NOT A MEASUREMENT" in room.text("audio/a_request/conversation.transcript.txt")
    assert (
        judge_again(decode_details((room.directory.path / row.artifacts["details"]).read_bytes()))
        == row
    )


def test_a_fault_of_the_other_side_is_evidence_and_ends_nothing(room: Room) -> None:
    room.assistant = Assistant([Faulted(at(700), "not_json", "x")])
    row = room.run()

    assert row.status == "passed"
    assert "700 FAULT not_json x" in room.text("audio/a_request/conversation.transcript.txt")


def test_two_attempts_share_a_directory_and_no_file(room: Room) -> None:
    room.run(key="a_request@1")
    room.assistant = Assistant()
    room.run(key="a_request@2")

    stems = {Path(name).stem for name in room.files() if name.startswith("events/")}
    assert stems == {"a_request@1", "a_request@2"}


def used(arguments: dict[str, Any], output: Any, state: dict[str, Any]) -> list[Observation]:
    raw = json.dumps(arguments)
    return [
        ToolCalled(at(1_300), "c1", "book", raw, arguments, None, None),
        ToolReturned(at(1_400), "c1", "book", ToolStatus.COMPLETED, output, state),
        a_caption(1_500, 1_900, f"Your code is {SECRET_OF_OURS}.", 1_900),
    ]


def test_a_known_secret_stands_in_no_file_and_in_no_row(room: Room) -> None:
    room.assistant = Assistant(
        used({"code": SECRET_OF_OURS}, {"code": SECRET_OF_OURS}, {"code": SECRET_OF_OURS})
    )
    room.state = {"code": SECRET_OF_OURS}
    room.script = json.dumps({"steps": [{"say": SECRET_OF_OURS}]})
    scenario = a_scenario(
        input__text=f"Book it with {SECRET_OF_OURS}.",
        expected__tools__required=[{"name": "book", "arguments": {"code": SECRET_OF_OURS}}],
        expected__state={"code": SECRET_OF_OURS},
    )
    row = room.run(scenario)

    assert SECRET_OF_OURS.encode() not in room.everything()
    assert SECRET_OF_OURS not in row.model_dump_json()
    assert row.status == "passed", "an expectation and what meets it are masked alike"


def test_a_secret_that_is_not_the_expected_one_still_differs(room: Room) -> None:
    room.assistant = Assistant(used({"token": "first"}, {}, {}))
    scenario = a_scenario(
        expected__tools__required=[{"name": "book", "arguments": {"token": "second"}}]
    )

    assert room.run(scenario).status == "failed"


@pytest.mark.parametrize(
    ("wanted", "given", "status"),
    [
        pytest.param("AB 12", "ab-12", "passed", id="text-in-other-letters"),
        pytest.param(42, "42", "passed", id="a-number-as-text"),
        pytest.param("42", 42, "passed", id="text-as-a-number"),
        pytest.param({"$match": "number", "value": 5}, "5.0", "passed", id="a-number-compared"),
        pytest.param({"$match": "date", "value": "2027-07-02"}, "20270702", "passed", id="a-date"),
        pytest.param({"$match": "time", "value": "19:30"}, "7:30 p.m.", "passed", id="a-time"),
        pytest.param(
            {"$match": "one_of", "values": ["one", "two"]}, "Two", "passed", id="one-of-several"
        ),
        pytest.param(
            {"$match": "unordered", "items": ["one", "two"]}, ["TWO", "one"], "passed", id="a-list"
        ),
        pytest.param({"$match": "any"}, "whatever", "passed", id="anything"),
        pytest.param({"in": {"deep": "AB"}}, {"in": {"deep": "ab"}}, "passed", id="deep-within"),
        pytest.param(
            "ABCDEFGH IJKL12345", "abcdefgh-ijkl12345", "passed", id="what-looks-like-a-key"
        ),
        pytest.param("Token: AB12CD34", "token ab12cd34", "passed", id="what-looks-like-a-header"),
        pytest.param("AB 12", "AB 13", "failed", id="another-text"),
        pytest.param({"$match": "date", "value": "2027-07-02"}, "2027-07-03", "failed", id="a-day"),
    ],
)
def test_a_credential_named_argument_is_graded_as_any_other(
    wanted: Any, given: Any, status: str, room: Room
) -> None:
    arguments = {"token": given, "note": given}
    room.assistant = Assistant(used(arguments, {}, {"cookie": given}))
    room.state = {"cookie": given}
    scenario = a_scenario(
        expected__tools__required=[
            {"name": "book", "arguments": {"token": wanted, "note": wanted}}
        ],
        expected__state={"cookie": wanted},
    )
    row = room.run(scenario)

    assert row.status == status
    stored = decode_details((room.directory.path / row.artifacts["details"]).read_bytes())
    assert judge_again(stored) == row


def test_a_credential_named_argument_that_nobody_expects_is_masked(room: Room) -> None:
    room.assistant = Assistant(used({"token": "not expected"}, {"cookie": "nor this"}, {}))
    room.run()

    assert b"not expected" not in room.everything()
    assert b"nor this" not in room.everything()


def test_what_cannot_be_judged_is_a_row_and_no_measurement(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = bench.assess
    calls: list[int] = []

    def breaks(*given: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            raise RecursionError("of a secret")
        return judge(*given)

    monkeypatch.setattr(bench, "assess", breaks)
    row = room.run()

    assert row.error.stage == "attempt_execution"
    assert row.error.message == "the attempt could not be judged: unexpected RecursionError"
    assert b"of a secret" not in room.everything()
    assert "output_audio" not in row.artifacts


def test_an_artifact_that_cannot_be_written_is_missing_with_its_reason(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = RunDirectory.write

    def refuses(self: RunDirectory, relative: str, content: bytes) -> str:
        if relative.endswith(".wav"):
            raise PermissionError(13, "Permission denied")
        return write(self, relative, content)

    monkeypatch.setattr(RunDirectory, "write", refuses)
    row = room.run()

    assert row.status == "passed"
    assert {"details", "events", "conversation_transcript"} == set(row.artifacts)
    assert "output_audio could not be written: Permission denied" in row.warnings
    stored = decode_details((room.directory.path / row.artifacts["details"]).read_bytes())
    assert judge_again(stored) == row


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(OSError(28, "No space left on device"), id="a-full-disk"),
        pytest.param(OSError(27, "File too large"), id="a-file-that-may-not-grow"),
        pytest.param(OSError(30, "Read-only file system"), id="a-disk-gone-read-only"),
    ],
)
def test_a_directory_that_takes_nothing_more_raises(
    error: OSError, room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> str:
        raise error

    monkeypatch.setattr(RunDirectory, "write", full)
    with pytest.raises(OSError, match=str(error.strerror)):
        room.run()


@pytest.mark.parametrize("error", [OSError(28, "No space"), RuntimeError("x"), MemoryError()])
def test_a_voice_that_breaks_is_a_row(error: Exception, room: Room) -> None:
    room.at_request = error
    row = room.run()

    assert (row.status, row.error.stage) == ("infrastructure_error", "audio_synthesis")
    assert row.error.message == f"unexpected {type(error).__name__}"


def test_fields_named_by_the_user_are_masked_in_events_and_nowhere_else(room: Room) -> None:
    room.redact_fields = ["guest-name"]
    room.assistant = Assistant(used({"guest_name": "Maya"}, {}, {"guest_name": "Maya"}))
    room.state = {"guest_name": "Maya"}
    row = room.run(
        a_scenario(
            expected__tools__required=[{"name": "book", "arguments": {"guest_name": "Maya"}}],
            expected__state={"guest_name": "Maya"},
        )
    )

    assert row.status == "passed"
    assert "Maya" not in room.text("events/a_request.jsonl")
    assert "Maya" in room.text("transcripts/a_request.json")


def test_a_secret_within_a_scenarios_id_is_refused_because_it_would_name_files(room: Room) -> None:
    with pytest.raises(UsageError, match=r"x_\[redacted:1\]"):
        room.run(a_scenario(id=f"x_{SECRET_OF_OURS}"))
    assert room.files() == set()


def test_text_that_is_half_a_character_is_written_and_judged(room: Room) -> None:
    room.assistant = Assistant([a_caption(1_500, 1_900, "half \ud800", 1_900)])
    room.state = {"note": "\udfff", "share": float("nan")}

    assert room.run().status == "passed"
    json.loads(room.text("transcripts/a_request.json"), parse_constant=pytest.fail)


@pytest.mark.parametrize(
    ("patterns", "failed"),
    [
        pytest.param(None, ["grounded_confirmation"], id="the-application's-where-it-has-none"),
        pytest.param([], [], id="none-where-it-says-none"),
        pytest.param(
            [{"tools": ["book"], "patterns": ["no such words"]}], [], id="its-own-where-it-has-some"
        ),
    ],
)
def test_a_scenario_is_judged_by_phrases(patterns: object, failed: list[str], room: Room) -> None:
    room.policy = a_policy(confirmations=[(("book",), (r"\bbooked\b",))])
    room.assistant = Assistant([a_caption(1_500, 1_900, "It's booked.", 1_900)])
    row = room.run(a_scenario(expected__confirmation_patterns=patterns))

    assert [c.id for c in row.assessment.checks if c.status == "failed"] == failed
    stored = decode_details((room.directory.path / row.artifacts["details"]).read_bytes())
    assert judge_again(stored) == row


def test_the_policy_of_one_scenario_is_not_the_next_ones(room: Room) -> None:
    room.policy = a_policy(confirmations=[(("book",), (r"\bbooked\b",))])
    before = replace(room.policy)
    room.run(a_scenario(expected__confirmation_patterns=[]))

    assert room.policy == before

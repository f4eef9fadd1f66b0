"""Cases 1 to 9, 11, 12, 15 and 16: sessions that other harnesses broke on, over a real socket.

Each conversation stands right above its claims. They run some at a time, because each lasts as long
as what is said in it.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import re
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from websockets.asyncio.server import ServerConnection

from assistants.config import LiveAgentSettings
from assistants.frontend.fixture.voice import assistant_voice
from assistants.resources import BUNDLED_APPLICATION
from assistants.wire import MESSAGE_BYTES_MAX
from shared.audio import wav
from shared.audio.detection.energy_v1 import EnergyV1
from shared.audio.pcm import (
    FRAME_BYTES,
    FRAME_MS,
    SAMPLE_BYTES,
    SAMPLES_PER_MS,
    frames,
    to_bytes,
)
from shared.intervals import IntervalSet
from shared.observability.observations import (
    AudioReceived,
    Caption,
    CommandRejected,
    DelegationBegan,
    ResponseEnded,
    SessionClosed,
    Speaker,
    ToolCalled,
    ToolReturned,
)
from shared.observability.timeline import Timeline
from shared.speech.tone import ToneSynthesizer
from tests.support import service_messages
from tests.support.conversations import (
    BOOKING,
    BOOKS,
    REQUEST,
    SCENARIO,
    Conversation,
    Held,
    a_dataset,
    an_error,
    delegates,
    says,
    sends,
)
from tests.support.runs import FinishedRun, crawl_eval
from tests.support.services import (
    LIVE,
    Services,
    Stall,
    on_the_track_of,
    quick_settings,
)

AT_ONCE = 4
HELD: dict[str, Callable[[Services, Path], Any]] = {}
"""What must have happened before a test has something to claim, by the test's name."""


def about(hold: Callable[[Services, Path], Any]) -> Callable[[Callable[..., None]], Any]:
    """The conversation that a test is about; it is had beside others before the test runs."""

    def registered(test: Callable[..., None]) -> Callable[..., None]:
        HELD[test.__name__] = hold
        return test

    return registered


@pytest.fixture(scope="module")
def conversations(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Future[Any]]]:
    folder, services = tmp_path_factory.mktemp("conversations"), Services()
    selected = {getattr(item, "originalname", item.name) for item in request.session.items}
    chosen = {name: hold for name, hold in HELD.items() if name in selected}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        # Two tests may be about one conversation.
        names = {hold: name for name, hold in chosen.items()}
        once = {hold: pool.submit(hold, services, folder / name) for hold, name in names.items()}
        yield {name: once[hold] for name, hold in chosen.items()}
    services.stop()


@pytest.fixture
def held(request: pytest.FixtureRequest, conversations: dict[str, Future[Any]]) -> Any:
    return conversations[request.function.__name__].result()


def voiced(text: str) -> int:
    """For how many ms the assistant's voice sounds when it says this."""
    return assistant_voice().speak(text).voiced.total_ms


BEFORE, AFTER = "Before that, a moment.", "And after that, all of this."
IS_CALLED = {"delegation": "required", "tools": {"required": [BOOKS]}}


@about(
    Conversation(
        steps=[
            says(BEFORE),
            sends(an_error("moderation_x", "That was cut."), at="caller_end+700"),
            says(AFTER, "caller_end+2000"),
        ]
    ).hold
)
def test_case_01_an_error_that_ends_nothing_costs_no_audio(held: Held) -> None:
    """A3."""
    heard = held.evidence.assistant.voiced
    (error,) = held.evidence.of(CommandRejected)
    (closed,) = held.evidence.of(SessionClosed)

    assert error.code == "moderation_x"
    assert heard.total_ms == voiced(BEFORE) + voiced(AFTER)
    assert any(span.start_ms > error.stamp.media_ms for span in heard)
    assert (closed.reason, held.row["status"]) == ("close_requested", "passed")


@about(
    Conversation(
        steps=[
            says(BEFORE),
            sends(an_error("moderation_x", "That was cut."), at="caller_end+700"),
            says(AFTER, "caller_end+2000") | {"id": "after"},
            {"end": "content", "at": "after.said+300"},
        ]
    ).hold
)
def test_case_01_nor_does_the_end_of_the_session_after_it(held: Held) -> None:
    """A3. Closed by the service, it is no measurement, and still all of it is kept."""
    assert held.evidence.assistant.voiced.total_ms == voiced(BEFORE) + voiced(AFTER)
    assert [one.code for one in held.evidence.of(CommandRejected)] == ["moderation_x"]
    assert held.row["error"]["stage"] == "response_collection"
    assert "closed by the provider (content)" in held.row["error"]["message"]
    assert "conversation_audio" in held.row["artifacts"]


def notice(number: int, response_id: str | None) -> dict[str, Any]:
    """One more notice of the same delegation, as an event of its own."""
    delegation = {"id": "dlg_1", "target": "responses", "response_id": response_id}
    return {
        "type": "session.delegation.created",
        "event_id": f"event_again_{number}",
        "offset_ms": 0,
        "delegation": delegation,
    }


@about(
    Conversation(
        steps=[
            delegates(BOOKS),
            sends(notice(1, None), notice(2, "resp_elsewhere"), at="d1.called"),
            says("You are booked for half past six.", "d1.done+1000"),
        ],
        mishaps={
            "tampering": [
                {"on": "session.delegation.created", "change": {"delegation": {"id": "dlg_1"}}},
                {"on": "session.delegation.created", "leaves_ms": [0, 0]},
                {"on": "response.event", "change": {"delegation_id": "dlg_1"}},
            ]
        },
        expected=IS_CALLED,
    ).hold
)
def test_case_02_a_delegation_told_four_times_is_one(held: Held) -> None:
    """A6. A copy, the same id in another event, and the same id with another payload."""
    told = [row for row in held.trace if row["type"] == "session.delegation.created"]

    assert len(told) == 4
    assert held.row["metrics"]["task"]["delegations"]["actual"] == 1
    assert len(held.evidence.of(ToolReturned)) == 1
    assert len(held.evidence.state_after["reservations"]) == 1
    assert "resp_elsewhere" in json.dumps(told), "the payload that does not agree is on record"


@about(
    Conversation(
        steps=[
            delegates(BOOKS, fails="failed"),
            says("I am sorry, that did not work.", "d1.done+1000"),
        ]
    ).hold
)
def test_case_03_a_failed_response_ends_the_wait_and_no_more(held: Held) -> None:
    """A7."""
    evidence = held.evidence
    (failed,) = [one for one in evidence.of(ResponseEnded) if one.status == "failed"]
    timeline = Timeline.of(evidence)

    assert timeline.work.extent is not None
    assert timeline.work.extent.end_ms == failed.stamp.media_ms
    assert failed.stamp.media_ms < timeline.assistant.spans[0].start_ms
    audio = held.row["metrics"]["audio"]
    assert audio["response_rate"] == 1
    assert evidence.ending == "answer_settled"
    assert held.row["error"] is None


SLOW_TOOL = """

class Application(Application):
    def call(self, name, arguments, call_id):
        import time

        time.sleep(0.4 if name == "check_availability" else 0)
        return super().call(name, arguments, call_id)
"""


def with_a_slow_tool(folder: Path) -> Path:
    shutil.copytree(BUNDLED_APPLICATION, folder)
    with (folder / "tools.py").open("a", encoding="utf-8") as tools:
        tools.write(SLOW_TOOL)
    return folder


CHECKS = {
    "name": "check_availability",
    "arguments": {key: BOOKING[key] for key in ("date", "time", "party_size")},
}


@about(
    Conversation(
        steps=[
            delegates(BOOKS, CHECKS),
            says("You are booked for half past six.", "d1.done+1000"),
        ],
        expected={"delegation": "required", "tools": {"required": [BOOKS, CHECKS]}},
        application=with_a_slow_tool,
    ).hold
)
def test_case_04_two_calls_are_continued_once_after_the_slower(held: Held) -> None:
    """A9."""
    kinds = [
        line["message"]["type"].removeprefix("response.")
        for line in held.log
        if line["what"] == "received"
        and line["message"]["type"] in {"response.item.create", "response.create"}
    ]
    quick, slow = held.evidence.of(ToolReturned)

    assert kinds == ["item.create", "item.create", "create"]
    assert slow.stamp.wall_us - quick.stamp.wall_us >= 400_000
    assert held.row["status"] == "passed"


REASONING = json.loads(service_messages.backend(service_messages.reasoning(), None))


@about(
    Conversation(
        steps=[
            delegates(BOOKS),
            sends(REASONING, at="d1.began+50"),
            says("You are booked for half past six.", "d1.done+1000"),
        ],
        mishaps={
            "tampering": [
                {"on": "response.completed", "change": {"event": {"response": {"output": []}}}}
            ]
        },
        expected=IS_CALLED,
    ).hold
)
def test_case_05_a_call_runs_once_though_its_response_lists_nothing(held: Held) -> None:
    """A10."""
    backend = [one["event"] for one in held.messages("sent", "response.event")]
    done = [one["item"]["type"] for one in backend if one["type"].endswith("output_item.done")]
    completed = [one["response"] for one in backend if one["type"] == "response.completed"]

    assert done[:2] == ["reasoning", "function_call"]
    assert [one["output"] for one in completed] == [[], []]
    assert len(held.evidence.of(ToolCalled)) == len(held.evidence.of(ToolReturned)) == 1
    assert held.row["status"] == "passed"


@about(Conversation(steps=[says(BEFORE)], mishaps={"closing": {"cuts": True}}).hold)
def test_case_06_a_cut_after_the_close_is_no_error(held: Held) -> None:
    """A12."""
    (closed,) = held.evidence.of(SessionClosed)

    assert (held.row["status"], held.row["error"], held.row["warnings"]) == ("passed", None, [])
    assert closed.seconds is not None
    consumed = held.row["metrics"]["consumption"]["frontend"]["audio_duration_ms"]
    assert consumed == closed.seconds * 1_000 > 0


def three_requests(services: Services, folder: Path) -> FinishedRun:
    """Three at once; the service never starts whichever of them comes first."""
    folder.mkdir()
    data = a_dataset(folder / "data.json", *({**SCENARIO, "id": f"request_{n}"} for n in range(3)))
    config = folder / "settings.toml"
    config.write_text(quick_settings(), "utf-8")
    answers = {"format": "gpt-live-script/1", "steps": [says("Done.")]}
    scripts = [{**answers, "opening": {"is_answered": False}}, answers, answers]
    played = (on_the_track_of(REQUEST, json.dumps(script)) for script in scripts)
    with services.playing(*played) as url:
        return crawl_eval(
            folder / "results",
            *("--data", data, "--config", config, "--synthesizer", "tone"),
            *("--endpoint", url, "--concurrency", "3"),
            environment=LIVE,
        )


@about(three_requests)
def test_case_07_a_session_that_never_starts_holds_up_no_other(held: FinishedRun) -> None:
    """A14."""
    (error,) = [row["error"] for row in held.rows.values() if row["error"]]

    assert (error["stage"], error["message"]) == (
        "session_start",
        "no session.started within 1 s",
    )
    assert sorted(row["status"] for row in held.rows.values()) == [
        "infrastructure_error",
        "passed",
        "passed",
    ]


TORN = ["Book", " a ta", "ble", " for Ma", "ya"]
CALLER_END_MS = ToneSynthesizer().speak(REQUEST).voiced.spans[-1].end_ms
TORN_AT_MS = -(-(CALLER_END_MS + 400) // 200) * 200


def torn(speaker: str) -> list[dict[str, Any]]:
    return [
        {
            "type": f"session.{speaker}_transcript.delta",
            "event_id": f"event_{speaker}_{number}",
            "delta": piece,
            "start_ms": TORN_AT_MS + number * 200 if speaker == "output" else number * 200,
            "end_ms": TORN_AT_MS + (number + 1) * 200 if speaker == "output" else number * 200 + 1,
        }
        for number, piece in enumerate(TORN)
    ]


@about(
    Conversation(
        steps=[says("Book a table for Maya."), sends(*torn("output"), *torn("input"))],
        mishaps={
            "tampering": [
                {"on": "session.output_transcript.delta", "leaves_ms": []},
                {"on": "session.input_transcript.delta", "leaves_ms": []},
            ]
        },
    ).hold
)
def test_case_08_words_torn_apart_come_together_again(held: Held) -> None:
    """A15."""
    captions = held.evidence.of(Caption)
    said = [turn.text for turn in Timeline.of(held.evidence).assistant_turns]
    text = (held.run.folder / "audio/request/conversation.transcript.txt").read_text("utf-8")

    assert said == ["Book a table for Maya"]
    assert [one.text for one in captions if one.speaker is Speaker.CALLER] == TORN
    assert "Book a table for Maya" in text


TOKEN = "sk-TESTSECRET-that-a-service-echoes"


@about(
    Conversation(
        steps=[
            says(BEFORE),
            sends(an_error("odd", f"You sent Authorization: Bearer {TOKEN}")),
            sends({"type": "session.news", "event_id": "news_1", "headers": {"any": TOKEN}}),
        ],
        options=["--verbose"],
        environment={"OPENAI_API_KEY": TOKEN},
    ).hold
)
def test_case_09_neither_audio_nor_the_token_is_shown(held: Held) -> None:
    """A17, G11."""
    shown = {
        "stdout": held.run.stdout,
        "stderr": held.run.stderr,
        "events": (held.run.folder / "events/request.jsonl").read_text("utf-8"),
    }
    pieces = [wav.read_mono(held.run.folder / f"audio/request/{which}.wav") for which in PARTIES]
    encoded = {base64.b64encode(to_bytes(one[480:600])).decode() for one in pieces}

    assert "session.input_audio.append" in shown["stdout"]
    for name, text in shown.items():
        assert TOKEN not in text, name
        assert re.search(r"[A-Za-z0-9+/]{200}", text) is None, name
        assert not [one for one in encoded if one in text], name
    assert [name for name, file in held.run.files().items() if TOKEN.encode() in file] == []
    assert "[redacted:" in shown["events"]


PARTIES = ("input", "output")


# 11: pings without answers, while delegated work is under way


def unanswered(for_s: float, patience_s: float) -> Conversation:
    return Conversation(
        steps=[delegates(), says("Here it is.", "d1.done+1000")],
        stall=Stall(b'"session.delegation.created"', for_s),
        assistant={"ping_interval_seconds": 0.3, "ping_timeout_seconds": patience_s},
    )


@about(unanswered(30, 0.6).hold)
def test_case_11_pings_unanswered_for_good_leave_a_clean_error(held: Held) -> None:
    """A21."""
    error = held.row["error"]

    assert error["stage"] == "response_collection"
    assert error["message"] == "the provider answered no ping for 0.6 s"
    assert held.evidence.of(DelegationBegan)
    assert {"input_audio", "conversation_audio", "events", "details"} <= set(held.row["artifacts"])
    assert all((held.run.folder / path).is_file() for path in held.row["artifacts"].values())
    assert "Traceback" not in held.run.stdout + held.run.stderr


@about(unanswered(1.5, 20).hold)
def test_case_11_a_long_silence_within_patience_is_none(held: Held) -> None:
    """A21. With the usual patience this holds for 45 s."""
    assert (held.row["status"], held.row["error"]) == ("passed", None)
    assert LiveAgentSettings().ping_timeout_seconds > 45


# 12: one large message


@about(Conversation(steps=[says(BEFORE), {"send": [{"audio_ms": 25_000}], "at": "start+900"}]).hold)
def test_case_12_a_message_of_1_6_mb_is_taken(held: Held) -> None:
    """A22."""
    longest = max(held.evidence.of(AudioReceived), key=lambda one: one.samples)

    assert longest.samples == 25_000 * SAMPLES_PER_MS
    assert held.row["status"] == "passed"


@about(
    Conversation(
        steps=[
            says(BEFORE),
            {"send": [{"audio_ms": 280_000}], "at": "caller_end+1500"},
        ]
    ).hold
)
def test_case_12_a_larger_one_than_any_names_the_limit(held: Held) -> None:
    """A22."""
    error = held.row["error"]

    assert error["stage"] == "response_collection"
    assert f"over the limit of {MESSAGE_BYTES_MAX} bytes" in error["message"]
    assert held.evidence.assistant.voiced


# 16: when audio flows

STARTS_AFTER_S = 1.5
QUIET_MS = 500


class AttentiveService:
    """Starts late, keeps all it hears, and answers once the caller has been silent for a while."""

    def __init__(self) -> None:
        self.early: list[str] = []
        self.heard = bytearray()

    async def __call__(self, connection: ServerConnection) -> None:
        await connection.recv()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STARTS_AFTER_S):
                while True:
                    self.early.append(str(await connection.recv()))
        await connection.send(service_messages.started())
        answer, quiet_ms = iter(frames(assistant_voice().speak(AFTER).pcm)), 0
        async for message in connection:
            event = json.loads(message)
            if event["type"] == "session.close":
                await connection.send(service_messages.closed())
                return
            frame = base64.b64decode(event["audio"])
            self.heard += frame
            quiet_ms = 0 if any(frame) else quiet_ms + FRAME_MS
            piece = next(answer, None) if self.heard.strip(b"\0") and quiet_ms >= QUIET_MS else None
            await connection.send(service_messages.audio(piece or bytes(FRAME_BYTES)))


ATTENTIVE = AttentiveService()
ATTENDED = Conversation(service=ATTENTIVE, assistant={"start_timeout_seconds": 10})


@about(ATTENDED.hold)
def test_case_16_nothing_is_said_before_the_start_and_nothing_is_lost(held: Held) -> None:
    """B8, and B13: the first sample heard is the first of the recording."""
    spoken = to_bytes(wav.read_mono(held.run.folder / "audio/request/input.wav"))

    assert ATTENTIVE.early == []
    assert any(spoken[:20]), "the request sounds from its first sample on"
    assert bytes(ATTENTIVE.heard[: len(spoken)]) == spoken
    assert set(ATTENTIVE.heard[len(spoken) :]) == {0}
    assert held.evidence.caller.voiced.spans[0].start_ms == 0


@about(ATTENDED.hold)
def test_case_16_silence_flows_until_an_answer_comes(held: Held) -> None:
    """B11."""
    latency_ms = held.row["metrics"]["audio"]["response_latency_ms"]

    assert (held.row["status"], held.evidence.ending) == ("passed", "answer_settled")
    assert QUIET_MS <= latency_ms <= QUIET_MS + 1_000
    assert held.evidence.assistant.voiced.total_ms == voiced(AFTER)
    assert len(ATTENTIVE.heard) >= held.evidence.extent_ms * SAMPLES_PER_MS * SAMPLE_BYTES


# 15: bursts, and nothing between them

FIRST, SECOND = "One.", "Two."
IN_PLACE_MS = 20
MOST_TRIES = 4
FIRST_AT_MS = -(-CALLER_END_MS // 100) * 100 + 400
FIRST_END_MS = FIRST_AT_MS + assistant_voice().speak(FIRST).voiced.spans[-1].end_ms


def pieces_between(start_ms: int, end_ms: int) -> range:
    """Numbers of the pieces of the assistant's track, 100 ms from 800 ms on, within a span."""
    return range(-(-(start_ms - 800) // 100) + 1, (end_ms - 800) // 100 + 1)


AFTER_NOTHING_MS = -(-FIRST_END_MS // 100) * 100 + 7_000
NOTHING = Conversation(
    steps=[says(FIRST, f"start+{FIRST_AT_MS}"), says(SECOND, f"start+{AFTER_NOTHING_MS}")],
    mishaps={
        "tampering": [
            {"on": "session.output_audio.delta", "nth": number, "leaves_ms": []}
            for number in pieces_between(FIRST_END_MS, AFTER_NOTHING_MS)
        ]
    },
)
HELD_FROM_MS = -(-FIRST_END_MS // 100) * 100 + 100
RELEASED_MS = HELD_FROM_MS + 3_000
BURST = Conversation(
    steps=[
        says(FIRST, f"start+{FIRST_AT_MS}"),
        {"hold": 3_000, "at": f"start+{HELD_FROM_MS}"},
        says(SECOND, f"start+{HELD_FROM_MS + 1_000}"),
    ],
)


def assistant_side(held: Held) -> IntervalSet:
    """Where the assistant sounds in the recording of both. It and the caller's are whole."""
    both, rate = soundfile.read(
        held.run.folder / "audio/request/conversation.wav", dtype="int16", always_2d=True
    )
    caller, assistant = (EnergyV1().voiced(np.ascontiguousarray(both[:, n])) for n in (0, 1))

    assert (rate, both.shape[1]) == (24_000, 2)
    assert abs(len(both) - held.evidence.extent_ms * SAMPLES_PER_MS) <= 100 * SAMPLES_PER_MS
    assert caller == held.evidence.caller.voiced
    assert assistant == held.evidence.assistant.voiced
    return assistant


def farthest_off_ms(held: Held, second_at_ms: int) -> int:
    """By how much the sentence that is least in its place is out of it, at either of its ends."""
    places = [
        edge + at_ms
        for text, at_ms in ((FIRST, FIRST_AT_MS), (SECOND, second_at_ms))
        for span in assistant_voice().speak(text).voiced
        for edge in (span.start_ms, span.end_ms)
    ]
    found = [edge for span in assistant_side(held) for edge in (span.start_ms, span.end_ms)]
    assert len(found) == len(places)
    return max(abs(a - b) for a, b in zip(found, places, strict=True))


def again_while_out_of_place(
    conversation: Conversation, second_at_ms: int
) -> Callable[[Services, Path], Held]:
    """A busy machine may delay a burst now and then; a fault of ours does so every time."""

    def hold(services: Services, folder: Path) -> Held:
        for number in range(MOST_TRIES - 1):
            held = conversation.hold(services, folder / str(number))
            if farthest_off_ms(held, second_at_ms) <= IN_PLACE_MS:
                return held
        return conversation.hold(services, folder / "last")

    return hold


@pytest.mark.parametrize(
    ("conversation", "second_at_ms"),
    [
        pytest.param(NOTHING, AFTER_NOTHING_MS, id="seven-seconds-of-nothing"),
        pytest.param(BURST, RELEASED_MS, id="a-stall-and-a-burst"),
    ],
)
def test_case_15_each_burst_is_in_its_place(
    conversation: Conversation, second_at_ms: int, tmp_path: Path
) -> None:
    """B7. In virtual time nothing is late."""
    held = conversation.hold_in_memory(tmp_path / "burst")

    assert farthest_off_ms(held, second_at_ms) <= IN_PLACE_MS


@about(again_while_out_of_place(NOTHING, AFTER_NOTHING_MS))
def test_case_15_nothing_for_seven_seconds_over_a_socket(held: Held) -> None:
    """B7."""
    (stall,) = [one for one in held.evidence.of(AudioReceived) if one.is_stall]

    assert farthest_off_ms(held, AFTER_NOTHING_MS) <= IN_PLACE_MS
    assert stall.late_ms == pytest.approx(AFTER_NOTHING_MS - FIRST_END_MS, abs=300)


@about(again_while_out_of_place(BURST, RELEASED_MS))
def test_case_15_a_stall_and_a_burst_over_a_socket(held: Held) -> None:
    """B7."""
    assert farthest_off_ms(held, RELEASED_MS) <= IN_PLACE_MS
    assert sum(one.is_stall for one in held.evidence.of(AudioReceived)) == 1

"""A call whose time is up is told by what was achieved by then, and nothing makes the time longer.

Held in memory, where an instant is exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from assistants.frontend.events import OutputAudioDelta, encode_audio
from shared.audio.pcm import to_bytes
from shared.speech.tone import ToneSynthesizer
from tests.support.calls import ANSWER, REQUEST, Call
from tests.support.conversations import Held

LIMIT_S = 9
NEVER_MS = 60_000
RIGHT, WRONG = {"state": {"unchanged": True}}, {"state": {"is_booked": True}}
UNENDED = ({"say": REQUEST, "at": "start+300"}, {"say": "One moment.", "at": "heard1.ended+500"})
"""A caller who never says that it is through."""


def wordless(text: str) -> dict[str, Any]:
    """A voice of which no caption ever tells what it said."""
    voice = OutputAudioDelta(delta=encode_audio(to_bytes(ToneSynthesizer().speak(text).pcm)))
    return {"event": voice.model_dump(mode="json", exclude_none=True)}


def cut(expected: Mapping[str, Any], **parts: Any) -> Call:
    simulation = {"max_duration_seconds": LIMIT_S, "quiet_line_ms": NEVER_MS}
    return Call(expected=expected, simulation=simulation, **parts)


CALLS = {
    "right_state": cut(RIGHT, caller=UNENDED),
    "wrong_state": cut(WRONG, caller=UNENDED),
    "in_time": cut(RIGHT),
    "in_time_in_a_wrong_state": cut(WRONG),
    "last_words_unknown": cut(
        RIGHT,
        assistant=[
            {"say": ANSWER, "at": "heard1.ended+500"},
            {"send": [wordless("Goodbye.")], "at": "heard2.ended+700"},
        ],
    ),
}


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[Held]]]:
    folder = tmp_path_factory.mktemp("calls")
    with ThreadPoolExecutor(1) as pool:
        yield {
            name: pool.submit(call.hold_in_memory, folder / name) for name, call in CALLS.items()
        }


@pytest.mark.parametrize(
    ("name", "status", "completed", "state"),
    [
        pytest.param("right_state", "failed", "failed", "passed", id="all-done-and-never-over"),
        pytest.param("wrong_state", "failed", "failed", "failed", id="nothing-done-and-never-over"),
        pytest.param("in_time", "passed", "passed", "passed", id="all-done-and-over"),
        pytest.param(
            "in_time_in_a_wrong_state", "failed", "passed", "failed", id="nothing-done-and-over"
        ),
        pytest.param(
            "last_words_unknown", "failed", "failed", "passed", id="over-but-for-words-never-known"
        ),
    ],
)
def test_how_a_call_ended_and_what_it_achieved_are_told_apart(
    name: str, status: str, completed: str, state: str, calls: dict[str, Future[Held]]
) -> None:
    row = calls[name].result().row
    checks = {one["id"]: one["status"] for one in row["assessment"]["checks"]}

    assert (row["status"], row["error"]) == (status, None)
    assert checks["conversation_completed"] == completed
    assert checks["application_state"] == state


@pytest.mark.parametrize("name", ["right_state", "wrong_state", "last_words_unknown"])
def test_the_time_is_up_at_the_very_frame(name: str, calls: dict[str, Future[Held]]) -> None:
    evidence = calls[name].result().evidence

    assert (evidence.ending, evidence.extent_ms) == ("duration_limit", LIMIT_S * 1_000)


def test_words_that_never_came_are_what_holds_the_end_up(
    calls: dict[str, Future[Held]],
) -> None:
    with_words, without = (
        calls[one].result().evidence for one in ("in_time", "last_words_unknown")
    )

    assert with_words.ending == "response_completed"
    assert with_words.extent_ms < LIMIT_S * 1_000
    assert [cue.action for cue in without.cues] == ["STOP"]
    assert len(without.assistant.voiced) > len(with_words.assistant.voiced)

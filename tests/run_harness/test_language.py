"""When a conversation is over hangs on no language: a call in any words ends the same way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.calls import RESOLVED, Call
from tests.support.conversations import Held

OVER = {**RESOLVED, "reason": "Λύθηκε."}
WORDS = [
    pytest.param("Are you open?", "Yes, we are.", "Thank you. Bye.", id="english"),
    pytest.param("Είστε ανοιχτά;", "Μάλιστα, είμαστε.", "Ευχαριστώ, γεια σας.", id="greek"),
    pytest.param(
        "今日は開いていますか。",
        "はい、開いております。",
        "ありがとう、さようなら。",
        id="japanese",
    ),
    pytest.param("هل أنتم مفتوحون؟", "نعم، نحن مفتوحون.", "شكرا، مع السلامة.", id="arabic"),
    pytest.param("Yes. Goodbye. Goodbye?", "Goodbye. All done.", "Ja, tack.", id="misleading"),
]
every_language = pytest.mark.parametrize(("asked", "answered", "left"), WORDS)


def a_call(asked: str, answered: str, left: str, **parts: Any) -> Call:
    """A caller who takes leave in nothing but words."""
    return Call(
        caller=(
            {"say": asked, "at": "start+300"},
            {"say": left, "at": "heard1.ended+500"},
        ),
        assistant=({"say": answered, "at": "heard1.ended+500"},),
        fields={"input": {"text": asked}},
        **parts,
    )


def heard(held: Held) -> list[str]:
    return [one["user_transcript"] for one in held.caller_turns]


@every_language
def test_a_quiet_line_ends_it(asked: str, answered: str, left: str, tmp_path: Path) -> None:
    held = a_call(asked, answered, left).hold_in_memory(tmp_path / "call")
    last_ms = held.evidence.caller.voiced.spans[-1].end_ms

    assert held.evidence.ending == "response_completed"
    assert heard(held) == [asked, left]
    # 2 s of quiet line, 0.5 s of drain, and up to the ends of frames.
    assert 2_500 <= held.evidence.extent_ms - last_ms <= 2_560


@every_language
def test_an_observer_ends_it_and_names_the_farewell(
    asked: str, answered: str, left: str, tmp_path: Path
) -> None:
    call = a_call(asked, answered, left, observer=[OVER])
    held = call.hold_in_memory(tmp_path / "call")
    turns = held.caller_turns

    assert held.evidence.ending == "response_completed"
    assert [(one["action"], one["action_source"]) for one in turns] == [
        ("OPENING", "first_turn"),
        ("STOP", "observer"),
    ]
    assert held.row["metrics"]["audio"]["response_rate"] == 1.0

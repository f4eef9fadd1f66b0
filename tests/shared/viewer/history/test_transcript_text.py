"""Transcripts in both ways of writing are read back, and tools and backends say nothing in them."""

from __future__ import annotations

import pytest

from shared.reporting.transcript import transcript
from shared.viewer.history.transcript_text import said_in_text
from tests.support.builders import a_request, a_timeline, an_evidence, spans


def told(content: str) -> list[tuple[str, int, int, str]]:
    turns = said_in_text(content).turns
    return [(one.role.value, one.start_ms, one.end_ms, one.text) for one in turns]


@pytest.mark.parametrize(
    ("content", "turns"),
    [
        pytest.param("USER 1..2ms: Hi.", [("caller", 1, 2, "Hi.")], id="an-older-line"),
        pytest.param("CALLER 1..2ms: Hi.", [("caller", 1, 2, "Hi.")], id="a-caller-by-that-name"),
        pytest.param("AGENT 1..2ms [OVERLAP]: Hi.", [("assistant", 1, 2, "Hi.")], id="an-overlap"),
        pytest.param(
            "USER 1..2ms: Hi.\nthere\n\nyou", [("caller", 1, 2, "Hi.\nthere\n\nyou")], id="lines"
        ),
        pytest.param(
            "USER 1..2ms:\nHi.", [("caller", 1, 2, "Hi.")], id="words-on-the-next-line-alone"
        ),
        pytest.param(
            "USER 1..2ms: Hi.\r\nASSISTANT 3..4ms: Yes.\r\n",
            [("caller", 1, 2, "Hi."), ("assistant", 3, 4, "Yes.")],
            id="ends-of-lines-of-another-system",
        ),
        pytest.param(
            'USER 1..2ms: Hi.\nTOOL 2ms: name=book status=called arguments={"a":\n"secret"}\n',
            [("caller", 1, 2, "Hi.")],
            id="an-event-takes-its-lines-with-it",
        ),
        pytest.param(
            "USER 1..2ms: Hi.\nBACKEND 2ms: target=x\nsecret\nASSISTANT 3..4ms: Yes.",
            [("caller", 1, 2, "Hi."), ("assistant", 3, 4, "Yes.")],
            id="until-somebody-speaks-again",
        ),
        pytest.param(
            "USER 1..2ms: Hi.\nREASONING 2ms: secret", [("caller", 1, 2, "Hi.")], id="any-event"
        ),
        pytest.param("USER 2..1ms: Hi.\nUSER 1..2ms:  ", [], id="backwards-and-blank"),
        pytest.param("USER 1..9999999999ms: Hi.", [], id="a-time-of-too-many-digits"),
        pytest.param("USER 1..99999999ms: Hi.", [], id="a-time-beyond-any-session"),
        pytest.param("Hello.\nHow are you?", [], id="text-of-another-kind"),
        pytest.param("", [], id="nothing"),
        pytest.param(
            "1..2 CALLER (overlap): Hi.\n2 TOOL book called with secret\n3..4 ASSISTANT: Yes.",
            [("caller", 1, 2, "Hi."), ("assistant", 3, 4, "Yes.")],
            id="our-own",
        ),
        pytest.param("1..2 CALLER: (no transcript)", [("caller", 1, 2, "")], id="unknown-words"),
        pytest.param(
            "1..2 CALLER: USER 1..2ms: Hi.",
            [("caller", 1, 2, "USER 1..2ms: Hi.")],
            id="somebody-who-speaks-like-a-transcript",
        ),
    ],
)
def test_a_transcript_of(content: str, turns: list[tuple[str, int, int, str]]) -> None:
    assert told(content) == turns


def test_turns_with_times_that_are_none_are_counted() -> None:
    assert said_in_text("USER 2..1ms: Hi.\nUSER 1..2ms: Hi.").left_out == 1


def test_what_we_write_ourselves_is_read_back() -> None:
    asked = (a_request((100, 300), (350, 400), text="A table."), a_request((900, 950), text=""))
    spoken = a_timeline(*asked, assistant=spans((380, 700)))
    assert told(transcript(an_evidence(), spoken)) == [
        ("caller", 100, 400, "A table."),
        ("assistant", 380, 700, ""),
        ("caller", 900, 950, ""),
    ]

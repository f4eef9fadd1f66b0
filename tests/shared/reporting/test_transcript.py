"""The transcript for people: lines in order of media time, whatever was said in them."""

from __future__ import annotations

import pytest

from shared.observability.observations import (
    CommandRejected,
    ConnectionLost,
    DelegationBegan,
    Faulted,
    Observation,
    UsageReported,
)
from shared.observability.timeline import Timeline
from shared.reporting.transcript import HEADING, LONGEST_VALUE, transcript
from tests.support.builders import a_caption, an_evidence, at, spans
from tests.support.judged import a_call, a_delegation, a_return, a_tool_use, an_attempt


def lines(*observations: Observation, **parts: object) -> list[str]:
    evidence = an_attempt(observations=observations, **parts)  # type: ignore[arg-type]
    heading, *rest = transcript(evidence, Timeline.of(evidence)).splitlines()
    assert heading == HEADING
    return rest


def test_turns_and_events_come_in_order_of_time() -> None:
    assert lines(
        a_delegation(1_100),
        *a_tool_use("book", {"n": 2}, at_ms=1_200),
        a_caption(2_000, 2_400, "It's booked."),
        assistant=spans((2_000, 2_400)),
    ) == [
        "0..1000 CALLER: request",
        "1100 DELEGATION to responses",
        "1200 TOOL book called with {",
        "1700 TOOL book completed: {}",
        "2000..2400 ASSISTANT: It's booked.",
    ]


@pytest.mark.parametrize(
    ("seen", "line"),
    [
        pytest.param(a_return(is_completed=False), "2000 TOOL book failed: {}", id="failed-tool"),
        pytest.param(
            CommandRejected(at(5), "too_long", "no more", None, None),
            "5 REJECTED too_long no more",
            id="a-rejected-command",
        ),
        pytest.param(Faulted(at(5), "not_json", "x\ny"), "5 FAULT not_json x y", id="a-fault"),
        pytest.param(
            ConnectionLost(at(5), 1006, "gone"), "5 CONNECTION LOST 1006 gone", id="a-lost-line"
        ),
    ],
)
def test_told_is(seen: Observation, line: str) -> None:
    assert line in lines(seen)


def test_what_is_of_no_interest_is_not_told() -> None:
    assert lines(UsageReported(at(5), 1.0)) == lines()


def test_speech_into_the_others_speech_is_marked_on_both_sides() -> None:
    said = lines(assistant=spans((500, 2_000)))

    assert said == [
        "0..1000 CALLER (overlap): request",
        "500..2000 ASSISTANT (overlap): (no transcript)",
    ]


def test_speech_that_only_touches_the_others_is_no_overlap() -> None:
    assert not any("overlap" in line for line in lines(assistant=spans((1_000, 2_000))))


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(a_call(name="x\n0 CALLER: forged"), id="a-tool's-name"),
        pytest.param(DelegationBegan(at(5), "d", "x\u2028forged", None), id="a-target"),
        pytest.param(CommandRejected(at(5), "a\x85b", "m", None, None), id="a-code"),
        pytest.param(Faulted(at(5), "k\x1b[2J", "d\u202e"), id="a-kind"),
    ],
)
def test_one_observation_is_one_line(seen: Observation) -> None:
    text = "\n".join(lines(seen))

    assert len(lines(seen)) == len(lines()) + 1
    assert not {"\x1b", "\u202e", "\u2028", "\x85"} & set(text)


def test_a_long_reason_is_cut() -> None:
    evidence = an_evidence(failure="x" * 2_000_000, extent_ms=0)

    assert len(transcript(evidence, None)) < LONGEST_VALUE + 100


def test_line_ends_in_speech_make_no_lines() -> None:
    said = lines(a_caption(2_000, 2_400, "one\ntwo\r\n  three"), assistant=spans((2_000, 2_400)))

    assert said[-1] == "2000..2400 ASSISTANT: one two three"


@pytest.mark.parametrize(
    ("length", "ending"),
    [
        pytest.param(LONGEST_VALUE, "x", id="the-longest-value"),
        pytest.param(LONGEST_VALUE + 1, "x ...", id="one-longer"),
    ],
)
def test_values_are_cut_beyond(length: int, ending: str) -> None:
    (line,) = [one for one in lines(Faulted(at(5), "k", "x" * length)) if "FAULT" in one]

    assert line.endswith(ending)
    assert line.count("x") == min(length, LONGEST_VALUE)


def test_an_attempt_that_never_began_says_why() -> None:
    evidence = an_evidence(failure="the line broke", extent_ms=0)

    assert transcript(evidence, None) == f"{HEADING}\nNOT A MEASUREMENT the line broke\n"


def test_a_broken_attempt_says_so_at_its_end() -> None:
    evidence = an_evidence(failure="the line broke", observations=[a_call(at_ms=60_000)])

    assert transcript(evidence, Timeline.of(evidence)).splitlines()[-1] == (
        "NOT A MEASUREMENT the line broke"
    )


def test_without_anything_there_are_no_lines() -> None:
    assert transcript(an_evidence(), Timeline.of(an_evidence())) == f"{HEADING}\n"

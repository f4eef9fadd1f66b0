"""Labels: what each caller turn did, who says so, and that nothing else decides."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.intervals import Interval, IntervalSet
from shared.observability.evidence import (
    EXPLICIT,
    CallerAction,
    Closing,
    Cue,
    Decision,
    DecisionStatus,
    LabelSource,
)
from shared.observability.labels import CUE_LEAD_MS, closing_cues, labelled
from shared.observability.turns import Turn, heard_caller_turns
from tests.support.builders import a_caption, a_request, spans

OPENING, SPEAK, INTERRUPT, BACKCHANNEL, STOP = CallerAction
SCRIPT, CALLER, OBSERVER, FIRST, ACKNOWLEDGED, OVERLAP = LabelSource
SOUNDS = ("mm-hm", "right")


def a_turn(start_ms: int, end_ms: int, text: str = "two of us") -> Turn:
    """A turn as heard, of which nobody has said what it did."""
    return replace(a_request((start_ms, end_ms), text=text), action=None, source=None)


FIRST_TURN = a_turn(0, 1_000)


def labels(turns: tuple[Turn, ...]) -> list[tuple[CallerAction | None, str | None]]:
    return [(turn.action, turn.source) for turn in turns]


def second_label(
    turn: Turn, assistant: IntervalSet | None = None, *cues: Cue
) -> tuple[CallerAction | None, str | None]:
    """The label of a turn that is not the first."""
    return labels(labelled([FIRST_TURN, turn], assistant or spans(), cues, SOUNDS))[1]


def test_the_declared_time() -> None:
    assert CUE_LEAD_MS == 1_000


def test_nobody_spoke() -> None:
    assert labelled([], spans((0, 900)), [Cue(0, 900, STOP, SCRIPT)], SOUNDS) == ()


def test_the_first_turn_opens_whatever_it_is_spoken_over() -> None:
    turns = labelled([a_turn(0, 300, "mm-hm"), a_turn(5_000, 6_000)], spans((0, 900)), (), SOUNDS)
    assert labels(turns) == [(OPENING, FIRST), (SPEAK, OVERLAP)]


def test_nothing_but_the_label_changes() -> None:
    (turn,) = labelled([FIRST_TURN], spans())
    assert replace(turn, action=None, source=None) == FIRST_TURN


@pytest.mark.parametrize(
    ("text", "assistant", "label"),
    [
        pytest.param("no", spans(), (SPEAK, OVERLAP), id="speech-in-silence"),
        pytest.param("mm-hm", spans(), (SPEAK, OVERLAP), id="an-acknowledgement-in-silence"),
        pytest.param("no", spans((4_000, 5_000)), (SPEAK, OVERLAP), id="speech-at-the-end-of-it"),
        pytest.param("no", spans((4_000, 5_001)), (INTERRUPT, OVERLAP), id="coming-in-by-1-ms"),
        pytest.param(
            "mm-hm", spans((4_000, 5_001)), (BACKCHANNEL, ACKNOWLEDGED), id="listening-by-1-ms"
        ),
        pytest.param("no", spans((5_999, 7_000)), (SPEAK, OVERLAP), id="being-talked-over"),
        pytest.param("no", spans((5_000, 7_000)), (SPEAK, OVERLAP), id="beginning-together"),
        pytest.param(
            "no", spans((4_000, 5_000), (5_500, 7_000)), (SPEAK, OVERLAP), id="after-it-gave-way"
        ),
        pytest.param(
            "mm-hm", spans((5_999, 7_000)), (BACKCHANNEL, ACKNOWLEDGED), id="listening-to-its-start"
        ),
        pytest.param("no", spans((6_000, 7_000)), (SPEAK, OVERLAP), id="being-answered"),
        pytest.param(
            "no", spans((4_000, 4_900), (5_100, 7_000)), (INTERRUPT, OVERLAP), id="between-words"
        ),
        pytest.param(
            "no", spans((4_000, 4_900), (5_200, 7_000)), (SPEAK, OVERLAP), id="in-a-gap-of-300"
        ),
    ],
)
def test_without_a_cue_it_is(text: str, assistant: IntervalSet, label) -> None:
    assert second_label(a_turn(5_000, 6_000, text), assistant) == label


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        pytest.param("mm-hm", True, id="as-written"),
        pytest.param(" Mm-hm. ", True, id="with-case-and-punctuation"),
        pytest.param("MM HM!", True, id="with-a-blank"),
        pytest.param("Mmhm", True, id="in-one"),
        pytest.param("ｍｍ-hm", True, id="in-wide-letters"),
        pytest.param("Mm-hm, right.", True, id="two-in-a-row"),
        pytest.param("mm-hm mm-hm mm-hm", True, id="the-same-thrice"),
        pytest.param("right, Saturday", False, id="and-then-a-word"),
        pytest.param("alright", False, id="as-part-of-a-word"),
        pytest.param("okay", False, id="one-that-nobody-listed"),
        pytest.param("", False, id="without-words"),
        pytest.param("...", False, id="of-punctuation-alone"),
    ],
)
def test_an_acknowledgement_over_speech(text: str, is_one: bool) -> None:
    label = second_label(a_turn(5_000, 5_300, text), spans((4_000, 9_000)))
    assert label == ((BACKCHANNEL, ACKNOWLEDGED) if is_one else (INTERRUPT, OVERLAP))


@pytest.mark.parametrize("listed", [(), ("",), ("...",)])
def test_without_a_list_nothing_is_an_acknowledgement(listed: tuple[str, ...]) -> None:
    turns = [FIRST_TURN, a_turn(5_000, 5_300, "mm-hm")]
    assert labels(labelled(turns, spans((4_000, 9_000)), (), listed))[1] == (INTERRUPT, OVERLAP)


def test_an_acknowledgement_of_any_script_keeps_its_marks() -> None:
    turns = [FIRST_TURN, a_turn(5_000, 5_300, "हाँ"), a_turn(6_000, 6_300, "ह")]
    found = labelled(turns, spans((4_000, 9_000)), (), ("हाँ",))
    assert [turn.action for turn in found[1:]] == [BACKCHANNEL, INTERRUPT]


def test_a_long_row_of_sounds_takes_no_time() -> None:
    turns = [FIRST_TURN, a_turn(5_000, 5_300, "m" * 20_000 + "!x")]
    assert labelled(turns, spans((4_000, 9_000)), (), ("m", "mm"))[1].action is INTERRUPT


# Cues.


@pytest.mark.parametrize("source", EXPLICIT)
@pytest.mark.parametrize("action", CallerAction)
def test_an_explicit_cue_decides(action: CallerAction, source: LabelSource) -> None:
    turn = a_turn(5_000, 6_000, "mm-hm")
    over = spans((4_000, 9_000))
    assert second_label(turn, over, Cue(5_000, 6_000, action, source)) == (action, source)


def test_an_explicit_cue_decides_about_the_first_turn_too() -> None:
    turns = labelled([FIRST_TURN], spans(), [Cue(0, 10, INTERRUPT, SCRIPT)])
    assert labels(turns) == [(INTERRUPT, SCRIPT)]


@pytest.mark.parametrize(
    ("start_ms", "end_ms", "is_meant"),
    [
        pytest.param(5_000, 5_000, True, id="at-its-onset"),
        pytest.param(5_999, 5_999, True, id="in-its-last-ms"),
        pytest.param(6_000, 6_000, False, id="at-its-end"),
        pytest.param(4_000, 4_000, True, id="at-an-instant-1000-ms-ahead"),
        pytest.param(3_999, 3_999, False, id="at-an-instant-1001-ms-ahead"),
        pytest.param(3_000, 4_000, True, id="ending-1000-ms-ahead"),
        pytest.param(3_000, 3_999, False, id="ending-1001-ms-ahead"),
        pytest.param(3_000, 4_500, True, id="ending-500-ms-ahead"),
        pytest.param(3_000, 5_000, True, id="ending-at-its-onset"),
        pytest.param(4_000, 5_001, True, id="sharing-its-first-ms"),
        pytest.param(5_999, 9_000, True, id="sharing-its-last-ms"),
        pytest.param(6_000, 9_000, False, id="behind-it"),
    ],
)
def test_a_cue_is_about_a_turn(start_ms: int, end_ms: int, is_meant: bool) -> None:
    label = second_label(a_turn(5_000, 6_000), None, Cue(start_ms, end_ms, STOP, SCRIPT))
    assert label == ((STOP, SCRIPT) if is_meant else (SPEAK, OVERLAP))


@pytest.mark.parametrize(
    ("cue", "meant"),
    [
        pytest.param((900, 3_101), 2, id="most-of-which-it-shares"),
        pytest.param((900, 3_100), 1, id="the-earlier-of-equals"),
        pytest.param((2_000, 2_000), 2, id="the-next-one"),
    ],
)
def test_of_several_turns_a_cue_is_about_the_one(cue: tuple[int, int], meant: int) -> None:
    turns = labelled(
        [a_turn(0, 100), a_turn(900, 1_000), a_turn(3_000, 3_500)],
        spans(),
        [Cue(*cue, STOP, SCRIPT)],
    )
    assert [turn.action is STOP for turn in turns] == [index == meant for index in range(3)]


@pytest.mark.parametrize(
    ("cues", "label"),
    [
        pytest.param(
            [Cue(5_000, 6_000, STOP, OBSERVER), Cue(5_000, 6_000, SPEAK, SCRIPT)],
            (SPEAK, SCRIPT),
            id="the-script-before-the-observer",
        ),
        pytest.param(
            [Cue(5_000, 6_000, STOP, OBSERVER), Cue(5_000, 6_000, SPEAK, CALLER)],
            (SPEAK, CALLER),
            id="the-caller-before-the-observer",
        ),
        pytest.param(
            [Cue(5_000, 6_000, INTERRUPT, CALLER), Cue(5_000, 6_000, BACKCHANNEL, SCRIPT)],
            (BACKCHANNEL, SCRIPT),
            id="the-script-before-the-caller",
        ),
        pytest.param(
            [Cue(5_000, 5_200, BACKCHANNEL, SCRIPT), Cue(5_300, 6_000, SPEAK, SCRIPT)],
            (SPEAK, SCRIPT),
            id="one-that-asks-for-a-reply-before-one-that-does-not",
        ),
        pytest.param(
            [Cue(5_000, 5_200, INTERRUPT, SCRIPT), Cue(5_300, 6_000, SPEAK, SCRIPT)],
            (INTERRUPT, SCRIPT),
            id="the-earlier",
        ),
    ],
)
def test_of_several_cues_about_one_turn_the_one_that_holds_is(cues: list[Cue], label) -> None:
    turn = a_turn(5_000, 6_000)
    assert second_label(turn, None, *cues) == label
    assert second_label(turn, None, *reversed(cues)) == label


@pytest.mark.parametrize("source", [FIRST, ACKNOWLEDGED, OVERLAP])
def test_a_rule_gives_no_cue(source: LabelSource) -> None:
    with pytest.raises(ValueError, match="a rule gives no cue"):
        Cue(0, 1, STOP, source)


def test_a_cue_does_not_end_before_it_starts() -> None:
    with pytest.raises(ValueError, match="ends before it starts"):
        Cue(1, 0, STOP, SCRIPT)


# Farewells that an observer names.


def a_decision(
    *closing: int,
    asks: bool = False,
    status: DecisionStatus = DecisionStatus.ANSWERED,
) -> Decision:
    named = Closing(Interval(*closing), asks) if closing else None
    return Decision(9_000, 9_500, 1, status, closing=named)


@pytest.mark.parametrize(
    ("decisions", "named"),
    [
        pytest.param([], [], id="nobody-asked"),
        pytest.param([a_decision()], [], id="no-closing-turn"),
        pytest.param([a_decision(5_000, 6_000)], [(5_000, 6_000)], id="a-farewell"),
        pytest.param([a_decision(5_000, 6_000, asks=True)], [], id="one-that-carries-a-request"),
        pytest.param(
            [a_decision(5_000, 6_000, status=DecisionStatus.STALE)], [], id="by-a-stale-answer"
        ),
        pytest.param(
            [a_decision(5_000, 6_000, status=DecisionStatus.FAILED)], [], id="by-a-failed-question"
        ),
        pytest.param(
            [a_decision(5_000, 6_000), a_decision(5_000, 6_500, asks=True)],
            [],
            id="taken-back-by-a-later-answer-about-that-turn",
        ),
        pytest.param(
            [a_decision(5_000, 6_000, asks=True), a_decision(5_000, 6_500)],
            [(5_000, 6_500)],
            id="found-by-a-later-answer-about-that-turn",
        ),
        pytest.param(
            [a_decision(5_000, 6_000), a_decision(8_000, 9_000)],
            [(5_000, 6_000), (8_000, 9_000)],
            id="two-farewells",
        ),
    ],
)
def test_the_observer_names(decisions: list[Decision], named: list[tuple[int, int]]) -> None:
    cues = closing_cues(decisions)
    assert [(cue.start_ms, cue.end_ms) for cue in cues] == named
    assert {(cue.action, cue.source) for cue in cues} <= {(STOP, OBSERVER)}


@pytest.mark.parametrize(
    ("resumed_ms", "label"),
    [
        pytest.param(6_299, (STOP, OBSERVER), id="299-ms-later-is-part-of-the-farewell"),
        pytest.param(6_300, (SPEAK, OVERLAP), id="300-ms-later-is-more-than-the-farewell"),
        pytest.param(6_900, (SPEAK, OVERLAP), id="900-ms-later-is-more-too"),
    ],
)
def test_what_a_caller_adds_to_a_farewell(resumed_ms: int, label) -> None:
    turn = replace(a_request((5_000, 6_000), (resumed_ms, 7_000)), action=None)
    assert second_label(turn, None, Cue(5_000, 6_000, STOP, OBSERVER)) == label
    assert second_label(turn, None, Cue(5_000, 6_000, STOP, SCRIPT)) == (STOP, SCRIPT)


# Whatever is said, it is not the order of telling that decides.

some_spans = st.lists(
    st.tuples(st.integers(0, 9_000), st.integers(1, 900)).map(lambda at: (at[0], sum(at))),
    max_size=6,
).map(lambda pairs: spans(*pairs))
some_cues = st.lists(
    st.builds(
        lambda start, length, action, source: Cue(start, start + length, action, source),
        st.integers(0, 9_000),
        st.integers(0, 900),
        st.sampled_from(CallerAction),
        st.sampled_from(EXPLICIT),
    ),
    max_size=5,
)
some_captions = st.lists(st.integers(0, 9_000), max_size=6, unique=True).map(
    lambda starts: [
        a_caption(start, start + 200, "mm-hm " if start % 2 else "no ") for start in starts
    ]
)


@given(some_spans, some_spans, some_captions, some_cues, st.randoms(use_true_random=False))
def test_no_label_depends_on_the_order_in_which_anything_arrived(
    caller: IntervalSet, assistant: IntervalSet, captions, cues: list[Cue], draw
) -> None:
    def heard(captions, cues: list[Cue]) -> tuple[Turn, ...]:
        turns = heard_caller_turns(caller, assistant, captions, cues)
        return labelled(turns, assistant, cues, SOUNDS)

    whole = heard(captions, cues)
    shuffled = draw.sample(captions, len(captions)), draw.sample(cues, len(cues))
    assert heard(*shuffled) == whole
    assert labelled(whole, assistant, cues, SOUNDS) == whole, "a label rests on no label before"
    assert all(turn.action is not STOP or turn.source in EXPLICIT for turn in whole)
    assert [turn.source for turn in whole].count(FIRST) <= 1
